// A product that knows a long list of pending approvals, and polls no more. Measures what it takes to list them, to
// show a Home, and to sweep.
import { setTimeout as wait } from "node:timers/promises"
import { isCard, metricsToken, startOwnRedis, startProduct, until } from "../parts/bot.ts"
import type { Child } from "../parts/child.ts"
import { command, openHome } from "../parts/clicks.ts"
import { median } from "../parts/rounds.ts"
import { aRow } from "../parts/rows.ts"
import { type Arrival, startWorld, type World } from "../parts/world.ts"

/** A product at rest. */
export interface Standing {
  readonly world: World
  readonly product: Child
  close(): Promise<void>
}

/** What an answer took, in the median, and how long it was, in bytes. */
export interface Asked {
  readonly ms: number
  readonly answer: number
}

/** An instance may have so many cards at once; what is more waits for its card. */
const maxCards = 10_000
const fillMs = 1_800_000
/** So long Slack hears nothing before it counts as standing still, in ms. */
const quietMs = 1_000

/** Starts it on a list of so many and waits until it has nothing more to do. Says how far it is. */
export async function startStanding(pending: number): Promise<Standing> {
  const world = await startWorld()
  const redis = await startOwnRedis()
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < pending; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  let [cards, heardAt] = [0, 0]
  world.onArrival = (arrival) => {
    world.arrivals.length = 0
    heardAt = performance.now()
    if (isCard(arrival)) cards += 1
  }
  const product = await startProduct({ world, redis, installation: "standing", pollMs: 3_600_000, paceMs: 0 })
  await allOpen(product, pending)
  await until("the cards", () => cards >= Math.min(pending, maxCards) && performance.now() - heardAt > quietMs, fillMs)
  const close = async () => {
    await product.kill()
    await Promise.all([redis.stop(), world.close()])
  }
  return { world, product, close }
}

/** Waits until so many cases are open, and says how far it is. Throws after half an hour. */
async function allOpen(product: Child, pending: number): Promise<void> {
  const end = performance.now() + fillMs
  let told = 0
  for (let open = 0; open < pending; open = await metric(product, /^countersign_cases_pending (\S+)$/m)) {
    if (performance.now() > end) throw new Error(`${open} of ${pending} approvals are open after ${fillMs} ms`)
    await wait(200)
    if (open < told + 10_000) continue
    told = open
    console.log(`     ${open} of ${pending} are open`)
  }
}

/** `/approvals list`, from the command to the answer. */
export function askForList({ world, product }: Standing, rounds: number): Promise<Asked> {
  const send = (id: string) => command(world, product.url, { text: "list", id })
  return ask(world, { rounds, send, isAnswer: ({ call, id }, asked) => call === "response" && id === asked })
}

/** Home, from the event that somebody opened it to what is published. */
export function askForHome({ world, product }: Standing, rounds: number): Promise<Asked> {
  return ask(world, { rounds, send: () => openHome(product.url), isAnswer: ({ call }) => call === "views.publish" })
}

interface Asking {
  readonly rounds: number
  readonly send: (id: string) => Promise<number>
  readonly isAnswer: (arrival: Arrival, id: string) => boolean
}

/** Asks once more than `rounds`, one after another; the first warms up. */
async function ask(world: World, { rounds, send, isAnswer }: Asking): Promise<Asked> {
  const taken: number[] = []
  let answer = 0
  for (let round = 0; round <= rounds; round += 1) {
    const id = `ask-${round}`
    let answeredAt = 0
    world.onArrival = (arrival) => {
      world.arrivals.length = 0
      if (answeredAt > 0 || !isAnswer(arrival, id)) return
      answeredAt = arrival.at
      answer = Buffer.byteLength(arrival.body)
    }
    const begun = performance.now()
    await send(id)
    await until("the answer", () => answeredAt > 0)
    if (round > 0) taken.push(answeredAt - begun)
  }
  return { ms: median(taken), answer }
}

/** So many sweeps, in the mean, as the product counts them. What they answer does not grow: nothing is left over. */
export async function watchSweeps({ product }: Standing, count: number): Promise<Asked> {
  const read = async () => ({
    sum: await metric(product, /^countersign_step_seconds_sum\{step="sweep"\} (\S+)$/m),
    count: await metric(product, /^countersign_step_seconds_count\{step="sweep"\} (\S+)$/m),
  })
  const before = await read()
  for (let now = before; ; now = await read()) {
    const seen = now.count - before.count
    if (seen >= count) return { ms: Math.max(1e-3, ((now.sum - before.sum) * 1_000) / seen), answer: 1 }
    await wait(200)
  }
}

async function metric({ url }: Child, pattern: RegExp): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(`GET /metrics was answered ${response.status}: ${text.slice(0, 200)}`)
  return Number(pattern.exec(text)?.[1] ?? 0)
}
