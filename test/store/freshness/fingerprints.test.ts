// Fingerprints stand under freshness, say nothing where they are old or gone, and never keep a case from its end.
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { type FingerprintId, fingerprintName } from "../../../src/domain/fingerprint/call-fields.ts"
import { nothingKept } from "../../../src/domain/fingerprint/fingerprint.ts"
import type { CaseStore, FingerprintAsRead } from "../../../src/flow/ports.ts"
import { chainOf } from "../../../src/store/redis/keys.ts"
import { aReplica, type Replica } from "../freshness-support.ts"
import { anApproval, committedCase, noon } from "../support.ts"

const id: FingerprintId = { instance: "main", caller: "agent:a", tool: "pay" }
const name = fingerprintName(id)
const field = { path: "to", last: "h", times: 1, fresh: 1, turns: 0, seen: [], ranges: [] }

async function read(cases: CaseStore): Promise<FingerprintAsRead> {
  const [found] = await cases.fingerprints([id])
  if (found === undefined) throw new Error("no fingerprint was read")
  return found
}

/** A commit of a case that teaches, as one that reads anew where the fingerprint is another by now. */
async function teach(cases: CaseStore, current: Case, calls: number, day = 20_000): Promise<Case> {
  for (;;) {
    const found = await read(cases)
    const event =
      found.doubt === null
        ? ({ kind: "fingerprint-changed", at: noon, case: current.id } as const)
        : ({ kind: "fingerprint-begun", at: noon, why: found.doubt, case: current.id } as const)
    const change = { read: found, next: { ...nothingKept, calls, fields: [{ ...field, day }] }, event }
    const done = await cases.commit({
      ...miss(current, noon),
      expectedVersion: current.version,
      fingerprints: [change],
    })
    if (done.kind === "committed") return done.case
    if (done.kind !== "sum") throw new Error(`the case was not committed: ${done.kind}`)
  }
}

async function aCaseOf(replica: Replica, approval: string): Promise<Case> {
  return committedCase(replica, anApproval({ id: approval }))
}

/** A process that begins now, and remembers nothing. */
async function newProcess({ installation }: Replica): Promise<CaseStore> {
  return (await aReplica({ installation })).store.cases
}

test("a process that watches the ledger asks Redis only for what it does not know already", async () => {
  const one = await aReplica()
  await teach(one.store.cases, await aCaseOf(one, "a-1"), 1)
  const two = await aReplica({ installation: one.installation })
  const first = await read(two.store.cases)
  await one.connection.commands.del(one.store.keys.fingerprint(name))

  const known = [await read(one.store.cases), await read(two.store.cases)]

  expect(first).toMatchObject({ state: { calls: 1 }, doubt: null })
  expect(known).toEqual([first, first])
  expect(await read(await newProcess(one))).toMatchObject({ doubt: "behind" })
})

test("two replicas that teach the same fingerprint at once both do, one after the other", async () => {
  const one = await aReplica()
  const other = await aReplica({ installation: one.installation })
  const cases = await Promise.all(["a-1", "a-2", "a-3", "a-4"].map((approval) => aCaseOf(one, approval)))

  await Promise.all(cases.map((current, at) => teach((at % 2 === 0 ? one : other).store.cases, current, at + 1)))
  await one.store.freshness.look()

  expect(await read(one.store.cases)).toMatchObject({ doubt: null, chain: { count: 4 } })
  expect((await one.store.verifyLedger()).problem).toBeNull()
})

test.each([
  [
    "put back",
    async ({ connection, store }: Replica, old: Buffer) => {
      await connection.commands.del(store.keys.fingerprint(name))
      await connection.commands.restore(store.keys.fingerprint(name), 0, old)
    },
  ],
  ["deleted", ({ connection, store }: Replica) => connection.commands.del(store.keys.fingerprint(name))],
  [
    "changed",
    ({ connection, store }: Replica) => connection.commands.hset(store.keys.fingerprint(name), "sealed", "x"),
  ],
  [
    "another kind of key",
    async ({ connection, store }: Replica) => {
      await connection.commands.del(store.keys.fingerprint(name))
      await connection.commands.set(store.keys.fingerprint(name), "x")
    },
  ],
])("R14 a fingerprint that is %s is not believed by a process that reads it", async (_what, attack) => {
  const one = await aReplica()
  await teach(one.store.cases, await aCaseOf(one, "a-1"), 1)
  const old = await one.connection.commands.dumpBuffer(one.store.keys.fingerprint(name))
  await teach(one.store.cases, await aCaseOf(one, "a-2"), 2)

  await attack(one, old)

  expect(await read(await newProcess(one))).toMatchObject({ state: null, doubt: "behind" })
})

test("R14 a case whose commit met an older fingerprint is none the worse, and the next one begins it anew", async () => {
  const one = await aReplica()
  const { commands } = one.connection
  const key = one.store.keys.fingerprint(name)
  await teach(one.store.cases, await aCaseOf(one, "a-1"), 1)
  const other = await newProcess(one)
  await read(other)
  const old = await commands.dumpBuffer(key)
  const chain = await commands.dumpBuffer(one.store.keys.chain(chainOf.fingerprint(name)))
  await teach(one.store.cases, await aCaseOf(one, "a-2"), 2)
  await commands.del(key, one.store.keys.chain(chainOf.fingerprint(name)))
  await commands.restore(key, 0, old)
  await commands.restore(one.store.keys.chain(chainOf.fingerprint(name)), 0, chain)

  const done = await teach(other, await aCaseOf(one, "a-3"), 3)
  const last = await newProcess(one)
  const doubted = await read(last)
  await teach(last, await aCaseOf(one, "a-4"), 4)

  expect(done.state).toBe("open")
  expect(doubted.doubt === "behind" || doubted.state?.calls === 3).toBe(true)
  expect(await read(await newProcess(one))).toMatchObject({ state: { calls: 4 }, doubt: null })
})

test.each([
  ["the record is another kind of key", ({ keys }: Replica["store"]) => keys.fingerprint(name)],
  ["its chain is another kind of key", ({ keys }: Replica["store"]) => keys.chain(chainOf.fingerprint(name))],
])("R14 a case is committed without what it teaches where %s", async (_what, keyOf) => {
  const one = await aReplica()
  const key = keyOf(one.store)
  const current = await aCaseOf(one, "a-1")
  await one.connection.commands.set(key, "x")

  const done = await teach(one.store.cases, current, 1)

  expect(done.version).toBe(current.version + 1)
})

test("what is too old goes from each fingerprint, once, with an entry", async () => {
  const replica = await aReplica()
  const { store, connection } = replica
  await teach(store.cases, await aCaseOf(replica, "a-1"), 1, Math.floor(noon / 86_400_000) - 100)
  await connection.commands.zadd(store.keys.fingerprints, 0, "nobody")

  await store.cases.forgetOld({ at: noon, keepDays: 101 })
  const before = await read(store.cases)
  await store.cases.forgetOld({ at: noon, keepDays: 90 })
  const after = await read(await newProcess(replica))
  await store.cases.forgetOld({ at: noon, keepDays: 90 })

  expect(before).toMatchObject({ state: { fields: [{ path: "to" }] }, chain: { count: 1 } })
  expect(after).toMatchObject({ state: { fields: [] }, doubt: null, chain: { count: 2 } })
  expect(await connection.commands.zcard(store.keys.fingerprints)).toBe(0)
  expect((await read(store.cases)).chain.count).toBe(2)
})
