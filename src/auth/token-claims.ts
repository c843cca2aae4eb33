// Reads what a JWT says: after we verified it (specification 5.2) or, to show it to people, before that.
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type ProtectedHeaderParameters } from "jose"
import type { TokenVerdict } from "./verify-token.ts"

/** The claims that count here. `expires` is epoch seconds, or null if the token never ends. */
export interface TokenClaims {
  readonly subject: string | null
  readonly scopes: readonly string[]
  readonly expires: number | null
}

/**
 * Reads the claims of a token whose signature was verified. Refuses a `sub` that is no string, or that imitates a name
 * that only the service gives; an `iat` later than `latestIssue` (epoch seconds); and any time that is no finite
 * number. Scopes never refuse a token: bad ones only open less.
 */
export function readClaims(payload: JWTPayload, scopesClaim: string, latestIssue: number): TokenVerdict {
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

/** The times of a token that are no finite numbers: JSON can write infinity as 1e999; such a token would never end. */
function oddTimes(payload: JWTPayload): readonly string[] {
  return (["exp", "nbf", "iat"] as const).filter(
    (name) => Object.hasOwn(payload, name) && !Number.isFinite(payload[name]),
  )
}

/** True for subjects that only the service itself gives: service accounts and its internal callers. */
export function isReservedSubject(subject: string): boolean {
  return subject.startsWith("sa:") || subject.startsWith("__")
}

/** The scopes claim: an array of strings, or a string as a single scope (5.2, rule 8). Anything else opens nothing. */
function readScopes(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim]
  if (!Array.isArray(claim)) return []
  return claim.filter((scope: unknown) => typeof scope === "string")
}

/** What a JWT says about itself. `faults`: why we refuse it, or what makes it open less, in words. */
export interface DecodedToken {
  readonly header: ProtectedHeaderParameters
  readonly claims: JWTPayload
  readonly scopes: readonly string[]
  readonly faults: readonly string[]
}

/** Decodes a JWT; null if the text is none. `scopesClaim`: the name of the scopes claim. */
export function decodeToken(token: string, scopesClaim = "scopes"): DecodedToken | null {
  try {
    const claims = decodeJwt(token)
    const header = decodeProtectedHeader(token)
    const claim = Object.hasOwn(claims, scopesClaim) ? claims[scopesClaim] : undefined
    return { header, claims, scopes: readScopes(claim), faults: faultsOf(header, claims, { scopesClaim, claim }) }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null
    throw error
  }
}

function faultsOf(
  header: ProtectedHeaderParameters,
  claims: JWTPayload,
  { scopesClaim, claim }: { readonly scopesClaim: string; readonly claim: unknown },
): readonly string[] {
  const subject: unknown = claims.sub
  return [
    ...(["RS256", "ES256", "HS256"].includes(header.alg ?? "")
      ? []
      : [`alg ${header.alg ?? "missing"} is never accepted`]),
    ...(claims.exp === undefined ? ["it has no exp: it never ends"] : []),
    ...oddTimes(claims).map((name) => `${name} is no finite number: it is refused`),
    ...(subject !== undefined && typeof subject !== "string" ? ["sub is no text: it is refused"] : []),
    ...(typeof subject === "string" && isReservedSubject(subject) ? [`sub ${subject} is reserved: it is refused`] : []),
    ...scopeFaults(scopesClaim, claim),
  ]
}

function scopeFaults(name: string, claim: unknown): readonly string[] {
  if (claim === undefined) return [`it has no claim ${name}: it opens nothing that needs a scope`]
  if (typeof claim === "string") return [`${name} is a text, which counts as one single scope; it has to be a list`]
  if (!Array.isArray(claim)) return [`${name} is no list: it opens nothing that needs a scope`]
  return claim.every((scope: unknown) => typeof scope === "string") ? [] : [`${name} holds something that is no text`]
}
