// Freshness: what a Redis attacker puts back, deletes or cuts off has no authority, and what an honest failover loses
// is asked for again.

import { expect, test, vi } from "vitest"
import type { Case, Step } from "../../../src/domain/case/case.ts"
import { notice } from "../../../src/domain/case/notice.ts"
import { castVote, withdrawVote } from "../../../src/domain/case/steps.ts"
import { close, comparedUnder, miss, settle } from "../../../src/domain/case/verdict.ts"
import { configRevisionOf } from "../../../src/domain/policy/shared-config.ts"
import { chainOf } from "../../../src/store/redis/keys.ts"
import { aVote } from "../../support/builders.ts"
import { limitMs } from "../../support/limits.ts"
import { keysLike } from "../../support/redis.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aMarksFolder, aReplica, grownOld, photograph, type Replica } from "../freshness-support.ts"
import { anApproval, asItIs, committedCase, noon, openingOf } from "../support.ts"

const bob = { team: "T1", user: "U1" }
const operator = { kind: "operator", name: "root" } as const
const interaction = (name: string) => name.padEnd(64, "0")

async function step({ store }: Replica, current: Case, made: Step): Promise<Case> {
  const done = await store.cases.commit({ ...made, expectedVersion: current.version })
  if (done.kind !== "committed") throw new Error(done.kind)
  return done.case
}

/** A case that Bob voted on. */
async function voted(replica: Replica, approval = anApproval()): Promise<Case> {
  const current = await committedCase(replica, approval)
  const vote = aVote({ caseId: current.id, interaction: interaction(`vote on ${current.id}`) })
  return step(replica, current, castVote(current, vote, current.revision.quotas))
}

/** The case, decided elsewhere and closed. */
async function closed(replica: Replica, current: Case): Promise<Case> {
  const said = { kind: "elsewhere", status: "approved", resolvedBy: null, at: noon } as const
  const settled = await step(replica, current, settle(current, said, { ...said, claimsToBeOurs: false }))
  return step(replica, settled, close(settled, noon))
}

