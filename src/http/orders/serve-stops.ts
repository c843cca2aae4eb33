// `POST /stops`: a program stops what agents do, such as one that sees an incident. Nobody ends a stop over HTTP.
import type { Context, Hono } from "hono"
import { createScopeSet } from "../../auth/scopes.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { isPortError, type StopDone, type UnderStop } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import { createCallerLook, insufficient, type ReadGateOptions } from "../reading/gate.ts"
import { contentOf } from "../reading/openapi.ts"
import { tellStop, tellUnder } from "../reading/telling.ts"
import { type HttpReply, refuse } from "../reply.ts"
import { stopFields, stopIn } from "./stop-query.ts"

/** The scope that a stop needs. No other implies it, not even the one that opens all that can be read. */
export const stopScope = "stops:write"

/** The longest body that a request may bring, in bytes. Nobody reads it: senders of alerts cannot leave it out. */
const longestBody = 65_536

/** How long an answer waits for the numbers, in ms. Whoever sends alerts may wait no longer, and the stop holds. */
const longestCountMs = 3_000

/** What the route needs. */
export interface StopRouteOptions extends ReadGateOptions {
  /** Makes the stop. From then on nothing that it covers is approved. */
  readonly stop: (wanted: Omit<Stop, "id">) => Promise<StopDone>
  /** Counts what is under a stop that holds. */
  readonly under: (stop: Stop) => Promise<UnderStop>
  /** How long the answer waits for that, in ms. Default 3,000. */
  readonly countMs?: number
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Log
}

/** `POST /stops` in the OpenAPI document. */
export const stopOperation = {
  operationId: "stop",
  summary: "Stops what agents do, at once",
  description:
    `Needs the scope ${stopScope} itself, and a sub in the token: a stop says who made it. Any body of at most 64 kB ` +
    "is taken, and not read. The answer counts what is under the stop, and names nothing of it, because this scope " +
    "reads no cases. Nobody ends a stop over HTTP.",
  parameters: Object.entries(stopFields).map(([name, description]) => {
    return { name, in: "query", required: name === "reason", description, schema: { type: "string" } }
  }),
  responses: {
    200: contentOf("It was stopped already", "StopAnswer"),
    201: contentOf("It is stopped", "StopAnswer"),
    401: contentOf("No token, or one that is not believed", "Refusal"),
    403: contentOf("The token lacks the scope or a sub, or the request comes from another machine", "Refusal"),
    409: contentOf("As many stops as there may be are in force", "Refusal"),
    413: contentOf("The body is too long", "Refusal"),
    422: contentOf("The query does not say what to stop and why", "ValidationError"),
    503: contentOf("Nobody knows whether it is stopped: send it again", "Refusal"),
  },
}

const elsewhere = "Only programs on this machine may stop here; http.stops.reachable: anywhere opens it"

/** Serves `POST /stops`. Call it before `serveReading`, which serves all other requests to that path. */
export function serveStops(app: Hono, options: StopRouteOptions): void {
  const callerOf = createCallerLook({ ...options, elsewhere })
  app.post("/stops", async (context) => {
    const caller = await callerOf(context)
    const reply = caller.ok ? await stopFor(context, options, caller.claims) : caller.reply
    const fixed = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
    return context.json(reply.body, reply.status, { ...fixed, ...reply.headers })
  })
}

/** Who may stop: the scope itself counts, and a stop says who made it. */
async function stopFor(
  context: Context,
  options: StopRouteOptions,
  { scopes, subject }: { readonly scopes: readonly string[]; readonly subject: string | null },
): Promise<HttpReply> {
  if (!createScopeSet(scopes, stopScope).covers(stopScope, null)) return insufficient([stopScope])
  if (subject === null) return refuse(403, "The token has no sub: a stop says who made it. Nothing is stopped")
  if (await isTooLong(context)) return refuse(413, "The body has more than 64 kB: leave it out. Nothing is stopped")
  const asked = stopIn(new URL(context.req.url).searchParams)
  if (!asked.ok) return asked.reply
  const { match, reason, forMs } = asked.stop
  const at = options.clock()
  const by = { kind: "caller", name: subject } as const
  try {
    const made = await options.stop({ match, reason, by, at, until: forMs === null ? null : at + forMs })
    return made.kind === "too-many" ? tooMany : answerOf(made, await countedUnder(options, made.stop))
  } catch (error) {
    if (!isPortError(error)) throw error
    options.log.warn("stop-failed", { error })
    return refuse(503, "Nobody knows whether it is stopped now: send it again until you hear that it is")
  }
}

const tooMany = refuse(
  409,
  "50 stops are in force already, and nothing more is stopped: end one by countersign stops end",
)

/** What is under the stop; null if that takes too long, or fails. The stop holds already. */
async function countedUnder(
  { under, countMs = longestCountMs, log }: StopRouteOptions,
  stop: Stop,
): Promise<UnderStop | null> {
  const tooLong = Promise.withResolvers<never>()
  const timer = setTimeout(() => tooLong.reject(new Error(`it took longer than ${countMs} ms`)), countMs)
  try {
    return await Promise.race([under(stop), tooLong.promise])
  } catch (error) {
    log.warn("stop-not-counted", { stop: stop.id, error })
    return null
  } finally {
    clearTimeout(timer)
  }
}

function answerOf({ kind, stop }: Exclude<StopDone, { kind: "too-many" }>, under: UnderStop | null): HttpReply {
  const again = kind === "again"
  const end = `In Slack, or in a shell by: countersign stops end ${stop.id}. Nobody ends it over HTTP.`
  const body = { stop: tellStop(stop), again, under: under === null ? null : tellUnder(under), goes_on: goesOn, end }
  return { status: again ? 200 : 201, body }
}

const goesOn = "Calls that need no approval, and runs that the platform continues by itself, go on."

/** True if a body is longer than it may be. If its length is not said beforehand, counts it, and keeps nothing. */
async function isTooLong({ req }: Context): Promise<boolean> {
  const said = req.header("content-length")
  if (said !== undefined) return !(Number(said) <= longestBody)
  let length = 0
  for await (const part of req.raw.body ?? []) {
    length += part.length
    if (length > longestBody) return true
  }
  return false
}
