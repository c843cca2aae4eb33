// Host and cause of a call that failed, in words: the same for the doctor, the log, an alarm and `/status`.
import { PlatformError } from "./errors.ts"

/**
 * Why a call to an instance failed, as in `agents.example.com: there is no such host (DNS)` or `agents.example.com: answered 401: Token has
 * expired`. One line without a secret. The message of anything that is no `PlatformError`.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof PlatformError)) return error instanceof Error ? error.message : String(error)
  return `${error.host}: ${error.words}`
}
