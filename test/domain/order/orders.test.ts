// Stops: which cases they cover, and how orders change (R21).

import { expect, test } from "vitest"
import { hashOf } from "../../../src/domain/content/canonical.ts"
import type { Absence } from "../../../src/domain/order/absence.ts"
import {
  endSince,
  joinedOrders,
  noOrders,
  type Orders,
  ordersHash,
  stopOn,
  withoutStop,
  withStop,
} from "../../../src/domain/order/orders.ts"
import { coverOf, endedKnownMs, maxStops, type StopMatch, wordsOfStop } from "../../../src/domain/order/stop.ts"
import {
  isSameOrderer,
  type Orderer,
  ordererEntry,
  ordererOf,
  ordererWords,
  unknownOrderer,
} from "../../../src/domain/people/orderer.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"
import { anAbsence, anOperator, aStop } from "../../support/orders.ts"

function covered(match: StopMatch, given: Parameters<typeof anApproval>[0] = {}) {
  const approval = anApproval(given)
  return coverOf({ match }, { instance: approval.instance, approval })
}

const pair = { requirements: [aRequirement("send_mail", {}, { member_agent_id: "mailer" }), aRequirement("delete_x")] }

test.each<[string, StopMatch, Parameters<typeof anApproval>[0], ReturnType<typeof coverOf>]>([
  ["everything", {}, {}, "certain"],
  ["its instance", { instance: ["main"] }, {}, "certain"],
  ["another instance", { instance: ["other"] }, {}, null],
  ["one of two agents", { agent: ["a", "b"] }, { agentId: "b" }, "certain"],
  ["a tool by a glob", { tool: ["delete_*"] }, {}, "certain"],
  ["another team", { team: ["b"] }, { teamId: "a" }, null],
  ["a team where the platform names none", { team: ["b"] }, { teamId: null }, "perhaps"],
  ["a workflow where the platform names none", { workflow: ["w"] }, { workflowId: null }, "perhaps"],
  ["a null field beside a word that does not hold", { team: ["b"], tool: ["send_*"] }, { teamId: null }, null],
])("R21 a stop of %s covers as it says", (_what, match, given, cover) => {
  expect(covered(match, given)).toBe(cover)
})

test("R21 one call of several is enough, but all words have to hold for that call", () => {
  expect(covered({ tool: ["send_*"] }, pair)).toBe("certain")
  expect(covered({ agent: ["mailer"], tool: ["send_*"] }, pair)).toBe("certain")
  expect(covered({ agent: ["mailer"], tool: ["delete_*"] }, pair)).toBeNull()
})

test("R21 a call that ran already is stopped no more", () => {
  const requirements = [aRequirement("send_mail", { result: "sent" }), aRequirement("delete_x")]

  expect(covered({ tool: ["send_*"] }, { requirements })).toBeNull()
})

test("R21 a case whose content is gone is covered unless its instance is another", () => {
  expect(coverOf({ match: { agent: ["a"] } }, { instance: "main", approval: null })).toBe("perhaps")
  expect(coverOf({ match: { instance: ["b"] } }, { instance: "main", approval: null })).toBeNull()
})

test("R21 no stop covers the built-in instance", () => {
  const approval = anApproval({ instance: "countersign" })

  expect(coverOf({ match: {} }, { instance: "countersign", approval })).toBeNull()
  expect(coverOf({ match: { instance: ["countersign"] } }, { instance: "countersign", approval })).toBeNull()
})

test("the same stop again changes nothing and names the older one; one that lasts longer is another", () => {
  const first = aStop({ id: "s-1", match: { agent: ["a", "b"] }, until: 5_000 })
  const orders: Orders = { stops: [first] }

  expect(withStop(orders, aStop({ id: "s-2", match: { agent: ["b", "a"] }, until: 4_000 }))).toEqual({
    kind: "again",
    stop: first,
  })
  const longer = aStop({ id: "s-2", match: { agent: ["a", "b"] }, until: null })
  expect(withStop(orders, longer)).toEqual({ kind: "stopped", orders: { stops: [first, longer] } })
})

test("there are never more than fifty stops", () => {
  const stops = Array.from({ length: maxStops }, (_, n) => aStop({ id: `s-${n}`, match: { agent: [`a-${n}`] } }))

  expect(withStop({ stops }, aStop({ match: { agent: ["one-more"] } }))).toEqual({ kind: "too-many" })
  expect(withStop({ stops }, aStop({ match: { agent: ["a-7"] } }))).toMatchObject({ kind: "again" })
})

test("of several stops the one that covers for certain is told", () => {
  const [perhaps, certain] = [aStop({ id: "s-1", match: { team: ["t"] } }), aStop({ id: "s-2" })]
  const approval = anApproval({ teamId: null })
  const subject = { instance: approval.instance, approval }

  expect(stopOn({ stops: [perhaps, certain] }, subject)).toEqual({ stop: certain, cover: "certain" })
  expect(stopOn({ stops: [perhaps] }, subject)).toEqual({ stop: perhaps, cover: "perhaps" })
  expect(stopOn(noOrders, subject)).toBeNull()
})

