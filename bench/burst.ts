// Measures a hundred clicks at once over a slow network: 20 ms to the platform, 60 ms to Slack. Two things count: when
// the last card has changed, and how much processor time the bot needs for a click and all that follows it.
//
// Floor: the bare calls in the same burst. Beside the read they also ask who clicked: whoever decides has to know.
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { startChild } from "./parts/child.ts"
import { createClicker, quiet } from "./parts/clicker.ts"
import { type PostedCard, signingSecret } from "./parts/clicks.ts"
import { fixOneCore } from "./parts/cores.ts"
import { cpuOf } from "./parts/cpu.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute, alternate, compare, usualRounds } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { networkDelays, startWorld } from "./parts/world.ts"

const burst = 100
/** Bursts that the product sees before, so that what is measured is compiled code and not the compiler. */
const warmUp = 3
/**
 * So long nothing reaches the world between two bursts, in ms: then all that the one before asked for is done, in both.
 */
const quietMs = 500
const inAll = burst * (warmUp + usualRounds + 1)

/** Reports 8 and 8b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const world = await startWorld()
  const redis = await startOwnRedis()
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < inAll; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  const product = await startProduct({ world, redis, pollMs: 3_600_000, paceMs: 0 })
  await until("all cards", () => cardsIn(world).length === inAll)
  const cards = [...cardsIn(world)]
  const env = { WORLD: world.url, SECRET: signingSecret, FLOOR: "informed" }
  const floor = await startChild("floor-process.ts", env)
  world.delays = networkDelays
  const clicker = createClicker(world)
  const burstOn = async (url: string, clicked: readonly PostedCard[]) => {
    await quiet(world, quietMs)
    return clicker.allAtOnce(url, clicked)
  }
  for (let round = 0; round < warmUp; round += 1) await burstOn(product.url, cards.splice(0, burst))
  let cpuAtEnd = cpuNow(product.pid)
  const cpuAClick = async () => {
    await quiet(world, quietMs)
    const before = cpuAtEnd
    cpuAtEnd = cpuNow(product.pid)
    return (cpuAtEnd - before) / burst
  }
  const [floors = [], products = [], cpu = []] = await alternate([
    () => burstOn(floor.url, clicker.floorCards(burst)),
    () => burstOn(product.url, cards.splice(0, burst)),
    cpuAClick,
  ])
  const what = "the last card of 100 clicks at once"
  report(compare({ scenario: "8", what, unit: "ms", floor: floors, product: products }))
  report(absolute({ scenario: "8b", what: "CPU of the bot's process for each of them", unit: "ms" }, cpu))
  await Promise.all([floor.kill(), product.kill()])
  await Promise.all([redis.stop(), world.close()])
}

function cpuNow(pid: number): number {
  const cpu = cpuOf(pid)
  if (cpu === null) throw new Error("the CPU time of a process is read from /proc, which only Linux has")
  return cpu.own
}
