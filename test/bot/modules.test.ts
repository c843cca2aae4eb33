// The key that signs stays in the set that is served, whatever Redis forgets of it.
import { expect, onTestFinished, test, vi } from "vitest"
import { keepKey } from "../../src/bot/modules.ts"
import { aReplica, grownOld, type Replica } from "../store/freshness-support.ts"
import { asItIs, noon, silentLog } from "../store/support.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner("one")
const other = await aSigner("other")
const { kid } = signer.publicKey

/** Keeps the key of a replica's signer in the set; what it logs, and how often it looked into the set, is kept. */
async function keeping({ store: { freshness, signingKeys } }: Replica) {
  const logged: string[] = []
  let looks = 0
  const add: typeof signingKeys.add = (...given) => {
    looks += 1
    return signingKeys.add(...given)
  }
  const store = { freshness, signingKeys: { ...signingKeys, add } }
  const log = { ...silentLog, warn: (event: string) => void logged.push(event) }
  const close = await keepKey({ store, key: signer.publicKey, clock: () => noon, log, lookMs: 5 })
  onTestFinished(close)
  return { logged, looks: () => looks }
}

async function kidsIn({ store }: Replica): Promise<readonly string[]> {
  return (await store.signingKeys.read()).map((key) => key.kid)
}

test("R17 a key whose entry was in Redis' lost second is put back, with an entry that follows", async () => {
  const replica = await aReplica()
  const forget = await asItIs(replica)
  const { logged, looks } = await keeping(replica)
  expect(await kidsIn(replica)).toEqual([kid])
  // One that adds it, and one during which nothing moved: what it added may be lost already.
  expect(looks()).toBe(2)

  await forget()
  expect(await kidsIn(replica)).toEqual([])
  await replica.store.freshness.look()

  await vi.waitFor(async () => expect(await kidsIn(replica)).toEqual([kid]))
  expect((await replica.store.verifyLedger()).problem).toBeNull()
  expect([replica.codes(), logged]).toEqual([[], []])
})

test("R17 in a Redis that was rolled back the key is put back, before and after an operator accepts it", async () => {
  const replica = await aReplica()
  const rollBack = await asItIs(replica)
  await keeping(replica)
  await grownOld(replica)

  await rollBack()
  await replica.store.freshness.look()
  await replica.store.freshness.settle()

  expect(replica.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })
  await vi.waitFor(async () => expect(await kidsIn(replica)).toEqual([kid]))
  await replica.store.freshness.accept(replica.store.freshness.shown())
  expect(await kidsIn(replica)).toEqual([kid])
  expect((await replica.store.verifyLedger()).problem).toBeNull()
})

test("a key that another replica adds takes nothing away, and nothing is written for it", async () => {
  const replica = await aReplica()
  const second = await aReplica({ installation: replica.installation })
  const { looks } = await keeping(replica)
  const looked = looks()

  await second.store.signingKeys.add(other.publicKey, noon)
  await replica.store.freshness.look()
  const { size } = replica.store.freshness.shown()
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(looked))

  await replica.store.freshness.look()
  expect(await kidsIn(replica)).toEqual([kid, other.publicKey.kid])
  expect(replica.store.freshness.shown().size).toBe(size)
})

test("what cannot be put back now is logged, and tried again", async () => {
  const replica = await aReplica()
  const forget = await asItIs(replica)
  const { logged } = await keeping(replica)
  const redis = replica.connection.commands
  await forget()
  await redis.hset(replica.store.keys.signingKeys, { version: "1", sealed: Buffer.alloc(80, 1) })

  await replica.store.freshness.look()
  await vi.waitFor(() => expect(logged).toContain("signing-key-not-kept"))
  await redis.del(replica.store.keys.signingKeys)

  await vi.waitFor(async () => expect(await kidsIn(replica)).toEqual([kid]))
})

test("a set that was tampered with ends the start", async () => {
  const replica = await aReplica()
  const { connection, store } = replica
  await connection.commands.hset(store.keys.signingKeys, { version: "1", sealed: Buffer.alloc(80, 1) })

  await expect(keeping(replica)).rejects.toMatchObject({ code: "tampered" })
})
