// Clicks, and waits until Slack has its 200, and until the bot has told the clicked card to change.
import { click, type PostedCard } from "./clicks.ts"
import { median } from "./rounds.ts"
import { aRow } from "./rows.ts"
import type { World } from "./world.ts"

/**
 * For so long nothing may reach the world before the next click, in ms: then all that the click before it asked for is
 * done.
 */
const quietMs = 20

/** What clicks. All times are ms. */
export interface Clicker {
  /**
   * One click in flight: each waits until the world has heard the last of the one before it. The median time from click
   * to card.
   */
  oneByOne(target: string, cards: readonly PostedCard[]): Promise<number>
  /**
   * One click as soon as the card of the one before it has changed, whatever else is still under way; the median time.
   */
  backToBack(target: string, cards: readonly PostedCard[]): Promise<number>
  /** The median time to the 200 in the last `oneByOne`. */
  lastAck(): number
  /** One click in flight, each only until its 200; the median time. */
  acksOnly(target: string, cards: readonly PostedCard[]): Promise<number>
  /** All at once; the time until the last card. */
  allAtOnce(target: string, cards: readonly PostedCard[]): Promise<number>
  /** Cards for a floor, each about an approval of its own that the product never sees: it is on no list. */
  floorCards(count: number): readonly PostedCard[]
}

/** Makes the clicker of a world; there is one for each. */
export function createClicker(world: World): Clicker {
  const waiting = new Map<string, () => void>()
  world.onArrival = ({ call, id }) => {
    if (call === "response") waiting.get(id)?.()
  }
  let made = 0
  let acks: number[] = []
  const toEnd = async (target: string, card: PostedCard): Promise<number> => {
    made += 1
    const id = `click-${made}`
    const begun = performance.now()
    const ended = new Promise<void>((resolve) => waiting.set(id, resolve))
    acks.push(await click(world, target, { card, id }))
    await ended
    waiting.delete(id)
    return performance.now() - begun
  }
  const each = async (cards: readonly PostedCard[], run: (card: PostedCard) => Promise<number>): Promise<number> => {
    const taken: number[] = []
    for (const card of cards) taken.push(await run(card))
    return median(taken)
  }
  return {
    oneByOne: async (target, cards) => {
      acks = []
      return each(cards, (card) => quiet(world).then(() => toEnd(target, card)))
    },
    backToBack: (target, cards) => each(cards, (card) => toEnd(target, card)),
    lastAck: () => median(acks),
    acksOnly: (target, cards) =>
      each(cards, (card) => quiet(world).then(() => click(world, target, { card, id: "none" }))),
    allAtOnce: async (target, cards) => Math.max(...(await Promise.all(cards.map((card) => toEnd(target, card))))),
    floorCards: (count) => Array.from({ length: count }, () => floorCard(world)),
  }
}

/** Waits until nothing has reached the world for so many ms. */
export async function quiet(world: World, ms = quietMs): Promise<void> {
  for (let heard = -1; heard !== world.arrivals.length; ) {
    heard = world.arrivals.length
    await new Promise((resolve) => setTimeout(resolve, ms))
  }
}

let floorRows = 1_000_000

function floorCard(world: World): PostedCard {
  floorRows += 1
  const row = aRow(floorRows, 0)
  world.rows.set(row.id, { ...row, approval_type: "audit" })
  return { channel: "C0BENCH", ts: "1.1", value: row.id }
}
