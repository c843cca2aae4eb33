// An approval as SQLite keeps it and as the wire shows it (specification 2.1).
import { type Row, textOrNull } from "./columns.ts"

/** The columns in the order of the wire. Free-form columns hold JSON text and are pasted as they are: no digit changes. */
const columns = [
  "id",
  "run_id",
  "session_id",
  "status",
  "source_type",
  "approval_type",
  "pause_type",
  "tool_name",
  "tool_args",
  "expires_at",
  "agent_id",
  "team_id",
  "workflow_id",
  "user_id",
  "schedule_id",
  "schedule_run_id",
  "source_name",
  "requirements",
  "context",
  "resolution_data",
  "resolved_by",
  "resolved_at",
  "created_at",
  "updated_at",
  "run_status",
] as const

const jsonColumns: ReadonlySet<string> = new Set(["tool_args", "requirements", "context", "resolution_data"])

/** The column list of a SELECT whose rows `approvalText` writes. */
export const approvalColumns: string = columns.join(", ")

/** Writes a row as the JSON text of `ApprovalResponse`. */
export function approvalText(row: Row): string {
  const fields = columns.map((column) => {
    const text = jsonColumns.has(column) ? (textOrNull(row, column) ?? "null") : JSON.stringify(row[column] ?? null)
    return `"${column}":${text}`
  })
  return `{${fields.join(",")}}`
}

/** A new approval. Times are epoch seconds; the free-form fields are JSON text. */
export type NewApproval = {
  readonly id: string
  readonly runId: string
  readonly sessionId: string
  readonly sourceType: string
  readonly pauseType: string
  readonly toolName: string
  readonly toolArgs: string
  readonly expiresAt: number | null
  readonly agentId: string | null
  readonly teamId: string | null
  readonly workflowId: string | null
  readonly userId: string | null
  readonly sourceName: string | null
  readonly requirements: string
  readonly context: string
  readonly createdAt: number
  readonly runStatus: string | null
}
