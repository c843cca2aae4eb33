// Finds out who sent a request (specification 5.1, 5.2), and makes those who guess wait.
import { isIPv6 } from "node:net"
import type { DatabaseSync } from "node:sqlite"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import { type CredentialPlace, readCredential } from "../../auth/credential.ts"
import { hashServiceAccountToken } from "../../auth/service-account-token.ts"
import type { TokenVerdict, TokenVerifier } from "../../auth/verify-token.ts"
import { findAccountByHash, type ServiceAccount, touchAccount } from "../storage/account-store.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"
import type { CrossOrigin } from "./cross-origin.ts"
import type { CallerStanding, Standings } from "./standings.ts"

/** A request as the gate sees it. `path` is still encoded, and has no query. */
export interface Arrival {
  readonly method: string
  readonly path: string
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
  /** What a browser says about where the request comes from (`Sec-Fetch-Site`). */
  readonly site?: string | undefined
  /** The origin of the page that made a browser send it. */
  readonly origin?: string | undefined
  /** The host that it is for (`Host`). */
  readonly host?: string | undefined
  /** The other end of the connection; null if it is not known. */
  readonly address: string | null
}

/** A request in the context of its server. */
export type ArrivalContext = Context<{ Bindings: Partial<HttpBindings> }>

/** Reads an arrival from a request of the HTTP server. */
export function arrivalOf(context: ArrivalContext): Arrival {
  const { req, env } = context
  return {
    method: req.method,
    path: new URL(req.url).pathname,
    authorization: req.header("authorization"),
    cookie: req.header("cookie"),
    site: req.header("sec-fetch-site"),
    origin: req.header("origin"),
    host: req.header("host"),
    address: env.incoming?.socket.remoteAddress ?? null,
  }
}

/** Who the caller is and what they may do, or the refusal. */
export type CallerIdentity =
  | { readonly ok: true; readonly standing: CallerStanding }
  | { readonly ok: false; readonly reply: ServiceReply }

/** What authentication needs. With `authMode` `none`, anybody may ask, but a bad service account token is refused. */
interface AuthenticateOptions {
  readonly database: DatabaseSync
  readonly verify: TokenVerifier
  readonly standings: Standings
  readonly place: CredentialPlace
  readonly crossOrigin: Pick<CrossOrigin, "isForged">
  readonly authMode: "jwt" | "none"
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Called if we could not look up an account, or could not write its last use. */
  readonly onFailure: (error: unknown, request: string) => void
}

/** Reads the credential of an arrival. Answers at once, unless it has to verify a token's signature. */
export type Authenticate = (arrival: Arrival) => CallerIdentity | Promise<CallerIdentity>

/** Makes the function that reads credentials. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { standings, place } = options
  const accounts = accountFinder(options)
  const open: CallerIdentity = { ok: true, standing: standings.anonymous }
  const judge = (verdict: TokenVerdict): CallerIdentity =>
    verdict.ok ? { ok: true, standing: standings.ofToken(verdict.claims) } : refusedCaller(401, verdict.reason)
  return (arrival) => {
    const credential = readCredential(arrival, place)
    if (credential.kind === "missing") return options.authMode === "none" ? open : refusedCaller(401, credential.reason)
    if (credential.from === "cookie" && options.crossOrigin.isForged(arrival)) return forged
    if (credential.kind === "service_account") return accounts(credential.token, arrival.address)
    if (options.authMode === "none") return open
    const verdict = options.verify(credential.token)
    return verdict instanceof Promise ? verdict.then(judge) : judge(verdict)
  }
}

function accountFinder(options: AuthenticateOptions): (token: string, address: string | null) => CallerIdentity {
  const failures = createFailedLookUps(options.clock)
  return (token, address) => {
    const now = Math.floor(options.clock() / 1000)
    let account: ServiceAccount | null
    try {
      account = findAccountByHash(options.database, hashServiceAccountToken(token), now)
    } catch (error) {
      options.onFailure(error, "looking up a service account")
      return refusedCaller(503, "Authentication is temporarily unavailable")
    }
    if (account === null) {
      if (!failures.fail(address)) return refusedCaller(401, "Invalid or expired service account token")
      const reply = refuse(429, "Too many failed authentication attempts")
      return { ok: false, reply: { ...reply, headers: { "retry-after": String(failures.secondsLeft(address)) } } }
    }
    keepLastUse(options, account, now)
    return { ok: true, standing: options.standings.ofAccount(account.name, account.scopes) }
  }
}

/** Notes the last use. A failure, such as another process's lock, is reported, and the caller still passes. */
function keepLastUse(options: AuthenticateOptions, account: ServiceAccount, now: number): void {
  try {
    touchAccount(options.database, account, now)
  } catch (error) {
    options.onFailure(error, "keeping a service account's last use")
  }
}

const forged = refusedCaller(
  403,
  "Cross-site request with a cookie. Send the token in the Authorization header, or name the page by --allow-origin",
)

function refusedCaller(status: number, detail: string): CallerIdentity {
  return { ok: false, reply: refuse(status, detail) }
}

const allowed = 20
const windowMs = 60_000
const maxAddresses = 10_000

/**
 * Counts the failures of each address: `fail` is true from the twenty-first of a minute on, as in the real service, and
 * `secondsLeft` says until when. A network of IPv6 (/64) counts as one address. The memory is bounded: if ten thousand
 * addresses failed within their minute, the oldest is forgotten. If the clock was set back, the count begins anew.
 */
export function createFailedLookUps(clock: () => number) {
  const windows = new Map<string, { readonly until: number; failures: number }>()
  const open = (key: string, now: number): { readonly until: number; failures: number } => {
    const fresh = { until: now + windowMs, failures: 0 }
    windows.delete(key)
    const [oldest] = windows.keys()
    if (windows.size >= maxAddresses && oldest !== undefined) windows.delete(oldest)
    windows.set(key, fresh)
    return fresh
  }
  return {
    fail: (address: string | null): boolean => {
      const now = clock()
      const key = networkOf(address)
      const known = windows.get(key)
      const isCurrent = known !== undefined && now < known.until && known.until <= now + windowMs
      const current = isCurrent ? known : open(key, now)
      current.failures += 1
      return current.failures > allowed
    },
    secondsLeft: (address: string | null): number =>
      Math.ceil(((windows.get(networkOf(address))?.until ?? clock()) - clock()) / 1000),
  }
}

function networkOf(address: string | null): string {
  if (address === null) return ""
  if (!isIPv6(address) || address.includes(".")) return address
  const [head = "", tail = ""] = address.replace(/%.*$/, "").split("::")
  const groups = head === "" ? [] : head.split(":")
  const missing = 8 - groups.length - (tail === "" ? 0 : tail.split(":").length)
  const first = address.includes("::") ? [...groups, ...Array<string>(missing).fill("0"), ...tail.split(":")] : groups
  return first
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
