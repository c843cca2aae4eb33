// What a pending approval takes in Redis: its encrypted content and its ledger entries apart, which grow with what an agent sends.
//
// Floor: an id in a set (84 bytes) and the least that has to be remembered as a compact JSON string (238), as facts measured once.
import { Redis } from "ioredis"
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { Figure } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const count = 200
const floorBytes = 84 + 238

/** Reports 14, 14b and 14c. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const client = new Redis({ path: redis.url })
  const product = await startProduct({ world, redis, installation: "size", pollMs: 1_000, paceMs: 0 })
  const before = await sizes(client)
  for (let at = 0; at < count; at += 1) world.rows.set(aRow(at, 1_700_000_000).id, aRow(at, 1_700_000_000))
  await until("all cards", () => cardsIn(world).length === count)
  const after = await sizes(client)
  const content = count * Buffer.byteLength(JSON.stringify(aRow(1, 1_700_000_000)))
  const bytes = (after.rest - before.rest - content) / count
  const perEntry = (after.ledger - before.ledger) / (after.entries - before.entries)
  const what = "Redis for a pending approval"
  const first = absolute({ scenario: "14", what, unit: "bytes", goal: 2 }, [bytes])
  report({ ...first, floor: floorBytes, ratio: bytes / floorBytes })
  report(absolute({ scenario: "14b", what, unit: "bytes", goal: 700 }, [bytes]))
  report(absolute({ scenario: "14c", what: "Redis for a ledger entry", unit: "bytes", goal: 400 }, [perEntry]))
  client.disconnect()
  await product.kill()
  await Promise.all([redis.stop(), world.close()])
}

/** The bytes of the ledger with its chains, and of everything else but the queue's keys, which stay as they are when work is done. */
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
