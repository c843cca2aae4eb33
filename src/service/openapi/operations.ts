// The operations of the interface description, a row for each route.
import { serviceRoutes } from "../all-routes.ts"
import { familyOf, titleOf } from "../components/component.ts"
import type { ComponentKind } from "../engine/run.ts"
import { publicRoutes } from "../gate/route-table.ts"
import { registryQuery } from "../instance/config-handlers.ts"
import { migrateQuery } from "../instance/migration-handlers.ts"
import type { Operation, Operations } from "../resources/operation.ts"
import type { ServiceRoute } from "../route.ts"
import { componentRunsQuery, readRunQuery } from "../runs/run-handlers.ts"
import { createQuery, deleteQuery, listQuery, oneQuery, runsQuery } from "../sessions/session-schemas.ts"
import { named } from "../wire/named-model.ts"
import { jsonBody, type RequestBody } from "../wire/read-request.ts"
import { describedOperations } from "./described-operations.ts"
import { type ModelName, models } from "./models.ts"

/** What the description says of one route, but for its tag. */
function row(
  id: string,
  summary: string,
  more: Omit<Operation<ModelName>, "id" | "tag" | "summary"> = {},
): Omit<Operation, "tag"> {
  return { id, summary, ...more }
}

/** Operations of one tag. */
function tagged(tag: string, operations: Readonly<Record<string, Omit<Operation, "tag">>>): Operations {
  return Object.fromEntries(Object.entries(operations).map(([pattern, rest]) => [pattern, { ...rest, tag }]))
}

/** 4.4, under the default prefix. */
const a2aOperations: Operations = tagged("A2A", {
  ...a2aOperationsOf("agent"),
  ...a2aOperationsOf("team"),
  ...a2aOperationsOf("workflow"),
  "POST /a2a/message/send": spoken("run_message_dispatch", "Dynamic dispatch (deprecated)", 400, 404, 409),
  "POST /a2a/message/stream": spoken(
    "stream_message_dispatch",
    "Dynamic dispatch, streaming (deprecated)",
    400,
    404,
    409,
  ),
})

/** A kind of component of 4.3, with the routes that read its runs. */
function operationsOf(kind: ComponentKind): Operations {
  const family = familyOf(kind)
  const a = withArticle(kind)
  return tagged(`${titleOf(kind)}s`, {
    [`GET /${family}`]: row(`get_${family}`, `List ${family}`, { model: "ComponentList" }),
    [`GET /${family}/*`]: row(`get_${kind}`, `View ${a}`, { model: "Component" }),
    [`POST /${family}/*/runs`]: row(`create_${kind}_run`, `Run ${a}`, {
      form: "RunStart",
      model: "Run",
      media: "text/event-stream",
      accepted: "RunAccepted",
    }),
    [`GET /${family}/*/runs`]: row(`list_${kind}_runs`, `List the runs of ${a} in a session`, {
      query: componentRunsQuery,
      model: "SessionRunList",
    }),
    [`GET /${family}/*/runs/*`]: row(`get_${kind}_run`, "View a run", { query: readRunQuery, model: "Run" }),
    [`POST /${family}/*/runs/*/continue`]: row(`continue_${kind}_run`, "Continue a paused run", {
      form: "RunContinue",
      model: "Run",
      media: "text/event-stream",
      refusals: [409],
    }),
    [`POST /${family}/*/runs/*/cancel`]: row(`cancel_${kind}_run`, "Cancel a run", {
      model: "RunCancelled",
      refusals: [409],
    }),
  })
}

function a2aOperationsOf(kind: ComponentKind) {
  const path = `/a2a/${familyOf(kind)}/*`
  const a = withArticle(kind)
  const tasks = {
    [`POST ${path}/v1/tasks:get`]: spoken(`get_${kind}_task`, `Get ${a}'s task`, 409),
    [`POST ${path}/v1/tasks:cancel`]: spoken(`cancel_${kind}_task`, `Cancel ${a}'s task`, 409),
  }
  const card = { id: `get_${kind}_card`, summary: `Fetch ${a}'s card`, model: "AgentCard" } as const
  return {
    [`GET ${path}/.well-known/agent-card.json`]: card,
    [`POST ${path}/v1/message:send`]: spoken(`run_message_${kind}`, `Send a message to ${a}`, 409),
    [`POST ${path}/v1/message:stream`]: spoken(`stream_message_${kind}`, `Stream a message to ${a}`, 409),
    ...(kind === "workflow" ? {} : tasks),
  }
}

function withArticle(kind: ComponentKind): string {
  return kind === "agent" ? "an agent" : `a ${kind}`
}

/** What an envelope asks for decides the answer, whatever path it comes by: clients send all methods to one address. */
function spoken(id: string, summary: string, ...refusals: readonly number[]) {
  const answers = { model: "A2aResponse", media: "text/event-stream", accepted: "A2aResponse" } as const
  return { id, summary, json: "A2aRequest", ...answers, refusals, refused: "A2aRefusal" } as const
}

