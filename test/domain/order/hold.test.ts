// Holds: which cases they cover, also where nobody can tell, and how they stand beside other orders.
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { holdInWords, holdOn, holdsHash, holdsInForce, maxHolds } from "../../../src/domain/order/hold.ts"
import {
  joinedOrders,
  maxErasures,
  type Orders,
  ordersHash,
  type WaitingErasure,
  withErasure,
  withHold,
  withoutErasure,
  withoutHold,
} from "../../../src/domain/order/orders.ts"
import { unknownOrderer } from "../../../src/domain/people/orderer.ts"
import type { HoldOf } from "../../../src/domain/policy/shared-config.ts"
import { anApproval } from "../../support/builders.ts"
import { aHold, aStop } from "../../support/orders.ts"

const summary: Case["summary"] = {
  tool: "refund_order",
  agent: null,
  requester: "Jane@corp.example",
  calls: 1,
  createdAt: null,
}

/** A closed case without its arguments. */
function aClosed(changes: Partial<Case["summary"]> = {}) {
  return { id: "c0ffee", approvalId: "INV-1", approval: null, summary: { ...summary, ...changes } }
}

function covers(of: HoldOf, changes: Partial<Case["summary"]> = {}): boolean {
  return holdOn(aClosed(changes), holdsInForce([of], { stops: [] })) !== null
}

test("a hold on a requester covers what they asked for, however the platform spells them, and * is any text", () => {
  expect(covers({ kind: "requester", value: "jane@CORP.example" })).toBe(true)
  expect(covers({ kind: "requester", value: "*@corp.example" })).toBe(true)
  expect(covers({ kind: "requester", value: "jane" })).toBe(false)
})

test("R15 who asked is null or erased: a hold on any requester covers the case, rather than let it go", () => {
  expect(covers({ kind: "requester", value: "bob" }, { requester: null })).toBe(true)
  expect(covers({ kind: "requester", value: "bob" }, { requester: "(erased)" })).toBe(true)
})

test("a hold on a tool covers the cases with a call of it, by what is kept of them or by the name alone", () => {
  const approval = anApproval({ toolName: "send_mail" })

  expect(covers({ kind: "tool", value: "refund_*" })).toBe(true)
  expect(covers({ kind: "tool", value: "send_*" })).toBe(false)
  const kept = { ...aClosed(), kept: { approval, until: 5 } }
  expect(holdOn(kept, holdsInForce([{ kind: "tool", value: "send_mail" }], { stops: [] }))).not.toBeNull()
  expect(
    holdOn({ ...aClosed({ tool: null }), approval }, holdsInForce([{ kind: "tool", value: "no" }], { stops: [] })),
  ).toBeNull()
})

test("R15 nobody can tell any more which tools a case called: a hold on any tool covers it", () => {
  expect(covers({ kind: "tool", value: "send_mail" }, { tool: null })).toBe(true)
  expect(covers({ kind: "tool", value: "send_mail" }, { calls: 2 })).toBe(true)
})

test("a hold on a case takes its id or its approval's, whole", () => {
  expect(covers({ kind: "case", value: "c0ffee" })).toBe(true)
  expect(covers({ kind: "case", value: "INV-1" })).toBe(true)
  expect(covers({ kind: "case", value: "INV-*" })).toBe(false)
})

test("of several holds the one that covers for certain is told", () => {
  const holds = [aHold({ id: "h-1", of: { kind: "requester", value: "bob" } }), aHold({ id: "h-2" })]

  const found = holdOn(aClosed({ requester: null }), holdsInForce([], { stops: [], holds }))

  expect(found?.id).toBe("h-2")
  expect(found && holdInWords(found)).toBe("tool refund_*, hold h-2")
})

test("R17 while nobody knows what was ordered, everything is on hold", () => {
  const stops = [aStop({ id: "s-9", by: unknownOrderer })]

  const found = holdOn(aClosed(), holdsInForce([], { stops }))

  expect(found && holdInWords(found)).toBe("everything, while nobody knows what was ordered (stop s-9)")
  expect(holdOn(aClosed(), holdsInForce([], { stops: [aStop()] }))).toBeNull()
})

test("holds of config and orders have one hash for what they cover, in any order and under any id", () => {
  const [one, other] = [aHold().of, { kind: "case", value: "c0ffee" }] as const
  const hashOf = (said: readonly HoldOf[], orders: Orders = { stops: [] }) => holdsHash(holdsInForce(said, orders))

  expect(hashOf([one, other])).toBe(hashOf([other], { stops: [], holds: [aHold({ id: "x", reason: "y" })] }))
  expect(hashOf([one])).not.toBe(hashOf([other]))
  expect(hashOf([])).not.toBe(hashOf([], { stops: [aStop({ by: unknownOrderer })] }))
})

test("the same hold again names the older one, and there are at most a hundred", () => {
  const first = aHold()
  const many = Array.from({ length: maxHolds }, (_, n) =>
    aHold({ id: `h-${n}`, of: { kind: "case", value: `c-${n}` } }),
  )

  expect(withHold({ stops: [] }, first)).toEqual({ kind: "begun", orders: { stops: [], holds: [first] } })
  expect(withHold({ stops: [], holds: [first] }, aHold({ id: "h-2" }))).toEqual({ kind: "again", hold: first })
  expect(withHold({ stops: [], holds: many }, first)).toEqual({ kind: "too-many" })
  expect(withoutHold({ stops: [], holds: [first] }, first.id)).toEqual({ stops: [] })
  expect(withoutHold({ stops: [], holds: [first] }, "other")).toEqual({ stops: [], holds: [first] })
})

const jane: WaitingErasure = { person: "T1:UJANE", names: ["jane"], by: "ops", at: 1_000, holds: "h" }

test("one erasure waits for each person, and at most five hundred do", () => {
  const newer = { ...jane, at: 2_000 }
  const many = Array.from({ length: maxErasures }, (_, n) => ({ ...jane, person: `T1:U${n}` }))

  expect(withErasure({ stops: [], erasures: [jane] }, newer)).toEqual({ stops: [], erasures: [newer] })
  expect(withErasure({ stops: [], erasures: many }, jane)).toBeNull()
  expect(withErasure({ stops: [], erasures: many }, { ...jane, person: "T1:U7" })).not.toBeNull()
  expect(withoutErasure({ stops: [], erasures: [jane] }, jane.person)).toEqual({ stops: [] })
})

test("orders that are joined have every hold and every erasure of both once", () => {
  const [one, both, other] = ["h-1", "h-2", "h-3"].map((id) => aHold({ id, of: { kind: "case", value: id } }))
  if (one === undefined || both === undefined || other === undefined) throw new Error("three holds")

  const orders = joinedOrders({ stops: [], holds: [one, both], erasures: [jane] }, { stops: [], holds: [both, other] })

  expect(orders).toEqual({ stops: [], holds: [one, both, other], erasures: [jane] })
})

test("holds and erasures that wait change the hash of the orders", () => {
  const hashes = [
    { stops: [], holds: [aHold()] },
    { stops: [], holds: [aHold({ reason: "another" })] },
    { stops: [], erasures: [jane] },
    { stops: [], holds: [aHold()], erasures: [jane] },
  ].map(ordersHash)

  expect(new Set(hashes).size).toBe(4)
  expect(hashes).not.toContain(null)
})
