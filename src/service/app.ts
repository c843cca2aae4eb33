// The service as a Hono app: first the gate, then the handler of the route that the gate judged, or the upstream.
// Handlers have the keys of the route table (A2A always under /a2a, whatever the prefix).
import type { HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { namesSeveralHosts } from "../listen.ts"
import { type RawRequest, sendOn } from "./a2a/a2a-dispatch.ts"
import { serviceRoutes } from "./all-routes.ts"
import { messageOf } from "./errors.ts"
import { type ArrivalContext, arrivalOf } from "./gate/authenticate.ts"
import type { CrossOrigin } from "./gate/cross-origin.ts"
import type { Gate } from "./gate/gate.ts"
import type { Answered, Answering, Handler, HandlerRequest, Handlers, ServiceParts } from "./handler.ts"
import type { CheckedRequest, ServiceRoute } from "./route.ts"
import type { Upstream } from "./upstream/upstream.ts"
import { readQuery } from "./wire/read-request.ts"
import { refuse, type ServiceReply } from "./wire/reply.ts"

/** What the app needs. */
interface AppOptions {
  readonly gate: Gate
  readonly crossOrigin: CrossOrigin
  readonly handlers: Handlers
  /** Gets the requests of all routes without a handler. Null: they are answered with 501. */
  readonly upstream: Upstream | null
  /** Called with every failure that became a 500. */
  readonly onFailure: (error: unknown, request: string) => void
  /** Called with a line for events that are no failure of this service. */
  readonly onDebug?: ((line: string) => void) | undefined
}

type App = Hono<{ Bindings: Partial<HttpBindings> }>

/** Makes the app. Hono's own router does not choose the route: it could disagree with the gate's. */
export function createApp(options: AppOptions): App {
  const app: App = new Hono()
  app.all("*", async (context) => {
    const origin = context.req.header("origin")
    const { method } = context.req
    const wanted = context.req.header("access-control-request-method")
    const preflight = options.crossOrigin.preflight({ method, origin, wanted })
    if (preflight !== null) return new Response(null, { status: 204, headers: preflight })
    const answered = await respond(context, options)
    const headers = options.crossOrigin.headersFor(origin)
    return answered instanceof Response ? withHeaders(answered, headers) : send(answered, headers)
  })
  app.onError((error, context) => {
    const request = `${context.req.method} ${context.req.path}`
    const { incoming } = context.env
    if (incoming?.destroyed === true && !incoming.complete) {
      options.onDebug?.(`${request}: the client went away before its body had come`)
      return new Response(null, { status: 400 })
    }
    options.onFailure(error, request)
    return send(refuse(500, "Internal server error"), options.crossOrigin.headersFor(context.req.header("origin")))
  })
  return app
}

async function respond(context: ArrivalContext, options: AppOptions): Promise<Answered> {
  const { gate, handlers, upstream, onFailure, onDebug } = options
  if (context.env.incoming !== undefined && namesSeveralHosts(context.env.incoming))
    return refuse(400, "The request names more than one host")
  const passage = await gate(arrivalOf(context))
  if (!passage.ok) return passage.reply
  const { found, standing } = passage
  const onBroken = (error: unknown): void => {
    if (context.req.raw.signal.aborted) return
    onFailure(error, `passing on the answer to ${context.req.method} ${context.req.path}`)
    context.env.outgoing?.destroy()
  }
  const onUnreached = (error: unknown): void =>
    onDebug?.(`${context.req.method} ${context.req.path}: the upstream gave no answer (${codeOrMessage(error)})`)
  const calls = { onBroken, onUnreached }
  const forward: HandlerRequest["forward"] =
    upstream === null ? null : (body) => upstream.send({ request: context.req.raw, ...calls, found, standing, body })
  const handler = handlers[found.route.handler]
  if (handler !== undefined) return handler({ context, ids: found.ids, standing, forward })
  return forward === null ? unserved(found.route.pattern) : forward()
}

/** A failed connection in a few words. An error of several tries (IPv6, IPv4) has a code and no message. */
function codeOrMessage(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error)
}

function unserved(pattern: string): ServiceReply {
  return refuse(
    501,
    `${pattern} is not served by this instance. Set upstream (SERVICE_UPSTREAM) to pass it on to one that does.`,
  )
}

function send(reply: ServiceReply, headers: Readonly<Record<string, string>>): Response {
  const type = reply.text === null ? {} : { "content-type": "application/json" }
  return new Response(reply.text, { status: reply.status, headers: { ...type, ...reply.headers, ...headers } })
}

/** Adds headers to an answer of the upstream: those for pages, which our own answers have, too. */
function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** The routes that we serve even if all others go to the upstream: the public ones, and service accounts. */
const kept = /^(?:GET \/(?:health|docs|openapi\.json)$|\w+ \/service-accounts)/

/** The handlers of a service; `forwards` says which routes its upstream gets. */
export function serviceHandlers(parts: ServiceParts, forwards: "unserved" | "all"): Handlers {
  const served = forwards === "unserved" ? serviceRoutes : serviceRoutes.flatMap(servedBeside)
  return Object.fromEntries(served.map((route) => [route.pattern, handlerOf(parts, route)]))
}

/** What we still serve of a route if the upstream gets all routes. We check A2A requests even then. */
function servedBeside(route: ServiceRoute): readonly ServiceRoute[] {
  if (kept.test(route.pattern)) return [route]
  if (!route.pattern.startsWith("POST /a2a/")) return []
  return [{ ...route, handler: (_parts, request: RawRequest) => sendOn(route.pattern, request) }]
}

/** The handler of a route. Under user isolation it first asks the route's guard. */
function handlerOf(parts: ServiceParts, route: ServiceRoute): Handler {
  const { guard } = route
  if (guard === undefined || !parts.settings.userIsolation) return (request) => answered(parts, route, request)
  return (request) => {
    const { owner } = request.standing
    return (owner === null ? null : guard(parts, owner, request.ids)) ?? answered(parts, route, request)
  }
}

function answered(parts: ServiceParts, route: ServiceRoute, request: HandlerRequest): Answering {
  const found = route.before?.(parts, request)
  if (found?.ok === false) return found.reply
  const query = route.query === undefined ? undefined : readQuery(route.query, request.context)
  if (query?.ok === false) return query.reply
  const asked: CheckedRequest = { ...request, query: query?.value, body: undefined, found: found?.value }
  const { body } = route
  if (body === undefined) return route.handler(parts, asked)
  return body
    .read(request.context, parts.settings)
    .then((read) => (read.ok ? route.handler(parts, { ...asked, body: read.value }) : read.reply))
}
