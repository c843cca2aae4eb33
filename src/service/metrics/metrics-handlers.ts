// Metrics: the counts of each day, and counting them anew.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { providerOf } from "../components/component.ts"
import type { ServiceParts } from "../handler.ts"
import { given, type SqlCondition } from "../resources/conditions.ts"
import { counts, metrics, metricsQuery, refreshQuery } from "../resources/metrics.ts"
import { routesOf, type ServiceRoute, type WithQuery } from "../route.ts"
import { integerOf, integerOrNull, type TableRow, textOf } from "../storage/columns.ts"
import { toWhere } from "../storage/resource-store.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { answer, type ServiceReply } from "../wire/reply.ts"
import { wireTime } from "../wire/wire-time.ts"
import { countDays, countNewDays } from "./count-days.ts"

const route = routesOf(metrics.tag)
const refreshState = namedObject("MetricsRefreshState", {
  status: z.enum(["idle", "running", "completed", "failed"]),
  started_at: z.iso.datetime().optional(),
  finished_at: z.iso.datetime().optional(),
  error: z.string().optional(),
})

/** Metrics. Under user isolation, callers who are not admin see only those of their own runs. */
export const metricsRoutes: readonly ServiceRoute[] = [
  route("GET /metrics", "metrics:read", {
    id: "get_metrics",
    summary: "View metrics, day by day",
    query: metricsQuery,
    reply: namedObject("Metrics", { metrics: z.array(metrics.model), updated_at: z.iso.datetime().nullable() }),
    handler: showMetrics,
  }),
  route("POST /metrics/refresh", "metrics:write", {
    id: "refresh_metrics",
    summary: "Count metrics anew",
    query: refreshQuery,
    reply: named("DayMetricsList", z.array(metrics.model)),
    accepted: namedObject("MetricsRefresh", { status: z.string(), message: z.string().nullable() }),
    handler: refresh,
  }),
  route("GET /metrics/refresh/status", "metrics:read", {
    id: "get_metrics_refresh_status",
    summary: "What became of the last refresh",
    isOwn: true,
    reply: refreshState,
    handler: ({ counting }) => answer(counting.state),
  }),
]

/** Counts what was added since the last count, and returns the counts of the days. */
async function showMetrics(
  { database, clock }: ServiceParts,
  { query, standing }: WithQuery<typeof metricsQuery>,
): Promise<ServiceReply> {
  await countNewDays(database, clock())
  const { starting_date: from, ending_date: to, user_id: user } = query
  const conditions = [
    ...given("date >= ?", from),
    ...given("date <= ?", to),
    ...given("user_id = ?", standing.owner ?? user),
  ]
  const { where, values } = toWhere(conditions)
  const last = database.prepare(`SELECT max(updated_at) AS at FROM metrics ${where}`).get(...values)
  const at = last === undefined ? null : integerOrNull(last, "at")
  return answer({ metrics: daysOf(database, conditions), updated_at: at === null ? null : wireTime(at) })
}

async function refresh(
  parts: ServiceParts,
  { query, standing }: WithQuery<typeof refreshQuery>,
): Promise<ServiceReply> {
  if (query.background) {
    parts.later.soon("counting metrics", () => countAnew(parts))
    return answer({ status: "started", message: "Metrics refresh started in background" }, 202)
  }
  await countAnew(parts)
  return answer(daysOf(parts.database, given("user_id = ?", standing.owner ?? query.user_id)))
}

/** Counts all days anew, and notes what became of it. */
async function countAnew({ database, clock, counting }: ServiceParts): Promise<void> {
  const began = { started_at: wireTime(clock()) }
  counting.state = { status: "running", ...began }
  const end = (status: string) => ({ status, ...began, finished_at: wireTime(clock()) })
  try {
    await countDays(database, clock())
    counting.state = end("completed")
  } catch (error) {
    counting.state = { ...end("failed"), error: "The days could not be counted; the service's log says why" }
    throw error
  }
}

/** The days, oldest first. The counts of all users that the conditions allow are added up. */
function daysOf(database: DatabaseSync, conditions: readonly SqlCondition[]): readonly Record<string, unknown>[] {
  const { where, values } = toWhere(conditions)
  const sums = counts.map((name) => `sum(${name}) AS ${name}`).join(", ")
  return database
    .prepare(
      `SELECT date, ${sums}, min(created_at) AS made, max(updated_at) AS changed,
         sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
         json_group_array(json(models)) AS models
       FROM metrics ${where} GROUP BY date ORDER BY date`,
    )
    .all(...values)
    .map(dayView)
}

function dayView(row: TableRow): Record<string, unknown> {
  const date = textOf(row, "date")
  return {
    id: date,
    ...Object.fromEntries(counts.map((name) => [name, integerOf(row, name)])),
    token_metrics: tokenCounts(integerOf(row, "input_tokens"), integerOf(row, "output_tokens")),
    model_metrics: dayModels(textOf(row, "models")),
    date: `${date}T00:00:00Z`,
    created_at: wireTime(integerOf(row, "made")),
    updated_at: wireTime(integerOf(row, "changed")),
  }
}

const modelsSchema = z.array(z.record(z.string(), z.int()))

/** The models of a day with the number of runs of each, added up over its users. */
function dayModels(text: string): readonly Record<string, unknown>[] {
  const counted = new Map<string, number>()
  for (const models of modelsSchema.parse(JSON.parse(text))) {
    for (const [name, runs] of Object.entries(models)) counted.set(name, (counted.get(name) ?? 0) + runs)
  }
  return [...counted]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ model_id: name, model_provider: providerOf(name), count }))
}

/** All kinds of token counts; models tell us only two. */
function tokenCounts(input: number, output: number): Record<string, number> {
  return { ...noTokens, input_tokens: input, output_tokens: output, total_tokens: input + output }
}

const noTokens = {
  audio_total_tokens: 0,
  audio_input_tokens: 0,
  audio_output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
}
