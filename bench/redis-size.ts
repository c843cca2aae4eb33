// What a pending approval takes in Redis: apart from its arguments, which are as long as an agent makes them, and from
// its ledger entries.
//
// Floor: an id in a set (84 bytes) and the least that has to be remembered as a compact JSON string (238), as measured
// once.
import { Redis } from "ioredis"
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { Figure } from "./parts/figure.ts"
import { absolute, compare } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const count = 200
const rounds = 9
const floorBytes = 84 + 238

/** Reports 14, 14b and 14c. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  const taken: Taken[] = []
  for (let round = 0; round < rounds; round += 1) taken.push(await measure())
  const [cases, entries] = [taken.map(({ perCase }) => perCase), taken.map(({ perEntry }) => perEntry)]
  const what = "Redis for a pending approval"
  report(compare({ scenario: "14", what, unit: "bytes", goal: 2, floor: cases.map(() => floorBytes), product: cases }))
  report(absolute({ scenario: "14b", what, unit: "bytes", goal: 700 }, cases))
  report(absolute({ scenario: "14c", what: "Redis for a ledger entry", unit: "bytes", goal: 400 }, entries))
}

/** Bytes in Redis, for each approval and each ledger entry. */
interface Taken {
  readonly perCase: number
  readonly perEntry: number
}

/** What approvals without arguments take in a Redis of their own, once they have their cards. */
async function measure(): Promise<Taken> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const client = new Redis({ path: redis.url })
  const product = await startProduct({ world, redis, installation: "size", pollMs: 1_000, paceMs: 0 })
  const before = await sizes(client)
  for (let at = 0; at < count; at += 1) {
    const row = aRow(at, 1_700_000_000)
    world.rows.set(row.id, { ...row, tool_args: {}, requirements: null })
  }
  await until("all cards", () => cardsIn(world).length === count)
  const after = await sizes(client)
  client.disconnect()
  await product.kill()
  await Promise.all([redis.stop(), world.close()])
  return {
    perCase: (after.rest - before.rest) / count,
    perEntry: (after.ledger - before.ledger) / (after.entries - before.entries),
  }
}

/**
 * The bytes of the ledger with its chains, and of everything else but the queue's keys, which stay as they are when
 * work is done.
 */
async function sizes(
  redis: Redis,
): Promise<{ readonly ledger: number; readonly rest: number; readonly entries: number }> {
  const keys = await redis.keys("{countersign:size}:*")
  const kept = keys.filter((key) => !key.includes(":queue:"))
  const bytes = await Promise.all(kept.map((key) => redis.memory("USAGE", key, "SAMPLES", 0)))
  let ledger = 0
  let rest = 0
  for (const [at, key] of kept.entries()) {
    const size = bytes[at] ?? 0
    if (/:(ledger|sequence|chain:.*)$/.test(key)) ledger += size
    else rest += size
  }
  return { ledger, rest, entries: await redis.xlen("{countersign:size}:ledger") }
}
