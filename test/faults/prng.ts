// A seeded source of chance: the same seed draws the same schedule, on every machine.

/** Draws from a seed. */
export interface Chance {
  /** A whole number from 0 up to, not including, `below`. */
  readonly below: (below: number) => number
  /** A whole number of a range, both ends included. */
  readonly between: (least: number, most: number) => number
  /** True in so many of 100 draws. */
  readonly percent: (percent: number) => boolean
  readonly pick: <T>(from: readonly T[]) => T
}

/** Makes the source of a seed (mulberry32). */
export function createChance(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    percent: (percent) => below(100) < percent,
    pick: (from) => {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error("nothing to pick from")
      return picked
    },
  }
}
