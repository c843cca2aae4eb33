// Who may vote for somebody who is away: by entry and by the clock, judged at the press and at the quorum (R5).
import { expect, test } from "vitest"
import type { Absence } from "../../../src/domain/order/absence.ts"
import type { Policy } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { maySee } from "../../../src/flow/people/visibility.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { anAbsence } from "../../support/orders.ts"
import { announcedWorld, caseOf, ledgerKinds, minute, pressed } from "../support.ts"

const user = (id: string) => ({ kind: "user", id }) as const
const listed = { approvers: [user("U1"), user("U2")], standIns: [user("U8"), user("U9")] }
const two = { ...listed, quorum: 2 }

/** U1 is away, and U9 stands in. */
function away(world: World, ...changes: readonly Partial<Absence>[]) {
  const from = world.ports.clock()
  const one = { person: "T1:U1", standIn: "T1:U9", from, until: from + 60 * minute }
  const all = changes.length === 0 ? [{}] : changes
  world.order({ stops: [], absences: all.map((change, at) => anAbsence({ id: `a-${at}`, ...one, ...change })) })
}

async function absentWorld(
  rules: readonly Partial<Rule>[] = [listed],
  approval = anApproval(),
  identities: Policy["identities"] = [],
): Promise<World> {
  const policy = aPolicy(
    rules.map((rule) => aRule(rule)),
    identities,
  )
  const world = await announcedWorld({ policy }, approval)
  world.people.set(...["U3", "U8", "U9"].map((id) => aPerson({ user: id })))
  away(world)
  return world
}

/** True if this person may see the case, although they are in none of its channels. */
function sees(world: World, who: string): Promise<boolean> {
  const people = { ...world.ports.people, inChannel: async () => false }
  return maySee({ ...world.ports, people }, caseOf(world), aPerson({ user: who }))
}

const refused = (code: string) => [{ kind: "refused", refusal: { code } }]

test("while somebody is away their stand-in votes for them, under their own name, and the vote says for whom", async () => {
  const world = await absentWorld()

  const { answers, case: after } = await pressed(world, { user: "U9" })

  expect(answers).toEqual([])
  expect(after.decision?.votes).toMatchObject([
    { person: { user: "U9" }, subject: "u9@example.com", rules: [{ name: "all", for: "T1:U1" }] },
  ])
  const voted = world.server.ledger.find(({ kind }) => kind === "voted")
  expect(voted).toMatchObject({ person: "T1:U9", rules: ["all"], for: ["T1:U1"] })
  const [body] = world.platform.bodies
  const sent = JSON.parse(body ?? "{}") as { resolved_by: string; resolution_data: { countersign: object } }
  expect(sent.resolved_by).toBe("u9@example.com")
  expect(sent.resolution_data.countersign).toMatchObject({ approvers: [{ slack: "T1:U9", for: ["T1:U1"] }] })
})

test.each<[string, (world: World) => void, Partial<Rule>]>([
  ["nobody is away", (world) => world.order({ stops: [] }), listed],
  ["it has not begun by the clock", (world) => away(world, { from: world.ports.clock() + minute }), listed],
  ["it is over by the clock", (world) => away(world, { from: 0, until: world.ports.clock() }), listed],
  ["they named somebody else", (world) => away(world, { standIn: "T1:U8" }), listed],
  ["the rule names no stand-in", () => undefined, { approvers: listed.approvers }],
  ["the rule names another stand-in", () => undefined, { ...listed, standIns: [user("U8")] }],
  ["whoever is away is no approver of the rule", (world) => away(world, { person: "T1:U3" }), listed],
  ["a chain would be needed", (world) => away(world, { standIn: "T1:U8" }, { person: "T1:U8" }), listed],
  ["whoever is away was deactivated", (world) => world.people.set(aPerson({ user: "U1", deactivated: true })), listed],
  ["whoever is away is a guest", (world) => world.people.set(aPerson({ user: "U1", guest: true })), listed],
])("a stand-in may not vote if %s, and does not see the case", async (_, change, rule) => {
  const world = await absentWorld([rule])
  change(world)
  world.clock.forward(31_000)

  const { answers, case: after } = await pressed(world, { user: "U9" })

  expect(answers).toEqual(refused("not-approver"))
  expect(after.votes).toEqual([])
  expect(await sees(world, "U9")).toBe(false)
})

test("the requester lends nothing, and a stand-in who asked may not approve", async () => {
  const strict = { ...listed, forbidSelfApproval: true, unknownRequester: "allow" } as const
  const ofAlice = await absentWorld([strict], anApproval({ userId: "u1@example.com" }))
  const ofBob = await absentWorld([strict], anApproval({ userId: "u9@example.com" }))

  expect((await pressed(ofAlice, { user: "U9" })).answers).toEqual(refused("not-approver"))
  expect((await pressed(ofAlice, { user: "U9", verb: "reject", interaction: "2" })).answers).toEqual(
    refused("not-approver"),
  )
  expect((await pressed(ofBob, { user: "U9" })).answers).toEqual([
    { kind: "refused", refusal: { code: "requester", rule: "all" } },
  ])
})

