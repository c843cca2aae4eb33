// The service as a Hono app: gate first, then the handler of the very route that the gate judged.
import { type Context, Hono } from "hono"
import { approvalHandlers } from "./approval-handlers.ts"
import { createApprovalHandlers } from "./create-approval-handler.ts"
import { ServiceError } from "./errors.ts"
import type { Gate } from "./gate.ts"
import type { Handlers } from "./handler.ts"
import { instanceHandlers } from "./instance-handlers.ts"
import type { Parts } from "./parts.ts"
import { type Reply, refuse } from "./reply.ts"
import { runHandlers } from "./run-handlers.ts"
import { serviceAccountHandlers } from "./service-account-handlers.ts"

/** What the app needs. */
export type AppOptions = {
  readonly parts: Parts
  readonly gate: Gate
  /** Keys of the route table; each must have a handler. */
  readonly patterns: readonly string[]
  /** Told of every failure that became a 500. */
  readonly onFailure: (error: unknown, request: string) => void
}

/** Makes the app. Hono's own router is not used to choose: two routers could disagree. Throws if a route has no handler. */
export function createApp({ parts, gate, patterns, onFailure }: AppOptions): Hono {
  const handlers = allHandlers(parts)
  const unserved = patterns.find((pattern) => handlers[pattern] === undefined)
  if (unserved !== undefined) throw new ServiceError("route_unserved", `route ${unserved} has no handler`)
  const app = new Hono()
  app.all("*", async (context) => send(await respond(context, gate, handlers)))
  app.onError((error, context) => {
    onFailure(error, `${context.req.method} ${context.req.path}`)
    return send(refuse(500, "Internal server error"))
  })
  return app
}

function allHandlers(parts: Parts): Handlers {
  return {
    ...instanceHandlers(parts),
    ...approvalHandlers(parts),
    ...createApprovalHandlers(parts),
    ...runHandlers(parts),
    ...serviceAccountHandlers(parts),
  }
}

async function respond(context: Context, gate: Gate, handlers: Handlers): Promise<Reply> {
  const { pathname } = new URL(context.req.url)
  const passage = await gate(context.req.method, pathname, context.req.header("authorization"))
  if (!passage.ok) return passage.reply
  const handler = handlers[passage.pattern]
  if (handler === undefined) throw new ServiceError("route_unserved", `route ${passage.pattern} has no handler`)
  return handler({ context, ids: passage.ids, standing: passage.standing })
}

function send(reply: Reply): Response {
  const type = reply.text === null ? {} : { "content-type": "application/json" }
  return new Response(reply.text, { status: reply.status, headers: { ...type, ...reply.headers } })
}