/** Sessions of 4.3 with the routes that read their runs. */
const sessionOperations: Operations = tagged("Sessions", {
  "GET /sessions": row("get_sessions", "List sessions", { query: listQuery, model: "SessionList" }),
  "POST /sessions": row("create_session", "Create a session", {
    query: createQuery,
    json: "SessionCreate",
    status: 201,
    model: "Session",
    refusals: [409],
  }),
  "DELETE /sessions": row("delete_sessions", "Delete sessions in bulk", {
    query: deleteQuery,
    json: "SessionsDelete",
    status: 204,
    refusals: [400],
  }),
  "GET /sessions/*": row("get_session_by_id", "View a session", { query: oneQuery, model: "Session" }),
  "PATCH /sessions/*": row("update_session", "Update a session", {
    query: oneQuery,
    json: "SessionUpdate",
    model: "Session",
  }),
  "DELETE /sessions/*": row("delete_session", "Delete a session", { query: deleteQuery, status: 204 }),
  "POST /sessions/*/rename": row("rename_session", "Rename a session", {
    query: oneQuery,
    json: "SessionRename",
    model: "Session",
  }),
  "GET /sessions/*/runs": row("get_session_runs", "List the runs of a session", {
    query: runsQuery,
    model: "SessionRunList",
  }),
  "GET /sessions/*/run-previews": row("get_session_run_previews", "List the runs of a session in short", {
    query: runsQuery,
    model: "SessionRunPreviewList",
  }),
  "GET /sessions/*/runs/*": row("get_session_run", "View a run of a session", { query: oneQuery, model: "SessionRun" }),
})

/** Config and registry of 4.3, and what answers without a credential. */
const instanceOperations: Operations = {
  ...tagged("Config", {
    "GET /config": row("get_config", "Read the configuration", { model: "Config" }),
    "GET /models": row("get_models", "List available models", { model: "ModelList" }),
  }),
  ...tagged("Database", {
    "POST /databases/all/migrate": row("migrate_all_databases", "Run migrations on all databases", {
      query: migrateQuery,
      model: "Migrated",
      refusals: [400],
    }),
    "POST /databases/*/migrate": row("migrate_database", "Run migrations on one database", {
      query: migrateQuery,
      model: "Migrated",
      refusals: [400],
    }),
  }),
  ...tagged("Registry", {
    "GET /registry": row("list_registry", "View the code-defined registry", {
      query: registryQuery,
      model: "RegistryList",
    }),
  }),
  ...tagged("Health", { "GET /health": row("health_check", "Health", { model: "Health" }) }),
  ...tagged("Core", {
    "GET /info": row("get_info", "What this instance is", { model: "Info" }),
    "GET /openapi.json": row("get_openapi", "This document", { model: "Description" }),
    "GET /docs": row("get_docs", "This document for people", { media: "text/html" }),
  }),
}

/** Every served operation by the key of its row in the route table, A2A under the default prefix. */
const operations: Operations = {
  ...operationsOf("agent"),
  ...operationsOf("team"),
  ...operationsOf("workflow"),
  ...sessionOperations,
  ...instanceOperations,
  ...a2aOperations,
  ...describedOperations,
}

for (const [id, schema] of Object.entries(models)) named(id, schema)

/** All routes. */
export const describedRoutes: readonly Omit<ServiceRoute, "handler">[] = [
  ...serviceRoutes,
  ...Object.entries(operations).map(([pattern, operation]) => legacy(pattern, operation)),
]

function legacy(pattern: string, operation: Operation): Omit<ServiceRoute, "handler"> {
  const { id, tag, summary, query, status, media, refusals, model, accepted, refused } = operation
  const body = bodyOf(operation)
  return {
    pattern,
    scopes: publicRoutes.includes(pattern) ? "public" : [],
    id,
    tag,
    summary,
    ...(query && { query }),
    ...(status && { status }),
    ...(media && { media }),
    ...(refusals && { refusals }),
    ...(body && { body }),
    ...of("reply", model),
    ...of("accepted", accepted),
    ...of("refused", refused),
  }
}

function of(key: "reply" | "accepted" | "refused", name: string | undefined): Partial<ServiceRoute> {
  const schema = name === undefined ? undefined : models[name]
  return schema === undefined ? {} : { [key]: schema }
}

function bodyOf({ json, form, upload, mayBeEmpty }: Operation): RequestBody<unknown> | null {
  const schema = models[json ?? form ?? upload ?? ""]
  if (schema === undefined) return null
  const media = form ? "application/x-www-form-urlencoded" : upload ? "multipart/form-data" : "application/json"
  return { ...jsonBody(schema), media, required: mayBeEmpty === undefined }
}
