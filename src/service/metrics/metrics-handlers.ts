// Metrics: what was counted day by day, and counting it anew.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { providerOf } from "../components/component.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import { counts, metricsQuery, refreshQuery } from "../resources/metrics.ts"
import { integerOf, integerOrNull, type TableRow, textOf } from "../storage/columns.ts"
import { toWhere } from "../storage/resource-store.ts"
import { readQuery } from "../wire/read-request.ts"
import { answer, type ServiceReply } from "../wire/reply.ts"
import { wireTime } from "../wire/wire-time.ts"
import { countDays, countNewDays } from "./count-days.ts"

/** Handlers of metrics. Who is not admin, under user isolation, sees those of their own runs. */
export function metricsHandlers(parts: ServiceParts): Handlers {
  const counting = createCounting(parts)
  return {
    "GET /metrics": (request) => view(parts, request),
    "POST /metrics/refresh": (request) => refresh(parts, counting, request),
    "GET /metrics/refresh/status": () => answer(counting.state()),
  }
}

/** Counting all days anew, and what became of it last; times are ISO 8601. */
interface Counting {
  run(): Promise<void>
  state(): Readonly<Record<string, string>>
}

function createCounting({ database, clock }: ServiceParts): Counting {
  let state: Readonly<Record<string, string>> = { status: "idle" }
  return {
    run: async () => {
      const began = { started_at: wireTime(clock()) }
      state = { status: "running", ...began }
      const end = (status: string) => ({ status, ...began, finished_at: wireTime(clock()) })
      try {
        await countDays(database, clock())
        state = end("completed")
      } catch (error) {
        state = { ...end("failed"), error: "The days could not be counted; the service's log says why" }
        throw error
      }
    },
    state: () => state,
  }
}

/** What was counted; what came since the last count is counted first. */
async function view({ database, clock }: ServiceParts, { context, standing }: HandlerRequest): Promise<ServiceReply> {
  const checked = readQuery(metricsQuery, context)
  if (!checked.ok) return checked.reply
  await countNewDays(database, clock())
  const { starting_date: from, ending_date: to, user_id: user } = checked.value
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
  counting: Counting,
  { context, standing }: HandlerRequest,
): Promise<ServiceReply> {
  const checked = readQuery(refreshQuery, context)
  if (!checked.ok) return checked.reply
  const { background, user_id: user } = checked.value
  if (background) {
    parts.later.soon("counting metrics", () => counting.run())
    return answer({ status: "started", message: "Metrics refresh started in background" }, 202)
  }
  await counting.run()
  return answer(daysOf(parts.database, given("user_id = ?", standing.owner ?? user)))
}

/** The days, oldest first, each with all users that the conditions leave. */
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
    token_metrics: tokensOf(integerOf(row, "input_tokens"), integerOf(row, "output_tokens")),
    model_metrics: modelsOf(textOf(row, "models")),
    date: `${date}T00:00:00Z`,
    created_at: wireTime(integerOf(row, "made")),
    updated_at: wireTime(integerOf(row, "changed")),
  }
}

const modelsSchema = z.array(z.record(z.string(), z.int()))

/** The models of a day, each with its runs, from what each user had of them. */
function modelsOf(text: string): readonly Record<string, unknown>[] {
  const counted = new Map<string, number>()
  for (const models of modelsSchema.parse(JSON.parse(text))) {
    for (const [name, runs] of Object.entries(models)) counted.set(name, (counted.get(name) ?? 0) + runs)
  }
  return [...counted]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ model_id: name, model_provider: providerOf(name), count }))
}

/** Tokens in all ways of counting; models tell of two. */
function tokensOf(input: number, output: number): Record<string, number> {
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

function given(sql: string, value: string | undefined): readonly SqlCondition[] {
  return value === undefined ? [] : [{ sql, values: [value] }]
}
