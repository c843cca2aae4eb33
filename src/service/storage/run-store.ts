// Runs in SQLite, and the tool calls that they executed: the witness of what really ran.
import type { DatabaseSync } from "node:sqlite"
import { componentKinds, type EngineRun, type Family, type Made, runStateSchema, runStatuses } from "../engine/run.ts"
import { ServiceError } from "../errors.ts"
import { parseExact, writeExact } from "../wire/exact-json.ts"
import { countOf, integerOf, type TableRow, textOf, textOrNull } from "./columns.ts"

/** Writes a run, new or changed. */
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

/** What days are counted from, in columns of its own: reading each run's state would take too long. */
function countedOf({ state: { model, usage } }: EngineRun) {
  return { model: model?.name ?? null, input: usage.input_tokens, output: usage.output_tokens }
}

/** The component that a route names. */
type ComponentId = Pick<EngineRun, "kind" | "id">

/**
 * One run that a caller started on this component, or null. Runs that teams and workflows start for their members can
 * be reached only through these, so that nobody continues one behind its parent's back.
 */
export function findRun(database: DatabaseSync, component: ComponentId, runId: string): EngineRun | null {
  const row = database
    .prepare("SELECT * FROM runs WHERE id = ? AND kind = ? AND component_id = ? AND parent_id IS NULL")
    .get(runId, component.kind, component.id)
  return row === undefined ? null : toRun(row)
}

/** True for the id of any run here, members' included. */
export function runExists(database: DatabaseSync, runId: string): boolean {
  return database.prepare("SELECT 1 FROM runs WHERE id = ?").get(runId) !== undefined
}

/** Whose a run is; null for nobody's, and where there is none. */
export function ownerOfRun(database: DatabaseSync, runId: string): string | null {
  const row = database.prepare("SELECT user_id FROM runs WHERE id = ?").get(runId)
  return row === undefined ? null : textOrNull(row, "user_id")
}

/** A run with all that it started. */
export function readFamily(database: DatabaseSync, run: EngineRun): Family {
  const members = database.prepare("SELECT * FROM runs WHERE parent_id = ? ORDER BY rowid").all(run.id).map(toRun)
  return { run, members: members.map((member) => readFamily(database, member)) }
}

/** The run of an id with all that it started, or null. */
export function findFamily(database: DatabaseSync, runId: string): Family | null {
  const row = database.prepare("SELECT * FROM runs WHERE id = ?").get(runId)
  return row === undefined ? null : readFamily(database, toRun(row))
}

/** How many runs the component ever had: which of its scripted runs is next. */
export function countRuns(database: DatabaseSync, component: ComponentId): number {
  const count = database.prepare("SELECT count(*) AS n FROM runs WHERE kind = ? AND component_id = ?")
  return countOf(count.get(component.kind, component.id))
}

/** The runs of a session in the order in which they began, those of members included. */
export function listSessionRuns(database: DatabaseSync, sessionId: string): readonly EngineRun[] {
  return database.prepare("SELECT * FROM runs WHERE session_id = ? ORDER BY rowid").all(sessionId).map(toRun)
}

/** The runs that were accepted to be carried out later, oldest first. */
export function listAccepted(database: DatabaseSync): readonly EngineRun[] {
  return database.prepare("SELECT * FROM runs WHERE status = 'PENDING' ORDER BY rowid").all().map(toRun)
}

/** The runs that callers started and that models are to take on, oldest first, with all below them. */
export function listUnderWay(database: DatabaseSync): readonly Family[] {
  return database
    .prepare("SELECT * FROM runs WHERE status = 'RUNNING' AND parent_id IS NULL ORDER BY rowid")
    .all()
    .map((row) => readFamily(database, toRun(row)))
}

/** Removes the runs of a session. What they executed stays on record. */
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

/** One tool call that really ran. `toolArgs` is the JSON text it ran with, `executedAt` epoch milliseconds. */
export interface Execution {
  readonly runId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly toolArgs: string
  readonly executedAt: number
}

/** Records calls as executed. A call that was recorded before fails the transaction: no tool runs twice. */
export function recordExecutions(database: DatabaseSync, ran: readonly Made[], at: number): void {
  const insert = database.prepare(
    "INSERT INTO executions (run_id, tool_call_id, tool_name, tool_args, executed_at) VALUES (?, ?, ?, ?, ?)",
  )
  for (const { run, call } of ran) {
    insert.run(run.id, call.tool_call_id, call.tool_name, writeExact(call.tool_args), at)
  }
}

/** When a call was executed, in epoch milliseconds, or null if it was not. */
export function executedAt(database: DatabaseSync, toolCallId: string): number | null {
  const row = database.prepare("SELECT executed_at FROM executions WHERE tool_call_id = ?").get(toolCallId)
  return row === undefined ? null : integerOf(row, "executed_at")
}

/** Everything that ran, in order. */
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
