// Measures latency under load. Two replicas get clicks at a steady rate, however slow the answers are. The network is
// slow: 20 ms to the platform, 60 ms to Slack. Meanwhile the replicas poll 10,000 pending approvals.
//
// Both replicas share one core. There is no floor: what counts is how long people wait.

import { pressSteadily } from "./load/presses.ts"
import { searchUpwards } from "./load/search.ts"
import { isCard, readCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { PostedCard } from "./parts/clicks.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Latency, Measured } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { networkDelays, noDelays, startWorld, type World } from "./parts/world.ts"

const quick = process.env["BENCH_QUICK"] === "yes"
const pending = quick ? 100 : 10_000
const rates = [10, 50, 100]
const seconds = quick ? 1 : 60
const warmUp = quick ? 20 : 400
/** The goal is about this rate. */
const judgedRate = 50
/** So long Slack hears nothing before a phase begins, in ms. */
const quietMs = 1_000
const graceMs = 30_000

/** Reports 19 and the latencies. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const stage = await startStage()
  await fill(stage.world, pending, stage.slack.posted)
  await press(stage, judgedRate, warmUp / judgedRate)
  const measured: Latency[] = []
  const step = async (rate: number, lasting: number): Promise<Latency> => {
    const latency = await press(stage, rate, lasting)
    measured.push(latency)
    report(latency)
    return latency
  }
  for (const rate of rates) await step(rate, seconds)
  if (!quick) await searchUpwards([...measured], step)
  const judged = measured.filter(({ rate }) => rate === judgedRate).map(({ ack }) => ack.p99)
  const what = `99 of 100 clicks have their 200, at ${judgedRate} a second`
  report({ ...absolute({ scenario: "19", what, unit: "ms" }, judged), rounds: judgedRate * seconds })
  await stage.close()
}

/** Two replicas before two platforms: what is pending at one stays so, what is pending at the other is pressed. */
interface Stage {
  readonly world: World
  readonly pressed: World
  readonly slack: Heard
  readonly replicas: readonly string[]
  close(): Promise<void>
}

async function startStage(): Promise<Stage> {
  const [world, pressed] = [await startWorld(), await startWorld()]
  const redis = await startOwnRedis()
  const slack = listenTo(world)
  pressed.onArrival = () => void (pressed.arrivals.length = 0)
  const setup = { world, others: [pressed], redis, installation: "load", pollMs: 1_000, paceMs: 0 }
  const replicas = [await startProduct(setup), await startProduct(setup)]
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await Promise.all([redis.stop(), world.close(), pressed.close()])
  }
  return { world, pressed, slack, replicas: replicas.map(({ url }) => url), close }
}

/** Makes cards without delays, waits until nothing more follows from them, and presses each over the slow network. */
async function press({ world, pressed, slack, replicas }: Stage, rate: number, lasting: number): Promise<Latency> {
  const cards = await fill(pressed, Math.round(rate * lasting), slack.posted)
  await until("quiet", () => performance.now() - slack.heardAt() > quietMs)
  for (const each of [world, pressed]) each.delays = networkDelays
  const latency = await pressSteadily(world, { rate, seconds: lasting, cards, replicas, graceMs })
  for (const each of [world, pressed]) each.delays = noDelays
  return latency
}

/** What Slack heard: the cards that nobody has taken yet, and when the last call was (`performance.now()`). */
interface Heard {
  readonly posted: PostedCard[]
  readonly heardAt: () => number
}

/** Keeps the cards that reach Slack, and nothing else, since a run is long. */
function listenTo(world: World): Heard {
  const posted: PostedCard[] = []
  let heardAt = performance.now()
  world.onArrival = (arrival) => {
    world.arrivals.length = 0
    if (arrival.call === "list" || arrival.call === "other") return
    heardAt = arrival.at
    if (isCard(arrival)) posted.push(readCard(arrival, posted.length))
  }
  return { posted, heardAt: () => heardAt }
}

/** Makes so many approvals and waits for their cards, which it takes off `posted`. Says how far it is. */
async function fill(world: World, count: number, posted: PostedCard[]): Promise<readonly PostedCard[]> {
  const now = Math.floor(Date.now() / 1_000)
  const first = world.rows.size
  for (let at = first; at < first + count; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  for (let told = 1_000; told < count; told += 1_000) {
    await until(`card ${told}`, () => posted.length >= told, 600_000)
    console.log(`     ${told} of ${count} cards are there`)
  }
  await until(`${count} cards`, () => posted.length >= count, 600_000)
  return posted.splice(0, count)
}
