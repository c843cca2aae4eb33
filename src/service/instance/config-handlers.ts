// The components of this instance, and the migrations of its database (specification 4.3).
import { z } from "zod"
import { modelView, ownModel } from "../components/component.ts"
import { databaseId, seen, toolView } from "../components/component-handlers.ts"
import type { Script } from "../components/script.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { evalRuns } from "../resources/eval-runs.ts"
import { knowledgeContent, knowledgeId } from "../resources/knowledge-content.ts"
import { learnings } from "../resources/learnings.ts"
import { memories } from "../resources/memories.ts"
import { metrics } from "../resources/metrics.ts"
import { traces } from "../resources/traces.ts"
import { routesOf, type ServiceRoute, type WithQuery } from "../route.ts"
import { migrate } from "../storage/database.ts"
import { queryInteger } from "../wire/fields.ts"
import { named, namedLooseObject, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { answer, meta, refuse, type ServiceReply } from "../wire/reply.ts"
import { instanceId } from "./info-handlers.ts"

/** Kinds of entries in the registry. */
const resourceTypes = ["agent", "team", "workflow", "tool", "model", "db"] as const

const registryQuery = z.object({
  resource_type: z.enum(resourceTypes).optional(),
  name: z.string().optional(),
  page: queryInteger(1, 1),
  limit: queryInteger(20, 1, 100),
})

/** `target_version` is the version to migrate to. A database cannot go back to an older version. */
const migrateQuery = z.object({ target_version: z.string().optional() })
const migratedModel = namedObject("Migrated", {
  message: z.string(),
  from_version: z.int(),
  to_version: z.int(),
  steps: z.int(),
})
const migrating = { query: migrateQuery, reply: migratedModel, refusals: [400] } as const

const shared = { forAnybody: true } as const
const configRoute = routesOf("Config", shared)
const databaseRoute = routesOf("Database", shared)

/** The routes that list components to callers who may read them, and both migrations. */
export const configRoutes: readonly ServiceRoute[] = [
  configRoute("GET /config", "config:read", {
    id: "get_config",
    summary: "Read the configuration",
    reply: namedLooseObject("Config", { os_id: z.string(), databases: z.array(z.string()) }),
    handler: (parts, request) => answer(configView(parts, request)),
  }),
  configRoute("GET /models", "config:read", {
    id: "get_models",
    summary: "List available models",
    reply: named("ModelList", z.array(z.object({ id: z.string(), provider: z.string() }))),
    handler: ({ script }) => answer(availableModels(script)),
  }),
  routesOf("Registry", shared)("GET /registry", "registry:read", {
    id: "list_registry",
    summary: "View the code-defined registry",
    query: registryQuery,
    reply: named("RegistryList", pageOf(z.looseObject({ name: z.string(), type: z.string(), id: z.string() }))),
    handler: registry,
  }),
  databaseRoute("POST /databases/all/migrate", "config:write", {
    ...migrating,
    id: "migrate_all_databases",
    summary: "Run migrations on all databases",
    handler: (parts, asked) => migrated(parts, asked.query, "All databases"),
  }),
  databaseRoute("POST /databases/*/migrate", "config:write", {
    ...migrating,
    id: "migrate_database",
    summary: "Run migrations on one database",
    handler: (parts, { ids: [id = ""], query: asked }) =>
      id === databaseId ? migrated(parts, asked, "Database") : refuse(404, `No database found with id '${id}'`),
  }),
]

function configView({ script, settings }: ServiceParts, request: HandlerRequest): Record<string, unknown> {
  const kept = ({ table }: { readonly table: string }) => ({
    dbs: [{ db_id: databaseId, domain_config: { display_name: databaseId }, tables: [table] }],
  })
  const row = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name, db_id: databaseId })
  return {
    os_id: instanceId,
    available_models: availableModels(script),
    os_database: databaseId,
    databases: [databaseId],
    session: kept({ table: "sessions" }),
    metrics: kept(metrics),
    memory: kept(memories),
    learning: kept(learnings),
    filesystem: { namespaces: [] },
    knowledge: { ...kept(knowledgeContent), knowledge_instances: [knowledge] },
    evals: kept(evalRuns),
    traces: kept(traces),
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

/** The model of scripts, and each model of an agent. */
function availableModels({ agents }: Pick<Script, "agents">): readonly ReturnType<typeof modelView>[] {
  const all = [ownModel, ...agents.map(({ model }) => modelView(model))]
  return [...new Map(all.map((model) => [model.id, model])).values()]
}

const knowledge = { id: knowledgeId, name: knowledgeId, db_id: databaseId, table: knowledgeContent.table }

function registry(parts: ServiceParts, request: WithQuery<typeof registryQuery>): ServiceReply {
  const { resource_type: type, name = "", page, limit } = request.query
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
    ...availableModels({ agents }).map((model) => ({ name: model.id, type: "model", id: model.id, metadata: model })),
    { name: databaseId, type: "db", id: databaseId, metadata: { db_id: databaseId, type: "sqlite" } },
  ]
  return all.sort((left, right) => order(left.type, right.type) || order(left.name, right.name))
}

function order(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

/** Runs the steps that are due. There are none, because a start runs all of them; the answer says so. */
function migrated(
  parts: ServiceParts,
  { target_version: target }: z.output<typeof migrateQuery>,
  what: string,
): ServiceReply {
  const { from, to } = migrate(parts.database)
  if (target !== undefined && target !== String(to)) {
    return refuse(400, `target_version ${target}: this database is at version ${to}, and there is no other to go to`)
  }
  const message = `${what} migrated successfully to ${target === undefined ? "latest version" : `version ${to}`}`
  return answer({ message, from_version: from, to_version: to, steps: to - from })
}
