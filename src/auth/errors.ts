// The errors of this module: a setting that authentication cannot work with.

/** Codes of `AuthSetupError`; stable, for callers to switch on. */
type AuthSetupCode =
  | "key_empty"
  | "key_unreadable"
  | "key_mismatch"
  | "key_private"
  | "key_set_unreadable"
  | "route_invalid"
  | "prefix_invalid"
  | "mapping_invalid"

/** A setting that cannot be used. Thrown only at start; trying again does not help. */
export class AuthSetupError extends Error {
  readonly code: AuthSetupCode
  readonly retryable = false

  constructor(code: AuthSetupCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "AuthSetupError"
    this.code = code
  }
}
