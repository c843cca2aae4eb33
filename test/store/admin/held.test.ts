// What is on hold is neither removed nor erased (R15); an erasure that a hold keeps waiting is carried out at its end.

import { expect, test } from "vitest"
import type { Hold } from "../../../src/domain/order/hold.ts"
import { maxErasures } from "../../../src/domain/order/orders.ts"
import { erasePerson } from "../../../src/store/admin/erase.ts"
import { createRetention } from "../../../src/store/admin/retention.ts"
import { rewriteOrders } from "../../../src/store/config/orders-record.ts"
import { unbounded } from "../../../src/store/freshness/freshness.ts"
import { type Committer, createCommitter } from "../../../src/store/ledger/commit.ts"
import { anOperator } from "../../support/orders.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { kinds } from "../opened.ts"
import { aSettledCase } from "../signed-ledger.ts"
import { configPlaceOf, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const due = { at: noon, settledBefore: Number.POSITIVE_INFINITY }
const bob = { person: "T1:BOB", names: ["Bobby"], by: "ops", at: noon }

async function held({ store }: OpenStore, of: Hold["of"]): Promise<Hold> {
  const done = await store.config.orders.beginHold({ of, by: anOperator(), reason: "lawsuit 12", at: noon })
  if (done.kind === "too-many") throw new Error(done.kind)
  return done.hold
}

function end({ store }: OpenStore, { id }: Hold) {
  return store.config.orders.endHold(id, { by: anOperator(), at: noon + 1 })
}

const waiting = async ({ store }: OpenStore) => (await store.config.orders.listHolds()).erasures

async function eventsOf(open: OpenStore, ...wanted: readonly string[]) {
  const events = (await entriesOf(open)).flatMap((entry) => (entry === null ? [] : [entry.event]))
  return events.filter(({ kind }) => typeof kind === "string" && wanted.includes(kind))
}

test("R15 retention leaves a case on hold whole, and takes it once the hold has ended", async () => {
  const open = await openStore()
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const other = await aSettledCase(open, { id: "a-2", user: "BOB" })
  const hold = await held(open, { kind: "case", value: "a-1" })

  expect(await open.store.retention.remove(one.id, due)).toBe("on-hold")
  expect(await open.store.retention.remove(other.id, due)).toMatchObject({ approval: "a-2" })
  expect(await open.store.cases.read(one.id)).toMatchObject({ state: "closed" })
  expect(await open.store.receipt("decision-a-1")).not.toBeNull()
  await end(open, hold)

  expect(await open.store.retention.remove(one.id, due)).toMatchObject({ approval: "a-1", receipts: 1 })
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R15 retention leaves what the config holds", async () => {
  const open = await openStore()
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const shared = aSharedConfig("rev-2", { hold: [{ kind: "requester", value: "ann@*" }] })
  await open.store.config.activate({ activate: false, at: noon, shared })

  expect(await open.store.retention.remove(one.id, due)).toBe("on-hold")
})

test("R15 an erasure leaves a case on hold with its texts and receipt, says so, and takes the rest", async () => {
  const open = await openStore()
  await open.store.identityLinks.pin("bob@example.com", { team: "T1", user: "BOB" }, noon)
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  await aSettledCase(open, { id: "a-2", user: "BOB" })
  const before = await open.store.cases.read(one.id)
  const hold = await held(open, { kind: "case", value: one.id })

  const erasure = await open.store.erase(bob)

  const left = [{ caseId: one.id, why: "on-hold", hold: { id: hold.id, of: hold.of } }]
  expect(erasure).toEqual({ erasables: 4, receipts: 1, cases: 1, links: 1, left, unread: 0 })
  expect(await open.store.cases.read(one.id)).toEqual(before)
  expect(await open.store.receipt("decision-a-1")).not.toBeNull()
  expect(await open.store.receipt("decision-a-2")).toBeNull()
  expect(await waiting(open)).toEqual([{ person: "T1:BOB", by: "ops", at: noon }])
  expect(await eventsOf(open, "erasure-waits")).toEqual([
    { kind: "erasure-waits", at: noon, person: "T1:BOB", by: "ops", cases: 1 },
  ])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R15 when the hold has ended the erasure is carried out, by all names that were known, and is over", async () => {
  const open = await openStore()
  // Only the vote on a-2 says that bob@example.com is Bob; a-1 names that address alone.
  const one = await aSettledCase(open, { id: "a-1", user: "ANN", resolvedBy: "bob@example.com" })
  await aSettledCase(open, { id: "a-2", user: "BOB" })
  const hold = await held(open, { kind: "case", value: "a-1" })
  expect((await open.store.erase({ ...bob, names: [] })).left).toMatchObject([{ caseId: one.id, why: "on-hold" }])
  expect(await open.store.waitingErasures.carryOut(noon)).toEqual([])
  await end(open, hold)

  const done = await open.store.waitingErasures.carryOut(noon + 2)

  expect(done).toMatchObject([{ person: "T1:BOB", erasure: { cases: 1, left: [] } }])
  expect(JSON.stringify(await open.store.cases.read(one.id))).not.toContain("bob@example.com")
  expect(await waiting(open)).toEqual([])
  expect(await eventsOf(open, "erasure-done")).toEqual([
    { kind: "erasure-done", at: noon + 2, person: "T1:BOB", by: "ops" },
  ])
  expect(await open.store.waitingErasures.carryOut(noon + 3)).toEqual([])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R15 one of two holds ends: what the other covers stays, and the erasure waits on", async () => {
  const open = await openStore()
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const other = await aSettledCase(open, { id: "a-2", user: "BOB" })
  const first = await held(open, { kind: "case", value: "a-1" })
  await held(open, { kind: "case", value: "a-2" })
  await open.store.erase(bob)
  await end(open, first)

  const done = await open.store.waitingErasures.carryOut(noon)

  expect(done).toMatchObject([{ erasure: { cases: 1, left: [{ caseId: other.id }] } }])
  expect(JSON.stringify(await open.store.cases.read(one.id))).not.toContain("Name of BOB")
  expect(await waiting(open)).toHaveLength(1)
  expect(await open.store.waitingErasures.carryOut(noon)).toEqual([])
})

test("an erasure that is ordered again ends the wait, and one that leaves nothing on hold remembers nothing", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  const hold = await held(open, { kind: "tool", value: "*" })
  await open.store.erase(bob)
  await end(open, hold)

  const again = await open.store.erase({ ...bob, names: [] })

  expect(again).toMatchObject({ cases: 1, left: [] })
  expect(await waiting(open)).toEqual([])
  expect(await eventsOf(open, "erasure-done")).toHaveLength(1)
  await open.store.erase(bob)
  expect(await eventsOf(open, "erasure-done")).toHaveLength(1)
})

