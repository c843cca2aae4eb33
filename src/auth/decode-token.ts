// Reads a JWT without believing it: for people who look at one, never for the gate.
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type ProtectedHeaderParameters } from "jose"
import { isReservedSubject, oddTimes, readScopes } from "./token-claims.ts"

/** What a JWT says of itself. `faults` are those that close it out or weaken it, in words. */
export type DecodedToken = {
  readonly header: ProtectedHeaderParameters
  readonly claims: JWTPayload
  readonly scopes: readonly string[]
  readonly faults: readonly string[]
}

/** Decodes a JWT; null for a text that is none. `scopesClaim` is the name of the scopes claim, default `scopes`. */
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
