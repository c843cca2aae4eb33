// The approval as the wire has it: the specification's model, field by field (2.1).
import { z } from "zod"
import { runStatuses } from "../runs/engine/run-status.ts"

/** All states of 2.2. */
export const runStatusSchema = z.enum(runStatuses)

const nullableText = z.string().nullish()
const time = z.int().nullish()
const object = z.record(z.string(), z.unknown())

/** `ApprovalResponse`: 25 fields in the order of the wire; times are epoch seconds. */
export const approvalResponse = z.object({
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

/** The names of its fields. */
export const approvalFields: readonly (keyof typeof approvalResponse.shape)[] = approvalResponse.keyof().options
