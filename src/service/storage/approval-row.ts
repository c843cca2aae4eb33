// An approval as the wire shows it, field by field as in the specification (2.1), and as SQLite keeps it.
import { z } from "zod"
import { runStatuses } from "../engine/run.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { type TableRow, textOrNull } from "./columns.ts"

/** All states of specification 2.2. */
export const runStatusSchema = named("RunStatus", z.enum(runStatuses))

const nullableText = z.string().nullish()
const time = z.int().nullish()
const object = z.record(z.string(), z.unknown())

/** 25 fields in the order of the wire; times are epoch seconds. */
export const approvalResponse = namedObject("ApprovalResponse", {
  id: z.string(),
  run_id: z.string(),
  session_id: z.string(),
  status: z.string(),
  source_type: z.string(),
  approval_type: nullableText,
  pause_type: nullableText,
  tool_name: nullableText,
  tool_args: object.nullish(),
  expires_at: time,
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  user_id: nullableText,
  schedule_id: nullableText,
  schedule_run_id: nullableText,
  source_name: nullableText,
  requirements: z.array(object).nullish(),
  context: object.nullish(),
  resolution_data: object.nullish(),
  resolved_by: nullableText,
  resolved_at: time,
  created_at: time,
  updated_at: time,
  run_status: runStatusSchema.nullish(),
})

const approvalFields: readonly (keyof typeof approvalResponse.shape)[] = approvalResponse.keyof().options

/** Columns that hold JSON text. It is written and read as it is, so no digit changes. */
const jsonColumns: ReadonlySet<string> = new Set(["tool_args", "requirements", "context", "resolution_data"])

/** The column list of a SELECT, for rows that `approvalText` writes. */
export const approvalColumns: string = approvalFields.join(", ")

/** Writes a row as the JSON text of `ApprovalResponse`. */
export function approvalText(row: TableRow): string {
  const fields = approvalFields.map((column) => {
    const text = jsonColumns.has(column) ? (textOrNull(row, column) ?? "null") : JSON.stringify(row[column] ?? null)
    return `"${column}":${text}`
  })
  return `{${fields.join(",")}}`
}

/**
 * A new approval. A `required` approval is pending. An `audit` approval is approved from the start: it says that a call
 * ran.
 */
export type NewApproval = Omit<
  z.output<typeof approvalResponse>,
  "status" | "resolution_data" | "resolved_by" | "resolved_at" | "updated_at"
>