/** A replica that saw Redis brought back to before a vote was withdrawn, longer ago than a lost second. */
async function rolledBack(): Promise<{ readonly replica: Replica; readonly current: Case }> {
  const replica = await aReplica()
  const current = await voted(replica)
  const rollBack = await asItIs(replica)
  await step(replica, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await grownOld(replica)
  await rollBack()
  await replica.store.freshness.look()
  await replica.store.freshness.settle()
  return { replica, current }
}

test("R14 a case record that is put back is no case", async () => {
  const replica = await aReplica()
  const { store } = replica
  const current = await voted(replica)
  const putBack = await photograph(replica, store.keys.case(current.id))
  await step(replica, current, withdrawVote(current, bob, interaction("withdrawn"), noon))

  await putBack()

  expect(await store.cases.read(current.id)).toMatchObject({ kind: "tampered", why: expect.stringContaining("older") })
  const again = { ...miss(current, noon), expectedVersion: current.version }
  expect(await store.cases.commit(again)).toEqual({ kind: "frozen", caseId: current.id })
  expect(replica.codes()).toContain("chain-behind")
  expect(await store.cases.read(current.id)).toMatchObject({ kind: "tampered" })
})

test("R14 a step that finds an older record put back is given no case to go on from", async () => {
  const replica = await aReplica()
  const { store } = replica
  const current = await voted(replica)
  const putBack = await photograph(replica, store.keys.case(current.id))
  const newest = await step(replica, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await putBack()

  const done = await store.cases.commit({ ...miss(newest, noon), expectedVersion: newest.version })

  expect(done).toEqual({ kind: "stale", caseId: current.id, case: null })
})

test("R14 a commit of several cases counts for none where one of them rests on an older record, which is frozen", async () => {
  const replica = await aReplica()
  const { store } = replica
  const [calm, old] = [
    await voted(replica, anApproval({ id: "calm" })),
    await voted(replica, anApproval({ id: "old" })),
  ]
  const putBack = await photograph(replica, store.keys.case(old.id))
  await step(replica, old, withdrawVote(old, bob, interaction("withdrawn"), noon))
  await putBack()
  const change = (current: Case) => ({ ...miss(current, noon), expectedVersion: current.version })

  const done = await store.cases.commit({ ...change(calm), besides: [change(old)] })

  expect(done).toEqual({ kind: "frozen", caseId: old.id })
  expect(replica.codes()).toContain("chain-behind")
  expect(await store.cases.read(old.id)).toMatchObject({ kind: "tampered" })
  expect(await store.cases.read(calm.id)).toMatchObject({ id: calm.id })
})

test("R14 a case that was over and is told of once more is read as it is, and an older record of it is none", async () => {
  const replica = await aReplica()
  const { store } = replica
  const over = await closed(replica, await voted(replica))
  const putBack = await photograph(replica, store.keys.case(over.id))

  const told = notice(over, { kind: "run-over", at: noon, team: "t", status: "COMPLETED" })
  if (told === null) throw new Error("it was told before")
  const awake = await step(replica, over, told)

  expect(await store.cases.read(over.id)).toMatchObject({ state: "settled", version: awake.version })
  await putBack()
  expect(await store.cases.read(over.id)).toMatchObject({ kind: "tampered" })
})

test("R14 a frozen case that is put back stays frozen", async () => {
  const replica = await aReplica()
  const { store } = replica
  const current = await voted(replica)
  const putBack = await photograph(replica, store.keys.case(current.id))
  await store.cases.freeze(current.id, [{ kind: "frozen", at: noon, why: "a test" }])

  await putBack()

  expect(await store.cases.read(current.id)).toMatchObject({ kind: "tampered" })
})

test("R13 a case that is deleted with its chain and its index is not opened anew", async () => {
  const replica = await aReplica()
  const { store, connection, installation } = replica
  const current = await voted(replica)
  const { case: caseKey, chain, known } = store.keys
  await connection.commands.del(caseKey(current.id), chain(chainOf.case(current.id)), known("main"))

  expect([...(await store.cases.known("main", ["a-1"])).keys()]).toEqual(["a-1"])
  expect(await store.cases.read(current.id)).toMatchObject({ kind: "tampered" })
  const { next, events } = openingOf(installation)
  expect(await store.cases.commit({ next, expectedVersion: 0, events })).toEqual({ kind: "frozen", caseId: next.id })
})

test("what was settled before a start, after the last checkpoint, is among the leaves of the next one, and a rare act is due", async () => {
  const one = await aReplica()
  await voted(one)
  await grownOld(one)
  const bound = await one.checkpoint()
  await one.store.identityLinks.link("ann@example.com", bob, { by: "operator", at: noon })
  await one.store.freshness.close()

  const later = { clock: () => noon + 120_000 }
  const { store } = await aReplica({ installation: one.installation, bound, more: later })

  const { feed } = store.freshness
  expect(feed.size()).toBeGreaterThan(bound.size)
  expect(feed.rareAt()).toBeGreaterThan(bound.size)
  expect((await feed.state())?.leaves).toHaveLength(feed.size() - bound.size)
})

test("R17 what a lost second took, and an era told of, is not missed once more by a start long after", async () => {
  const folder = aMarksFolder()
  const one = await aReplica({ folder })
  const current = await voted(one)
  await one.store.freshness.look()
  const forget = await asItIs(one)
  await step(one, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await committedCase(one, anApproval({ id: "lost" }))
  await forget()
  await one.store.freshness.settle()
  expect(one.store.freshness.era()).toBe(1)
  await grownOld(one)
  await committedCase(one, anApproval({ id: "later" }))
  await one.store.freshness.look()

  const other = await aReplica({ folder, installation: one.installation })

  expect(other.store.freshness.standing()).toEqual({ kind: "fresh" })
  expect(other.store.freshness.isTouched(chainOf.case(current.id))).toBe(true)
  expect([...one.codes(), ...other.codes()]).toEqual(["era-begun"])
})

test("a process that ends while Redis is away asks no more where the ledger ends, and whoever waits is told that nobody knows", async () => {
  const told: string[] = []
  const tell = (event: string) => void told.push(event)
  const replica = await aReplica({ log: { debug: tell, info: tell, warn: tell, error: tell } })
  const { freshness } = replica.store
  await replica.connection.close()
  const waiting = expect(freshness.settle()).rejects.toMatchObject({ code: "unsettled" })
  await vi.waitFor(() => expect(told.filter((event) => event === "ledger-not-settled").length).toBeGreaterThan(1))

  await freshness.close()
  await waiting
  const asked = told.length

  await vi.waitFor(() => expect(freshness.standing()).not.toEqual({ kind: "unsettled" }))
  expect(told).toHaveLength(asked)
})

test("R13 a poll asks anew for a case that was open at the poll before", async () => {
  const replica = await aReplica()
  const { store, connection } = replica
  const current = await voted(replica)
  await connection.commands.del(store.keys.known("main"))
  expect((await store.cases.known("main", ["a-1"])).size).toBe(1)
  expect((await store.cases.known("main", ["a-1"])).size).toBe(1)

  await closed(replica, current)

  expect([...(await store.cases.known("main", ["a-1"]))]).toEqual([["a-1", ""]])
  await connection.commands.del(store.keys.case(current.id))
  expect((await store.cases.known("main", ["a-1"])).size).toBe(0)
})

test.each(["", "a mark"])(
  "R14 an index that says '%s' of an approval that nobody opened a case for is not believed",
  async (mark) => {
    const replica = await aReplica()
    await replica.connection.commands.hset(replica.store.keys.known("main"), "a-9", mark)

    expect((await replica.store.cases.known("main", ["a-9"])).size).toBe(0)
  },
)

test("R14 another replica's case is known before the next look", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })

  const current = await committedCase(one)

  expect(await other.store.cases.read(current.id)).toMatchObject({ id: current.id })
  const missed = await step(other, current, miss(current, noon))
  expect(await one.store.cases.read(current.id)).toMatchObject({ version: missed.version })
})

