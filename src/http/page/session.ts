// Signs browsers in by the read token itself, in a cookie that no script and no other site can use.
import type { Context } from "hono"
import { setCookie } from "hono/cookie"
import { readCredential } from "../../auth/credential.ts"
import { createScopeSet } from "../../auth/scopes.ts"
import type { TokenClaims } from "../../auth/token-claims.ts"
import type { TokenVerdict, TokenVerifier } from "../../auth/verify-token.ts"
import { isLocal, type Reachable } from "../local.ts"
import { readAdminScope } from "../reading/gate.ts"
import { refusalWords } from "./words.ts"

/** The name of the cookie. */
export const readCookie = "countersign_read"
/** How long a browser stays signed in, in seconds. If its token ends earlier, it does not stay longer than that. */
const longestS = 8 * 3_600
/** How much browsers keep of one cookie, name and attributes included (RFC 6265, section 6.1). */
const longestToken = 3_800

/** What sessions need. */
export interface SessionOptions {
  readonly verify: TokenVerifier
  readonly reachable: Reachable
  /** Epoch ms. */
  readonly clock: () => number
}

/** True if whoever sent this request may reach the page. */
export function mayReach(context: Context, reachable: Reachable): boolean {
  return reachable === "anywhere" || isLocal(context)
}

/** Judges the cookie of a request; every request is judged anew. */
export async function sessionOf(context: Context, options: SessionOptions): Promise<TokenVerdict> {
  const credential = readCredential(
    { cookie: context.req.header("cookie") },
    { source: "COOKIE", cookieName: readCookie },
  )
  if (credential.kind === "missing") return { ok: false, reason: "" }
  return judgeToken(credential.token, options)
}

/** Judges a token: it must be valid and have `cases:read`. */
export async function judgeToken(token: string, { verify }: Pick<SessionOptions, "verify">): Promise<TokenVerdict> {
  if (token.length > longestToken) return { ok: false, reason: refusalWords.longToken }
  const verdict = await verify(token)
  if (!verdict.ok) return verdict
  if (createScopeSet(verdict.claims.scopes, readAdminScope).covers("cases:read", null)) return verdict
  return { ok: false, reason: refusalWords.noScope }
}

/** Signs a browser in: until the token ends, but at most for a working day. */
export function signIn(context: Context, token: string, claims: TokenClaims, now: number): void {
  const left = claims.expires === null ? longestS : claims.expires - Math.floor(now / 1_000)
  keep(context, token, Math.max(0, Math.min(longestS, left)))
}

/** Signs a browser out. */
export function signOut(context: Context): void {
  keep(context, "", 0)
}

/** Sets the cookie. Only this machine itself may use plain http; everywhere else the cookie travels by https alone. */
function keep(context: Context, token: string, maxAge: number): void {
  const secure = !isLocal(context)
  setCookie(context, readCookie, token, { path: "/page", httpOnly: true, sameSite: "Strict", secure, maxAge })
}

/**
 * True if another site made the browser send this form. Old browsers do not tell; then the cookie's SameSite protects.
 */
export function isForged(context: Context): boolean {
  const site = context.req.header("sec-fetch-site")
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  const origin = context.req.header("origin")
  return origin !== undefined && URL.parse(origin)?.host !== context.req.header("host")
}
