// Runs and executed tool calls in SQLite.
import type { DatabaseSync } from "node:sqlite"
import { integerOf, type Row, textOf, textOrNull } from "./columns.ts"
import { ServiceError } from "./errors.ts"
import { parseExact, writeExact } from "./exact-json.ts"
import { type Run, type RunStatus, runStateSchema } from "./run.ts"
import type { ToolExecution } from "./tool-execution.ts"

const statuses: readonly RunStatus[] = [
  "PENDING",
  "RUNNING",
  "PAUSED",
  "COMPLETED",
  "CANCELLED",
  "ERROR",
  "REGENERATED",
]

/** Writes a run, new or changed. */
export function saveRun(database: DatabaseSync, run: Run): void {
  database
    .prepare(
      `INSERT INTO runs (id, agent_id, session_id, user_id, status, created_at, updated_at, state)
       VALUES (:id, :agentId, :sessionId, :userId, :status, :createdAt, :updatedAt, :state)
       ON CONFLICT (id) DO UPDATE SET status = :status, updated_at = :updatedAt, state = :state`,
    )
    .run({ ...run, state: writeExact(run.state) })
}

/** One run of this agent, or null. */
export function findRun(database: DatabaseSync, agentId: string, runId: string): Run | null {
  const row = database.prepare("SELECT * FROM runs WHERE id = ? AND agent_id = ?").get(runId, agentId)
  return row === undefined ? null : toRun(row)
}

/** How many runs the agent ever had: which of its scripted runs is next. */
export function countRuns(database: DatabaseSync, agentId: string): number {
  const row = database.prepare("SELECT count(*) AS n FROM runs WHERE agent_id = ?").get(agentId)
  return row === undefined ? 0 : integerOf(row, "n")
}

/** Records calls as executed. A call that was recorded before fails the transaction: no tool runs twice. */
export function recordExecutions(
  database: DatabaseSync,
  runId: string,
  calls: readonly ToolExecution[],
  at: number,
): void {
  const insert = database.prepare(
    "INSERT INTO executions (run_id, tool_call_id, tool_name, tool_args, executed_at) VALUES (?, ?, ?, ?, ?)",
  )
  for (const call of calls) insert.run(runId, call.tool_call_id, call.tool_name, writeExact(call.tool_args), at)
}

/** One tool call that really ran. `toolArgs` is the JSON text it ran with, `executedAt` epoch milliseconds. */
export type Execution = {
  readonly runId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly toolArgs: string
  readonly executedAt: number
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

function toRun(row: Row): Run {
  const id = textOf(row, "id")
  const status = statuses.find((candidate) => candidate === textOf(row, "status"))
  const state = runStateSchema.safeParse(parseExact(textOf(row, "state")))
  if (status === undefined || !state.success) {
    throw new ServiceError("database_corrupt", `run ${id}: its state cannot be read`, { cause: state.error })
  }
  return {
    id,
    status,
    state: state.data,
    agentId: textOf(row, "agent_id"),
    sessionId: textOf(row, "session_id"),
    userId: textOrNull(row, "user_id"),
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  }
}