test("R7 a pinned address that is deleted with its chain counts for nobody until it is linked anew", async () => {
  const replica = await aReplica()
  const { store, connection } = replica
  await store.identityLinks.pin("ann@example.com", bob, noon)
  const keys = await keysLike(connection.commands, `${store.keys.tag}:*link:*`)
  expect(keys).toHaveLength(2)

  await connection.commands.del(keys)

  await expect(store.identityLinks.read("ann@example.com")).rejects.toMatchObject({ code: "behind", retryable: false })
  await expect(store.identityLinks.pin("ann@example.com", { team: "T1", user: "U9" }, noon)).rejects.toMatchObject({
    code: "behind",
  })
  await store.identityLinks.link("ann@example.com", bob, { by: "operator", at: noon })
  expect(await store.identityLinks.read("ann@example.com")).toEqual({ person: bob, contested: null })
})

test("R7 R14 a pinned address whose record was forged counts for nobody until it is linked anew", async () => {
  const replica = await aReplica()
  const { store, connection } = replica
  await store.identityLinks.pin("ann@example.com", bob, noon)
  const [key = ""] = await keysLike(connection.commands, `${store.keys.tag}:link:*`)

  await connection.commands.hset(key, { sealed: Buffer.alloc(60, 1), version: "9" })

  await expect(store.identityLinks.read("ann@example.com")).rejects.toMatchObject({ code: "tampered" })
  await store.identityLinks.link("ann@example.com", bob, { by: "operator", at: noon })
  expect(await store.identityLinks.read("ann@example.com")).toEqual({ person: bob, contested: null })
  expect(await store.verifyLedger()).toMatchObject({ problem: null })
})

test("R7 R14 an older link that is put back counts for nobody, also before this replica has read of the newer one", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  await one.store.identityLinks.pin("ann@example.com", bob, noon)
  expect(await other.store.identityLinks.read("ann@example.com")).toMatchObject({ person: bob })
  const putBack = await photograph(one, ...(await keysLike(one.connection.commands, `${one.store.keys.tag}:*link:*`)))

  await one.store.identityLinks.link("ann@example.com", { team: "T1", user: "U9" }, { by: "operator", at: noon })
  await putBack()

  await expect(other.store.identityLinks.read("ann@example.com")).rejects.toMatchObject({ code: "behind" })
})

test("R17 Redis that forgot its last second begins an era: only what that touched is asked for again", async () => {
  const replica = await aReplica()
  const { store } = replica
  const calm = await voted(replica, anApproval({ id: "calm" }))
  const moved = await voted(replica, anApproval({ id: "moved" }))
  const forget = await asItIs(replica)
  await step(replica, moved, withdrawVote(moved, bob, interaction("withdrawn"), noon))

  await forget()
  await store.freshness.look()
  await store.freshness.settle()

  expect(replica.codes()).toEqual(["era-begun"])
  expect(store.freshness.era()).toBe(1)
  expect([store.caseFreshness.isTouched(moved.id), store.caseFreshness.isTouched(calm.id)]).toEqual([true, false])
  expect(store.caseFreshness.touched(9)).toEqual([moved.id])
  expect(await store.verifyLedger()).toMatchObject({ problem: null })
})

