// A hundred clicks at once over a slow network: 20 ms to the platform, 60 ms to Slack. What counts is when the last
// card has changed.
//
// Floor: the bare calls in the same burst, who clicked asked for beside the read, as whoever decides has to.
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { startChild } from "./parts/child.ts"
import { createClicker, quiet } from "./parts/clicker.ts"
import { type PostedCard, signingSecret } from "./parts/clicks.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Figure } from "./parts/figure.ts"
import { alternate, compare, usualRounds } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const burst = 100
/** Bursts that the product sees before, so that what is measured is compiled code and not the compiler. */
const warmUp = 3
/**
 * So long nothing reaches the world between two bursts, in ms: then all that the one before asked for is done, in both.
 */
const quietMs = 500
const inAll = burst * (warmUp + usualRounds + 1)

/** Reports 8. */
export async function run(report: (figure: Figure) => void): Promise<void> {
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
  world.delays = { platformMs: 20, slackMs: 60 }
  const clicker = createClicker(world)
  const burstOn = async (url: string, clicked: readonly PostedCard[]) => {
    await quiet(world, quietMs)
    return clicker.allAtOnce(url, clicked)
  }
  for (let round = 0; round < warmUp; round += 1) await burstOn(product.url, cards.splice(0, burst))
  const [floors = [], products = []] = await alternate([
    () => burstOn(floor.url, clicker.floorCards(burst)),
    () => burstOn(product.url, cards.splice(0, burst)),
  ])
  const what = "the last card of 100 clicks at once"
  report(compare({ scenario: "8", what, unit: "ms", goal: 1.3, floor: floors, product: products }))
  await Promise.all([floor.kill(), product.kill()])
  await Promise.all([redis.stop(), world.close()])
}
