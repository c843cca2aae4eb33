// Sums of limits stand under freshness: one that is put back, deleted or lost is not believed, and asks more people.
import { expect, test } from "vitest"
import { miss, settle } from "../../../src/domain/case/verdict.ts"
import { type SumId, type SumState, sumName } from "../../../src/domain/limit/sum.ts"
import type { Bound, SumAsRead, SumEvent } from "../../../src/flow/ports.ts"
import { decidedSince } from "../../../src/store/cases/sums.ts"
import { chainOf } from "../../../src/store/redis/keys.ts"
import { aReplica, grownOld, photograph, type Replica } from "../freshness-support.ts"
import { anApproval, asItIs, committedCase, noon, type TestStore } from "../support.ts"

const id: SumId = { instance: "main", sum: "args.amount", per: null }
const name = sumName(id)
const begun = (why: "none" | "behind" | "lost"): SumEvent => ({ kind: "sum-begun", at: noon, why, blindUntil: 0 })
const added: SumEvent = { kind: "sum-added", at: noon, case: "c", decision: "d" }

function sumOf(amount: string): SumState {
  return { windowMs: 3_600_000, at: noon, blindUntil: 0, amounts: { all: { "7": amount } } }
}

async function read({ store }: Replica): Promise<SumAsRead> {
  const [found] = await store.cases.sums([id])
  if (found === undefined) throw new Error("no sum was read")
  return found
}

async function put(replica: Replica, amount: string, event: SumEvent): Promise<boolean> {
  return replica.store.cases.putSum({ read: await read(replica), next: sumOf(amount), events: [event] })
}

/** The keys of the sum's record and of its chain. */
function keysIn({ store }: Replica): readonly string[] {
  return [store.keys.sum(name), store.keys.chain(chainOf.sum(name))]
}

test("R14 a sum that is put back, its chain too, is behind for each replica, until it is begun anew", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  await put(one, "5", begun("none"))
  const putBack = await photograph(one, ...keysIn(one))
  await put(one, "999", added)
  await other.store.freshness.look()
  await putBack()

  const found = [await read(one), await read(other)]
  const renewed = await put(other, "7", begun("behind"))
  await one.store.freshness.look()

  expect(found).toMatchObject([
    { state: null, doubt: "behind" },
    { state: null, doubt: "behind" },
  ])
  expect(renewed).toBe(true)
  expect([await read(one), await read(other)]).toMatchObject([
    { state: sumOf("7"), doubt: null, chain: { count: 3 } },
    { state: sumOf("7"), doubt: null, chain: { count: 3 } },
  ])
  expect((await one.store.verifyLedger()).problem).toMatchObject({ code: "numbers-changed", chain: chainOf.sum(name) })
})

test("R14 a sum that somebody deleted is behind, and not new", async () => {
  const replica = await aReplica()
  await put(replica, "999", begun("none"))
  await replica.connection.commands.del(replica.store.keys.sum(name))

  expect(await read(replica)).toMatchObject({ state: null, doubt: "behind" })
})

test.each([
  ["frozen", "1"],
  ["seq", "1 2 3"],
])("R14 a sum beside which somebody writes %s, as cases have it, goes on as it was", async (field, value) => {
  const replica = await aReplica()
  await put(replica, "5", begun("none"))
  const current = await committedCase(replica, anApproval())
  await replica.connection.commands.hset(replica.store.keys.sum(name), field, value)

  const sums = [{ read: await read(replica), next: sumOf("6"), events: [added] }]
  const done = await replica.store.cases.commit({ ...miss(current, noon), expectedVersion: current.version, sums })

  expect(sums).toMatchObject([{ read: { state: sumOf("5"), doubt: null } }])
  expect(done).toMatchObject({ kind: "committed" })
  expect(await read(replica)).toMatchObject({ state: sumOf("6"), doubt: null, chain: { count: 2 } })
})

test("R14 a sum whose chain was changed takes no commit, until an operator deletes it and it is begun anew", async () => {
  const replica = await aReplica()
  await put(replica, "5", begun("none"))
  const { commands } = replica.connection
  const current = await committedCase(replica, anApproval())
  await commands.rpush(replica.store.keys.chain(chainOf.sum(name)), "1")
  const sums = [{ read: await read(replica), next: sumOf("6"), events: [added] }]
  const refused = replica.store.cases.commit({ ...miss(current, noon), expectedVersion: current.version, sums })
  await expect(refused).rejects.toMatchObject({ code: "ledger-damaged" })
  await commands.del(replica.store.keys.sum(name))

  const renewed = await put(replica, "6", begun("behind"))

  expect(renewed).toBe(true)
  expect(await read(replica)).toMatchObject({ state: sumOf("6"), doubt: null })
})

test("R14 a case whose decision rests on an older sum freezes, although it was committed", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  await put(one, "5", begun("none"))
  await other.store.freshness.look()
  const old = await read(other)
  const putBack = await photograph(one, ...keysIn(one))
  const current = await committedCase(other, anApproval())
  await put(one, "999", added)
  await putBack()

  const sums = [{ read: old, next: sumOf("6"), events: [added] }]
  const done = await other.store.cases.commit({ ...miss(current, noon), expectedVersion: current.version, sums })

  expect(done).toEqual({ kind: "frozen", caseId: current.id })
  expect(await read(other)).toMatchObject({ doubt: "behind" })
})

