// Checks that change nothing at a platform: lists with pages and filters, single rows, unknown ids.
import { z } from "zod"
import { approvalResponse } from "../storage/approval-row.ts"
import { families, isWriting, type PlatformCheck, type Scenario } from "./check.ts"
import { allRoutes, checksAt, checksOf, routeRequest } from "./claims.ts"
import { errorBody, isoTime, pageWith, rowWith, secondsTime, wholePage } from "./shapes.ts"

const text = z.string()
const optionalText = text.nullish()

/** A list with pages: its rows, and the filters that find nothing for an unknown id. */
interface PagedList {
  readonly path: string
  readonly row: z.ZodType
  readonly filters: readonly string[]
}

const component = { id: text, name: optionalText }

const lists: readonly PagedList[] = [
  {
    path: "/approvals",
    row: approvalResponse,
    filters: ["source_type", "pause_type", "agent_id", "team_id", "workflow_id", "user_id", "schedule_id", "run_id"],
  },
  { path: "/registry", row: rowWith({ name: text }), filters: [] },
  {
    path: "/components",
    row: rowWith({ component_id: text, component_type: text, name: text, created_at: secondsTime }),
    filters: [],
  },
  {
    path: "/sessions",
    row: rowWith({ session_id: text, session_name: optionalText, created_at: isoTime.nullish() }),
    filters: ["user_id", "component_id", "session_name"],
  },
  {
    path: "/memories",
    row: rowWith({ memory_id: text, memory: text, topics: z.array(text).nullish(), updated_at: isoTime.nullish() }),
    filters: ["user_id", "agent_id", "team_id", "topics", "search_content"],
  },
  {
    path: "/user_memory_stats",
    row: rowWith({ user_id: text, total_memories: z.int(), last_memory_updated_at: isoTime.nullish() }),
    filters: ["user_id"],
  },
  {
    path: "/learnings",
    row: rowWith({ learning_id: text, learning_type: text, created_at: secondsTime.nullish() }),
    filters: ["user_id", "session_id", "agent_id", "learning_type", "namespace"],
  },
  {
    path: "/knowledge/content",
    row: rowWith({ id: text, name: optionalText, status: optionalText, created_at: isoTime.nullish() }),
    filters: [],
  },
  {
    path: "/eval-runs",
    row: rowWith({ id: text, eval_type: text, eval_data: z.looseObject({}), created_at: isoTime.nullish() }),
    filters: ["agent_id", "team_id", "model_id"],
  },
  {
    path: "/traces",
    row: rowWith({ trace_id: text, name: text, status: text, start_time: isoTime, end_time: isoTime.nullish() }),
    filters: ["run_id", "session_id", "user_id", "agent_id", "team_id", "workflow_id"],
  },
  {
    path: "/trace_session_stats",
    row: rowWith({ session_id: text, total_traces: z.int(), first_trace_at: isoTime, last_trace_at: isoTime }),
    filters: ["user_id", "agent_id", "team_id", "workflow_id"],
  },
  { path: "/service-accounts", row: rowWith({ id: text, name: text }), filters: [] },
  {
    path: "/schedules",
    row: rowWith({ id: text, name: text, enabled: z.boolean(), endpoint: text, created_at: secondsTime }),
    filters: [],
  },
]

function listChecks({ path, row, filters }: PagedList): readonly PlatformCheck[] {
  const get = `GET ${path}`
  const make = checksAt(get)
  return [
    make.open({ says: `${get} is a page of rows and its numbers`, request: get, shape: wholePage(row) }),
    make.open({
      says: `${get} with limit=1 has one row at most`,
      request: `${get}?limit=1&page=1`,
      shape: wholePage(row).refine(({ meta }) => meta.limit === 1 && meta.page === 1, "meta: limit 1 and page 1"),
    }),
    make.open({
      says: `${get} has an empty page past its end`,
      request: `${get}?limit=100&page=1000000`,
      shape: wholePage(row).refine(({ data }) => data.length === 0, "data: no row"),
    }),
    make.invalid({ says: `${get} with limit=0 is 422`, request: `${get}?limit=0` }),
    make.invalid({ says: `${get} with a page that is no number is 422`, request: `${get}?page=x` }),
    ...filters.map((filter) =>
      make.open({
        says: `${get} is narrowed by ${filter}`,
        request: `${get}?${filter}={none}`,
        shape: pageWith(row, 0),
      }),
    ),
  ]
}

