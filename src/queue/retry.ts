// When a job comes again: what its processor tells BullMQ, and how long it waits.

/**
 * A processor throws this to run the same job again in this many ms. The message stands in Redis, so it is a bare word.
 */
export class RetryLater extends Error {
  readonly delayMs: number
  /** What the job holds then. */
  readonly held: Readonly<Record<string, string | number>>

  constructor(word: string, delayMs: number, held: RetryLater["held"] = {}) {
    super(word)
    this.name = "Later"
    this.held = held
    this.delayMs = Math.max(1, Math.ceil(delayMs))
  }
}

/** BullMQ's strategy: as `RetryLater` says. Else Redis failed below the processor: another try after a second. */
export function delayAfter(error: unknown): number {
  return error instanceof RetryLater ? error.delayMs : 1_000
}