test("R15 a hold that begins while somebody is erased, or a case removed, still keeps the case", async () => {
  const open = await openStore()
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const before = await open.store.cases.read(one.id)
  const commit = createCommitter(open.connection.commands, open.store.keys, unbounded)
  const late: Committer = async (written) => {
    await held(open, { kind: "case", value: "a-1" })
    return commit(written)
  }
  const { freshness } = open.store
  const options = {
    ...configPlaceOf(open, late),
    installation: open.installation,
    freshness,
    config: configPlaceOf(open),
  }

  const { erasure } = await erasePerson(options, bob)
  await open.store.config.orders.listHolds().then(({ holds }) => Promise.all(holds.map((hold) => end(open, hold))))
  const removed = await createRetention(options).remove(one.id, due)

  expect(erasure).toMatchObject({ cases: 0, left: [{ caseId: one.id, why: "on-hold" }] })
  expect(removed).toBe("on-hold")
  expect(await open.store.cases.read(one.id)).toEqual(before)
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("two replicas erase at the same time what a hold kept, and the ledger holds", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const hold = await held(open, { kind: "case", value: "a-1" })
  await open.store.erase(bob)
  await end(open, hold)

  await Promise.all([open.store.waitingErasures.carryOut(noon), other.store.waitingErasures.carryOut(noon)])

  expect(JSON.stringify(await open.store.cases.read(one.id))).not.toContain("Name of BOB")
  expect(await waiting(other)).toEqual([])
  expect(await kinds(open)).not.toContain("voted kept")
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("an erased person is named by no hold that they ordered, and the hold stays", async () => {
  const open = await openStore()
  const by = { kind: "person", team: "T1", user: "BOB", name: "Bob" } as const
  const of = { kind: "case", value: "a-1" } as const
  await open.store.config.orders.beginHold({ of, by, reason: "Bob says so", at: noon })

  await open.store.erase(bob)

  const { holds = [] } = await open.store.config.orders.list()
  expect(holds).toMatchObject([{ of, by: { ...by, name: null }, reason: "(erased)" }])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("while five hundred erasures wait the next takes what is not on hold, and is not remembered", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  const free = await aSettledCase(open, { id: "a-2", user: "BOB" })
  await held(open, { kind: "case", value: "a-1" })
  const one = { names: [], by: "ops", at: noon, holds: "others" }
  const erasures = Array.from({ length: maxErasures }, (_, n) => ({ ...one, person: `T1:U${n}` }))
  const event = { kind: "erasure-waits", at: noon, person: "T1:U0", by: "ops", cases: 1 } as const
  await rewriteOrders(configPlaceOf(open), (orders) => ({ ...orders, erasures }), { event })

  await expect(open.store.erase(bob)).rejects.toMatchObject({ code: "too-many-erasures" })

  expect(JSON.stringify(await open.store.cases.read(free.id))).not.toContain("Name of BOB")
  expect(await waiting(open)).toHaveLength(maxErasures)
})

test("the bot looks once an hour whether an erasure need wait no longer", async () => {
  const open = await openStore()
  const one = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const hold = await held(open, { kind: "case", value: "a-1" })
  await open.store.erase(bob)
  const looks = async (at: number) => (await open.store.waitingErasures.look(at)).length

  expect(await looks(noon)).toBe(0)
  await end(open, hold)
  expect(await looks(noon + 3_599_999)).toBe(0)
  expect(await looks(noon + 3_600_000)).toBe(1)

  expect(JSON.stringify(await open.store.cases.read(one.id))).not.toContain("Name of BOB")
})
