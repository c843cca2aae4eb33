// The commit itself: sent twice it counts once, and all keys live in one slot of a cluster.

import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { isUnfinished } from "../../../src/domain/case/card-model.ts"
import { openCase, sealCase } from "../../../src/store/cases/case-codec.ts"
import { StoreError } from "../../../src/store/errors.ts"
import { unbounded } from "../../../src/store/freshness/freshness.ts"
import { createCommitter, type RecordCommit, type RecordWrite } from "../../../src/store/ledger/commit.ts"
import { numbersField } from "../../../src/store/ledger/commit-script.ts"
import { extendChain, noEntries } from "../../../src/store/ledger/entry.ts"
import { readChain } from "../../../src/store/ledger/read-ledger.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { recordOf } from "../../../src/store/redis/sealed-record.ts"
import { aPress, openQueue, stepsWith } from "../../queue/support.ts"
import { anOwnRedis } from "../../support/redis.ts"
import { refusals } from "../../support/refusals.ts"
import { committedCase, entriesOf, noon, type OpenStore, openingOf, openStore } from "../support.ts"

test("a commit that a broken connection sent twice counts once", async () => {
  const open = await openStore()
  const { keys } = open.store
  const commit = createCommitter(open.connection.commands, keys, unbounded)
  const chain = "case:c-1"
  const { entries } = extendChain(open.seal, { chain, head: noEntries, sandbox: false }, [{ kind: "closed", at: noon }])
  const twice: RecordCommit = {
    key: keys.case("c-1"),
    expectedVersion: "0",
    fields: { version: "1", sealed: open.seal.encrypt("case", "{}", "context") },
    chain,
    chainCount: 0,
    entries,
    interaction: "i-1",
  }

  const results = [await commit(twice), await commit(twice)]

  expect(results).toEqual([
    { kind: "committed", standings: ["fresh"] },
    { kind: "committed", standings: ["fresh"] },
  ])
  expect(await entriesOf(open)).toHaveLength(3)
})

/** A commit of a new record with one entry. */
function aRecord({ store, seal }: OpenStore, name: string): RecordWrite {
  const chain = `case:${name}`
  const { entries } = extendChain(seal, { chain, head: noEntries, sandbox: false }, [{ kind: "closed", at: noon }])
  const fields = { version: "1", sealed: seal.encrypt("case", "{}", name) }
  return { key: store.keys.case(name), expectedVersion: "0", fields, chain, chainCount: 0, chainMac: "", entries }
}

test("commits that are made at once go together, at most 32, and each is answered by itself", async () => {
  const server = await anOwnRedis()
  const open = await openStore({ url: server.url })
  const { keys } = open.store
  const redis = open.connection.commands
  const commit = createCommitter(redis, keys, unbounded)
  const orders = Array.from({ length: 100 }, (_, index): RecordCommit => {
    const record = aRecord(open, `c-${index}`)
    if (index === 2) return { ...record, expectedVersion: "5" }
    return index < 2 ? { ...record, interaction: "i-1" } : record
  })
  await redis.lpush(keys.case("c-7"), "no record")
  const before = (await entriesOf(open)).length
  await redis.config("RESETSTAT")

  const words = await Promise.all(
    orders.map((order) =>
      commit(order).then(
        ({ kind }) => kind,
        (error: unknown) => (error instanceof StoreError ? error.code : error),
      ),
    ),
  )

  expect(words.slice(0, 3)).toEqual(["committed", "duplicate", "stale"])
  expect(words.slice(3).filter((word) => word !== "committed")).toEqual(["ledger-damaged"])
  expect((await entriesOf(open)).length - before).toBe(97)
  const calls = Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await redis.info("commandstats"))?.[1])
  expect(calls).toBeGreaterThanOrEqual(4)
  expect(calls).toBeLessThanOrEqual(6)
})

// The connection that sets a password stays logged in.
test.each(refusals.filter(({ word }) => word !== "NOAUTH"))(
  "commits that Redis refuses ($word) say so each, and count when it takes writes again",
  async ({ word, begin, mend }) => {
    const open = await openStore()
    const { keys } = open.store
    const server = await anOwnRedis()
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    const commit = createCommitter(redis, keys, unbounded)
    const orders = ["c-1", "c-2", "c-3"].map((name) => aRecord(open, name))
    await begin(redis, server.folder)

    const refused = await Promise.allSettled(orders.map((order) => commit(order)))

    // A right that the user lacks does not come by itself.
    const said =
      word === "NOPERM"
        ? { code: "redis-refused", retryable: false }
        : { code: "redis-unreachable", retryable: true, message: expect.stringContaining(word) }
    expect(refused.map((end) => end.status === "rejected" && end.reason)).toMatchObject(orders.map(() => said))
    await mend(redis, server.folder)
    expect(await Promise.all(orders.map((order) => commit(order)))).toMatchObject(
      orders.map(() => ({ kind: "committed" })),
    )
  },
)

test("several records are one commit: their entries stand one after the other, and sent twice they count once", async () => {
  const open = await openStore()
  const { keys } = open.store
  const commit = createCommitter(open.connection.commands, keys, unbounded)
  const before = (await entriesOf(open)).length
  const [one, two, three] = ["c-1", "c-2", "c-3"].map((name) => aRecord(open, name))
  if (one === undefined || two === undefined || three === undefined) throw new Error("three are made")

  const results = [await commit({ ...one, besides: [two, three] }), await commit({ ...one, besides: [two, three] })]

  expect(results).toEqual(
    Array.from({ length: 2 }, () => ({ kind: "committed", standings: ["fresh", "fresh", "fresh"] })),
  )
  const chains = await Promise.all(
    [one, two, three].map(({ chain }) => readChain({ redis: open.connection.commands, keys }, chain)),
  )
  expect(chains).toEqual([[`${before + 1}`], [`${before + 2}`], [`${before + 3}`]])
  expect(await entriesOf(open)).toHaveLength(before + 3)
})

