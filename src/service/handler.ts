// What a route's handler is.
import type { Context } from "hono"
import type { Standing } from "./parts.ts"
import type { Reply } from "./reply.ts"

/** A request that the gate let through: the segments that stood for `*`, decoded, in order, and who asks. */
export type HandlerRequest = {
  readonly context: Context
  readonly ids: readonly string[]
  readonly standing: Standing
}

/** Answers one request. What it throws becomes a 500 and is reported. */
type Handler = (request: HandlerRequest) => Reply | Promise<Reply>

/** Handlers by the key of their row in the route table. */
export type Handlers = Readonly<Record<string, Handler>>