test("R17 a commit that finds the end missing counts only if nothing of its case was lost", async () => {
  const replica = await aReplica()
  const { store } = replica
  const calm = await voted(replica, anApproval({ id: "calm" }))
  const moved = await voted(replica, anApproval({ id: "moved" }))
  const forget = await asItIs(replica)
  await step(replica, moved, withdrawVote(moved, bob, interaction("withdrawn"), noon))
  await forget()

  const onCalm = { ...miss(calm, noon), expectedVersion: calm.version, interaction: interaction("calm") }
  expect(await store.cases.commit(onCalm)).toMatchObject({ kind: "committed" })
  const onMoved = { ...miss(moved, noon), expectedVersion: moved.version, interaction: interaction("moved") }
  expect(await store.cases.commit(onMoved)).toMatchObject({ kind: "stale" })
})

test("R17 what another replica knew of the end is lost for all", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  const moved = await voted(one)
  await other.store.freshness.look()
  const forget = await asItIs(one)
  await step(one, moved, withdrawVote(moved, bob, interaction("withdrawn"), noon))

  await forget()
  await Promise.all([one.store.freshness.look(), other.store.freshness.look()])
  await one.store.freshness.settle()
  await other.store.freshness.look()

  expect([one.store.freshness.era(), other.store.freshness.era()]).toEqual([1, 1])
  expect(other.store.caseFreshness.isTouched(moved.id)).toBe(true)
})

test.each([
  ["which left marks that can be read, has lost nothing more", true, [true, false]],
  ["which left none, may have known of more: all open cases are asked for again", false, [true, true]],
])("R17 a replica that is silent is waited for 5 s; one %s", async (_, leavesMarks, touched) => {
  const folder = aMarksFolder()
  const one = await aReplica({ folder })
  const other = await aReplica({ installation: one.installation, ...(leavesMarks ? { folder } : {}) })
  const moved = await voted(one, anApproval({ id: "moved" }))
  const calm = await voted(one, anApproval({ id: "calm" }))
  for (const { store } of [one, other, one]) await store.freshness.look()
  const forget = await asItIs(one)
  await step(one, moved, withdrawVote(moved, bob, interaction("withdrawn"), noon))
  await other.connection.close()
  await forget()

  const begun = performance.now()
  await one.store.freshness.look()
  const settle = () => one.store.freshness.settle()
  // On a busy machine settling may take longer than one call waits for it.
  await settle().catch(settle)
  const waitedMs = performance.now() - begun

  expect(one.codes()).toEqual(["era-begun"])
  expect([moved, calm].map(({ id }) => one.store.caseFreshness.isTouched(id))).toEqual(touched)
  expect(waitedMs).toBeGreaterThan(4_900)
  expect(waitedMs).toBeLessThan(12_000)
})

