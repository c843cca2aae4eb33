// The errors of this module: the queue takes nothing now, or it cannot carry out a job.

/** Codes of `QueueError`; stable, for callers to switch on. */
export type QueueErrorCode = "queue-unreachable" | "no-handler"

/** A failure of the queue. `retryable` is true only while Redis does not answer. */
export class QueueError extends Error {
  readonly code: QueueErrorCode
  readonly retryable: boolean

  constructor(code: QueueErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "QueueError"
    this.code = code
    this.retryable = code === "queue-unreachable"
  }
}

/** How long one call may take, in ms: Slack waits 3,000 for an ack. */
const callMs = 2_700

/**
 * Calls the queue. After a failure, or beyond the limit, throws a `QueueError` that says what we `tried`. A call that
 * took too long may still take effect later.
 */
export async function attempt(tried: string, calls: () => Promise<unknown>, limitMs: number = callMs): Promise<void> {
  try {
    if (await within(calls(), limitMs)) return
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new QueueError("queue-unreachable", `${tried}: Redis did not take it: ${said}`, { cause: error })
  }
  throw new QueueError("queue-unreachable", `${tried}: Redis did not answer within ${limitMs} ms`)
}

/** True if the work is done within the limit, in ms. Rejects as the work does; ignores what happens later. */
export async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const done = work.then(() => true)
  return await Promise.race([done, promise]).finally(() => clearTimeout(timer))
}