const unknownIds: readonly PlatformCheck[] = Object.keys(allRoutes)
  .filter((pattern) => pattern.startsWith("GET ") && pattern.includes("*"))
  .map((pattern) =>
    checksAt(pattern).refused(404, { says: `${pattern} of an unknown id is 404`, ...routeRequest(pattern) }),
  )

const approvals = checksOf("approvals", "4.2")
const pendingPage = wholePage(approvalResponse.refine(({ status }) => status === "pending", "status: pending"))
const config = checksOf("config", "4.3")
const memories = checksOf("memories", "4.3")
const knowledge = checksOf("knowledge", "4.3")
const metrics = checksOf("metrics", "4.3")
const traces = checksOf("traces", "4.3")
const a2a = checksOf("a2a", "4.4")

const singles: readonly PlatformCheck[] = [
  approvals.open({
    says: "GET /approvals/count is a number",
    request: "GET /approvals/count",
    shape: z.looseObject({ count: z.int().min(0) }),
  }),
  approvals.open({
    says: "GET /approvals with status=pending shows only what waits",
    request: "GET /approvals?status=pending&approval_type=required",
    shape: pendingPage,
  }),
  approvals.invalid({
    section: "4.2",
    says: "GET /approvals with a status that there is not is 422",
    request: "GET /approvals?status={none}",
  }),
  config.open({
    says: "GET /config is an object that lists agents, teams and workflows",
    request: "GET /config",
    shape: z.looseObject(
      Object.fromEntries(["agents", "teams", "workflows"].map((name) => [name, z.array(z.unknown())])),
    ),
  }),
  config.open({ says: "GET /models is a list", request: "GET /models", shape: z.array(z.looseObject({})) }),
  ...(["agents", "teams", "workflows"] as const).map((family) =>
    checksOf(family, "4.3").open({
      says: `GET /${family} lists what there is, by id`,
      request: `GET /${family}`,
      shape: z.array(rowWith(component)),
    }),
  ),
  checksOf("agents", "4.3").open({
    says: "GET /agents/* shows an agent of the list",
    request: "GET /agents/{agent}",
    shape: rowWith(component),
    holds: { id: "{agent}" },
  }),
  memories.open({ says: "GET /memory_topics is a list of words", request: "GET /memory_topics", shape: z.array(text) }),
  knowledge.open({
    says: "GET /knowledge/config is an object",
    request: "GET /knowledge/config",
    shape: z.looseObject({}),
  }),
  knowledge.open({
    says: "POST /knowledge/search is a page",
    request: "POST /knowledge/search",
    json: { query: "{none}" },
    shape: wholePage(rowWith({ id: text, content: text })),
  }),
  knowledge.invalid({
    says: "POST /knowledge/search without a query is 422",
    request: "POST /knowledge/search",
    json: {},
  }),
  metrics.open({
    says: "GET /metrics is days with their numbers",
    request: "GET /metrics",
    shape: z.looseObject({
      metrics: z.array(rowWith({ agent_runs_count: z.int(), date: isoTime })),
      updated_at: isoTime.nullish(),
    }),
  }),
  metrics.invalid({
    says: "GET /metrics from a day that is none is 422",
    request: "GET /metrics?starting_date=yesterday",
  }),
  traces.open({
    says: "POST /traces/search is a page",
    request: "POST /traces/search",
    json: {},
    shape: wholePage(z.looseObject({})),
  }),
  traces.refused(400, {
    says: "POST /traces/search by an operator that there is not is 400",
    request: "POST /traces/search",
    json: { filter: { op: "NEAR" } },
  }),
  a2a.open({
    says: "the card of an agent has name, address and capabilities",
    request: "GET /a2a/agents/{agent}/.well-known/agent-card.json",
    shape: z.looseObject({ name: text, url: z.url(), capabilities: z.looseObject({}) }),
  }),
  a2a.open({
    says: "an unknown task is 404 with a JSON-RPC error",
    request: "POST /a2a/agents/{agent}/v1/tasks:get",
    json: { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "{none}" } },
    status: 404,
    shape: errorBody.extend({ error: z.looseObject({ code: z.literal(-32001) }) }),
  }),
]

const all: readonly PlatformCheck[] = [...lists.flatMap(listChecks), ...singles, ...unknownIds]

/** All checks that only read, family by family. */
export const readingScenarios: readonly Scenario[] = families.map((family) => ({
  family,
  checks: all.filter((check) => check.family === family && !isWriting(check)),
}))
