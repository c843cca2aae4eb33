// Measures the pace: thirty cards to each of five channels, a second apart, to a Slack that refuses a card that comes
// sooner. Then seven cards to each, while Slack refuses one channel for 5 s.
//
// Floor of 9: Slack's own pace, a second between two cards. Floor of 10: the same run without the refusal.
import { channelOf, isCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { Figure, Measured } from "./parts/figure.ts"
import { absolute, alternate, compare } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { type Arrival, startWorld } from "./parts/world.ts"

const tools = ["tool_a", "tool_b", "tool_c", "tool_d", "tool_e"]
/** Slack's own pace for a channel. */
const slackMs = 1_000

/** Reports 9, 9b and 10. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const [first, second] = [await measure({ cards: 30, refused: null }), await measure({ cards: 30, refused: null })]
  const slowest = [first, second].map(({ spans }) => Math.max(...spans.values()))
  const about = { scenario: "9", what: "30 cards to each of 5 channels, the slowest one", unit: "ms" }
  report(compare({ ...about, floor: slowest.map(() => 29 * slackMs), product: slowest }))
  const refused = { scenario: "9b", what: "refusals by Slack meanwhile", unit: "refusals" }
  report(absolute(refused, [first.refusals + second.refusals]))
  report(await besideRefused())
}

async function besideRefused(): Promise<Figure> {
  const refused = channelOf("tool_a")
  const slowest = async (options: Parameters<typeof measure>[0]) => {
    const { spans } = await measure(options)
    return Math.max(...[...spans].flatMap(([channel, span]) => (channel === refused ? [] : [span])))
  }
  const cards = 7
  const blocks = [() => slowest({ cards, refused: null }), () => slowest({ cards, refused })]
  const [floor = [], product = []] = await alternate(blocks, 9)
  const what = "7 cards to each of 4 channels beside one that is refused, the slowest one"
  return compare({ scenario: "10", what, unit: "ms", floor, product })
}

/**
 * What one run gave: the ms from the first to the last card of each channel, and how often Slack refused for the pace.
 */
interface Run {
  readonly spans: ReadonlyMap<string, number>
  readonly refusals: number
}

async function measure(options: { readonly cards: number; readonly refused: string | null }): Promise<Run> {
  const { cards, refused } = options
  const world = await startWorld()
  const redis = await startOwnRedis()
  const posts = new Map<string, number[]>()
  let refusals = 0
  let until5s = 0
  world.refuse = (arrival) => {
    if (!isCard(arrival)) return null
    const channel = arrival.fields.get("channel") ?? ""
    const before = posts.get(channel) ?? []
    if (channel === refused && before.length === 2 && until5s === 0) until5s = arrival.at + 5_000
    if (channel === refused && arrival.at < until5s) return { status: 429, retryAfter: 5 }
    return tooSoon(before, arrival) ? note429() : keep(channel, before, arrival)
  }
  const note429 = () => {
    refusals += 1
    return { status: 429, retryAfter: 1 }
  }
  const keep = (channel: string, before: readonly number[], { at }: Arrival) => {
    posts.set(channel, [...before, at])
    return null
  }
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < cards * tools.length; at += 1) {
    const row = aRow(at, now, tools[at % tools.length])
    world.rows.set(row.id, row)
  }
  const product = await startProduct({ world, redis, pollMs: 3_600_000, paceMs: 1_030, tools })
  await until("all cards", () => tools.every((tool) => posts.get(channelOf(tool))?.length === cards))
  await product.kill()
  await Promise.all([redis.stop(), world.close()])
  const spans = new Map([...posts].map(([channel, times]) => [channel, (times.at(-1) ?? 0) - (times[0] ?? 0)]))
  return { spans, refusals }
}

function tooSoon(before: readonly number[], { at }: Arrival): boolean {
  const last = before.at(-1)
  return last !== undefined && at - last < slackMs
}
