// The errors that adapters throw at the flow, and the errors of the flow itself.

/**
 * Every error that an adapter throws at the flow has these fields. A field that the adapter does not know is absent or
 * null.
 */
export interface PortError extends Error {
  readonly code: string
  /** The service that failed. */
  readonly source?: "slack" | "platform"
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** How long the service asks us to leave it alone, in ms. */
  readonly retryAfterMs?: number | null
  /** True if the service clearly says that there is no such person, channel or message. */
  readonly notFound?: boolean
  /** Slack's own word for the error (`channel_not_found`, …). */
  readonly slackCode?: string | null
  /** The Web API method that failed. */
  readonly method?: string
  /** True if a service refused our own credential (such as Slack's bot token), or could not check it. */
  readonly barred?: boolean
}

/** Tells a port's error from a mistake in our own code. */
export function isPortError(error: unknown): error is PortError {
  return error instanceof Error && "code" in error && "retryable" in error && typeof error.retryable === "boolean"
}

/** Slack's own word for a refusal, if it will refuse the same call again; null for any other error. */
export function refusalOfSlack(error: unknown): string | null {
  if (!isPortError(error) || error.retryable || error.source !== "slack") return null
  return error.slackCode ?? error.code
}

/** True if an instance refused our own credential, or could not check it. The adapter says so in the error. */
export function isCredentialRefused(error: unknown): boolean {
  return isPortError(error) && error.barred === true && error.source !== "slack"
}

/**
 * True if Slack refused our token. That says nothing about what was asked: the same call succeeds after Slack accepts
 * the token again.
 */
export function isTokenRefused(error: unknown): boolean {
  return isPortError(error) && error.barred === true && error.source === "slack"
}

/** Why the flow itself could not take a step now; the same step may succeed later. */
export type FlowErrorCode =
  | "contention"
  | "other-config"
  | "instance-elsewhere"
  | "card-unknown"
  | "approval-missing"
  | "unanswered"

const words: Readonly<Record<FlowErrorCode, string>> = {
  contention: "it changed again and again while one step was made",
  "other-config": "it was judged under another config than the active one",
  "instance-elsewhere":
    "this replica's file and the active config differ about its instance, so this replica may not reach it",
  "card-unknown": "where the card hangs is not known yet",
  "approval-missing": "the platform does not know its approval at the moment",
  unanswered: "Slack did not take the answer to a press",
}

/** A failure of the flow itself. */
export class FlowError extends Error {
  readonly code: FlowErrorCode
  readonly retryable = true
  constructor(code: FlowErrorCode, caseId: string, options?: ErrorOptions) {
    super(`case ${caseId}: ${words[code]}`, options)
    this.name = "FlowError"
    this.code = code
  }
}
