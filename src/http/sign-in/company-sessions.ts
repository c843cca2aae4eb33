// PageSessions by the company's sign-in: who comes back from the provider reads what their groups open, for a while.
import type { Context, Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { isPortError } from "../../flow/ports.ts"
import { type AccessLog, AccessLogError } from "../access-log.ts"
import { page, pageHeaders } from "../page/layout.ts"
import {
  askToSignIn,
  type FrameOptions,
  isForged,
  mayReadCases,
  orUnread,
  type PageSession,
  type PageSessions,
  readerOf,
  say,
} from "../page/session.ts"
import { type Html, shown } from "../page/shown.ts"
import { askedPage, startPath, wayBack } from "../page/way-back.ts"
import { refusalWords } from "../page/words.ts"
import type { Account, Provider } from "./provider.ts"
import { createSealedCookie, type SealedCookiesOptions } from "./sealed-cookies.ts"

/** What sessions by the company's sign-in need. */
export interface CompanySessionsOptions extends FrameOptions, SealedCookiesOptions {
  readonly provider: Provider
  /** The groups that open each scope. */
  readonly groupsOf: { readonly "cases:read": readonly string[]; readonly "ledger:read": readonly string[] }
  /** The claim that lists the groups, for the words to whoever has none. */
  readonly groupsClaim: string
  /** How long a session lasts, in ms. */
  readonly sessionMs: number
  /** Returns this many unpredictable bytes. */
  readonly random: (size: number) => Buffer
  readonly access: AccessLog
}

/** The address that the provider sends browsers back to, below the public one. */
export const callbackPath = "/page/sign-in/callback"

/** The words of the company's sign-in. */
const signInWords = {
  title: "Sign in",
  start: "Sign in with your company's account",
  about: "The groups of your account say what you may read here.",
  notBegun: "This sign-in was begun in another browser, or more than ten minutes ago. Please sign in again.",
  unavailable:
    "Your company's sign-in does not work now. Please try again in a minute. If it stays so, tell whoever runs " +
    "Countersign: its log (sign-in-unavailable) and countersign doctor say why. Programs with a token read on.",
  signedOut: "You are signed out here.",
  signOutThere: "Sign out of your company's account, too",
  refused: (why: string): string => `You are not signed in: ${why}. Please sign in again.`,
  noGroup: (who: string): string => `You are known as ${who}, but none of your groups may read here. ${askOperator}`,
  manyGroups: (who: string, count: number): string =>
    `You are known as ${who}, but you are in ${count} of the groups that may read here. No browser keeps so many. ` +
    "Ask whoever runs Countersign to list fewer groups in http.sign_in: one that all of these people are in is enough.",
  noGroups: (who: string, claim: string): string =>
    `You are known as ${who}, but the sign-in says nothing of your groups (its claim ${claim}). ${askOperator}`,
} as const

const askOperator = "Ask whoever runs Countersign: http.sign_in in its config says which groups may."

/** How long somebody may be at the provider, in ms. */
const longestAwayMs = 600_000

const awaySchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() })
const sessionSchema = z.object({
  subject: z.string(),
  name: z.string().nullable(),
  /** Those that the config listed at the sign-in. Which scopes they open, the config of now says. */
  groups: z.array(z.string()),
  idToken: z.string().nullable(),
  /** Epoch ms. */
  until: z.number(),
})

type Kept = z.output<typeof sessionSchema>

/** What the routes work with. */
interface Desk extends CompanySessionsOptions {
  readonly away: ReturnType<typeof createSealedCookie<z.output<typeof awaySchema>>>
  readonly session: ReturnType<typeof createSealedCookie<Kept>>
  readonly sessions: PageSessions
}

/** Makes these sessions. Nothing is kept here, so each replica knows each session. */
export function createCompanySessions(options: CompanySessionsOptions): PageSessions {
  const away = createSealedCookie(options, { name: "countersign_away", purpose: "sign-in", schema: awaySchema })
  const kind = { name: "countersign_session", purpose: "page session", schema: sessionSchema }
  const session = createSealedCookie(options, kind)
  const sessions: PageSessions = {
    serve: (app) => serve(app, { ...options, away, session, sessions }),
    of: async (context) => sessionOf(session.read(context), options),
    form: (problem, to) => signInLink(problem, to, options.publicUrl),
  }
  return sessions
}

function serve(app: Hono, desk: Desk): void {
  const { sessions } = desk
  app.get("/page/sign-in", (context) => askToSignIn(context, sessions, { ...desk, status: 200, problem: "" }))
  app.get(startPath, (context) => orAway(context, desk, () => start(context, desk)))
  app.get(callbackPath, (context) => orAway(context, desk, () => comeBack(context, desk)))
  app.post("/page/sign-out", (context) => orUnread(context, desk, () => endSession(context, desk)))
}

/** What a session's groups open now. */
function sessionOf(kept: Kept | null, { groupsOf }: Pick<CompanySessionsOptions, "groupsOf">): PageSession {
  if (kept === null) return { ok: false, reason: "" }
  const { subject, name, groups, until } = kept
  const scopes = (["cases:read", "ledger:read"] as const).filter((scope) =>
    groupsOf[scope].some((group) => groups.includes(group)),
  )
  if (!mayReadCases(scopes)) return { ok: false, reason: signInWords.noGroup(name ?? subject) }
  return { ok: true, claims: { subject, scopes, expires: Math.floor(until / 1_000) }, by: "sign-in", name }
}

/** Sends the browser to the provider. */
async function start(context: Context, { provider, random, away, clock }: Desk): Promise<Response> {
  const [state = "", nonce = "", verifier = ""] = Array.from({ length: 3 }, () => random(32).toString("base64url"))
  const address = await provider.begin({ state, nonce, verifier })
  away.write(context, { state, nonce, verifier, to: wayBack(context.req.query("to")) }, clock() + longestAwayMs)
  return sendTo(context, address)
}

