// Runs in SQLite, and the tool calls that they executed: the proof of what really ran.
import type { DatabaseSync } from "node:sqlite"
import { componentKinds, type EngineRun, type Family, type Made, runStateSchema, runStatuses } from "../engine/run.ts"
import { ServiceError } from "../errors.ts"
import { parseExact, writeExact } from "../wire/exact-json.ts"
import { countOf, integerOf, type TableRow, textOf, textOrNull } from "./columns.ts"

/** Writes a run, whether it is new or changed. */
export function saveRun(database: DatabaseSync, run: EngineRun): void {
  database
    .prepare(
      `INSERT INTO runs (id, kind, component_id, parent_id, session_id, user_id, status, created_at, updated_at, state,
         model, input_tokens, output_tokens)
       VALUES (:id, :kind, :componentId, :parentId, :sessionId, :userId, :status, :createdAt, :updatedAt, :state,
         :model, :input, :output)
       ON CONFLICT (id) DO UPDATE SET status = :status, updated_at = :updatedAt, state = :state,
         input_tokens = :input, output_tokens = :output`,
    )
    .run({ ...run, state: writeExact(run.state), ...countedOf(run) })
}

/** The columns that `metrics/count-days.ts` counts: reading the state of each run would take too long. */
function countedOf({ state: { model, usage } }: EngineRun) {
  return { model: model?.name ?? null, input: usage.input_tokens, output: usage.output_tokens }
}

/** The component that a route names. */
type ComponentId = Pick<EngineRun, "kind" | "id">

/**
 * A run of this component that a caller started, or null. Members' runs can be reached only through the run of their
 * team or workflow, so that nobody continues one without its parent.
 */
export function findRun(database: DatabaseSync, component: ComponentId, runId: string): EngineRun | null {
  const row = database
    .prepare("SELECT * FROM runs WHERE id = ? AND kind = ? AND component_id = ? AND parent_id IS NULL")
    .get(runId, component.kind, component.id)
  return row === undefined ? null : toRun(row)
}

/** True if any run has this id, even a member's run. */
export function runExists(database: DatabaseSync, runId: string): boolean {
  return database.prepare("SELECT 1 FROM runs WHERE id = ?").get(runId) !== undefined
}

/** The user of a run; null if the run has none, or does not exist. */
export function ownerOfRun(database: DatabaseSync, runId: string): string | null {
  const row = database.prepare("SELECT user_id FROM runs WHERE id = ?").get(runId)
  return row === undefined ? null : textOrNull(row, "user_id")
}

/** A run with all runs below it. */
export function readFamily(database: DatabaseSync, run: EngineRun): Family {
  const members = database.prepare("SELECT * FROM runs WHERE parent_id = ? ORDER BY rowid").all(run.id).map(toRun)
  return { run, members: members.map((member) => readFamily(database, member)) }
}

/** The run with this id, with all runs below it, or null. */
export function findFamily(database: DatabaseSync, runId: string): Family | null {
  const row = database.prepare("SELECT * FROM runs WHERE id = ?").get(runId)
  return row === undefined ? null : readFamily(database, toRun(row))
}

/** How many runs the component has had. This tells which of its scripted runs is next. */
export function countRuns(database: DatabaseSync, component: ComponentId): number {
  const count = database.prepare("SELECT count(*) AS n FROM runs WHERE kind = ? AND component_id = ?")
  return countOf(count.get(component.kind, component.id))
}

/** The runs of a session and their members' runs, in the order in which they began. */
export function listSessionRuns(database: DatabaseSync, sessionId: string): readonly EngineRun[] {
  return database.prepare("SELECT * FROM runs WHERE session_id = ? ORDER BY rowid").all(sessionId).map(toRun)
}

/** The runs that were accepted to be carried out later, oldest first. */
export function listAccepted(database: DatabaseSync): readonly EngineRun[] {
  return database.prepare("SELECT * FROM runs WHERE status = 'PENDING' ORDER BY rowid").all().map(toRun)
}

/** The runs that callers started and that wait for models, oldest first, each with all runs below it. */
export function listUnderWay(database: DatabaseSync): readonly Family[] {
  return database
    .prepare("SELECT * FROM runs WHERE status = 'RUNNING' AND parent_id IS NULL ORDER BY rowid")
    .all()
    .map((row) => readFamily(database, toRun(row)))
}

/** Removes the runs of a session. The record of the calls that they executed stays. */
export function deleteSessionRuns(database: DatabaseSync, sessionId: string): void {
  database.prepare("DELETE FROM runs WHERE session_id = ?").run(sessionId)
}

function toRun(row: TableRow): EngineRun {
  const id = textOf(row, "id")
  const status = runStatuses.find((candidate) => candidate === textOf(row, "status"))
  const kind = componentKinds.find((candidate) => candidate === textOf(row, "kind"))
  const state = runStateSchema.safeParse(parseExact(textOf(row, "state")))
  if (status === undefined || kind === undefined || !state.success) {
    throw new ServiceError("database_corrupt", `run ${id}: its state cannot be read`, { cause: state.error })
  }
  return {
    id,
    status,
    kind,
    state: state.data,
    componentId: textOf(row, "component_id"),
    parentId: textOrNull(row, "parent_id"),
    sessionId: textOf(row, "session_id"),
    userId: textOrNull(row, "user_id"),
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  }
}

/** One tool call that really ran. `toolArgs` is the JSON text of its arguments; `executedAt` is epoch milliseconds. */
export interface Execution {
  readonly runId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly toolArgs: string
  readonly executedAt: number
}

/** Records executed calls. If a call was recorded before, the transaction fails: no tool runs twice. */
export function recordExecutions(database: DatabaseSync, ran: readonly Made[], at: number): void {
  const insert = database.prepare(
    "INSERT INTO executions (run_id, tool_call_id, tool_name, tool_args, executed_at) VALUES (?, ?, ?, ?, ?)",
  )
  for (const { run, call } of ran) {
    insert.run(run.id, call.tool_call_id, call.tool_name, writeExact(call.tool_args), at)
  }
}

/** When a call was executed, in epoch milliseconds; null if it was not executed. */
export function executedAt(database: DatabaseSync, toolCallId: string): number | null {
  const row = database.prepare("SELECT executed_at FROM executions WHERE tool_call_id = ?").get(toolCallId)
  return row === undefined ? null : integerOf(row, "executed_at")
}

/** All calls that ran, in order. */
export function listExecutions(database: DatabaseSync): readonly Execution[] {
  return database
    .prepare("SELECT * FROM executions ORDER BY seq")
    .all()
    .map((row) => ({
      runId: textOf(row, "run_id"),
      toolCallId: textOf(row, "tool_call_id"),
      toolName: textOf(row, "tool_name"),
      toolArgs: textOf(row, "tool_args"),
      executedAt: integerOf(row, "executed_at"),
    }))
}
