// Measures how long approvals wait for their cards if they arrive at random while we poll every second. One run has 200
// approvals.
//
// Floor: only the wait for the next poll, P/2 in the mean and 0.99 P at the 99th percentile (P: time between polls).
import { isCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { Measured } from "./parts/figure.ts"
import { compare, quantile } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const pollMs = 1_000
const count = 200
const spreadMs = 50_000

/** Reports 11 (the mean) and 11b (the 99th percentile). */
export async function run(report: (what: Measured) => void): Promise<void> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const product = await startProduct({ world, redis, pollMs, paceMs: 0 })
  const created = new Map<string, number>()
  const waited: number[] = []
  world.onArrival = (arrival) => {
    if (!isCard(arrival)) return
    const order = /order-(\d+)/.exec(arrival.fields.get("blocks") ?? "")?.[1] ?? ""
    const at = created.get(order)
    if (at !== undefined) waited.push(arrival.at - at)
  }
  const moments = Array.from({ length: count }, () => Math.random() * spreadMs).toSorted((a, b) => a - b)
  const begun = performance.now()
  for (const [at, moment] of moments.entries()) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + moment - performance.now())))
    const row = aRow(at, Math.floor(Date.now() / 1_000))
    created.set(String(at), performance.now())
    world.rows.set(row.id, row)
  }
  await until("all cards", () => waited.length === count)
  const mean = waited.reduce((sum, one) => sum + one, 0) / count
  const [floor, late] = [pollMs / 2, 0.99 * pollMs]
  const first = { scenario: "11", what: "created to card, the mean of 200", unit: "ms" }
  report(compare({ ...first, floor: [floor], product: [mean] }))
  const last = { scenario: "11b", what: "created to card, the 99th percentile of 200", unit: "ms" }
  report(compare({ ...last, floor: [late], product: [quantile(waited, 0.99)] }))
  await product.kill()
  await Promise.all([redis.stop(), world.close()])
}
