// What a route's handler is.
import type { Context } from "hono"
import type { Standing } from "./parts.ts"
import type { Reply } from "./wire/reply.ts"

/**
 * A request that the gate let through. `ids` are the segments that stood for `*`, decoded, in order; `standing` is who asks; `forward`
 * sends the request on to the upstream (with `body`, if the handler has read it already) and is null where there is none.
 */
export type HandlerRequest = {
  readonly context: Context
  readonly ids: readonly string[]
  readonly standing: Standing
  readonly forward: ((body?: Uint8Array<ArrayBuffer>) => Promise<Answered>) | null
}

/** What a handler answers: a reply, or for a stream a `Response` of its own. */
export type Answered = Reply | Response

/** Answers one request. What it throws becomes a 500 and is reported. */
export type Handler = (request: HandlerRequest) => Answered | Promise<Answered>

/**
 * Handlers by the key of their row in the route table. A2A handlers stand under the default prefix, `/a2a`, whatever prefix is served.
 * A row without a handler goes to the upstream, or is 501; a handler without a row fails the start.
 */
export type Handlers = Readonly<Record<string, Handler>>
