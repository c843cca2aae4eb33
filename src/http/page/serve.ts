// The page: cases and their proof, for people. We render it here, without a script.
import type { Context, Hono } from "hono"
import type { Case } from "../../domain/case/case.ts"
import type { Tampered } from "../../flow/ports.ts"
import type { AccessLog } from "../access-log.ts"
import type { CardWords, WordsLine } from "../card-words.ts"
import type { Reachable } from "../local.ts"
import type { HandlerOptions } from "../reading/api.ts"
import { browse } from "../reading/browse.ts"
import { casesQuery } from "../reading/query.ts"
import { tellCase, tellEntry } from "../reading/telling.ts"
import { checkQuery } from "../reply.ts"
import { casePage } from "./case-page.ts"
import { type Download, download, mayDownload } from "./downloads.ts"
import { page, pageHeaders } from "./layout.ts"
import { listPage } from "./list-page.ts"
import { type NameOf, namesFor } from "./names.ts"
import { receiptOf } from "./receipt.ts"
import { askToSignIn, type FrameOptions, mayReach, orUnread, type PageSessions, readerOf, say } from "./session.ts"
import { plainly } from "./shown.ts"
import { icon, style } from "./style.ts"
import { wayBack } from "./way-back.ts"
import { contentWords, listWords, problemWords, refusalWords } from "./words.ts"

/** What the page needs. */
export interface PageOptions extends FrameOptions, HandlerOptions {
  readonly sessions: PageSessions
  readonly reachable: Reachable
  readonly access: AccessLog
  readonly cardWords: CardWords
  readonly nameOf: NameOf
  /** The hold that covers a case (R15), in words; null if none does. */
  readonly holdOf: (found: Case) => string | null
}

/** How many entries of a case one page shows. */
const entriesShown = 200

/** Serves everything below `/page`. */
export function servePage(app: Hono, options: PageOptions): void {
  app.get("/page/style.css", (context) => context.body(style, 200, { ...pageHeaders, "content-type": "text/css" }))
  app.get("/page/icon.svg", (context) => context.body(icon, 200, { ...pageHeaders, "content-type": "image/svg+xml" }))
  app.use("/page/*", async (context, next) => {
    if (mayReach(context, options.reachable)) return next()
    return say(context, options, 403, refusalWords.otherMachine)
  })
  options.sessions.serve(app)
  app.get("/page", (context) => forReaders(context, options, (scopes) => showList(context, options, scopes)))
  for (const what of ["cases", "ledger"] as const)
    app.get(`/page/${what}.csv`, (context) =>
      forReaders(context, options, (scopes) => giveDownload(context, options, { what, scopes })),
    )
  app.get("/page/cases/:id", (context) => forReaders(context, options, () => showCase(context, options)))
}

/** Shows a page, and notes who read it. A person who is not signed in, or no longer, signs in first. */
async function forReaders(
  context: Context,
  options: PageOptions,
  show: (scopes: readonly string[]) => Promise<Response>,
): Promise<Response> {
  const session = await options.sessions.of(context)
  if (!session.ok) return askToSignIn(context, options.sessions, { ...options, status: 401, problem: session.reason })
  return orUnread(context, options, async () => {
    const answer = await show(session.claims.scopes)
    if (answer.ok) await options.access.note(context, readerOf(session, "read"))
    return answer
  })
}

/** The list's query string without empty fields, and what it asks for. */
function queryIn(context: Context) {
  const asked = Object.fromEntries(Object.entries(context.req.query()).filter(([, value]) => value !== ""))
  return { asked, checked: checkQuery(casesQuery, asked) }
}

async function showList(context: Context, options: PageOptions, scopes: readonly string[]): Promise<Response> {
  const { asked, checked } = queryIn(context)
  if (!checked.ok) return showProblems(context, options, { asked, body: checked.reply.body })
  const { cases, ...place } = await browse(options.reading, checked.value)
  const rows = cases.map((found) => ({
    told: tellCase(found, options.cardLink),
    subject: "kind" in found ? null : options.cardWords.subject(found),
  }))
  const downloads = (["cases", "ledger"] as const).filter((what) => mayDownload(what, scopes))
  const body = listPage({ asked, rows, ...place, downloads, problems: [], stops: options.stops() })
  return page(context, 200, { ...frameOf(options), title: listWords.title, body })
}

/** Shows the list without rows, and what is wrong with its query. */
function showProblems(
  context: Context,
  options: PageOptions,
  { asked, body: refusal }: { readonly asked: Readonly<Record<string, string>>; readonly body: unknown },
): Promise<Response> {
  const none = { rows: [], next: null, perhaps: 0, lookedTo: null, downloads: [] }
  const body = listPage({ asked, ...none, problems: problemsIn(refusal), stops: options.stops() })
  return page(context, 422, { ...frameOf(options), title: listWords.title, body })
}

/** Gives what the list shows as a download: all of it, not one page. */
async function giveDownload(
  context: Context,
  options: PageOptions,
  { what, scopes }: { readonly what: Download; readonly scopes: readonly string[] },
): Promise<Response> {
  if (!mayDownload(what, scopes)) return say(context, options, 403, refusalWords.noLedgerScope)
  const { asked, checked } = queryIn(context)
  if (!checked.ok) return showProblems(context, options, { asked, body: checked.reply.body })
  const { cursor: _place, ...query } = checked.value
  return download(context, options, { what, query, asked })
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
  const body = casePage({
    told,
    names,
    receipt,
    ...asked,
    ...ledger,
    list: wayBack(`/page?${context.req.query("list") ?? ""}`),
  })
  return page(context, 200, { ...frameOf(options), title: titleOf(asked.headline), body })
}

function askedIn(found: Case | Tampered, { cardWords, holdOf }: PageOptions) {
  const content = contentWords(found, "kind" in found ? null : holdOf(found))
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
