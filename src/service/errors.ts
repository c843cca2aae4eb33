// The errors of this module: failures that the embedding program or its operator must see.

/** Codes of `ServiceError`. They are stable, so that callers can switch on them. */
type ServiceErrorCode =
  | "script_invalid"
  | "database_newer"
  | "database_corrupt"
  | "account_invalid"
  | "upstream_invalid"
  | "upstream_unguarded"
  | "run_transition"
  | "source_invalid"
  | "origin_invalid"
  | "model_key_missing"

/** A failure of the embedded service. Never thrown for what a request contains. A retry does not help. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode
  readonly retryable = false

  constructor(code: ServiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "ServiceError"
    this.code = code
  }
}

/** The message of an error; anything else that was thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
