// Says why there is no answer from an upstream: too late (504), broken (502), or our own limit (413).
import { errors } from "undici"
import { type Reply, refuse } from "../wire/reply.ts"

/** A body that turned out longer than allowed while it was passed on. Not to be tried again. */
export class BodyTooLarge extends Error {
  readonly code = "body_too_large"
  readonly retryable = false
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`Request body is larger than ${maxBytes} bytes`)
    this.name = "BodyTooLarge"
    this.maxBytes = maxBytes
  }
}

/** The refusal for a failed forwarding. Names no address: that is the operator's. Throws what is no failure of the way. */
export function failureReply(error: unknown): Reply {
  if (error instanceof BodyTooLarge) return refuse(413, error.message)
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) {
    return refuse(504, "The upstream did not answer in time")
  }
  if (error instanceof errors.UndiciError || error instanceof errors.HTTPParserError || isNetworkError(error))
    return refuse(502, "The upstream could not be reached")
  throw error
}

/** What the operating system says of a connection: refused, reset, no such host; and an abort, which nobody waits to read. */
function isNetworkError(error: unknown): boolean {
  return error instanceof Error && (("code" in error && typeof error.code === "string") || error.name === "AbortError")
}
