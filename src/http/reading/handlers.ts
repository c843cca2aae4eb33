// What each route of the read API answers.
import type { JsonObject } from "../../domain/content/json.ts"
import type { Reading } from "../../flow/ports.ts"
import { answer, checkQuery, type Reply, refuse } from "../reply.ts"
import { browse } from "./browse.ts"
import { casesQuery, entriesQuery, ledgerQuery, noQuery } from "./query.ts"
import { type CardLink, tellCase, tellEntry } from "./telling.ts"

/** Whether a receipt was signed by this installation for the decision that was asked for, and what it says. */
export type ReceiptVerdict =
  | { readonly ok: true; readonly kid: string; readonly claims: JsonObject }
  | { readonly ok: false; readonly why: string }

/** What the handlers read from. */
export interface HandlerOptions {
  readonly reading: Reading
  readonly verifyReceipt: (receipt: string, decision: string) => Promise<ReceiptVerdict>
  readonly cardLink: CardLink
}

/** Answers one request that the gate let pass; `id` is the first `*` of its route. */
export type Handler = (id: string, query: Readonly<Record<string, string>>) => Promise<Reply>

/** The handlers by the patterns of their routes. */
export function createHandlers(options: HandlerOptions): Readonly<Record<string, Handler>> {
  const { reading, cardLink } = options
  return {
    "GET /cases": async (_id, query) => {
      const asked = checkQuery(casesQuery, query)
      if (!asked.ok) return asked.reply
      const { cases, next } = await browse(reading, asked.value)
      return answer({ cases: cases.map((one) => tellCase(one, cardLink)), next })
    },
    "GET /cases/*": async (id, query) => {
      const asked = checkQuery(noQuery, query)
      if (!asked.ok) return asked.reply
      const found = await reading.case(id)
      return found === null ? noSuch("case") : answer(tellCase(found, cardLink))
    },
    "GET /cases/*/entries": (id, query) => entriesOf(options, id, query),
    "GET /ledger": async (_id, query) => {
      const asked = checkQuery(ledgerQuery, query)
      if (!asked.ok) return asked.reply
      const entries = await reading.ledger(asked.value)
      const next = entries.length === asked.value.limit ? (entries.at(-1)?.number ?? null) : null
      return answer({ entries: entries.map(tellEntry), next })
    },
    "GET /receipts/*": (id, query) => receiptOf(options, id, query),
  }
}

async function entriesOf({ reading }: HandlerOptions, id: string, query: Readonly<Record<string, string>>) {
  const asked = checkQuery(entriesQuery, query)
  if (!asked.ok) return asked.reply
  const { after, limit } = asked.value
  const entries = await reading.entriesOf(id, { after, limit })
  // Retention may have removed the case itself: what its entries say can still be read.
  if (entries.length === 0 && (await reading.case(id)) === null) return noSuch("case")
  return answer({ entries: entries.map(tellEntry), next: entries.length === limit ? after + limit : null })
}

async function receiptOf(options: HandlerOptions, id: string, query: Readonly<Record<string, string>>) {
  const asked = checkQuery(noQuery, query)
  if (!asked.ok) return asked.reply
  const receipt = await options.reading.receipt(id)
  if (receipt === null) return noSuch("receipt")
  const verdict = await options.verifyReceipt(receipt, id)
  const told = verdict.ok
    ? { verified: true, kid: verdict.kid, problem: null, claims: verdict.claims }
    : { verified: false, kid: null, problem: verdict.why, claims: null }
  return answer({ decision: id, receipt, ...told })
}

function noSuch(what: string): Reply {
  return refuse(404, `There is no ${what} of that id`)
}
