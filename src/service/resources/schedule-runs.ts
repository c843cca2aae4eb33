// The runs that schedules started (specification 4.3).
import { z } from "zod"
import { resourceOf } from "./resource.ts"
import { nullableText, objectField, timeField } from "./row-columns.ts"
import { schedules } from "./schedules.ts"

/** One attempt to start what a schedule names, and how it ended. */
export const scheduleRunRow = z.object({
  id: z.string(),
  schedule_id: z.string(),
  user_id: nullableText,
  attempt: z.int(),
  triggered_at: timeField("seconds"),
  completed_at: timeField("seconds").nullable(),
  status: z.enum(["running", "success", "failed", "paused"]),
  status_code: z.int().nullable(),
  run_id: nullableText,
  session_id: nullableText,
  error: nullableText,
  input: objectField.nullable(),
  output: objectField.nullable(),
  requirements: z.array(objectField).nullable(),
  created_at: timeField("seconds"),
})

/** The runs of a schedule. */
export const scheduleRuns = resourceOf<typeof scheduleRunRow>({
  name: "ScheduleRun",
  tag: "Schedules",
  scopes: "schedules",
  path: "/schedules/*/runs",
  parent: { column: "schedule_id", of: schedules },
  table: "schedule_runs",
  row: scheduleRunRow,
  key: "id",
  owner: "user_id",
  indexes: [["schedule_id", "created_at"], ["run_id"]],
  notFound: () => "Schedule run not found",
  list: { id: "list_schedule_runs", summary: "List schedule runs", filters: {}, limit: 100, sortBy: ["created_at"] },
  read: { id: "get_schedule_run", summary: "View a schedule run" },
})
