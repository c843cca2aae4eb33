// GET /config, GET /models and GET /registry: what this instance is made of (specification 4.3).
import { z } from "zod"
import { modelView, ownModel } from "../components/component.ts"
import { databaseId, seen, toolView } from "../components/component-handlers.ts"
import type { Script } from "../components/script.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { described } from "../resources/described.ts"
import { knowledgeContent, knowledgeId } from "../resources/knowledge-content.ts"
import { queryInteger } from "../wire/fields.ts"
import { readQuery } from "../wire/read-request.ts"
import { answer, meta, type ServiceReply } from "../wire/reply.ts"
import { instanceId } from "./info-handlers.ts"

/** Kinds of things in the registry. */
const resourceTypes = ["agent", "team", "workflow", "tool", "model", "db"] as const

/** `GET /registry`. */
export const registryQuery = z.object({
  resource_type: z.enum(resourceTypes).optional(),
  name: z.string().optional(),
  page: queryInteger(1, 1),
  limit: queryInteger(20, 1, 100),
})

/** Handlers of the three routes. They name components to callers who may read them. */
export function configHandlers(parts: ServiceParts): Handlers {
  return {
    "GET /config": (request) => answer(configView(parts, request)),
    "GET /models": () => answer(modelsOf(parts.script)),
    "GET /registry": (request) => registry(parts, request),
  }
}

function configView({ script, settings }: ServiceParts, request: HandlerRequest): Record<string, unknown> {
  const domain = (table: string) => ({
    dbs: [{ db_id: databaseId, domain_config: { display_name: databaseId }, tables: [table] }],
  })
  const row = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name, db_id: databaseId })
  const kept = (name: string) => {
    const resource = described.find((one) => one.domain === name)
    return resource === undefined ? { dbs: [] } : domain(resource.table)
  }
  return {
    os_id: instanceId,
    available_models: modelsOf(script),
    os_database: databaseId,
    databases: [databaseId],
    session: domain("sessions"),
    metrics: kept("metrics"),
    memory: kept("memory"),
    learning: kept("learning"),
    filesystem: { namespaces: [] },
    knowledge: { ...kept("knowledge"), knowledge_instances: [knowledge] },
    evals: kept("evals"),
    traces: kept("traces"),
    queue: { durable: true, queue_per_session: false },
    agents: seen(request, "agents:read", script.agents).map((agent) => ({
      ...row(agent),
      model: modelView(agent.model),
    })),
    teams: seen(request, "teams:read", script.teams).map((team) => ({ ...row(team), model: ownModel })),
    workflows: seen(request, "workflows:read", script.workflows).map(row),
    interfaces: [{ type: "a2a", version: "0.3.0", route: settings.a2aPrefix }],
    company: null,
  }
}

/** The script's own model, and each that an agent thinks with. */
function modelsOf({ agents }: Pick<Script, "agents">): readonly ReturnType<typeof modelView>[] {
  const all = [ownModel, ...agents.map(({ model }) => modelView(model))]
  return [...new Map(all.map((model) => [model.id, model])).values()]
}

const knowledge = { id: knowledgeId, name: knowledgeId, db_id: databaseId, table: knowledgeContent.table }

function registry(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const checked = readQuery(registryQuery, request.context)
  if (!checked.ok) return checked.reply
  const { resource_type: type, name = "", page, limit } = checked.value
  const begun = parts.clock()
  const found = entries(parts, request).filter(
    (entry) => (type === undefined || entry.type === type) && entry.name.toLowerCase().includes(name.toLowerCase()),
  )
  const data = found.slice((page - 1) * limit, page * limit)
  return answer({ data, meta: meta(page, limit, found.length, parts.clock() - begun) })
}

interface Entry {
  readonly name: string
  readonly type: string
  readonly id: string
  readonly metadata: unknown
}

function entries({ script }: ServiceParts, request: HandlerRequest): readonly Entry[] {
  const agents = seen(request, "agents:read", script.agents)
  const teams = seen(request, "teams:read", script.teams)
  const component =
    (type: string) =>
    ({ id, name }: { readonly id: string; readonly name: string }): Entry => {
      return { name, type, id, metadata: { id } }
    }
  const tools = new Map(
    [...agents, ...teams].flatMap(({ tools: own }) => own.map((tool) => [tool.name, tool] as const)),
  )
  const all = [
    ...agents.map(component("agent")),
    ...teams.map(component("team")),
    ...seen(request, "workflows:read", script.workflows).map(component("workflow")),
    ...[...tools.values()].map((tool) => ({ name: tool.name, type: "tool", id: tool.name, metadata: toolView(tool) })),
    ...modelsOf({ agents }).map((model) => ({ name: model.id, type: "model", id: model.id, metadata: model })),
    { name: databaseId, type: "db", id: databaseId, metadata: { db_id: databaseId, type: "sqlite" } },
  ]
  return all.sort((left, right) => order(left.type, right.type) || order(left.name, right.name))
}

function order(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
