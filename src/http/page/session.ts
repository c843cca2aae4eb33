// Who reads the page. Without a sign-in of the company, the read token itself signs browsers in, by a cookie that no
// script and no other site can use.
import type { Context, Hono } from "hono"
import { setCookie } from "hono/cookie"
import { bearerIn, readCredential } from "../../auth/credential.ts"
import { createScopeSet } from "../../auth/scopes.ts"
import type { TokenClaims } from "../../auth/token-claims.ts"
import type { TokenVerdict, TokenVerifier } from "../../auth/verify-token.ts"
import { isPortError } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import type { Access, AccessLog } from "../access-log.ts"
import { isLocal, type Reachable } from "../local.ts"
import { readAdminScope } from "../reading/gate.ts"
import type { HttpReply } from "../reply.ts"
import { page, signInPage } from "./layout.ts"
import { type Html, shown } from "./shown.ts"
import { askedPage, wayBack } from "./way-back.ts"
import { frameWords, refusalWords } from "./words.ts"

/** The name of the cookie. */
export const readCookie = "countersign_read"
/** How long a browser stays signed in, in seconds; but not longer than its token is valid. */
const longestS = 8 * 3_600
/** How much browsers keep of one cookie, name and attributes included (RFC 6265, section 6.1). */
const longestToken = 3_800
/** The longest form that we read, in bytes. */
const longestForm = 16_384

/** Who reads, by what; or why nobody may, "" if nobody tried to sign in. */
export type PageSession =
  | ({ readonly ok: true; readonly claims: TokenClaims } & Pick<Access, "by" | "name">)
  | { readonly ok: false; readonly reason: string }

/** How people sign in to the page. */
export interface PageSessions {
  /** Serves the routes by which people sign in and out. */
  serve(app: Hono): void
  /** Judges a request; every request is judged anew. */
  of(context: Context): Promise<PageSession>
  /** The body of the page to sign in. `problem`: why nobody is signed in, else "". `to`: where they wanted to go. */
  form(problem: string, to: string): Html
}

/** What every page needs. */
export interface FrameOptions {
  readonly installation: string
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Log
}

/** What sessions by a token need. */
export interface SessionOptions extends FrameOptions {
  readonly verify: TokenVerifier
  readonly access: AccessLog
}

/** True if whoever sent this request may reach the page. */
export function mayReach(context: Context, reachable: Reachable): boolean {
  return reachable === "anywhere" || isLocal(context)
}

/** Makes sessions that last as long as a read token that people paste. */
export function createTokenSessions(options: SessionOptions): PageSessions {
  const sessions: PageSessions = {
    serve: (app) => {
      app.get("/page/sign-in", (context) => askToSignIn(context, sessions, { ...options, status: 200, problem: "" }))
      app.post("/page/sign-in", (context) => orUnread(context, options, () => takeToken(context, sessions, options)))
      app.post("/page/sign-out", (context) => orUnread(context, options, () => signOut(context, sessions, options)))
    },
    of: async (context) => {
      const credential = readCredential(
        { cookie: context.req.header("cookie") },
        { source: "COOKIE", cookieName: readCookie },
      )
      if (credential.kind === "missing") return { ok: false, reason: "" }
      return judgeToken(credential.token, options)
    },
    form: signInPage,
  }
  return sessions
}

/** The line of the access log about somebody who is signed in. */
export function readerOf({ by, name, claims }: PageSession & { readonly ok: true }, act: Access["act"]): Access {
  return { act, by, subject: claims.subject, ...(name === undefined ? {} : { name }) }
}

/** Signs a browser in. Another site may not do this: people would then see what that site chose. */
async function takeToken(context: Context, sessions: PageSessions, options: SessionOptions): Promise<Response> {
  if (isForged(context)) return say(context, options, 403, refusalWords.otherSite)
  if (!(Number(context.req.header("content-length")) <= longestForm))
    return askToSignIn(context, sessions, { ...options, status: 422, problem: refusalWords.longForm })
  const { token, to } = await context.req.parseBody()
  // Some people paste the whole header.
  const given = typeof token === "string" ? bearerIn(token.trim()) : ""
  const session = await judgeToken(given, options)
  if (!session.ok) {
    const why = session.reason
    await options.access.note(context, { act: "sign-in-refused", by: "token", subject: null, why })
    return askToSignIn(context, sessions, { ...options, status: 401, problem: why, to: wayBack(to) })
  }
  await options.access.note(context, readerOf(session, "signed-in"))
  signIn(context, given, session.claims, options.clock())
  return context.redirect(wayBack(to), 303)
}

async function signOut(context: Context, sessions: PageSessions, { access }: SessionOptions): Promise<Response> {
  if (isForged(context)) return context.redirect("/page/sign-in", 303)
  const session = await sessions.of(context)
  keep(context, "", 0)
  if (session.ok) await access.note(context, readerOf(session, "signed-out"))
  return context.redirect("/page/sign-in", 303)
}

/** Judges a token: it must be valid and have `cases:read`. */
async function judgeToken(token: string, { verify }: Pick<SessionOptions, "verify">): Promise<PageSession> {
  if (token.length > longestToken) return { ok: false, reason: refusalWords.longToken }
  const verdict: TokenVerdict = await verify(token)
  if (!verdict.ok) return verdict
  if (mayReadCases(verdict.claims.scopes)) return { ...verdict, by: "token" }
  return { ok: false, reason: refusalWords.noScope }
}

/** True if these scopes open the page. */
export function mayReadCases(scopes: readonly string[]): boolean {
  return createScopeSet(scopes, readAdminScope).covers("cases:read", null)
}

/** Signs a browser in: until the token ends, but at most for a working day. */
function signIn(context: Context, token: string, claims: TokenClaims, now: number): void {
  const left = claims.expires === null ? longestS : claims.expires - Math.floor(now / 1_000)
  keep(context, token, Math.max(0, Math.min(longestS, left)))
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

/** Answers with the page to sign in. `to`: where they wanted to go; else the address of the request says that. */
export function askToSignIn(
  context: Context,
  { form }: Pick<PageSessions, "form">,
  given: FrameOptions & { readonly status: HttpReply["status"]; readonly problem: string; readonly to?: string },
): Promise<Response> {
  const { installation, clock, status, problem, to = askedPage(context.req.url) } = given
  const body = form(problem, to)
  return page(context, status, { installation, at: clock(), title: frameWords.signIn, signedIn: false, body })
}

/** Answers with one sentence. Whoever is refused altogether is not offered to sign out. */
export function say(
  context: Context,
  { installation, clock }: FrameOptions,
  status: 403 | 404 | 503,
  words: string,
): Promise<Response> {
  const title = "Countersign"
  return page(context, status, { installation, at: clock(), title, signedIn: status !== 403, body: shown(words) })
}

/** Answers, or says that something cannot be read or kept now. */
export async function orUnread(
  context: Context,
  options: FrameOptions,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!isPortError(error)) throw error
    options.log.warn("read-failed", { error })
    return say(context, options, 503, refusalWords.unread)
  }
}
