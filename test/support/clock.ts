// A clock that a test moves by hand.
import type { Clock } from "../../src/flow/ports.ts"

/** Noon of 21 November 2026, UTC, epoch ms: when tests begin unless they say otherwise. */
export const noon = Date.UTC(2026, 10, 21, 12)

/** Time as the test says it is. */
export interface HandClock {
  readonly now: Clock
  /** Moves on by so many ms. */
  forward(ms: number): void
}

/** Makes a clock that stands still until it is moved. */
export function aClock(start: number = noon): HandClock {
  let at = start
  return {
    now: () => at,
    forward: (ms) => {
      at += ms
    },
  }
}
