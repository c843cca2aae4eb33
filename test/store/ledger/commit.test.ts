// The commit itself: sent twice it counts once, and all keys live in one slot of a cluster.

import { Redis } from "ioredis"
import { expect, onTestFinished, test } from "vitest"
import { isUnfinished } from "../../../src/domain/case/card-model.ts"
import { openCase, sealCase } from "../../../src/store/cases/case-codec.ts"
import { unbounded } from "../../../src/store/freshness/freshness.ts"
import { createCommitter, type RecordCommit } from "../../../src/store/ledger/commit.ts"
import { extendChain, noEntries } from "../../../src/store/ledger/entry.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { recordOf } from "../../../src/store/redis/sealed-record.ts"
import { aPress, openQueue, stepsWith } from "../../queue/support.ts"
import { startOwnRedis } from "../../support/redis.ts"
import { committedCase, entriesOf, noon, openingOf, openStore } from "../support.ts"

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
    { kind: "committed", standing: "fresh" },
    { kind: "committed", standing: "fresh" },
  ])
  expect(await entriesOf(open)).toHaveLength(3)
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
  const server = await startOwnRedis()
  onTestFinished(() => server.stop())
  const open = await openStore({ url: server.url })
  const { queue } = await openQueue({
    url: server.url,
    installation: open.installation,
    instances: [{ name: "main", pollMs: 1_000 }],
  })
  await committedCase(open)
  await open.store.identityLinks.pin("ann@example.com", { team: "T1", user: "U1" }, noon)
  await open.store.pace.reserve({ buckets: ["channel:C1"], key: "a", rank: "card" })
  await queue.startWorkers(stepsWith())
  await queue.tickets.write(aPress())
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
