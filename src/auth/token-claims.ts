// What a verified JWT says: subject and scopes (specification 5.2).
import type { JWTPayload } from "jose"

/** The claims that count here. `expires` is epoch seconds, null for a token that never ends. */
export type TokenClaims = {
  readonly subject: string | null
  readonly scopes: readonly string[]
  readonly expires: number | null
}

type ClaimsVerdict =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads the claims of a token whose signature was verified. A `sub` must be a string and must not imitate a name that only the
 * service gives; an `iat` later than `latestIssue` (epoch seconds) is refused, and any time that is no finite number. Scopes never refuse a token, they only open less.
 */
export function readClaims(payload: JWTPayload, scopesClaim: string, latestIssue: number): ClaimsVerdict {
  const [odd] = oddTimes(payload)
  if (odd !== undefined) return { ok: false, reason: `Invalid token: The "${odd}" claim is invalid` }
  if (payload.iat !== undefined && payload.iat > latestIssue) {
    return { ok: false, reason: "Invalid token: The token is not yet valid (iat)" }
  }
  const subject: unknown = payload.sub
  if (subject !== undefined && typeof subject !== "string") {
    return { ok: false, reason: "Invalid token: Subject must be a string" }
  }
  if (subject !== undefined && isReservedSubject(subject)) return { ok: false, reason: "Invalid token subject" }
  const scopes = readScopes(Object.hasOwn(payload, scopesClaim) ? payload[scopesClaim] : undefined)
  return { ok: true, claims: { subject: subject ?? null, scopes, expires: payload.exp ?? null } }
}

/** The times of a token that are no finite numbers: JSON writes infinity as 1e999, and a token of it would never end. */
export function oddTimes(payload: JWTPayload): readonly string[] {
  return (["exp", "nbf", "iat"] as const).filter(
    (name) => Object.hasOwn(payload, name) && !Number.isFinite(payload[name]),
  )
}

/** True for subjects that only the service itself gives: service accounts and its internal callers. */
export function isReservedSubject(subject: string): boolean {
  return subject.startsWith("sa:") || subject.startsWith("__")
}

/** The scopes claim: an array of strings; a string counts as one single scope (5.2, rule 8); anything else opens nothing. */
export function readScopes(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim]
  if (!Array.isArray(claim)) return []
  return claim.filter((scope: unknown) => typeof scope === "string")
}
