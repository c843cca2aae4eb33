// Absences in the record of the active config: begun, ended and carried over as stops are.

import { expect, test, vi } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { type Absence, maxActs } from "../../../src/domain/order/absence.ts"
import { everythingStopped } from "../../../src/store/config/unknown-orders.ts"
import { anAbsence, anOperator, aStop } from "../../support/orders.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aReplica } from "../freshness-support.ts"
import { asItIs, committedCase, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const dayMs = 86_400_000
const alice = "T1:UALICE"
const self = { kind: "person", team: "T1", user: "UALICE", name: "Alice" } as const
const ofAlice = { person: alice, standIn: "T1:UBOB", from: noon, until: noon + dayMs, by: self, at: noon }

function begin({ store }: OpenStore, change: Partial<Omit<Absence, "id">> = {}) {
  return store.config.orders.beginAbsence({ ...ofAlice, ...change })
}

async function begun(open: OpenStore, change: Partial<Omit<Absence, "id">> = {}): Promise<Absence> {
  const done = await begin(open, change)
  if (done.kind === "refused") throw new Error(`nobody is away: ${done.why}`)
  return done.absence
}

async function lastEvents(open: OpenStore, count: number) {
  return (await entriesOf(open)).slice(-count).map((entry) => entry?.event ?? {})
}

const listed = ({ store }: OpenStore) => store.config.orders.list()

function underActive({ store }: OpenStore) {
  const active = store.config.active()
  if (active === null) throw new Error("this process saw no config yet")
  return {
    ...active,
    commit: (one: Case) => store.casesUnder(active).commit({ ...miss(one, noon), expectedVersion: 1 }),
  }
}

test("an absence and its end are one entry each, and the record then says nothing of absences", async () => {
  const open = await openStore()

  const absence = await begun(open)
  expect(await listed(open)).toEqual({ stops: [], absences: [absence] })
  const ended = await open.store.config.orders.endAbsence(absence.id, { by: anOperator(), at: noon + 1 })

  expect(ended).toEqual(absence)
  const { id } = absence
  const erasable = expect.stringMatching(/^[0-9a-f]{64}$/)
  const told = { absence: id, away: alice, erasable }
  const times = { at: noon, from: noon, until: noon + dayMs }
  expect(await lastEvents(open, 2)).toEqual([
    { kind: "absence-begun", ...told, ...times, standIn: "T1:UBOB", by: "person", person: alice },
    { kind: "absence-ended", ...told, at: noon + 1, by: "operator", person: null },
  ])
  expect(await listed(open)).toEqual({ stops: [] })
  expect(await open.store.config.orders.endAbsence(id, { by: anOperator(), at: noon })).toBeNull()
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("nobody begins an absence that has no time, is too long, or names themselves", async () => {
  const open = await openStore()

  expect(await begin(open, { until: noon })).toEqual({ kind: "refused", why: "no-time" })
  expect(await begin(open, { until: noon + 181 * dayMs })).toEqual({ kind: "refused", why: "too-long" })
  expect(await begin(open, { standIn: alice })).toEqual({ kind: "refused", why: "own" })
  expect(await listed(open)).toEqual({ stops: [] })
})

test("a person who is away hears by which absence, also if both come at once", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })

  const done = await Promise.all([begin(open), begin(other, { standIn: "T1:UCAROL" })])

  expect(done.map(({ kind }) => kind).toSorted()).toEqual(["away", "begun"])
  expect((await listed(open)).absences).toHaveLength(1)
})

test("about one person ten acts are taken in a day; then none begins, and the last can still be ended", async () => {
  const open = await openStore()
  for (let acts = 0; acts < maxActs; acts += 2) {
    const { id } = await begun(open, { at: noon + acts })
    await open.store.config.orders.endAbsence(id, { by: self, at: noon + acts + 1 })
  }

  expect(await begin(open, { at: noon + 20 })).toEqual({ kind: "refused", why: "too-often" })
  const { id } = await begun(open, { person: "T1:UCAROL", at: noon + 20 })
  expect((await open.store.config.orders.endAbsence(id, { by: anOperator(), at: noon + 21 }))?.id).toBe(id)
  const later = { from: noon + dayMs, at: noon + dayMs, until: noon + 2 * dayMs }
  expect((await begin(open, later)).kind).toBe("begun")
})

test("an absence ends by itself once the clocks of process and Redis both say so", async () => {
  let shared = noon
  const open = await openStore({ sharedClock: () => shared })
  await begun(open)
  await open.store.config.obstacle()
  const ends = async (at: number) => {
    await open.store.config.orders.endOver(at)
    return ((await listed(open)).absences ?? []).length
  }

  expect(await ends(noon + dayMs)).toBe(1)
  shared = noon + dayMs
  expect(await ends(noon + dayMs - 1)).toBe(1)
  expect(await ends(noon + dayMs)).toBe(0)
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "absence-ended", by: "countersign:until" }])
})

test("who is back by the clock can say anew that they are away", async () => {
  const open = await openStore()
  const first = await begun(open)

  const second = await begun(open, { at: first.until, from: first.until, until: first.until + dayMs })

  expect((await listed(open)).absences).toEqual([second])
  expect(await lastEvents(open, 2)).toMatchObject([{ kind: "absence-ended" }, { kind: "absence-begun" }])
})

test("what was judged before an absence, or before its end, is never committed after it", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })
  const current = await committedCase(open)
  const before = underActive(open)
  const { id } = await begun(other)

  expect(await before.commit(current)).toEqual({ kind: "config" })
  const under = underActive(open)
  await other.store.config.orders.endAbsence(id, { by: anOperator(), at: noon })
  expect(await under.commit(current)).toEqual({ kind: "config" })
  expect((await underActive(open).commit(current)).kind).toBe("committed")
})

test("an activation carries absences over", async () => {
  const open = await openStore()
  const absence = await begun(open)

  await open.store.config.activate({ activate: false, at: noon, shared: aSharedConfig("rev-2") })

  expect(await listed(open)).toEqual({ stops: [], absences: [absence] })
})

test("R17 an absence that Redis forgot is put back by whoever knew it, with an entry that names it", async () => {
  const open = await aReplica()
  const restore = await asItIs(open)
  const absence = await begun(open)
  await open.store.config.obstacle()
  await restore()

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(await listed(open)).toEqual({ stops: [], absences: [absence] })
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "orders-restored", stops: [], absences: [absence.id] }])
})

test("R17 an absence of which nobody knows whether it was ended counts no more", async () => {
  const open = await aReplica()
  const absence = await begun(open)
  await open.store.config.obstacle()
  const restore = await asItIs(open)
  await open.store.config.orders.endAbsence(absence.id, { by: self, at: noon })
  await open.store.config.obstacle()
  await restore()
  const other = await openStore({ installation: open.installation, revision: null })
  await other.store.config.orders.stop({ match: {}, by: anOperator(), reason: "runaway", at: noon, until: null })

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(await listed(open)).toMatchObject({ stops: [{ match: {} }] })
  expect((await listed(open)).absences).toBeUndefined()
})

test("R17 if nobody knows which orders are in force, no absence is", () => {
  const known = { stops: [aStop()], absences: [anAbsence()] }

  const { stop, orders } = everythingStopped(known, { count: 1, mac: "m" }, noon)

  expect(orders).toEqual({ stops: [aStop(), stop] })
})
