// What can go wrong between us and an Agent Platform Service.

/**
 * - `unreachable`: no connection, or one that nobody can believe; nothing was sent
 * - `no_turn`: other calls held every connection for too long; nothing was sent
 * - `held_back`: it was stopped when it had its connection (R21); nothing was sent
 * - `timeout`: no complete answer in time; a POST may have taken effect
 * - `cut`: the connection broke while we waited; a POST may have taken effect
 * - `too_large`: the answer is longer than allowed
 * - `not_json`, `unexpected_shape`: an answer that is not the API's; a proxy or another service speaks here
 * - `unauthorized` 401, `forbidden` 403, `not_found` 404, `invalid` 422, `busy` 429, `server` 5xx, `unexpected_status`:
 * any other
 */
export type PlatformErrorCode =
  | "unreachable"
  | "no_turn"
  | "held_back"
  | "timeout"
  | "cut"
  | "too_large"
  | "not_json"
  | "unexpected_shape"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "invalid"
  | "busy"
  | "server"
  | "unexpected_status"

/** The call that failed. */
export interface PlatformCall {
  readonly instance: string
  /** The host of the instance's address, with its port if that is not the usual one. */
  readonly host: string
  readonly method: string
  /** Path and query below the instance's address. */
  readonly path: string
}

/** What an error tells besides its call. */
export interface Failure {
  readonly code: PlatformErrorCode
  readonly status?: number
  /** The server's own words, shortened and without the token (`detailOf`). */
  readonly detail?: string
  readonly cause?: unknown
}

/** A call without a usable answer. A `PortError` of the flow: `retryable` says whether the call may succeed later. */
export class PlatformError extends Error {
  override readonly name = "PlatformError"
  readonly source = "platform"
  readonly code: PlatformErrorCode
  readonly instance: string
  readonly host: string
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  readonly detail: string | undefined
  /** What went wrong, without the call: `answered 403: …`, `could not be sent: …`. */
  readonly words: string
  readonly retryable: boolean
  /** True if the platform refused our own credential, or could not check it. */
  readonly barred: boolean

  constructor(call: PlatformCall, failure: Failure) {
    const { code, status, detail, cause } = failure
    const words = `${status === undefined ? wordsOfCode[code] : `answered ${status}`}${detail ? `: ${detail}` : ""}`
    const text = `${call.instance} at ${call.host}: ${call.method} ${call.path} ${words}`
    super(text, cause === undefined ? undefined : { cause })
    this.code = code
    this.instance = call.instance
    this.host = call.host
    this.words = words
    this.method = call.method
    this.path = call.path
    this.status = status
    this.detail = detail
    this.retryable = retryableCodes.has(code)
    this.barred = refusesCredential(status, detail)
  }
}

/** Failures that may pass. A 401 also comes while the platform's database fails (`docs/platform-facts.md`, trap 3). */
const retryableCodes: ReadonlySet<PlatformErrorCode> = new Set([
  "unreachable",
  "no_turn",
  "held_back",
  "timeout",
  "cut",
  "not_json",
  "unauthorized",
  "busy",
  "server",
])

const wordsOfCode: Readonly<Record<PlatformErrorCode, string>> = {
  unreachable: "could not be sent",
  no_turn: "was not sent, since other calls took too long",
  held_back: "was not sent",
  timeout: "got no answer in time",
  cut: "was cut off",
  too_large: "answered more than is allowed",
  not_json: "answered something that is not JSON",
  unexpected_shape: "answered JSON of another shape",
  unauthorized: "was refused: bad credential",
  forbidden: "was refused: scope missing",
  not_found: "found nothing",
  invalid: "was refused: bad request",
  busy: "was refused: too many requests",
  server: "failed on the server",
  unexpected_status: "got an unexpected answer",
}

/** The error code for an HTTP status that refuses. */
export function codeOf(status: number): PlatformErrorCode {
  return codeByStatus.get(status) ?? (status >= 500 ? "server" : "unexpected_status")
}

/** True for an answer that says that our own credential is refused, or could not be checked. */
export function refusesCredential(status: number | undefined, detail: string | undefined): boolean {
  return status === 401 || status === 403 || (status === 429 && detail === refusedOften)
}

/**
 * A service account hears this after 20 refusals in a minute; a good token is accepted (`docs/platform-facts.md` 2.3).
 */
const refusedOften = "Too many failed authentication attempts"

const codeByStatus = new Map<number, PlatformErrorCode>([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not_found"],
  [422, "invalid"],
  [429, "busy"],
])

/**
 * Why a call to an instance failed, with its host, in the same words everywhere, as in `agents.example.com: there is no
 * such host (DNS)` or `agents.example.com: answered 401: Token has expired`. One line without a secret. For any other
 * error, its message.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof PlatformError)) return error instanceof Error ? error.message : String(error)
  return `${error.host}: ${error.words}`
}

/** What a call came to; null if it was held back, so nothing was sent. Throws any other failure. */
export async function unlessHeldBack<Result>(sent: Promise<Result>): Promise<Result | null> {
  try {
    return await sent
  } catch (error) {
    if (error instanceof PlatformError && error.code === "held_back") return null
    throw error
  }
}