test.each([
  [
    "a record of another version",
    async (open: OpenStore) => open.connection.commands.hset(open.store.keys.case("c-2"), "version", "7"),
    { kind: "stale" },
  ],
  [
    "a chain that is longer",
    async (open: OpenStore) => open.connection.commands.hset(open.store.keys.case("c-2"), numbersField, "1"),
    "ledger-damaged",
  ],
  [
    "a key of another type",
    async (open: OpenStore) => open.connection.commands.set(open.store.keys.chain("case:c-2"), "x"),
    "ledger-damaged",
  ],
])("%s beside another refuses the whole commit, and nothing is written", async (_, spoil, expected) => {
  const open = await openStore()
  const { keys } = open.store
  const commit = createCommitter(open.connection.commands, keys, unbounded)
  await spoil(open)
  const before = await entriesOf(open)

  const done = commit({ ...aRecord(open, "c-1"), besides: [aRecord(open, "c-2")] })

  if (typeof expected === "string") await expect(done).rejects.toMatchObject({ code: expected })
  else expect(await done).toMatchObject({ ...expected, key: keys.case("c-2") })
  expect(await entriesOf(open)).toEqual(before)
  expect(await open.connection.commands.exists(keys.case("c-1"), keys.chain("case:c-1"))).toBe(0)
})

test("a limit holds for all records of a commit together", async () => {
  const open = await openStore()
  const { keys } = open.store
  const commit = createCommitter(open.connection.commands, keys, unbounded)
  const limited = (name: string, max: number): RecordWrite => ({
    ...aRecord(open, name),
    writes: [{ command: "SADD", key: keys.admitted("main", "agent-1"), args: [name] }],
    limits: [{ key: keys.admitted("main", "agent-1"), max }],
  })

  const one = await commit({ ...limited("c-1", 1), besides: [limited("c-2", 1)] })
  const other = await commit({ ...limited("c-1", 2), besides: [limited("c-2", 2)] })

  expect([one.kind, other.kind]).toEqual(["full", "committed"])
  expect(await open.connection.commands.scard(keys.admitted("main", "agent-1"))).toBe(2)
})

test("a commit in which a record stands twice is a mistake of ours", async () => {
  const open = await openStore()
  const commit = createCommitter(open.connection.commands, open.store.keys, unbounded)

  const twice = commit({ ...aRecord(open, "c-1"), besides: [aRecord(open, "c-1")] })

  await expect(twice).rejects.toThrow("a record stands in it twice")
})

test("R14 a commit that finds the ledger changed gives back the question that it was to ask", async () => {
  const open = await openStore()
  const { keys } = open.store
  let asking = false
  const bound = {
    ...unbounded,
    ask: () => {
      asking = true
      return { number: 0, mac: "" }
    },
    unasked: () => {
      asking = false
    },
  }
  const commit = createCommitter(open.connection.commands, keys, bound)
  const longer = {
    key: keys.case("c-1"),
    expectedVersion: "0",
    fields: {},
    chain: "case:c-1",
    chainCount: 5,
    entries: [],
  }

  await expect(commit(longer)).rejects.toMatchObject({ code: "ledger-damaged" })

  expect(asking).toBe(false)
})

test("a case that we sealed but do not understand is tampered", async () => {
  const { seal, installation } = await openStore()
  const { next } = openingOf(installation)
  const version = Buffer.from("1")
  const { summary: _, ...partial } = { ...next, version: 1 }
  const codec = { seal, schema: ourSchema }
  const sealed = seal.encrypt("case", JSON.stringify({ ...partial, data: ourSchema.version }), "k@1")

  expect(openCase(codec, "k", { version, sealed, frozen: false })).toBe("tampered")
  const other = sealCase(codec, "k", { ...next, version: 1 })
  expect(openCase(codec, "k", { version, sealed: other, frozen: false })).toMatchObject({ id: next.id })
  expect(openCase(codec, "k", { version: null, sealed: other, frozen: false })).toBe("tampered")
  expect(openCase(codec, "k", recordOf([null, null, null]))).toBeNull()
})

test("every key of an installation, jobs included, carries its hash tag", async () => {
  const server = await anOwnRedis()
  const open = await openStore({ url: server.url })
  const { queue, tickets } = await openQueue({
    url: server.url,
    installation: open.installation,
    instances: [{ name: "main", pollMs: 1_000 }],
  })
  await committedCase(open)
  await open.store.identityLinks.pin("ann@example.com", { team: "T1", user: "U1" }, noon)
  await open.store.pace.reserve({ buckets: ["channel:C1"], key: "a", rank: "card" })
  await queue.startWorkers(stepsWith())
  await tickets.write(aPress())
  await queue.jobs.present("c-1", 60_000)
  const redis = new Redis(server.url)
  onTestFinished(() => redis.disconnect())

  const names = await redis.keys("*")

  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !name.startsWith(`{countersign:${open.installation}}:`))).toEqual([])
})

test("the index of unfinished cases follows the domain's word", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  expect(isUnfinished(current)).toBe(true)
  expect(await open.store.cases.unfinished(1)).toEqual([current.id])
})
