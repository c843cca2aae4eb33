// The one error that the sandbox throws at the program that drives it.

/** What can go wrong when a test, the page or a caller of the control API asks for something. */
export type SandboxErrorCode = "no_such_thing" | "not_visible" | "not_possible" | "waited_too_long" | "bad_seed"

/**
 * Somebody who drives the sandbox asked for something that a person in Slack could not do, or waited in vain. A mistake
 * of the *bot* is never thrown: the sandbox answers it on the wire, as Slack would. Trying again helps only after
 * `waited_too_long`.
 */
export class SandboxError extends Error {
  readonly code: SandboxErrorCode

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "SandboxError"
    this.code = code
  }
}
