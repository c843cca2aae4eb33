// How long to wait before the next attempt to connect: longer with each that came to nothing, and never long once Slack is well again.

/** The first wait, where trying at once did not help, in ms. */
const FIRST_MS = 500
/** The longest wait, in ms. */
const LONGEST_MS = 30_000

/** The waits between attempts. */
export interface Backoff {
  /** The next wait in ms: none at first, then half a second, and double each time up to 30 s; up to half of it is taken off at random. */
  next(): number
  /** All is well: the next attempt is made at once again. */
  reset(): void
}

/** Makes it. `random` draws a number from 0 to below 1, so that replicas do not come back all at the same moment. */
export function createBackoff(random: () => number): Backoff {
  let waits = 0
  return {
    next: () => {
      const whole = waits === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (waits - 1))
      waits += 1
      return Math.round((whole * (1 + random())) / 2)
    },
    reset: () => {
      waits = 0
    },
  }
}
