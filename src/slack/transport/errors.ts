// What can go wrong between us and Slack, as one error. It says whether trying again can help.
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api"
import { brokenBy } from "../../outgoing/broken.ts"

/** What kind of failure it was. */
export type ChatErrorCode =
  | "rate-limited"
  | "refused"
  | "unreachable"
  | "unavailable"
  | "bad-setting"
  | "bad-answer"
  | "org-install"
  | "shared-channel"

/** A call to Slack that did not succeed. */
export class ChatError extends Error {
  override readonly name = "ChatError"
  /** Tells this error from those of other ports. */
  readonly source = "slack"
  readonly code: ChatErrorCode
  /** The Web API method, or what else was tried. */
  readonly method: string
  /** Slack's own word (`channel_not_found`, …), or null if Slack said nothing. */
  readonly slackCode: string | null
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** How long Slack asks us to wait, in ms; null unless it refused because of its rate limit. */
  readonly retryAfterMs: number | null
  /** True if Slack did not accept our token. */
  readonly barred: boolean
  /** True if Slack knows no such person, channel or message. */
  readonly notFound: boolean
  constructor(options: {
    readonly code: ChatErrorCode
    readonly method: string
    readonly message: string
    readonly slackCode?: string | null
    readonly retryable?: boolean
    readonly retryAfterMs?: number
    readonly cause?: unknown
  }) {
    super(options.message, { cause: options.cause })
    this.code = options.code
    this.method = options.method
    this.slackCode = options.slackCode ?? null
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs ?? null
    this.barred = noToken.has(this.slackCode ?? "")
    this.notFound = unknownThings.has(this.slackCode ?? "")
  }
}

/** Slack's words if it does not know a person, channel or message. */
const unknownThings = new Set(["user_not_found", "users_not_found", "channel_not_found", "message_not_found"])

/** Slack's words for "you may not look" at a channel. */
export const unseenCodes = [
  "missing_scope",
  "not_in_channel",
  "channel_not_found",
  "method_not_supported_for_channel_type",
  "fetch_members_failed",
]

/** For `catch`: returns the value if Slack answered with one of these words; rethrows any other failure. */
export function insteadOf<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(slackCodeOf(error) ?? "")) return value
    throw error
  }
}

/** Slack's words for a token that is not valid: with it we can ask nothing. */
export const noToken: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "org_login_required",
])

/** Slack's words for a view that it refuses because of its content, such as too much of it. */
const contentWords: ReadonlySet<string> = new Set([
  "view_too_large",
  "msg_too_long",
  "msg_blocks_too_long",
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_arguments",
])

/** True if Slack refused a view because of its content. It may accept a smaller view. */
export function isTooLarge(error: unknown): boolean {
  return contentWords.has(slackCodeOf(error) ?? "")
}

/** Slack's word for a refusal that lasts, such as for a missing scope: that is an answer. Rethrows other failures. */
export function lastingRefusal(error: unknown): string {
  const why = error instanceof ChatError && !error.retryable ? error.slackCode : null
  if (why === null || noToken.has(why)) throw error
  return why
}

/** Slack's words for failures on its side, and for brief states of a message or workspace: all of these pass. */
const passing = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "ratelimited",
  "update_failed",
  "streaming_state_conflict",
  "external_channel_migrating",
  "team_added_to_org",
])
/** How long we wait if Slack limits a call and does not say for how long, in ms. */
export const unsaidWaitMs = 5_000

/** A setting that Slack does not accept. `message` names the setting and says what is right. */
export function badSetting(message: string, cause?: unknown): ChatError {
  return new ChatError({ code: "bad-setting", method: "auth.test", message, slackCode: slackCodeOf(cause), cause })
}

/** Turns any error of the Web API client into a `ChatError`; other errors come back as they are. */
export function chatErrorOf(method: string, error: unknown): unknown {
  if (error instanceof WebAPIRateLimitedError) return limited(method, error.retryAfter * 1_000, error)
  if (error instanceof WebAPIPlatformError) return refusedCall(method, error)
  if (error instanceof WebAPIHTTPError) {
    const { statusCode: status } = error
    const passes = status >= 500 || status === 408
    return passes ? ofStatus(method, status, error) : notSlack(method, `status ${status}`, error)
  }
  if (error instanceof WebAPIRequestError) {
    const message = `${method}: Slack could not be reached: ${brokenBy(error, "https:").words}`
    return new ChatError({ code: "unreachable", method, message, retryable: true, cause: error })
  }
  return error
}

/** Slack's own word in an error, or null. */
export function slackCodeOf(error: unknown): string | null {
  return error instanceof ChatError ? error.slackCode : null
}

/** An HTTP status other than 2xx. */
export function ofStatus(method: string, status: number, cause?: unknown): ChatError {
  if (status === 429) return limited(method, unsaidWaitMs, cause)
  const retryable = status >= 500 || status === 408
  const message = `${method}: Slack answered ${status}`
  return new ChatError({ code: retryable ? "unavailable" : "refused", method, message, retryable, cause })
}

/** The error if a proxy, a firewall or a log-in page answered. Slack itself refuses only in JSON with status 200. */
export function notSlack(method: string, what: string, cause?: unknown): ChatError {
  const message = `${method}: not Slack answered but something before it (${what})`
  return new ChatError({ code: "bad-answer", method, message, retryable: true, cause })
}

/** The error for an answer of Slack without what we asked for; `what` follows "Slack's answer". */
export function badAnswer(method: string, what: string): ChatError {
  return new ChatError({ code: "bad-answer", method, message: `${method}: Slack's answer ${what}` })
}

/** Slack's rate limit: the call was refused, or would be. */
export function limited(method: string, retryAfterMs: number, cause?: unknown): ChatError {
  const message = `${method}: Slack's rate limit, to be tried again in ${retryAfterMs} ms`
  return new ChatError({ code: "rate-limited", method, message, retryable: true, retryAfterMs, cause })
}

function refusedCall(method: string, error: WebAPIPlatformError): ChatError {
  const slackCode = error.data.error
  // If Slack's library gets a page that is no JSON, it returns the page as if it were Slack's word.
  if (!/^[\w.:-]+$/.test(slackCode)) return notSlack(method, "a page and no JSON", error)
  if (slackCode === "ratelimited" || slackCode === "rate_limited") {
    return limited(method, (error.data.response_metadata?.retryAfter ?? unsaidWaitMs / 1_000) * 1_000, error)
  }
  const hints = error.data.response_metadata?.messages?.join("; ")
  const message = `${method}: Slack refused: ${slackCode}${hints === undefined ? "" : ` (${hints})`}`
  const retryable = passing.has(slackCode)
  const code = retryable ? "unavailable" : "refused"
  return new ChatError({ code, method, message, slackCode, retryable, cause: error })
}