test("R17 Redis that is older than a lost second is rolled back: said again and again, and nothing is vouched for", async () => {
  const replica = await aReplica()
  const { store } = replica
  const current = await voted(replica)
  const rollBack = await asItIs(replica)
  await step(replica, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await grownOld(replica)

  await rollBack()
  await store.freshness.look()
  await store.freshness.settle()

  expect(store.freshness.standing()).toMatchObject({ kind: "rolled-back", known: { number: 5 }, found: { number: 4 } })
  expect(store.freshness.feed.size()).toBe(0)
  replica.forward(61_000)
  await store.freshness.look()
  expect(replica.codes()).toEqual(["ledger-rolled-back", "ledger-rolled-back"])
  // What is rejected now is committed on what Redis holds.
  expect(await store.cases.commit({ ...miss(current, noon), expectedVersion: current.version })).toMatchObject({
    kind: "committed",
  })
})

test("R17 what is old by now does not count as settled while the end is settled: nothing is rolled back", async () => {
  const replica = await aReplica()
  const other = await aReplica({ installation: replica.installation })
  const { freshness } = replica.store
  await voted(replica)
  await other.store.freshness.look()
  const commands = replica.connection.commands
  const said = () => commands.hlen(replica.store.keys.vouching)
  const before = await said()
  const asked = other.store.freshness.settle()
  await vi.waitFor(async () => expect(await said()).toBeGreaterThan(before))
  replica.forward(10_000)
  // This replica answers the other one, and meanwhile finds that it has to ask itself.
  const write = commands.hset.bind(commands)
  const settling: Promise<void>[] = []
  const hset = async (...given: Parameters<typeof write>) => {
    const written = await Reflect.apply(write, commands, given)
    if (given[0] === replica.store.keys.vouching && settling.length === 0) settling.push(freshness.settle())
    return written
  }
  Object.assign(commands, { hset })

  await freshness.look()
  await Promise.all([asked, ...settling])

  expect(settling).toHaveLength(1)
  expect(replica.codes()).toEqual([])
  expect(freshness.standing()).toEqual({ kind: "fresh" })
})

test("R17 an operator accepts a roll-back that they were shown, and all open cases are asked for again", async () => {
  const { replica, current } = await rolledBack()
  const { store } = replica

  const shown = store.freshness.shown()
  await expect(store.freshness.accept({ ...shown, size: shown.size + 1 })).rejects.toMatchObject({
    code: "not-as-shown",
  })
  await store.freshness.accept(shown)

  expect(store.freshness.standing()).toEqual({ kind: "fresh" })
  expect(store.caseFreshness.isTouched(current.id)).toBe(true)
  const next = await aReplica({ installation: replica.installation, bound: { ...(await oldBound(replica)), era: 0 } })
  expect(next.store.freshness.standing()).toEqual({ kind: "fresh" })
})

test("R17 a command hears from a replica that runs that Redis is rolled back, though nothing else tells", async () => {
  const { replica } = await rolledBack()

  const command = await aReplica({ installation: replica.installation, more: { visitor: true } })

  expect(command.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })
  await command.store.freshness.accept(command.store.freshness.shown())
  await replica.store.freshness.look()
  expect(replica.store.freshness.standing()).toEqual({ kind: "fresh" })
})

test("R17 two that start at once vouch for one another only where something vouches for one of them", async () => {
  const first = await aReplica()
  const current = await voted(first)
  await first.store.freshness.close()
  const { installation } = first

  const both = await Promise.all([aReplica({ installation }), aReplica({ installation })])

  await Promise.all(both.map(({ store }) => store.freshness.look()))
  expect(both.map(({ store }) => store.caseFreshness.isTouched(current.id))).toEqual([true, true])
})

test("R17 a command vouches for nobody", async () => {
  const first = await aReplica()
  await voted(first)
  await first.store.freshness.close()
  await aReplica({ installation: first.installation, more: { visitor: true } })

  const second = await aReplica({ installation: first.installation })

  expect(second.codes()).toEqual(["era-begun"])
})

test("R17 checkpoints from before an accepted roll-back bind no more, those that came since do", async () => {
  const { replica } = await rolledBack()
  const { store } = replica
  const before = { size: 99, root: "0".repeat(64), leaves: [], at: noon }
  const since = { ...before, at: noon + 3_600_000 }
  expect((await store.verifyLedger([before])).problem).toMatchObject({ code: "rolled-back" })

  await store.freshness.accept(store.freshness.shown())

  const verified = await store.verifyLedger([before])
  expect(verified).toMatchObject({ problem: null, superseded: 1, anchored: 0 })
  expect(verified.unvouched).toEqual({ from: 1, to: verified.entries - 1 })
  expect((await store.verifyLedger([before, since])).problem).toMatchObject({ code: "rolled-back" })
})

/** A checkpoint from before the roll-back, which covers more than there is now. */
async function oldBound(replica: Replica) {
  await grownOld(replica)
  return { ...(await replica.checkpoint()), size: 99, mac: "another" }
}

