// Beginning an era: once, whoever begins it, also where two replicas do at the same moment (R17).

import { expect, test } from "vitest"
import { beginEra, type EraOptions } from "../../../src/store/freshness/era.ts"
import { unbounded } from "../../../src/store/freshness/freshness.ts"
import { knowFrom, theBeginning } from "../../../src/store/freshness/known-ledger.ts"
import { createReader } from "../../../src/store/freshness/reader.ts"
import { createCommitter } from "../../../src/store/ledger/commit.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { noon, type OpenStore, openStore } from "../support.ts"

/**
 * What one of several replicas begins an era with; `caughtUp` happens each time it has read to the end of the ledger.
 */
function aReplicaOf(open: OpenStore, caughtUp: () => Promise<unknown> = async () => undefined): EraOptions {
  const { connection, installation, seal, store } = open
  const { keys } = store
  const redis = connection.commands
  const known = knowFrom(theBeginning())
  const quiet = { now: () => 0, seen: () => undefined, wrong: () => undefined }
  const reader = createReader({ redis, keys, seal, ...quiet }, known)
  const commit = createCommitter(redis, keys, unbounded)
  const catchUp = async () => {
    await reader.catchUp()
    await caughtUp()
  }
  return { redis, keys, seal, schema: ourSchema, installation, commit, sandbox: false, known: () => known, catchUp }
}

const lost = { why: "lost", at: noon, config: null } as const

/** Two replicas, of which the other begins its own era once the one has read to the end of the ledger. */
async function racing(touched: readonly string[]) {
  const open = await openStore()
  const other = aReplicaOf(open)
  let raced = false
  const one = aReplicaOf(open, async () => {
    if (raced) return
    raced = true
    expect(await beginEra(other, { ...lost, touched })).toBe(true)
  })
  return { one, other }
}

test("R17 two replicas that begin one at the same moment begin it, and see no roll-back in each other's entry", async () => {
  const { one, other } = await racing(["case:b"])

  expect(await beginEra(one, { ...lost, touched: ["case:a"] })).toBe(true)

  await other.catchUp()
  const eras = other.known().eras()
  expect(eras.map(({ id, chains }) => [id, [...(chains ?? [])]])).toEqual([
    [1, ["case:b"]],
    [2, ["case:a"]],
  ])
})

test("R17 what another replica's era touches already needs none of its own", async () => {
  const { one } = await racing(["case:a", "case:b"])

  expect(await beginEra(one, { ...lost, touched: ["case:a"] })).toBe(true)

  expect(one.known().eras()).toHaveLength(1)
})

test("R14 a record of the installation that the ledger does not name begins no era", async () => {
  const open = await openStore()
  const { connection, store } = open
  const before = await connection.commands.dumpBuffer(store.keys.installation)
  const one = aReplicaOf(open)
  await beginEra(one, { ...lost, touched: ["case:a"] })
  await connection.commands.del(store.keys.installation)
  await connection.commands.restore(store.keys.installation, 0, before)

  expect(await beginEra(one, { ...lost, touched: ["case:b"] })).toBe(false)
})
