// Executed tool calls in SQLite: the witness of what really ran.
import type { DatabaseSync } from "node:sqlite"
import { integerOf, textOf } from "../columns.ts"
import { writeExact } from "../wire/exact-json.ts"
import type { Made } from "./engine/run.ts"

/** One tool call that really ran. `toolArgs` is the JSON text it ran with, `executedAt` epoch milliseconds. */
export type Execution = {
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
