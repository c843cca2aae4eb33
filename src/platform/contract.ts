// The wire of the Agent Platform Service (specification 2) and its translation into our words.
import { z } from "zod"
import type { Approval } from "../domain/content/approval.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../domain/content/json.ts"

const maxIdLength = 256

/** An id becomes part of a path and of keys: no control characters, no lone surrogates, no steps up a path. */
const id = z
  .string()
  .min(1)
  .max(maxIdLength)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text) && text !== "." && text !== "..", "is no usable id")

const nullableText = z.string().nullish()
const object = z.custom<JsonObject>(isJsonObject, "must be an object")
/** A list of JSON objects. */
export const objects = z.custom<readonly JsonObject[]>(
  (value) => isJsonArray(value as Json) && (value as readonly Json[]).every(isJsonObject),
  "must be a list of objects",
)

/** An approval on the wire (specification 2.1). We check strictly the fields that we use, and ignore others. */
const approvalRow = z.looseObject({
  id,
  run_id: z.string(),
  session_id: z.string(),
  status: z.string(),
  source_type: z.string(),
  approval_type: nullableText,
  pause_type: nullableText,
  tool_name: nullableText,
  tool_args: object.nullish(),
  requirements: objects.nullish(),
  context: object.nullish(),
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  source_name: nullableText,
  user_id: nullableText,
  schedule_id: nullableText,
  schedule_run_id: nullableText,
  resolved_by: nullableText,
  resolution_data: object.nullish(),
  run_status: nullableText,
})

/** An approval on the wire. */
type ApprovalRow = z.infer<typeof approvalRow>

/** `GET /approvals/{id}/status` (`docs/platform-facts.md` 2.1). */
export const statusRow = z.looseObject({ status: z.string(), resolved_by: nullableText })

/** `GET /approvals/count`: how many approvals are pending. */
export const countRow = z.looseObject({ count: z.int().nonnegative() })

/** An item of a list: an approval, or why we cannot read it. */
export type Item =
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "unreadable"; readonly id: string | null; readonly why: string }

/** What only the text of a row tells. */
type Marks = Pick<Approval, "ambiguous" | "oversize">

/** Reads one item. If it is wrong, we can still read the others. */
export function readItem(instance: string, item: Json, marks: Marks = {}): Item {
  const row = approvalRow.safeParse(item)
  if (!row.success) return unreadable(item, whyNot(row.error))
  return { kind: "approval", approval: { ...toApproval(instance, row.data, item), ...marks } }
}

/** An item that we cannot read, with its id if we can read at least that. */
export function unreadable(item: Json, why: string): Item {
  const told = isJsonObject(item) ? id.safeParse(item["id"]) : undefined
  return { kind: "unreadable", id: told?.success ? told.data : null, why }
}

/** Why an answer has the wrong shape, by field; never its values. */
export function whyNot(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.map(String).join(".") || "the whole"}: ${message}`).join("; ")
}

/** The approval of a row, in the domain's words: null for a missing field, milliseconds for seconds. */
function toApproval(instance: string, row: ApprovalRow, item: Json): Approval {
  const times = isJsonObject(item) ? item : {}
  return {
    instance,
    id: row.id,
    runId: row.run_id,
    sessionId: row.session_id,
    status: row.status,
    sourceType: row.source_type,
    approvalType: row.approval_type ?? null,
    pauseType: row.pause_type ?? null,
    toolName: row.tool_name ?? null,
    toolArgs: row.tool_args ?? null,
    requirements: row.requirements ?? null,
    context: row.context ?? null,
    agentId: row.agent_id ?? null,
    teamId: row.team_id ?? null,
    workflowId: row.workflow_id ?? null,
    sourceName: row.source_name ?? null,
    userId: row.user_id ?? null,
    ...scheduleOf(row),
    resolvedBy: row.resolved_by ?? null,
    resolutionData: row.resolution_data ?? null,
    resolvedAt: toMs(times["resolved_at"]),
    createdAt: toMs(times["created_at"]),
    updatedAt: toMs(times["updated_at"]),
    expiresAt: toMs(times["expires_at"]),
    runStatus: row.run_status ?? null,
  }
}

/** The fields about a schedule. A row that no schedule started has none, as before there were schedules. */
function scheduleOf({ schedule_id: id, schedule_run_id: runId }: ApprovalRow): Partial<Approval> {
  return { ...(id ? { scheduleId: id } : {}), ...(runId ? { scheduleRunId: runId } : {}) }
}

/** Epoch seconds (`docs/platform-facts.md` 3.1) or ISO 8601 as epoch ms; else null, so that no approval is hidden. */
export function toMs(value: unknown): number | null {
  if (typeof value === "string") return orNull(Date.parse(value))
  return typeof value === "number" ? orNull(Math.round(value * 1_000)) : null
}

function orNull(ms: number): number | null {
  // Beyond this there is no Date (ECMA-262 21.4.1.1).
  return Math.abs(ms) <= 8.64e15 ? ms : null
}
