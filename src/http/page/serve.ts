// The page: cases and their proof, for people. We render it here, without a script.
import type { Context, Hono } from "hono"
import { bearerIn } from "../../auth/credential.ts"
import type { Case } from "../../domain/case/case.ts"
import { isPortError, type Tampered } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import type { HandlerOptions } from "../reading/api.ts"
import { browse } from "../reading/browse.ts"
import { casesQuery } from "../reading/query.ts"
import { tellCase, tellEntry } from "../reading/telling.ts"
import { checkQuery } from "../reply.ts"
import type { CardWords, WordsLine } from "./card-words.ts"
import { casePage } from "./case-page.ts"
import { page, pageHeaders, signInPage } from "./layout.ts"
import { listPage } from "./list-page.ts"
import { type NameOf, namesFor } from "./names.ts"
import { receiptOf } from "./receipt.ts"
import { isForged, judgeToken, mayReach, type SessionOptions, sessionOf, signIn, signOut } from "./session.ts"
import { type Html, plainly, shown } from "./shown.ts"
import { icon, style } from "./style.ts"
import { contentWords, frameWords, listWords, problemWords, refusalWords } from "./words.ts"

/** What the page needs. */
export interface PageOptions extends SessionOptions, HandlerOptions {
  readonly installation: string
  readonly log: Log
  readonly cardWords: CardWords
  readonly nameOf: NameOf
}

/** How many entries of a case one page shows. */
const entriesShown = 200
/** The longest form that we read, in bytes. */
const longestForm = 16_384

/** Serves everything below `/page`. */
export function servePage(app: Hono, options: PageOptions): void {
  app.get("/page/style.css", (context) => context.body(style, 200, { ...pageHeaders, "content-type": "text/css" }))
  app.get("/page/icon.svg", (context) => context.body(icon, 200, { ...pageHeaders, "content-type": "image/svg+xml" }))
  app.use("/page/*", async (context, next) => {
    if (mayReach(context, options.reachable)) return next()
    return say(context, options, 403, refusalWords.otherMachine)
  })
  app.get("/page/sign-in", (context) => signInWith(context, options, 200, ""))
  app.post("/page/sign-in", (context) => takeToken(context, options))
  app.post("/page/sign-out", (context) => {
    if (!isForged(context)) signOut(context)
    return context.redirect("/page/sign-in", 303)
  })
  app.get("/page", (context) => forReaders(context, options, () => showList(context, options)))
  app.get("/page/cases/:id", (context) => forReaders(context, options, () => showCase(context, options)))
}

/** Shows a page. A person who is not signed in, or no longer, signs in first. */
async function forReaders(context: Context, options: PageOptions, show: () => Promise<Response>): Promise<Response> {
  const session = await sessionOf(context, options)
  if (!session.ok) return signInWith(context, options, 401, session.reason)
  try {
    return await show()
  } catch (error) {
    if (!isPortError(error)) throw error
    options.log.warn("read-failed", { error })
    return say(context, options, 503, refusalWords.unread)
  }
}

/** Signs a browser in. Another site may not do this: people would then see what that site chose. */
async function takeToken(context: Context, options: PageOptions): Promise<Response> {
  if (isForged(context)) return say(context, options, 403, refusalWords.otherSite)
  if (!(Number(context.req.header("content-length")) <= longestForm))
    return signInWith(context, options, 422, refusalWords.longForm)
  const { token, to } = await context.req.parseBody()
  // Some people paste the whole header.
  const given = typeof token === "string" ? bearerIn(token.trim()) : ""
  const session = await judgeToken(given, options)
  if (!session.ok) return signInWith(context, options, 401, session.reason)
  signIn(context, given, session.claims, options.clock())
  return context.redirect(wayBack(to), 303)
}

/** Where to go after signing in: only to a page of ours. */
function wayBack(to: unknown): string {
  return typeof to === "string" && /^\/page\/cases\/[0-9a-f]{20}$/.test(to) ? to : "/page"
}

async function showList(context: Context, options: PageOptions): Promise<Response> {
  const asked = Object.fromEntries(Object.entries(context.req.query()).filter(([, value]) => value !== ""))
  const checked = checkQuery(casesQuery, asked)
  if (!checked.ok) {
    const problems = problemsIn(checked.reply.body)
    const body = listPage({ asked, rows: [], next: null, problems, stops: options.stops() })
    return page(context, 422, { ...frameOf(options), title: listWords.title, body })
  }
  const { cases, next } = await browse(options.reading, checked.value)
  const rows = cases.map((found) => ({
    told: tellCase(found, options.cardLink),
    subject: "kind" in found ? null : options.cardWords.subject(found),
  }))
  const body = listPage({ asked, rows, next, problems: [], stops: options.stops() })
  return page(context, 200, { ...frameOf(options), title: listWords.title, body })
}

function problemsIn(body: unknown): readonly string[] {
  const detail: unknown = typeof body === "object" && body !== null && "detail" in body ? body.detail : []
  const problems: readonly unknown[] = Array.isArray(detail) ? detail : []
  return problems.map((one) =>
    typeof one === "object" && one !== null && "loc" in one && "msg" in one ? problemWords(one.loc, one.msg) : "",
  )
}

async function showCase(context: Context, options: PageOptions): Promise<Response> {
  const { reading, cardLink, nameOf } = options
  const id = context.req.param("id") ?? ""
  const after = Number(/^\d{1,6}$/.exec(context.req.query("after") ?? "")?.[0] ?? 0)
  const found = await reading.case(id)
  if (found === null) return say(context, options, 404, refusalWords.noCase)
  const told = tellCase(found, cardLink)
  const [entries, receipt] = await Promise.all([
    reading.entriesOf(id, { after, limit: entriesShown }),
    told.decision === null ? null : receiptOf(options, id, told.decision.id),
  ])
  const next = entries.length === entriesShown ? after + entriesShown : null
  const ledger = { entries: entries.map(tellEntry), next }
  const names = await namesFor(told, ledger.entries, nameOf)
  const asked = askedIn(found, options)
  const body = casePage({ told, names, receipt, ...asked, ...ledger })
  return page(context, 200, { ...frameOf(options), title: titleOf(asked.headline), body })
}

function askedIn(found: Case | Tampered, { cardWords }: PageOptions) {
  const content = contentWords(found)
  if ("kind" in found) return { headline: null, calls: [], changed: [], content }
  const waits = found.outcome === null
  const headline = cardWords[waits ? "headline" : "subject"](found)
  return { headline, calls: cardWords.calls(found), changed: cardWords.changed(found), content }
}

function titleOf(headline: WordsLine | null): string {
  return headline === null ? listWords.title : plainly(headline.map(({ text }) => text).join(""))
}

function frameOf({ installation, clock }: PageOptions) {
  return { installation, signedIn: true, at: clock() }
}

function signInWith(context: Context, options: PageOptions, status: 200 | 401 | 422, problem: string) {
  const body = signInPage(problem, wayBack(new URL(context.req.url).pathname))
  return page(context, status, { ...frameOf(options), title: frameWords.signIn, signedIn: false, body })
}

function say(context: Context, options: PageOptions, status: 403 | 404 | 503, words: string) {
  const body: Html = shown(words)
  return page(context, status, { ...frameOf(options), title: "Countersign", signedIn: status !== 403, body })
}
