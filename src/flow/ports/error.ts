// The error that every adapter throws at the flow.

/** Every error that an adapter throws at the flow has these. */
export interface PortError extends Error {
  readonly code: string
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** How long the other side asks to wait before that, in ms; null or absent where it does not say. */
  readonly retryAfterMs?: number | null
}

/** Tells a port's error from a mistake in our own code. */
export function isPortError(error: unknown): error is PortError {
  return error instanceof Error && "code" in error && "retryable" in error && typeof error.retryable === "boolean"
}

/** What Slack refuses, in its own word, where the same call will be refused again; null for any other error. */
export function refusalOfSlack(error: unknown): string | null {
  if (!isPortError(error) || error.retryable || !("slackCode" in error)) return null
  return typeof error.slackCode === "string" ? error.slackCode : error.code
}

/** True where an instance did not take our own credential, or could not check it, as its adapter says of the error. */
export function isCredentialRefused(error: unknown): boolean {
  return isPortError(error) && "barred" in error && error.barred === true
}