test("whoever is away and votes all the same has their own vote: their stand-in's is void", async () => {
  const world = await absentWorld([two])
  await pressed(world, { user: "U9" })
  expect(caseOf(world).votes).toHaveLength(1)

  const { case: after } = await pressed(world, { user: "U1" })

  expect(after.state).toBe("open")
  expect(after.votes).toMatchObject([{ person: { user: "U1" } }])
  expect(world.server.ledger.at(-1)).toMatchObject({ kind: "voided", person: "T1:U9", why: "voted-themselves" })
  expect((await pressed(world, { user: "U9", interaction: "again" })).answers).toEqual(refused("not-approver"))
  const { case: end } = await pressed(world, { user: "U2" })
  expect(end.decision?.votes.map(({ person }) => person.user)).toEqual(["U1", "U2"])
})

test("R5: a stand-in's vote is judged again at the quorum, and is void once they are back", async () => {
  const world = await absentWorld([two])
  await pressed(world, { user: "U9" })
  world.order({ stops: [] })

  const { case: after } = await pressed(world, { user: "U2" })

  expect(after).toMatchObject({ state: "open", votes: [{ person: { user: "U2" } }] })
  expect(world.server.ledger).toContainEqual(expect.objectContaining({ kind: "voided", why: "not-standing-in" }))
  expect(world.platform.effects).toBe(0)
})

test("R5: a stand-in's vote is void at the quorum if the absence is over by the clock, or somebody else stands in", async () => {
  const over = await absentWorld([two])
  await pressed(over, { user: "U9" })
  over.clock.forward(60 * minute)
  expect((await pressed(over, { user: "U2" })).case.state).toBe("open")

  const other = await absentWorld([two])
  await pressed(other, { user: "U9" })
  away(other, { standIn: "T1:U8" })
  const { case: after } = await pressed(other, { user: "U8" })
  expect(after.votes.map(({ person }) => person.user)).toEqual(["U8"])
  expect((await pressed(other, { user: "U2" })).case.decision?.votes).toHaveLength(2)
})

test("R7: whoever stands in for two people is one vote on the case", async () => {
  const world = await absentWorld([two])
  away(world, {}, { person: "T1:U2" })

  await pressed(world, { user: "U9" })
  const { answers, case: after } = await pressed(world, { user: "U9", interaction: "again" })

  expect(answers).toMatchObject([{ kind: "again" }])
  expect(after).toMatchObject({ state: "open", votes: [{ rules: [{ for: "T1:U1" }] }] })
})

test("R7: nobody stands in for themselves under another id", async () => {
  const identities = [
    { subject: "ann", team, user: "U1" },
    { subject: "ann", team, user: "U9" },
  ]
  const world = await absentWorld([listed], anApproval(), identities)

  expect((await pressed(world, { user: "U9" })).answers).toEqual(refused("not-approver"))
})

test("an approver who stands in for another one votes for themselves", async () => {
  const world = await absentWorld([{ ...two, standIns: [user("U2")] }])
  away(world, { standIn: "T1:U2" })

  const { case: after } = await pressed(world, { user: "U2" })

  expect(after.votes).toMatchObject([{ rules: [{ name: "all" }] }])
  expect(after.votes[0]?.rules[0]).not.toHaveProperty("for")
})

test("a stand-in votes under the rule that names them, and under no other one of the case", async () => {
  const other = { name: "other", match: { agent: ["agent-1"] }, approvers: [user("U3")] }
  const world = await absentWorld([other, listed], anApproval({ agentId: null }))

  const { case: after } = await pressed(world, { user: "U9" })

  expect(after.state).toBe("open")
  expect(after.votes[0]?.rules.map(({ name }) => name)).toEqual(["all"])
})

test("under the rule that a limit demands nobody stands in", async () => {
  const asks = { quorum: 1, approvers: [user("U1")], routes: [] }
  const limit = { sum: "args.amount", windowMs: minute, above: "1", asks }
  const world = await absentWorld([{ ...listed, limit }])

  const { case: after } = await pressed(world, { user: "U9" })

  expect(after.votes[0]?.rules.map(({ name }) => name)).toEqual(["all"])
  expect(after.state).toBe("open")
})

test("R8: a stand-in sees the case while they stand in, and afterwards only where they voted", async () => {
  const world = await absentWorld([two])
  expect([await sees(world, "U9"), await sees(world, "U8")]).toEqual([true, false])

  await pressed(world, { user: "U9" })
  away(world, { standIn: "T1:U8" })
  expect([await sees(world, "U9"), await sees(world, "U8")]).toEqual([true, true])

  await pressed(world, { user: "U1" })
  expect(ledgerKinds(world)).toContain("voided")
  world.order({ stops: [] })
  expect([await sees(world, "U9"), await sees(world, "U8")]).toEqual([false, false])
})

test("a rejection of a stand-in decides, as any approver's does", async () => {
  const world = await absentWorld([two])

  const { case: after } = await pressed(world, { user: "U9", verb: "reject" })

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
})
