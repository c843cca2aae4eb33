// The errors of this module: a key that cannot sign, or a text that proves nothing.

/** Codes of `ProofError`; stable, for callers to switch on. */
export type ProofErrorCode =
  | "key-unusable"
  | "keys-unusable"
  | "not-signed"
  | "unknown-key"
  | "bad-signature"
  | "bad-claims"
  | "bad-proof"
  | "bad-bound"

/** Something that proves nothing. Trying again does not help; the message never holds a key. */
export class ProofError extends Error {
  readonly code: ProofErrorCode
  readonly retryable = false

  constructor(code: ProofErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "ProofError"
    this.code = code
  }
}
