// Holds in the record of the active config: begun, ended, listed and carried over as stops are.

import { expect, test, vi } from "vitest"
import { type Hold, maxHolds } from "../../../src/domain/order/hold.ts"
import { withAbsences, withHold } from "../../../src/domain/order/orders.ts"
import { readHolds } from "../../../src/store/config/hold-book.ts"
import { rewriteOrders } from "../../../src/store/config/orders-record.ts"
import { everythingStopped } from "../../../src/store/config/unknown-orders.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { aHold, anOperator } from "../../support/orders.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aReplica } from "../freshness-support.ts"
import { opened } from "../opened.ts"
import { asItIs, configPlaceOf, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const refunds = { kind: "tool", value: "refund_*" } as const
const ofJane = { kind: "requester", value: "jane@corp.example" } as const

function begin({ store }: OpenStore, of: Hold["of"] = refunds) {
  return store.config.orders.beginHold({ of, by: anOperator(), reason: "lawsuit 12", at: noon })
}

async function begun(open: OpenStore, of: Hold["of"] = refunds): Promise<Hold> {
  const done = await begin(open, of)
  if (done.kind === "too-many") throw new Error("there are too many holds")
  return done.hold
}

async function lastEvents(open: OpenStore, count: number) {
  return (await entriesOf(open)).slice(-count).map((entry) => entry?.event ?? {})
}

const listed = async ({ store }: OpenStore) => (await store.config.orders.listHolds()).holds

test("a hold and its end are one entry each", async () => {
  const open = await openStore()

  const hold = await begun(open)
  expect(await open.store.config.orders.list()).toEqual({ stops: [], holds: [hold] })
  const ended = await open.store.config.orders.endHold(hold.id, { by: anOperator(), at: noon + 1 })

  expect(ended).toEqual(hold)
  const erasable = expect.stringMatching(/^[0-9a-f]{64}$/)
  const by = { by: "operator", person: null }
  expect(await lastEvents(open, 2)).toEqual([
    { kind: "hold-begun", at: noon, hold: hold.id, tool: "refund_*", ...by, erasable },
    { kind: "hold-ended", at: noon + 1, hold: hold.id, ...by, erasable },
  ])
  expect(await open.store.config.orders.list()).toEqual({ stops: [] })
  expect(await open.store.config.orders.endHold(hold.id, { by: anOperator(), at: noon })).toBeNull()
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R15 the name of a requester on hold is in no entry, but in what may be erased", async () => {
  const open = await openStore()

  await begun(open, ofJane)

  const entry = (await opened(open)).at(-1)
  expect(entry?.entry?.event).not.toHaveProperty("requester")
  expect(entry?.erasable).toMatchObject({ text: { requester: "jane@corp.example", reason: "lawsuit 12", name: "ops" } })
})

test("the same hold again is the older one, writes nothing, also if both come at once", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })

  const done = await Promise.all([begin(open), begin(other)])
  const { entries } = await open.store.verifyLedger()

  expect(done.map(({ kind }) => kind).toSorted()).toEqual(["again", "begun"])
  expect(await begin(open)).toMatchObject({ kind: "again" })
  expect(await listed(open)).toHaveLength(1)
  expect((await open.store.verifyLedger()).entries).toBe(entries)
})

test("there are at most a hundred holds", async () => {
  const open = await openStore()
  const many = Array.from({ length: maxHolds }, (_, n) =>
    aHold({ id: `h-${n}`, of: { kind: "case", value: `c-${n}` } }),
  )
  const event = { kind: "hold-ended", at: noon, hold: "h", by: "operator", person: null, name: null } as const
  await rewriteOrders(configPlaceOf(open), (orders) => ({ ...orders, holds: many }), { event })

  expect(await begin(open)).toEqual({ kind: "too-many" })
  expect(await listed(open)).toHaveLength(maxHolds)
})

test("holds of the config and those that were ordered count together, and an activation keeps both", async () => {
  const open = await openStore()
  const hold = await begun(open)

  const shared = aSharedConfig("rev-2", { hold: [ofJane] })
  await open.store.config.activate({ activate: false, at: noon, shared })

  expect((await readHolds(configPlaceOf(open))).holds).toEqual([
    { id: null, of: ofJane },
    { id: hold.id, of: refunds },
  ])
  expect(await open.store.config.orders.listHolds()).toEqual({ config: [ofJane], holds: [hold], erasures: [] })
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "activated", besides: ["resolved_by", "hold"] }])
})

test("R17 a hold that Redis forgot is put back by whoever knew it, with an entry that names it", async () => {
  const open = await aReplica()
  const restore = await asItIs(open)
  const hold = await begun(open)
  await open.store.config.obstacle()
  await restore()

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(await listed(open)).toEqual([hold])
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "orders-restored", stops: [], holds: [hold.id] }])
})

test("R17 if nobody knows which orders are in force, the holds that are known stay, and absences do not", () => {
  const change = withHold(withAbsences({ stops: [] }, []), aHold())
  if (change.kind !== "begun") throw new Error(change.kind)

  const { stop, orders } = everythingStopped(change.orders, { count: 1, mac: "m" }, noon)

  expect(orders).toEqual({ stops: [stop], holds: [aHold()] })
})

test("R16 where a newer Countersign took over nobody here knows the holds, and none are read", async () => {
  const newer = await openStore({ schema: { ...ourSchema, version: ourSchema.version + 1 } })

  await expect(readHolds(configPlaceOf(newer))).rejects.toMatchObject({ code: "newer-data" })
})

test("before the first activation there are no holds, and nothing to prove", async () => {
  const open = await openStore({ revision: null })

  expect(await readHolds(configPlaceOf(open))).toEqual({ holds: [], proof: null })
  await expect(begin(open)).rejects.toMatchObject({ code: "no-config" })
})
