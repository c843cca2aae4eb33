// The errors of this house: the queue takes nothing now, or a job is nothing that we can carry out.

/** Codes of `QueueError`; stable, for callers to switch on. */
export type QueueErrorCode = "queue-unreachable" | "no-handler"

/** Something that the queue cannot do. `retryable` is true only while Redis does not answer. */
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

/** Carries out calls to the queue; what goes wrong becomes a `QueueError` that says what was `tried`. */
export async function attempt<Result>(tried: string, calls: () => Promise<Result>): Promise<Result> {
  try {
    return await calls()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new QueueError("queue-unreachable", `${tried}: Redis did not take it: ${said}`, { cause: error })
  }
}
