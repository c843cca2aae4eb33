// How long to wait before the next attempt to connect: longer with each that came to nothing, and never long once Slack is well again.

import { backoffMs } from "../repeat.ts"

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
      waits += 1
      return waits === 1 ? 0 : backoffMs(waits - 1, () => 1 - random())
    },
    reset: () => {
      waits = 0
    },
  }
}