test("R17 a sum whose end Redis lost is lost until it is begun anew, and shakes what was judged by it", async () => {
  const replica = await aReplica()
  const { store } = replica
  await put(replica, "5", begun("none"))
  await grownOld(replica)
  const rollBack = await asItIs(replica)
  await put(replica, "999", added)
  const era = store.freshness.era()
  await rollBack()
  await store.freshness.look()
  await store.freshness.settle()

  const found = await read(replica)
  const shaken = store.caseFreshness.isShaken([name], era)
  await put(replica, "5", begun("lost"))

  expect(found).toMatchObject({ state: sumOf("5"), doubt: "lost" })
  expect([shaken, store.caseFreshness.isShaken(["another"], era)]).toEqual([true, false])
  expect(await read(replica)).toMatchObject({ doubt: null })
  // Who judged before is as doubtful as before.
  expect(store.caseFreshness.isShaken([name], era)).toBe(true)
  expect(store.caseFreshness.isShaken([name], store.freshness.era())).toBe(false)
})

test("R17 a sum that was read before its end was lost is read again, and nothing is committed on it", async () => {
  const replica = await aReplica()
  const { store } = replica
  await put(replica, "5", begun("none"))
  const current = await committedCase(replica, anApproval())
  await grownOld(replica)
  const old = await read(replica)
  const rollBack = await asItIs(replica)
  await put(replica, "999", added)
  await rollBack()
  await store.freshness.look()
  await store.freshness.settle()

  const change = { read: old, next: sumOf("6"), events: [added] }
  const done = await store.cases.commit({ ...miss(current, noon), expectedVersion: current.version, sums: [change] })

  expect(done).toEqual({ kind: "sum" })
  expect(await store.cases.putSum(change)).toBe(false)
  expect(await store.cases.read(current.id)).toMatchObject({ version: current.version })
})

test("R17 a sum is lost after a start that nothing vouches for, also where no case is open", async () => {
  const first = await aReplica()
  await put(first, "999", begun("none"))
  await first.store.freshness.close()

  const next = await aReplica({ installation: first.installation })

  expect(next.codes()).toContain("era-begun")
  expect(await read(next)).toMatchObject({ state: sumOf("999"), doubt: "lost" })
})

test("R14 the ledger tells nothing of what was decided where an entry of it was taken away or changed", async () => {
  const replica = await aReplica()
  await committedCase(replica, anApproval())
  await grownOld(replica)
  const { connection, store } = replica
  const whole = await store.cases.decidedSince(noon - 1)
  const [first] = await connection.commands.xrange(store.keys.ledger, "-", "+", "COUNT", 1)
  await connection.commands.xdel(store.keys.ledger, first?.[0] ?? "")

  expect(whole).toEqual({ cases: [] })
  expect(await store.cases.decidedSince(noon - 1)).toBeNull()
})

/** A case that somebody decided elsewhere at a moment. */
async function decidedAt(replica: Replica, approval: string, at: number): Promise<string> {
  const current = await committedCase(replica, anApproval({ id: approval }))
  const by = { status: "approved", resolvedBy: null, at }
  const step = settle(current, { kind: "elsewhere", ...by }, { kind: "elsewhere", claimsToBeOurs: false, ...by })
  await replica.store.cases.commit({ ...step, expectedVersion: current.version })
  return current.id
}

/** What was decided since, and how many entries were read for it. */
async function readSince({ connection, store, seal }: Replica, at: number) {
  let entries = 0
  const redis = new Proxy(connection.commands, {
    get: (target, name) => {
      if (name !== "xrangeBuffer") return Reflect.get(target, name)
      return async (...given: Parameters<typeof target.xrangeBuffer>) => {
        const page = await target.xrangeBuffer(...given)
        entries += page.length
        return page
      }
    },
  })
  const { keys, freshness }: TestStore = store
  return { found: await decidedSince({ redis, keys, seal, freshness }, at), entries }
}

test("what was decided is read from the last checkpoint before the window on, and proved by the root all the same", async () => {
  const hour = 3_600_000
  const bounds: Bound[] = []
  const newest = async (by = Number.POSITIVE_INFINITY) => bounds.findLast(({ at }) => at <= by) ?? null
  const replica = await aReplica({ more: { bounds: { newest } } })
  for (let count = 0; count < 20; count += 1) await decidedAt(replica, `old-${count}`, noon)
  await grownOld(replica)
  const covered = await replica.checkpoint()
  const late = await decidedAt(replica, "late", noon + 2 * hour)
  const whole = await readSince(replica, noon + hour)

  bounds.push(covered)
  const bounded = await readSince(replica, noon + hour)
  const inWindow = await readSince(replica, noon + 60_000)
  const [root, ...others] = covered.peaks
  bounds.push({ ...covered, peaks: [[root?.[0] ?? 0, "00".repeat(32)], ...others] })
  const another = await readSince(replica, noon + hour)

  expect([whole, bounded, another].map(({ found }) => found)).toEqual(Array(3).fill({ cases: [late] }))
  expect([bounded.entries, whole.entries - bounded.entries]).toEqual([2, covered.size])
  // Made within the window, or of another ledger: it is no beginning.
  expect(inWindow.entries).toBe(whole.entries)
  expect(another.entries).toBe(whole.entries + bounded.entries)
})