test("R17 a start goes on from the newest checkpoint, and knows what came before it", async () => {
  const first = await aReplica()
  const current = await voted(first)
  const putBack = await photograph(first, first.store.keys.case(current.id))
  await step(first, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await grownOld(first)
  const bound = await first.checkpoint()
  await first.store.freshness.close()
  await putBack()

  const next = await aReplica({ installation: first.installation, bound })

  expect(next.codes()).toEqual([])
  expect(await next.store.cases.read(current.id)).toMatchObject({ kind: "tampered" })
})

test.each(["heads", "headLists"] as const)(
  "R17 a checkpoint whose %s are gone from Redis is reached by reading all of the ledger",
  async (which) => {
    const first = await aReplica()
    const current = await voted(first)
    await grownOld(first)
    const bound = await first.checkpoint()
    await first.store.freshness.close()
    await first.connection.commands.del(first.store.keys[which])

    const next = await aReplica({ installation: first.installation, bound })

    expect(next.store.freshness.standing()).toEqual({ kind: "fresh" })
    expect(next.store.freshness.head(chainOf.case(current.id))).toMatchObject({ count: 2 })
  },
)

test("R17 a start that finds less than a checkpoint covers is rolled back", async () => {
  const first = await aReplica()
  const current = await voted(first)
  const rollBack = await asItIs(first)
  await step(first, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await grownOld(first)
  const bound = await first.checkpoint()
  await first.store.freshness.close()
  await rollBack()

  const next = await aReplica({ installation: first.installation, bound })

  expect(next.store.freshness.standing()).toMatchObject({ kind: "rolled-back", known: { number: 5 } })
})

test("R17 a start that nobody vouches for has all open cases asked for again; one with marks, a checkpoint or a replica has not", async () => {
  const folder = aMarksFolder()
  const first = await aReplica({ folder })
  const current = await voted(first)
  await grownOld(first)
  const bound = await first.checkpoint()
  const { installation } = first

  const beside = await aReplica({ installation })
  expect(beside.codes()).toEqual([])
  await beside.store.freshness.close()
  await first.store.freshness.close()
  const marked = await aReplica({ installation, folder })
  expect(marked.codes()).toEqual([])
  await marked.store.freshness.close()
  const covered = await aReplica({ installation, bound })
  expect(covered.codes()).toEqual([])
  await covered.store.freshness.close()

  const unvouched = await aReplica({ installation })
  expect(unvouched.codes()).toEqual(["era-begun"])
  expect(unvouched.store.caseFreshness.isTouched(current.id)).toBe(true)
})

test("R17 marks say what Redis lost while nobody ran: the last seconds are asked for again, more is a roll-back", async () => {
  const folder = aMarksFolder()
  const first = await aReplica({ folder })
  const current = await voted(first)
  const lost = await asItIs(first)
  await step(first, current, withdrawVote(current, bob, interaction("withdrawn"), noon))
  await first.store.freshness.close()
  await lost()

  const second = await aReplica({ installation: first.installation, folder })
  expect(second.codes()).toEqual(["era-begun"])
  expect(second.store.caseFreshness.isTouched(current.id)).toBe(true)
  await second.store.freshness.close()

  for (const marks of folder.files.values()) for (const mark of marks) Object.assign(mark, { era: 9 })
  const long = folder.of("long ago")
  const head = { n: [9, "mac"] } as const
  long.note({ number: 90, mac: "a", at: noon - 60_000, era: 9, heads: { "case:x": head.n } })
  long.note({ number: 91, mac: "b", at: noon, era: 9, heads: { "case:x": head.n } })
  const third = await aReplica({ installation: first.installation, folder })
  expect(third.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })
})

test("R14 with require_checkpoint a start without one ends, but for a new installation", async () => {
  const first = await aReplica({ more: { requireCheckpoint: true } })
  await committedCase(first)

  await expect(aReplica({ installation: first.installation, more: { requireCheckpoint: true } })).rejects.toMatchObject(
    {
      code: "no-checkpoint",
      message: expect.stringContaining("require_checkpoint"),
    },
  )
})

test("R16 a config that is put back is refused, and so is what a stale replica commits under it", async () => {
  const replica = await aReplica({ revision: "old" })
  const { store, keys } = { ...replica, keys: replica.store.keys }
  const stale = await aReplica({ installation: replica.installation, revision: "old" })
  const current = await committedCase(stale)
  const putBack = await photograph(replica, keys.config, keys.chain("config"))
  await store.config.activate({ shared: aSharedConfig("new"), activate: false, at: noon })

  await putBack()

  const late = { ...miss(current, noon), expectedVersion: current.version }
  const done = await stale.store.casesUnder(activeIn(stale)).commit(late)
  expect(["frozen", "config"]).toContain(done.kind)
  expect(await stale.store.config.obstacle()).toContain("older than the ledger")
  expect(await store.config.obstacle()).toContain("older than the ledger")
  const again = { shared: aSharedConfig("new"), at: noon }
  await expect(store.config.activate({ ...again, activate: false })).rejects.toMatchObject({ code: "behind" })
  expect(await store.config.activate({ ...again, activate: true })).toMatchObject({ kind: "activated" })
  expect(await store.config.obstacle()).toBeNull()
  expect(activeIn(replica).revision).toBe(configRevisionOf(again.shared))
})

test("R16 a commit whose reply comes late is judged by the config that was active when it was made", async () => {
  const replica = await aReplica({ revision: "old" })
  const { freshness, config } = replica.store
  const { id } = await committedCase(replica)
  const own = { chains: [chainOf.case(id)], entries: [], configMac: freshness.head(chainOf.config)?.mac ?? null }
  const reply = () => {
    const last = freshness.ask()
    freshness.unasked()
    return { asked: null, last, mac: "", others: [] }
  }
  const before = reply()

  await config.activate({ shared: aSharedConfig("new"), activate: false, at: noon })
  await grownOld(replica)

  expect(await freshness.took(before, own)).toEqual(["fresh"])
  expect(await freshness.took(reply(), own)).toEqual(["behind"])
})

test("R16 R17 an activation that Redis forgot is committed again, and nothing freezes", async () => {
  const replica = await aReplica({ revision: "old" })
  const { store } = replica
  const current = await committedCase(replica)
  const forget = await asItIs(replica)
  await store.config.activate({ shared: aSharedConfig("new"), activate: false, at: noon })
  const { revision } = activeIn(replica)

  await forget()

  expect(await store.config.obstacle()).toBeNull()
  expect(activeIn(replica).revision).toBe(revision)
  expect(await store.cases.read(current.id)).toMatchObject({ id: current.id })
})

function activeIn({ store }: Replica) {
  const active = store.config.active()
  if (active === null) throw new Error("no config is active")
  return active
}

/** Does something while a replica has read the ledger's end, and asks the others. Settles that end. */
async function whileSettled<Result>({ connection, store }: Replica, act: () => Promise<Result>): Promise<Result> {
  const { commands } = connection
  const read = commands.hgetallBuffer.bind(commands)
  let begun: Promise<Result> | undefined
  const hgetallBuffer = async (...given: Parameters<typeof read>) => {
    if (given[0] === store.keys.replicas) await (begun ??= act())
    return Reflect.apply(read, commands, given)
  }
  Object.assign(commands, { hgetallBuffer })
  await store.freshness.settle()
  if (begun === undefined) throw new Error("nobody was asked")
  return begun
}

test.each([
  ["counts, though somebody ordered something meanwhile", false],
  ["freezes nothing if Redis loses both", true],
])("R14 a commit while the end is settled %s", async (_words, loses) => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  const current = await committedCase(one)
  const forget = await asItIs(one)
  const version = async () => Number(await one.connection.commands.hget(one.store.keys.case(current.id), "version"))

  const { committing } = await whileSettled(one, async () => {
    await other.store.config.orders.stop({ match: {}, by: operator, reason: "runaway", at: noon, until: null })
    await other.store.freshness.close()
    await one.store.config.obstacle()
    const noted = comparedUnder(current, "another epoch", current.revision.policy)
    const committing = one.store.cases.commit({ ...noted, expectedVersion: current.version })
    await vi.waitFor(async () => expect(await version()).toBe(current.version + 1))
    if (loses) await forget()
    return { committing }
  })

  expect(await committing).toMatchObject({ kind: "committed" })
  const epoch = loses ? current.epoch : "another epoch"
  expect(await one.store.cases.read(current.id)).toMatchObject({ state: "open", epoch })
  expect(one.codes()).toEqual(loses ? ["era-begun"] : [])
})

test("R21 a commit under orders that Redis lost counts once another replica has put them back, and freezes nothing", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  const current = await committedCase(one)
  const forget = await asItIs(one)
  await one.store.config.orders.stop({ match: {}, by: operator, reason: "runaway", at: noon, until: null })
  for (const { store } of [one, other]) await store.config.obstacle()
  await forget()
  await one.store.freshness.look()
  await vi.waitFor(() => expect(one.codes()).toContain("era-begun"), limitMs)
  await one.store.config.obstacle()

  await other.store.freshness.catchUp()
  const noted = comparedUnder(current, "another epoch", current.revision.policy)
  const done = await other.store.cases.commit({ ...noted, expectedVersion: current.version })

  expect(done).toMatchObject({ kind: "committed" })
  expect(await one.store.cases.read(current.id)).toMatchObject({ state: "open", epoch: "another epoch" })
})
