// When a job comes again: what its processor tells BullMQ, and how long it waits.

/** The wait after the first failure, in ms. */
export const shortestMs = 500
/** Within a minute after an outage all has come again, and what follows from it is done. */
const longestMs = 30_000

/** Ms to wait after so many failures in a row: doubling from 500 to 30,000, less up to a half, so that jobs that failed together part. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(longestMs, shortestMs * 2 ** Math.min(Math.max(failures, 1) - 1, 20))
  return Math.round(full * (1 - random() / 2))
}

/** Thrown by a processor: the same job again in so many ms. The message stands in Redis, so it is a bare word. */
export class Later extends Error {
  readonly delayMs: number

  constructor(word: string, delayMs: number) {
    super(word)
    this.name = "Later"
    this.delayMs = Math.max(1, Math.ceil(delayMs))
  }
}

/** BullMQ's strategy: as `Later` says; anything else was Redis failing below the processor, and is tried again after a second. */
export function delayAfter(error: unknown): number {
  return error instanceof Later ? error.delayMs : 1_000
}
