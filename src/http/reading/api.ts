// The read API: cases and ledger for programs, guarded by tokens of an audience of their own.
import type { Context, Hono } from "hono"
import { isPortError } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import { type Reply, refuse } from "../reply.ts"
import { createGate, type GateOptions } from "./gate.ts"
import { createHandlers, type HandlerOptions } from "./handlers.ts"
import { readDocument } from "./openapi.ts"

/** What the read API is made of. */
export interface ReadApiOptions extends GateOptions, HandlerOptions {
  readonly log: Log
}

/** Where the guarded routes lie; what else is below them is unknown, and says so only to whoever may ask. */
const guarded = ["/cases", "/cases/*", "/ledger", "/ledger/*", "/receipts", "/receipts/*"]

/** Serves the routes of `readScopes`, and `GET /openapi.json`, which tells how to ask and nothing else. */
export function serveReading(app: Hono, options: ReadApiOptions): void {
  const gate = createGate(options)
  const handlers = createHandlers(options)
  const reply = async (context: Context): Promise<Reply> => {
    const passage = await gate(context)
    if (!passage.ok) return passage.reply
    const { route, ids } = passage.found
    const handle = handlers[route.handler]
    return handle === undefined ? refuse(404, "Not Found") : handle(ids[0] ?? "", queryOf(context))
  }
  for (const path of guarded) {
    app.all(path, async (context) => send(context, await reply(context).catch((error) => failure(options.log, error))))
  }
  app.get("/openapi.json", (context) => context.json(readDocument()))
}

/** A field that was given twice counts as its last value, as in the platform's own API. */
function queryOf(context: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(context.req.url).searchParams)
}

/** What may pass is 503; what will not is a mistake of ours, and told by the server's own 500. */
function failure(log: Log, error: unknown): Reply {
  if (!isPortError(error)) throw error
  log.warn("read-failed", { error })
  return refuse(503, "What is asked for cannot be read now")
}

function send(context: Context, { status, body, headers }: Reply): Response {
  const fixed = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" }
  return context.body(JSON.stringify(body), status, { ...fixed, ...headers })
}
