// Clicks that are waited for: until Slack has its 200, and until the clicked card was told to change.
import { click, type PostedCard } from "./clicks.ts"
import { median } from "./rounds.ts"
import { aRow } from "./rows.ts"
import type { World } from "./world.ts"

/** What clicks. All times are ms. */
export interface Clicker {
  /** One click after another; the median time from click to card. */
  oneByOne(target: string, cards: readonly PostedCard[]): Promise<number>
  /** The median time to the 200 in the last `oneByOne`. */
  lastAck(): number
  /** One click after another, each only until its 200; the median time. */
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
  return {
    oneByOne: async (target, cards) => {
      acks = []
      const taken: number[] = []
      for (const card of cards) taken.push(await toEnd(target, card))
      return median(taken)
    },
    lastAck: () => median(acks),
    acksOnly: async (target, cards) => {
      const taken: number[] = []
      for (const card of cards) taken.push(await click(world, target, { card, id: "none" }))
      return median(taken)
    },
    allAtOnce: async (target, cards) => Math.max(...(await Promise.all(cards.map((card) => toEnd(target, card))))),
    floorCards: (count) => Array.from({ length: count }, () => floorCard(world)),
  }
}

let floorRows = 1_000_000

function floorCard(world: World): PostedCard {
  floorRows += 1
  const row = aRow(floorRows, 0)
  world.rows.set(row.id, { ...row, approval_type: "audit" })
  return { channel: "C0BENCH", ts: "1.1", value: row.id }
}
