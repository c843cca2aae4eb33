// When a job comes again: what its processor tells BullMQ, and how long it waits.

/** A processor throws this to run the same job again in this many ms. Redis keeps the message, so it is one word. */
export class RetryLater extends Error {
  readonly delayMs: number
  /** What the job will hold. */
  readonly held: Readonly<Record<string, string | number>>

  constructor(word: string, delayMs: number, held: RetryLater["held"] = {}) {
    super(word)
    this.name = "Later"
    this.held = held
    this.delayMs = Math.max(1, Math.ceil(delayMs))
  }
}

/** BullMQ's strategy. A job waits as `RetryLater` says. Any other error means that Redis failed: it waits a second. */
export function delayAfter(error: unknown): number {
  return error instanceof RetryLater ? error.delayMs : 1_000
}
