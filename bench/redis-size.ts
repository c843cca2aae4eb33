// Measures what an approval takes in Redis. For a pending one we leave out its arguments, which are as long as an agent
// makes them, and its ledger entries. For a closed one we count all that it left there, also in the queue, but no
// arguments.
//
// Floor of a pending one: an id in a set (84 bytes) and a compact JSON string (238). We measured both once.
import { setTimeout as wait } from "node:timers/promises"
import { Redis } from "ioredis"
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { createClicker } from "./parts/clicker.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const count = 200
const rounds = 9
/** Clicks that are under way at a time. */
const atOnce = 20
/** So long it may take until all that follows is done, in ms. */
const closeMs = 60_000

/** Reports 14, 14b and 14c. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const taken: Taken[] = []
  for (let round = 0; round < rounds; round += 1) taken.push(await measure())
  const rows = [
    { scenario: "14", what: "Redis for a pending approval", of: taken.map(({ perCase }) => perCase) },
    { scenario: "14b", what: "Redis for a closed approval, of its whole life", of: taken.map(({ closed }) => closed) },
    { scenario: "14c", what: "Redis for a ledger entry", of: taken.map(({ perEntry }) => perEntry) },
  ]
  for (const { scenario, what, of } of rows) report(absolute({ scenario, what, unit: "bytes" }, of))
}

/** Bytes in Redis, for each approval and each ledger entry. */
interface Taken {
  readonly perCase: number
  readonly perEntry: number
  readonly closed: number
}

/** What approvals without arguments take in a Redis of their own, once they have cards and once they are closed. */
async function measure(): Promise<Taken> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const client = new Redis({ path: redis.url })
  const product = await startProduct({
    world,
    redis,
    installation: "size",
    pollMs: 1_000,
    paceMs: 0,
    retainArguments: "0",
  })
  const before = await sizes(client)
  for (let at = 0; at < count; at += 1) {
    const row = aRow(at, 1_700_000_000)
    world.rows.set(row.id, { ...row, tool_args: {}, requirements: null })
  }
  await until("all cards", () => cardsIn(world).length === count)
  // A card is remembered after it hangs; until then its case holds a lease.
  await empty(client, ["unfinished"])
  const after = await sizes(client)
  const clicker = createClicker(world)
  const cards = [...cardsIn(world)]
  while (cards.length > 0) await clicker.allAtOnce(product.url, cards.splice(0, atOnce))
  await empty(client, ["list", "unfinished"])
  const closed = await sizes(client)
  client.disconnect()
  await product.kill()
  await Promise.all([redis.stop(), world.close()])
  return {
    perCase: (after.rest - before.rest) / count,
    closed: (closed.all - before.all) / count,
    perEntry: (after.ledger - before.ledger) / (after.entries - before.entries),
  }
}

/** Waits until these sets of cases are empty. Throws after a minute. */
async function empty(redis: Redis, sets: readonly ("list" | "unfinished")[]): Promise<void> {
  const end = performance.now() + closeMs
  for (const set of sets) {
    while ((await redis.zcard(`{countersign:size}:${set}`)) > 0) {
      if (performance.now() > end) throw new Error(`there are ${set} cases after ${closeMs} ms`)
      await wait(50)
    }
  }
}

/** Bytes in Redis, and the entries of the ledger. */
interface Sizes {
  /** The ledger with its chains. */
  readonly ledger: number
  /** Everything else but the queue's keys, of which what is pending needs none. */
  readonly rest: number
  /** All keys. */
  readonly all: number
  readonly entries: number
}

async function sizes(redis: Redis): Promise<Sizes> {
  const keys = await redis.keys("{countersign:size}:*")
  const bytes = await Promise.all(keys.map((key) => redis.memory("USAGE", key, "SAMPLES", 0)))
  const sum = (fits: (key: string) => boolean) =>
    keys.reduce((total, key, at) => total + (fits(key) ? (bytes[at] ?? 0) : 0), 0)
  const isLedger = (key: string) => /:(ledger|sequence|chain:.*)$/.test(key)
  return {
    ledger: sum(isLedger),
    rest: sum((key) => !isLedger(key) && !key.includes(":queue:")),
    all: sum(() => true),
    entries: await redis.xlen("{countersign:size}:ledger"),
  }
}
