// Measures single clicks: until the clicked card says how it ended, and until Slack has its 200.
//
// Only one click is on its way at a time. The next one waits until all that follows a card (its thread, the message to
// whoever asked) has reached the world. Clicks that do not wait for that have a figure of their own.
//
// Floors: raw (1) and claim (2) do the same calls with nothing in between. claim also does two durable writes: without
// these nobody could promise that a click is neither lost nor counted twice. ack (3) checks the signature and writes
// once before it answers.
import { cardsIn, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { startChild } from "./parts/child.ts"
import { createClicker } from "./parts/clicker.ts"
import { signingSecret } from "./parts/clicks.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { alternate, compare, usualRounds } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld } from "./parts/world.ts"

const clicksABlock = 20
/** Clicks that floors and product see before, so that what is measured is compiled code and not the compiler. */
const warmUp = 400
/** Of each block of clicks there are two: one by one, and back to back. */
const clicksInAll = 2 * clicksABlock * (usualRounds + 1)

/** Reports 1, 1b, 2 and 3. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const world = await startWorld()
  const redis = await startOwnRedis()
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < warmUp + clicksInAll; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  const product = await startProduct({ world, redis, pollMs: 3_600_000, paceMs: 0 })
  await until("all cards", () => cardsIn(world).length === warmUp + clicksInAll)
  const cards = [...cardsIn(world)]
  const env = { WORLD: world.url, SECRET: signingSecret, BENCH_REDIS: redis.url }
  const [raw, claim, ack] = await Promise.all([
    startChild("floor-process.ts", { ...env, FLOOR: "raw" }),
    startChild("floor-process.ts", { ...env, FLOOR: "claim" }),
    startChild("floor-process.ts", { ...env, FLOOR: "ack" }),
  ])
  const clicker = createClicker(world)
  const fresh = () => clicker.floorCards(clicksABlock)
  const ours = () => cards.splice(0, clicksABlock)
  for (const { url } of [raw, claim]) await clicker.backToBack(url, clicker.floorCards(warmUp))
  await clicker.acksOnly(ack.url, clicker.floorCards(clicksABlock))
  await clicker.backToBack(product.url, cards.splice(0, warmUp))
  const [raws = [], claims = [], acks = [], products = [], productAcks = [], fastRaws = [], fast = []] =
    await alternate([
      () => clicker.oneByOne(raw.url, fresh()),
      () => clicker.oneByOne(claim.url, fresh()),
      () => clicker.acksOnly(ack.url, fresh()),
      () => clicker.oneByOne(product.url, ours()),
      () => clicker.lastAck(),
      () => clicker.backToBack(raw.url, fresh()),
      () => clicker.backToBack(product.url, ours()),
    ])
  const decided = [...world.rows.values()].filter((row) => row["status"] === "approved").length
  const wanted = 3 * warmUp + clicksInAll * 2 + clicksInAll / 2
  if (decided !== wanted) throw new Error(`${wanted} were to be decided, and ${decided} are`)
  const about = { unit: "ms", product: products }
  report(compare({ ...about, scenario: "1", what: "click to card, against the bare calls", floor: raws }))
  const following = { unit: "ms", product: fast, floor: fastRaws }
  report(compare({ ...following, scenario: "1b", what: "click to card, back to back" }))
  report(compare({ ...about, scenario: "2", what: "click to card, with two durable writes", floor: claims }))
  const last = { scenario: "3", what: "click to its 200", floor: acks, product: productAcks, unit: "ms" }
  report(compare(last))
  await Promise.all([raw, claim, ack, product].map((child) => child.kill()))
  await Promise.all([redis.stop(), world.close()])
}
