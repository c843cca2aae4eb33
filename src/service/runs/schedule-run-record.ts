// The state of a run that a schedule started, as the record of that schedule's run shows it.
import type { DatabaseSync } from "node:sqlite"
import type { Family } from "../engine/run.ts"
import type { RowOf } from "../resources/resource.ts"
import { type scheduleRunRow, scheduleRuns } from "../resources/schedule-runs.ts"
import { updateRow } from "../storage/resource-store.ts"
import { contentOf, requirementsOf } from "../views/run-view.ts"

type ScheduleRun = RowOf<typeof scheduleRunRow>

/** The fields of a schedule's run that depend on the run that it started. */
type Standing = Pick<ScheduleRun, "status" | "completed_at" | "error" | "output" | "requirements">

/** The fields of a schedule's run, made from the run that it started. `at` is epoch milliseconds. */
export function scheduleRunStanding(family: Family, at: number): Standing {
  const { status } = family.run
  const output = { content: contentOf(family), content_type: "str" }
  const ended = { completed_at: at, error: null, output, requirements: null }
  switch (status) {
    case "COMPLETED":
    case "REGENERATED":
      return { ...ended, status: "success" }
    case "PAUSED":
      return { ...ended, status: "paused", requirements: requirementsOf(family).map((one) => ({ ...one })) }
    case "ERROR":
      return { ...ended, status: "failed", error: contentOf(family) }
    case "CANCELLED":
      return { ...ended, status: "failed", error: "Run was cancelled" }
    case "PENDING":
    case "RUNNING":
      return { ...ended, status: "running", completed_at: null, output: null }
  }
}

/** Writes these fields into a schedule's run; nothing for a run that no schedule started. */
export function keepScheduleRun(database: DatabaseSync, family: Family, at: number): void {
  const { schedule } = family.run.state
  if (schedule !== null) updateRow(database, scheduleRuns, schedule.run_id, scheduleRunStanding(family, at))
}