/** Takes whoever comes back from the provider. What their browser keeps of the way there counts once. */
async function comeBack(context: Context, desk: Desk): Promise<Response> {
  const { provider, groupsClaim } = desk
  const checks = desk.away.read(context)
  desk.away.clear(context)
  // Anybody can ask for this address, as often as they like: that leaves no line.
  if (checks === null) return askAgain(context, desk, 401, signInWords.notBegun)
  const signedIn = await provider.finish(new URL(context.req.url).search, checks)
  if (!signedIn.ok) {
    const { why, kind } = signedIn
    if (kind === "refused") return refuseSignIn(context, desk, { account: null, words: signInWords.refused(why), why })
    desk.log.warn("sign-in-unavailable", { why })
    return askAgain(context, desk, 503, signInWords.unavailable)
  }
  const { account } = signedIn
  const kept = keptOf(account, desk)
  const session = sessionOf(kept, desk)
  if (!session.ok) {
    const said = account.groups !== null
    const words = said ? session.reason : signInWords.noGroups(account.name ?? account.subject, groupsClaim)
    return refuseSignIn(context, desk, {
      account,
      words,
      why: said ? "in no group that may read" : `no claim ${groupsClaim}`,
    })
  }
  // Without its ID token, the provider asks more at signing out.
  const fitting = [kept, { ...kept, idToken: null }].find((one) => desk.session.fits(one, one.until))
  if (fitting === undefined) {
    const [count, who] = [kept.groups.length, account.name ?? account.subject]
    const words = signInWords.manyGroups(who, count)
    return refuseSignIn(context, desk, { account, words, why: `in ${count} listed groups, too many for a cookie` })
  }
  await desk.access.note(context, readerOf(session, "signed-in"))
  desk.session.write(context, fitting, fitting.until)
  return sendTo(context, checks.to)
}

function keptOf({ subject, name, groups, idToken }: Account, { groupsOf, clock, sessionMs }: Desk): Kept {
  const listed = new Set(Object.values(groupsOf).flat())
  return {
    subject,
    name,
    groups: [...new Set(groups ?? [])].filter((group) => listed.has(group)),
    idToken,
    until: clock() + sessionMs,
  }
}

interface Refusal {
  readonly account: Account | null
  readonly words: string
  /** For the access log. */
  readonly why: string
}

async function refuseSignIn(context: Context, desk: Desk, { account, words, why }: Refusal): Promise<Response> {
  const { subject = null, name = null } = account ?? {}
  await desk.access.note(context, { act: "sign-in-refused", by: "sign-in", subject, name, why })
  return askAgain(context, desk, account === null ? 401 : 403, words)
}

/** Signs a browser out here, and sends it on to sign out at the provider, too. Another site cannot do this. */
async function endSession(context: Context, desk: Desk): Promise<Response> {
  if (isForged(context)) return say(context, desk, 403, refusalWords.otherSite)
  const kept = desk.session.read(context)
  desk.session.clear(context)
  if (kept === null) return context.redirect("/page/sign-in", 303)
  const { subject, name } = kept
  await desk.access.note(context, { act: "signed-out", by: "sign-in", subject, name })
  const address = await endAddress(desk, kept.idToken)
  if (address === null) return context.redirect("/page/sign-in", 303)
  // No redirect: a page's policy lets no form lead to another site, not even by one.
  context.header("refresh", `0; url=${address}`)
  const { installation, clock } = desk
  const body = html`<p>${signInWords.signedOut} <a href="${address}">${signInWords.signOutThere}</a></p>`
  return page(context, 200, { installation, at: clock(), title: signInWords.signedOut, signedIn: false, body })
}

/** Where to sign out at the provider; null if it has no such place, or does not answer: then we sign out here alone. */
async function endAddress({ provider, publicUrl, log }: Desk, idToken: string | null): Promise<string | null> {
  try {
    return await provider.end(idToken, `${publicUrl}/page/sign-in`)
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("sign-in-unavailable", { why: error.message })
    return null
  }
}

/** Answers, or says that the provider cannot be asked, or that the sign-in cannot be noted, and what to do. */
async function orAway(context: Context, desk: Desk, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    if (!isPortError(error)) throw error
    desk.log.warn("sign-in-unavailable", { error })
    const problem = error instanceof AccessLogError ? refusalWords.unread : signInWords.unavailable
    return askAgain(context, desk, 503, problem)
  }
}

/** Answers with the page to sign in, whose button leads to the page that this sign-in was begun for. */
function askAgain(context: Context, desk: Desk, status: 401 | 403 | 503, problem: string): Promise<Response> {
  const { url, path } = context.req
  const to = path === callbackPath ? (desk.away.read(context)?.to ?? "/page") : askedPage(url)
  return askToSignIn(context, desk.sessions, { ...desk, status, problem, to })
}

/** Sends a browser on, by headers that let nothing of this answer be kept. */
function sendTo(context: Context, address: string): Response {
  for (const [name, value] of Object.entries(pageHeaders)) context.header(name, value)
  return context.redirect(address, 303)
}

/** The body of the page to sign in: one link. It is no form, because the page lets no form lead to another site. */
function signInLink(problem: string, to: string, publicUrl: string): Html {
  const address = `${publicUrl}${startPath}?to=${encodeURIComponent(to)}`
  return html`<h1>${signInWords.title}</h1>
${problem === "" ? "" : html`<p class="problem" role="alert">${shown(problem)}</p>`}
<p><a class="button" href="${address}">${signInWords.start}</a></p>
<p class="quiet">${signInWords.about}</p>`
}
