// Finds out who sent a request (specification 5.1, 5.2).
import type { DatabaseSync } from "node:sqlite"
import { type CredentialPlace, readCredential } from "../../auth/credential.ts"
import { hashServiceAccountToken } from "../../auth/service-account-token.ts"
import type { TokenVerdict, TokenVerifier } from "../../auth/verify-token.ts"
import { findAccountByHash, type ServiceAccount, touchAccount } from "../accounts/account-store.ts"
import type { Standing } from "../parts.ts"
import { type Reply, refuse } from "../wire/reply.ts"
import type { Arrival } from "./arrival.ts"
import { createFailedLookUps } from "./failed-look-ups.ts"
import type { Standings } from "./standings.ts"

/** Who it is and what they may, or the refusal. */
export type Identity =
  | { readonly ok: true; readonly standing: Standing }
  | { readonly ok: false; readonly reply: Reply }

/** What is needed to tell. `authMode` `none` lets anybody in; a bad service account token is refused even then. */
export type AuthenticateOptions = {
  readonly database: DatabaseSync
  readonly verify: TokenVerifier
  readonly standings: Standings
  readonly place: CredentialPlace
  readonly authMode: "jwt" | "none"
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Told when an account could not be looked up, or its last use not be kept. */
  readonly onFailure: (error: unknown, request: string) => void
}

/** Reads the credential of an arrival; answers at once unless a token's signature has to be verified. */
export type Authenticate = (arrival: Arrival) => Identity | Promise<Identity>

/** Makes the function that reads credentials. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { standings, place } = options
  const accounts = accountFinder(options)
  const open: Identity = { ok: true, standing: standings.anonymous }
  const judge = (verdict: TokenVerdict): Identity =>
    verdict.ok ? { ok: true, standing: standings.ofToken(verdict.claims) } : refused(401, verdict.reason)
  return (arrival) => {
    const credential = readCredential(arrival, place)
    if (credential.kind === "missing") return options.authMode === "none" ? open : refused(401, credential.reason)
    if (credential.from === "cookie" && isForged(arrival)) return refused(403, "Cross-site request with a cookie")
    if (credential.kind === "service_account") return accounts(credential.token, arrival.address)
    if (options.authMode === "none") return open
    const verdict = options.verify(credential.token)
    return verdict instanceof Promise ? verdict.then(judge) : judge(verdict)
  }
}

function accountFinder(options: AuthenticateOptions): (token: string, address: string | null) => Identity {
  const failures = createFailedLookUps(options.clock)
  return (token, address) => {
    const now = Math.floor(options.clock() / 1000)
    let account: ServiceAccount | null
    try {
      account = findAccountByHash(options.database, hashServiceAccountToken(token), now)
    } catch (error) {
      options.onFailure(error, "looking up a service account")
      return refused(503, "Authentication is temporarily unavailable")
    }
    if (account === null) {
      return failures.fail(address)
        ? refused(429, "Too many failed authentication attempts")
        : refused(401, "Invalid or expired service account token")
    }
    keepLastUse(options, account, now)
    return { ok: true, standing: options.standings.ofAccount(account.name, account.scopes) }
  }
}

/** A last use that cannot be written, as under another process's lock, is reported and closes nobody out. */
function keepLastUse(options: AuthenticateOptions, account: ServiceAccount, now: number): void {
  try {
    touchAccount(options.database, account, now)
  } catch (error) {
    options.onFailure(error, "keeping a service account's last use")
  }
}

/** A browser adds cookies by itself: what another site made it send, and what changes something, does not count as the user's wish. */
function isForged({ method, site }: Arrival): boolean {
  return site === "cross-site" && method !== "GET"
}

function refused(status: number, detail: string): Identity {
  return { ok: false, reply: refuse(status, detail) }
}
