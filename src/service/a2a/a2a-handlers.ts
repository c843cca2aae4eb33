// The A2A endpoints (specification 4.4) over the same components and runs as the other routes.
import type { AgentCard } from "@a2a-js/sdk"
import { z } from "zod"
import { type Component, componentsOf, familyOf, withArticle } from "../components/component.ts"
import { componentIn } from "../components/guard-component.ts"
import { type ComponentKind, componentKinds } from "../engine/run.ts"
import type { Answering, HandlerRequest, ServiceParts } from "../handler.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { namedLooseObject } from "../wire/named-model.ts"
import { rawBody } from "../wire/read-request.ts"
import { answer } from "../wire/reply.ts"
import { dispatch, type RawRequest } from "./a2a-dispatch.ts"
import { cancelTask, getTask, sendMessage } from "./a2a-methods.ts"
import { type A2aMethod, a2aRequest, readA2a } from "./a2a-request.ts"

const a2aResponse = namedLooseObject("A2aResponse", {
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]),
})
const a2aRefusal = namedLooseObject("A2aRefusal", {
  detail: z.string(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
})
const cardModel = namedLooseObject("AgentCard", {
  protocolVersion: z.string(),
  name: z.string(),
  url: z.string(),
  version: z.string(),
})

const route = routesOf("A2A")

/** What the routes share. The method in the envelope decides the answer: clients send all methods to one address. */
const spoken = {
  body: rawBody(a2aRequest),
  reply: a2aResponse,
  media: "text/event-stream",
  accepted: a2aResponse,
  refused: a2aRefusal,
} as const

/** All A2A routes, with the default prefix, whatever prefix is served. */
export const spokenRoutes: readonly ServiceRoute[] = [
  ...componentKinds.flatMap(spokenRoutesOf),
  route("POST /a2a/message/send", "agents:run", {
    ...spoken,
    id: "run_message_dispatch",
    summary: "Dynamic dispatch (deprecated)",
    refusals: [400, 404, 409],
    handler: (parts, request) => dispatched(parts, request, "message/send"),
  }),
  route("POST /a2a/message/stream", "agents:run", {
    ...spoken,
    id: "stream_message_dispatch",
    summary: "Dynamic dispatch, streaming (deprecated)",
    refusals: [400, 404, 409],
    handler: (parts, request) => dispatched(parts, request, "message/stream"),
  }),
]

function spokenRoutesOf(kind: ComponentKind): readonly ServiceRoute[] {
  const family = familyOf(kind)
  const a = withArticle(kind)
  const [read, run] = [`${family}:read`, `${family}:run`]
  const posted = (way: string, scope: string, method: A2aMethod, told: Pick<ServiceRoute, "id" | "summary">) =>
    route(`POST /a2a/${family}/*/v1/${way}`, scope, {
      ...spoken,
      ...told,
      refusals: [409],
      handler: (parts, request) => {
        const [id = ""] = request.ids
        return carryOutEnvelope(parts, request, { kind, id, text: new TextDecoder().decode(request.body) }, method)
      },
    })
  const tasks = [
    posted("tasks:get", read, "tasks/get", { id: `get_${kind}_task`, summary: `Get ${a}'s task` }),
    posted("tasks:cancel", run, "tasks/cancel", { id: `cancel_${kind}_task`, summary: `Cancel ${a}'s task` }),
  ]
  const sent = { id: `run_message_${kind}`, summary: `Send a message to ${a}` }
  const streamed = { id: `stream_message_${kind}`, summary: `Stream a message to ${a}` }
  return [
    route(`GET /a2a/${family}/*/.well-known/agent-card.json`, read, {
      id: `get_${kind}_card`,
      summary: `Fetch ${a}'s card`,
      forAnybody: true,
      reply: cardModel,
      before: (parts, request) => componentIn(parts, request, { kind, actions: ["read"] }),
      handler: ({ settings }, { found, context }) =>
        answer(agentCard(found, new URL(context.req.url).origin, settings.a2aPrefix)),
    }),
    posted("message:send", run, "message/send", sent),
    posted("message:stream", run, "message/stream", streamed),
    ...(kind === "workflow" ? [] : tasks),
  ]
}

function dispatched(parts: ServiceParts, request: RawRequest, method: A2aMethod): Answering {
  return dispatch(request, {
    familyOf: (id) => {
      const kind = componentKinds.find((candidate) =>
        componentsOf(parts.script, candidate).some((one) => one.id === id),
      )
      return kind === undefined ? null : familyOf(kind)
    },
    serve: ({ family, id, text }) => {
      const kind = componentKinds.find((candidate) => familyOf(candidate) === family) ?? "agent"
      return carryOutEnvelope(parts, request, { kind, id, text }, method)
    },
  })
}

interface Posted {
  readonly kind: ComponentKind
  readonly id: string
  readonly text: string
}

/** Carries out an envelope. Clients send all methods to one address, so we check the scope of the envelope's method. */
function carryOutEnvelope(
  parts: ServiceParts,
  request: HandlerRequest,
  posted: Posted,
  pathMethod: A2aMethod,
): Answering {
  const { kind, id, text } = posted
  const read = readA2a(text, pathMethod)
  if (!read.ok) return read.reply
  const asked = read.value
  const actions = [asked.method === "tasks/get" ? "read" : "run"]
  const found = componentIn(parts, { ...request, ids: [id] }, { kind, actions })
  if (!found.ok) return found.reply
  const call = { parts, request, component: found.value }
  switch (asked.method) {
    case "message/send":
    case "message/stream":
      return sendMessage(call, asked)
    case "tasks/get":
      return getTask(call, asked)
    case "tasks/cancel":
      return cancelTask(call, asked)
  }
}

/** The card of a component. `base` is this service's address; its A2A routes stand under `prefix`. */
function agentCard(component: Component, base: string, prefix: string): AgentCard {
  const { id, name } = component
  const description = component.description ?? ""
  return {
    protocolVersion: "0.3.0",
    name,
    description,
    version: "1.0.0",
    url: `${base}${prefix}/${familyOf(component.kind)}/${encodeURIComponent(id)}/v1/message:stream`,
    preferredTransport: "JSONRPC",
    defaultInputModes: ["text"],
    defaultOutputModes: ["text"],
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    skills: [{ id, name, description, tags: [component.kind], outputModes: ["application/json"] }],
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    security: [{ bearer: [] }],
  }
}
