// Metrics: how many runs, sessions and users each day had (specification 4.3), counted from the service's own runs.
import { z } from "zod"
import { complain, textBoolean } from "../wire/fields.ts"
import { resourceOf } from "./resource.ts"
import { timeField } from "./row-columns.ts"

/** One day of one user. `user_id` is empty for runs without a user. `date` is a day in UTC, such as 2026-11-20. */
export const metricsRow = z.object({
  id: z.string(),
  date: z.string(),
  user_id: z.string(),
  agent_runs_count: z.int(),
  agent_sessions_count: z.int(),
  team_runs_count: z.int(),
  team_sessions_count: z.int(),
  workflow_runs_count: z.int(),
  workflow_sessions_count: z.int(),
  users_count: z.int(),
  created_at: timeField("iso"),
  updated_at: timeField("iso"),
  /** The tokens that models used, also those of members. */
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** How many runs of agents and teams used each model, by the model's name. */
  models: z.record(z.string(), z.int()),
})

/** The columns with counts. */
export const counts = [
  "agent_runs_count",
  "agent_sessions_count",
  "team_runs_count",
  "team_sessions_count",
  "workflow_runs_count",
  "workflow_sessions_count",
  "users_count",
] as const

const day = z.object({
  id: z.string(),
  ...Object.fromEntries(counts.map((name) => [name, z.int()])),
  token_metrics: z.record(z.string(), z.int()),
  model_metrics: z.array(z.object({ model_id: z.string(), model_provider: z.string(), count: z.int() })),
  date: z.iso.datetime(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

const date = z
  .string()
  .superRefine((text, context) => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    if (!isDay)
      complain(context, { type: "date_parsing", msg: "Input should be a valid date in the format YYYY-MM-DD" })
  })
  .meta({ format: "date" })
  .optional()

/** `GET /metrics`. */
export const metricsQuery = z.object({ starting_date: date, ending_date: date, user_id: z.string().optional() })

/** `POST /metrics/refresh`. */
export const refreshQuery = z.object({ user_id: z.string().optional(), background: textBoolean(false) })

/** `/metrics`. */
export const metrics = resourceOf<typeof metricsRow>({
  name: "DayMetrics",
  tag: "Metrics",
  scopes: "metrics",
  path: "/metrics",
  table: "metrics",
  row: metricsRow,
  model: day,
  key: "id",
  owner: "user_id",
  indexes: [["date", "user_id"]],
  notFound: () => "Metrics not found",
})
