// Reads the credential of a request, and tells the two kinds of token apart (specification 5.1).
import { isServiceAccountToken } from "./service-account-token.ts"

/** Where tokens are read from (5.1, rule 3). */
type TokenSource = "HEADER" | "COOKIE" | "BOTH"

/** Where we look for the credential. `cookieName` counts for COOKIE and BOTH. */
export interface CredentialPlace {
  readonly source: TokenSource
  readonly cookieName: string
}

/** The defaults: the token in the Authorization header, and the name that its cookie would have. */
export const defaultPlace: CredentialPlace = { source: "HEADER", cookieName: "access_token" }

/**
 * The credential of a request, from a header or a cookie; a browser sends cookies by itself. `reason`: text of the 401.
 */
type Credential =
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "jwt" | "service_account"; readonly token: string; readonly from: "header" | "cookie" }

interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
}

/**
 * Finds the credential: `Bearer <token>` in upper or lower case, or the bare token, or the cookie. With BOTH, any
 * header counts before the cookie: even if the header is bad, we do not try the cookie. We do not judge the token here.
 */
export function readCredential(headers: CredentialHeaders, place: CredentialPlace = defaultPlace): Credential {
  if (place.source !== "COOKIE" && headers.authorization !== undefined) {
    return told(bearerIn(headers.authorization), "header")
  }
  const cookie = place.source === "HEADER" ? undefined : readCookie(headers.cookie ?? "", place.cookieName)
  return cookie === undefined ? { kind: "missing", reason: missing(place) } : told(cookie, "cookie")
}

/** The first cookie of that name in a Cookie header, without its quotes. */
export function readCookie(header: string, name: string): string | undefined {
  const pair = cookiePairs(header).find((candidate) => cookieNameOf(candidate) === name)
  return pair
    ?.slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1")
}

/** A Cookie header without the cookies of that name; null if none is left. */
export function withoutCookie(header: string, name: string): string | null {
  const kept = cookiePairs(header).filter((pair) => cookieNameOf(pair) !== name)
  return kept.length === 0 ? null : kept.join("; ")
}

/**
 * The token of an Authorization header, which may lack its scheme. Most clients write exactly `Bearer `, which is quick
 * to cut off. Only other spellings need a pattern, which takes longer.
 */
export function bearerIn(header: string): string {
  return (header.startsWith("Bearer ") ? header.slice(7) : header.replace(/^bearer(\s+|$)/i, "")).trim()
}

function cookiePairs(header: string): readonly string[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
}

function cookieNameOf(pair: string): string {
  return pair.slice(0, Math.max(pair.indexOf("="), 0)).trim()
}

function told(token: string, from: "header" | "cookie"): Credential {
  return { kind: isServiceAccountToken(token) ? "service_account" : "jwt", token, from }
}

function missing({ source, cookieName }: CredentialPlace): string {
  switch (source) {
    case "HEADER":
      return "Authorization header missing"
    case "COOKIE":
      return `JWT cookie '${cookieName}' missing`
    case "BOTH":
      return `JWT token missing from both Authorization header and '${cookieName}' cookie`
  }
}
