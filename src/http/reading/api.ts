// The read API: cases and ledger for programs. It accepts only tokens of its own audience.
import type { Context, Hono } from "hono"
import type { z } from "zod"
import type { ReceiptClaims } from "../../domain/case/receipt.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { isPortError, type Reading } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import type { AccessLog } from "../access-log.ts"
import { answer, checkQuery, type HttpReply, refuse } from "../reply.ts"
import { browse } from "./browse.ts"
import { createGate, type ReadGateOptions } from "./gate.ts"
import { readDocument } from "./openapi.ts"
import { casesQuery, entriesQuery, ledgerQuery, noQuery } from "./query.ts"
import { type CardLink, tellCase, tellEntry, tellStop } from "./telling.ts"

interface ReadApiOptions extends ReadGateOptions, HandlerOptions {
  readonly log: Log
  readonly access: AccessLog
  /** What the document says of `POST /stops`; undefined: nobody stops over HTTP. */
  readonly stopOperation?: object | undefined
}

/** Where the guarded routes are. Any other path below them is unknown; we tell this only to those who may ask. */
const guarded = ["/stops", "/stops/*", "/cases", "/cases/*", "/ledger", "/ledger/*", "/receipts", "/receipts/*"]

/** Serves the routes of `readScopes`, and `GET /openapi.json`, which says only how to ask. */
export function serveReading(app: Hono, options: ReadApiOptions): void {
  const gate = createGate(options)
  const handlers = createHandlers(options)
  const reply = async (context: Context): Promise<HttpReply> => {
    const passage = await gate(context)
    if (!passage.ok) return passage.reply
    const { route, ids } = passage.found
    const handle = handlers[route.handler]
    if (handle === undefined) return refuse(404, "Not Found")
    const told = await handle(ids[0] ?? "", queryOf(context))
    const { subject } = passage.claims
    if (told.status === 200) await options.access.note(context, { act: "read", by: "token", subject })
    return told
  }
  for (const path of guarded) {
    app.all(path, async (context) => send(context, await reply(context).catch((error) => failure(options.log, error))))
  }
  app.get("/openapi.json", (context) => context.json(readDocument(options.stopOperation)))
}

/** The fields of a query. If a field is given twice, the last value counts, as in the platform's own API. */
function queryOf(context: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(context.req.url).searchParams)
}

/** Answers a failure that may pass with 503. Any other is our mistake: the server itself answers that with 500. */
function failure(log: Log, error: unknown): HttpReply {
  if (!isPortError(error)) throw error
  log.warn("read-failed", { error })
  return refuse(503, "What is asked for cannot be read now")
}

function send(context: Context, { status, body, headers }: HttpReply): Response {
  const fixed = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" }
  return context.body(JSON.stringify(body), status, { ...fixed, ...headers })
}

/** Whether this installation signed a receipt for this decision, and what the receipt says. */
export type ReceiptVerdict =
  | { readonly ok: true; readonly kid: string; readonly claims: ReceiptClaims }
  | { readonly ok: false; readonly why: string }

/** What the handlers read from. */
export interface HandlerOptions {
  readonly reading: Reading
  readonly verifyReceipt: (receipt: string, decision: string) => Promise<ReceiptVerdict>
  readonly cardLink: CardLink
  /** The stops in force as this process last saw them, at most a second ago, the oldest first. */
  readonly stops: () => readonly Stop[]
}

/** Answers one request that passed the gate. `id` is the first `*` of its route. */
type Handler = (id: string, query: Readonly<Record<string, string>>) => Promise<HttpReply>

function createHandlers(options: HandlerOptions): Readonly<Record<string, Handler>> {
  const { reading, cardLink, stops } = options
  return {
    "GET /cases": asked(casesQuery, async (_id, query) => {
      const { cases, next, perhaps } = await browse(reading, query)
      return answer({ cases: cases.map((one) => tellCase(one, cardLink)), next, perhaps })
    }),
    "GET /cases/*": asked(noQuery, async (id) => {
      const found = await reading.case(id)
      return found === null ? noSuch("case") : answer(tellCase(found, cardLink))
    }),
    "GET /cases/*/entries": asked(entriesQuery, (id, query) => entriesOf(options, id, query)),
    "GET /ledger": asked(ledgerQuery, async (_id, query) => {
      const entries = await reading.ledger(query)
      const next = entries.length === query.limit ? (entries.at(-1)?.number ?? null) : null
      return answer({ entries: entries.map(tellEntry), next })
    }),
    "GET /receipts/*": asked(noQuery, (id) => answerReceipt(options, id)),
    "GET /stops": asked(noQuery, async () => answer({ stops: stops().map(tellStop) })),
  }
}

/** A handler whose query we check first. */
function asked<T>(schema: z.ZodType<T>, handle: (id: string, query: T) => Promise<HttpReply>): Handler {
  return async (id, query) => {
    const checked = checkQuery(schema, query)
    return checked.ok ? handle(id, checked.value) : checked.reply
  }
}

async function entriesOf({ reading }: HandlerOptions, id: string, { after, limit }: z.output<typeof entriesQuery>) {
  const entries = await reading.entriesOf(id, { after, limit })
  // Retention may have removed the case itself. Readers still get what its entries say.
  if (entries.length === 0 && (await reading.case(id)) === null) return noSuch("case")
  return answer({ entries: entries.map(tellEntry), next: entries.length === limit ? after + limit : null })
}

async function answerReceipt(options: HandlerOptions, id: string) {
  const receipt = await options.reading.receipt(id)
  if (receipt === null) return noSuch("receipt")
  const verdict = await options.verifyReceipt(receipt, id)
  const told = verdict.ok
    ? { verified: true, kid: verdict.kid, problem: null, claims: verdict.claims }
    : { verified: false, kid: null, problem: verdict.why, claims: null }
  return answer({ decision: id, receipt, ...told })
}

function noSuch(what: string): HttpReply {
  return refuse(404, `There is no ${what} of that id`)
}
