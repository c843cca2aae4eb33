// The A2A endpoints (specification 4.4) over the same components and runs as the other routes.
import type { AgentCard } from "@a2a-js/sdk"
import { type Component, componentsOf, familyOf } from "../components/component.ts"
import { withComponent } from "../components/guard-component.ts"
import type { ComponentKind } from "../engine/run.ts"
import type { Answered, Answering, Handler, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { readBody } from "../wire/read-request.ts"
import { answer } from "../wire/reply.ts"
import { dispatch } from "./a2a-dispatch.ts"
import { cancelTask, getTask, sendMessage } from "./a2a-methods.ts"
import { type A2aMethod, readA2a } from "./a2a-request.ts"

const kinds: readonly ComponentKind[] = ["agent", "team", "workflow"]

/** Handlers of all A2A routes, under the default prefix whatever prefix is served. */
export function a2aHandlers(parts: ServiceParts): Handlers {
  return {
    ...Object.fromEntries(kinds.flatMap((kind) => Object.entries(componentRoutes(parts, kind)))),
    "POST /a2a/message/send": (request) => dispatched(parts, request, "message/send"),
    "POST /a2a/message/stream": (request) => dispatched(parts, request, "message/stream"),
  }
}

function componentRoutes(parts: ServiceParts, kind: ComponentKind): Handlers {
  const path = `/a2a/${familyOf(kind)}/*`
  const posted =
    (method: A2aMethod): Handler =>
    async (request) => {
      const body = await readBody(request.context, parts.settings)
      if (!body.ok) return body.reply
      const [id = ""] = request.ids
      return carryOut(parts, request, { kind, id, text: new TextDecoder().decode(body.value) }, method)
    }
  const tasks = {
    [`POST ${path}/v1/tasks:get`]: posted("tasks/get"),
    [`POST ${path}/v1/tasks:cancel`]: posted("tasks/cancel"),
  }
  return {
    [`GET ${path}/.well-known/agent-card.json`]: (request) => card(parts, request, kind),
    [`POST ${path}/v1/message:send`]: posted("message/send"),
    [`POST ${path}/v1/message:stream`]: posted("message/stream"),
    ...(kind === "workflow" ? {} : tasks),
  }
}

function card(parts: ServiceParts, request: HandlerRequest, kind: ComponentKind): Answering {
  const { origin } = new URL(request.context.req.url)
  return withComponent(parts, request, { kind, actions: ["read"] }, (component) =>
    answer(agentCard(component, origin, parts.settings.a2aPrefix)),
  )
}

function dispatched(parts: ServiceParts, request: HandlerRequest, method: A2aMethod): Promise<Answered> {
  return dispatch(request, {
    maxBodyBytes: parts.settings.maxBodyBytes,
    familyOf: (id) => {
      const kind = kinds.find((candidate) => componentsOf(parts.script, candidate).some((one) => one.id === id))
      return kind === undefined ? null : familyOf(kind)
    },
    serve: ({ family, id, text }) => {
      const kind = kinds.find((candidate) => familyOf(candidate) === family) ?? "agent"
      return carryOut(parts, request, { kind, id, text }, method)
    },
  })
}

interface Posted {
  readonly kind: ComponentKind
  readonly id: string
  readonly text: string
}

/** Carries out an envelope. JSON-RPC clients send all methods to one address: each has its own scope checked. */
function carryOut(parts: ServiceParts, request: HandlerRequest, posted: Posted, pathMethod: A2aMethod): Answering {
  const { kind, id, text } = posted
  const read = readA2a(text, pathMethod)
  if (!read.ok) return read.reply
  const asked = read.value
  const actions = [asked.method === "tasks/get" ? "read" : "run"]
  return withComponent(parts, { ...request, ids: [id] }, { kind, actions }, (component) => {
    const call = { parts, request, component }
    switch (asked.method) {
      case "message/send":
      case "message/stream":
        return sendMessage(call, asked)
      case "tasks/get":
        return getTask(call, asked)
      case "tasks/cancel":
        return cancelTask(call, asked)
    }
  })
}

/** The card of a component. `base` is this service's address, `prefix` where its A2A routes stand. */
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
