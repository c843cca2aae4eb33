// An approval as SQLite keeps it and as the wire shows it (specification 2.1).
import { type Row, textOrNull } from "../columns.ts"
import { approvalFields } from "./approval-schema.ts"

/** Columns that hold JSON text. It is pasted as it is: no digit changes. */
const jsonColumns: ReadonlySet<string> = new Set(["tool_args", "requirements", "context", "resolution_data"])

/** The column list of a SELECT whose rows `approvalText` writes. */
export const approvalColumns: string = approvalFields.join(", ")

/** Writes a row as the JSON text of `ApprovalResponse`. */
export function approvalText(row: Row): string {
  const fields = approvalFields.map((column) => {
    const text = jsonColumns.has(column) ? (textOrNull(row, column) ?? "null") : JSON.stringify(row[column] ?? null)
    return `"${column}":${text}`
  })
  return `{${fields.join(",")}}`
}

/**
 * A new approval. Times are epoch seconds; the free-form fields are JSON text. A `required` one is pending, an `audit` one is born
 * approved: it tells that a call ran.
 */
export type NewApproval = {
  readonly id: string
  readonly approvalType: "required" | "audit"
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
  readonly requirements: string | null
  readonly context: string
  readonly createdAt: number
  readonly runStatus: string | null
}