test("orders that are joined have every stop of both once", () => {
  const [one, both, other] = ["s-1", "s-2", "s-3"].map((id) => aStop({ id }))
  const orders = joinedOrders({ stops: [one, both] as const } as Orders, { stops: [both, other] } as Orders)

  expect(orders.stops.map(({ id }) => id)).toEqual(["s-1", "s-2", "s-3"])
  expect(withoutStop(orders, "s-2", 2_000).stops.map(({ id }) => id)).toEqual(["s-1", "s-3"])
})

test("orders without a stop have no hash, and each word of a stop changes it", () => {
  const hashes = [{}, { reason: "else" }, { by: anOperator("else") }, { until: 1 }, { match: { agent: ["a"] } }].map(
    (change) => ordersHash({ stops: [aStop(change)] }),
  )

  expect(ordersHash(noOrders)).toBeNull()
  expect(new Set(hashes).size).toBe(hashes.length)
})

test("an absence changes the hash, and orders without one have the hash that they had before there were any", () => {
  const stops = [aStop()]

  expect(ordersHash({ stops })).toBe(hashOf({ stops: [{ ...aStop(), by: { ...anOperator() } }] }))
  expect(ordersHash({ stops, absences: [] })).toBe(ordersHash({ stops }))
  const hashes = [{}, { standIn: "T1:UCAROL" }, { until: 2_000 }, { from: 1_500 }].map((change) =>
    ordersHash({ stops: [], absences: [anAbsence(change)] }),
  )
  expect(new Set([...hashes, null, ordersHash({ stops })]).size).toBe(hashes.length + 2)
})

test("orders that are joined have only the absences that stand in both", () => {
  const [one, both, other] = ["a-1", "a-2", "a-3"].map((id) => anAbsence({ id })) as [Absence, Absence, Absence]

  const orders = joinedOrders({ stops: [], absences: [one, both] }, { stops: [aStop()], absences: [both, other] })

  expect(orders).toEqual({ stops: [aStop()], absences: [both] })
  expect(joinedOrders({ stops: [] }, { stops: [], absences: [both] })).toEqual({ stops: [] })
})

test("a stop is said as it is typed", () => {
  expect(wordsOfStop({})).toBe("everything")
  expect(wordsOfStop({ tool: ["refund_*"], agent: ["a", "b"] })).toBe("agent:a agent:b tool:refund_*")
})

test("who ordered is said in words, and in an entry where only the name can be erased", () => {
  const ada = ordererOf({ team: "T1", user: "U1", name: "Ada" })
  const said: readonly Orderer[] = [
    ada,
    anOperator(),
    { kind: "caller", name: "ci" },
    { kind: "caller", name: null },
    unknownOrderer,
  ]

  expect(said.map(ordererWords)).toEqual([
    "Ada (T1:U1)",
    "operator ops",
    "caller ci",
    "caller (erased)",
    "countersign:unknown",
  ])
  expect(said.map(ordererEntry).map(({ by, person, name }) => [by, person, name])).toEqual([
    ["person", "T1:U1", "Ada"],
    ["operator", null, "ops"],
    ["caller", null, "ci"],
    ["caller", null, null],
    ["countersign:unknown", null, null],
  ])
})

test("only somebody in Slack is known well enough to be the same", () => {
  const ada = ordererOf({ team: "T1", user: "U1", name: "Ada" })

  expect(isSameOrderer(ada, ordererOf({ team: "T1", user: "U1", name: "Ada L." }))).toBe(true)
  expect(isSameOrderer(ada, ordererOf({ team: "T2", user: "U1", name: "Ada" }))).toBe(false)
  expect(isSameOrderer(anOperator(), anOperator())).toBe(false)
})

test("R21 a stop that ended is known for ten minutes, and tells apart what was ordered before and after it", () => {
  const orders = { stops: [aStop({ match: { agent: ["billing"] } })] }
  const ended = withoutStop(orders, "s-1", 5_000)
  const covered = { instance: "main", approval: anApproval({ agentId: "billing", requirements: null }) }
  const other = { instance: "main", approval: anApproval({ agentId: "other", requirements: null }) }

  expect([5_000, 5_001].map((since) => endSince(ended, covered, since))).toEqual([5_000, null])
  expect(endSince(ended, other, 0)).toBeNull()
  expect(ordersHash(ended)).not.toBeNull()
  expect(joinedOrders({ stops: [] }, ended)).toEqual({ stops: [], ended: ended.ended })
  expect(joinedOrders(ended, ended)).toEqual(ended)
  const later = withoutStop({ ...ended, stops: [aStop({ id: "s-2" })] }, "s-2", 5_000 + endedKnownMs)
  expect(later.ended?.map(({ id }) => id)).toEqual(["s-2"])
})
