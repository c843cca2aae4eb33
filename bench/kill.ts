// Kills the bot (-9) between the ack of a click and the resolve, and starts it again. Counts the sweeps until the click
// is carried out, once.
//
// Floor: one sweep after the restart.
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { click } from "./parts/clicks.ts"
import type { Measured } from "./parts/figure.ts"
import { compare } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

/** How often work left over is looked for, by default. */
const sweepMs = 5_000
const rounds = 9

/** Reports 16. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const taken: number[] = []
  for (let round = 0; round < rounds; round += 1) taken.push(await killedOnce())
  const what = "a killed click carried out after the restart"
  report(compare({ scenario: "16", what, unit: "sweeps", floor: taken.map(() => 1), product: taken }))
}

async function killedOnce(): Promise<number> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const row = aRow(1, Math.floor(Date.now() / 1_000))
  world.rows.set(row.id, row)
  const setup = { world, redis, installation: "killed", pollMs: 1_000, paceMs: 0 }
  const first = await startProduct(setup)
  await until("the card", () => cardsIn(world).length === 1)
  const [card] = cardsIn(world)
  if (card === undefined) throw new Error("there is no card")
  let reached = false
  world.delays = { platformMs: 60_000, slackMs: 0 }
  world.onArrival = ({ call }) => (reached ||= call === "read")
  await click(world, first.url, { card, id: "killed" })
  await until("the read", () => reached)
  await first.kill("SIGKILL")
  world.delays = { platformMs: 0, slackMs: 0 }
  let resolves = 0
  world.onArrival = ({ call }) => void (resolves += call === "resolve" ? 1 : 0)
  const second = await startProduct(setup)
  const begun = performance.now()
  await until("the resolve", () => world.rows.get(row.id)?.["status"] === "approved")
  const sweeps = (performance.now() - begun) / sweepMs
  await until("the settled card", () =>
    world.arrivals.some(({ call }) => call === "chat.update" || call === "response"),
  )
  if (resolves !== 1) throw new Error(`it was resolved ${resolves} times`)
  await second.kill()
  await Promise.all([redis.stop(), world.close()])
  return sweeps
}
