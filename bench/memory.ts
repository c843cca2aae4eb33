// Memory at rest, and after ten thousand clicks and ten thousand polled approvals.
//
// Floor: a bare node:http server.
import { readFileSync } from "node:fs"
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { startChild } from "./parts/child.ts"
import { createClicker } from "./parts/clicker.ts"
import type { Figure } from "./parts/figure.ts"
import { absolute, compare } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const count = 10_000
const atOnce = 20
const starts = 9
const MB = 1_048_576

/** Reports 13 and 13b. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const floor: number[] = []
  const product: number[] = []
  for (let at = 0; at < starts; at += 1) {
    floor.push(await atRest(() => startChild("bare-process.ts", {})))
    product.push(await atRest(() => startProduct({ world, redis, pollMs: 1_000, paceMs: 0 })))
  }
  report(compare({ scenario: "13", what: "memory at rest", unit: "MB", goal: 2, floor, product }))
  const bot = await startProduct({ world, redis, pollMs: 1_000, paceMs: 0 })
  await settle()
  const before = rssOf(bot.pid)
  for (let at = 0; at < count; at += 1) world.rows.set(aRow(at, 1_700_000_000).id, aRow(at, 1_700_000_000))
  await until("all cards", () => cardsIn(world).length === count, 600_000)
  const cards = [...cardsIn(world)]
  world.arrivals.length = 0
  const clicker = createClicker(world)
  while (cards.length > 0) await clicker.allAtOnce(bot.url, cards.splice(0, atOnce))
  await settle()
  const growth = (rssOf(bot.pid) - before) / MB
  report(absolute({ scenario: "13b", what: "growth by 10,000 clicks and approvals", unit: "MB", goal: 30 }, [growth]))
  await bot.kill()
  await Promise.all([redis.stop(), world.close()])
}

async function atRest(start: () => ReturnType<typeof startChild>): Promise<number> {
  const child = await start()
  await settle()
  const rss = rssOf(child.pid) / MB
  await child.kill()
  return rss
}

/** Gives a process the time to come to rest. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3_000))
}

function rssOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  if (kilobytes === undefined) throw new Error(`the memory of process ${pid} cannot be read`)
  return Number(kilobytes) * 1_024
}
