// A tool call of a run in the shape of the wire, and the requirement that a waiting call adds to its run
// (`docs/platform-facts.md` 3.3).
import { z } from "zod"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"
import type { ScriptedTool } from "./script-schema.ts"

/** A JSON object whose numbers keep their digits. */
export const jsonObject = z.custom<WireObject>(isJsonObject).meta({ type: "object", additionalProperties: true })

const inputFieldSchema = z.object({
  name: z.string(),
  field_type: z.string(),
  description: z.string().nullable(),
  value: z.unknown(),
})

/** One tool call: asked for, waiting, done or refused. It has the same keys as on the wire. */
export const toolExecutionSchema = z.object({
  tool_call_id: z.string(),
  tool_name: z.string(),
  tool_args: jsonObject,
  tool_call_error: z.boolean().nullable(),
  result: z.string().nullable(),
  metrics: z.null(),
  child_run_id: z.string().nullable(),
  stop_after_tool_call: z.literal(false),
  created_at: z.number(),
  requires_confirmation: z.boolean().nullable(),
  confirmed: z.boolean().nullable(),
  confirmation_note: z.string().nullable(),
  requires_user_input: z.boolean().nullable(),
  user_input_schema: z.array(inputFieldSchema).nullable(),
  user_feedback_schema: z.null(),
  answered: z.boolean().nullable(),
  external_execution_required: z.boolean().nullable(),
  external_execution_silent: z.null(),
  approval_type: z.enum(["required", "audit"]).nullable(),
  approval_id: z.string().nullable(),
  parent_tool_call_id: z.null(),
})

/** A tool call, as in `toolExecutionSchema`. */
export type ToolExecution = z.output<typeof toolExecutionSchema>

/** What a paused call demands; `created_at` is ISO 8601. */
export const requirementSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  tool_execution: toolExecutionSchema,
  user_input_schema: z.array(inputFieldSchema).optional(),
})

/** A requirement, as in `requirementSchema`. */
export type Requirement = z.output<typeof requirementSchema>

/** What we must know of a tool when somebody asks for a call of it. */
type Asked = Pick<ScriptedTool, "name" | "gated" | "audit" | "pause" | "fields">

/** How a gated call pauses. */
type PauseType = ScriptedTool["pause"]

/** A call just asked for. `at` is epoch ms; `approvalId` is the approval that it waits for, or null. */
export function askedFor(
  tool: Asked,
  args: WireObject,
  stamp: { readonly callId: string; readonly at: number; readonly approvalId: string | null },
): ToolExecution {
  const pause = tool.gated ? tool.pause : null
  return {
    tool_call_id: stamp.callId,
    tool_name: tool.name,
    tool_args: args,
    tool_call_error: null,
    result: null,
    metrics: null,
    child_run_id: null,
    stop_after_tool_call: false,
    created_at: Math.floor(stamp.at / 1000),
    requires_confirmation: pause === "confirmation" ? true : null,
    confirmed: null,
    confirmation_note: null,
    requires_user_input: pause === "user_input" ? true : null,
    user_input_schema: pause === "user_input" ? inputFields(tool, args) : null,
    user_feedback_schema: null,
    answered: null,
    external_execution_required: pause === "external_execution" ? true : null,
    external_execution_silent: null,
    approval_type: pause === null ? auditOf(tool) : "required",
    approval_id: stamp.approvalId,
    parent_tool_call_id: null,
  }
}

/** The requirement of a waiting call. `at` is epoch milliseconds. */
export function requirementOf(execution: ToolExecution, id: string, at: number): Requirement {
  const fields = execution.user_input_schema
  const base = { id, created_at: new Date(at).toISOString().replace("Z", "+00:00"), tool_execution: execution }
  return fields === null ? base : { ...base, user_input_schema: fields }
}

/** How a waiting call pauses, by the first flag that is set. */
export function pauseOf(execution: ToolExecution): PauseType {
  if (execution.requires_user_input === true) return "user_input"
  return execution.external_execution_required === true ? "external_execution" : "confirmation"
}

/** The name of the tool that hands work to a member. */
export const delegateTool = "delegate_task_to_member"

/** The call by which a team or a workflow hands work to a member. The call itself waits for no approval. */
export function delegation(
  member: { readonly id: string; readonly task: string },
  stamp: { readonly callId: string; readonly at: number; readonly childRunId: string },
): ToolExecution {
  const tool: Asked = { name: delegateTool, gated: false, audit: false, pause: "confirmation", fields: [] }
  const args = { member_id: member.id, task: member.task }
  return { ...askedFor(tool, args, { ...stamp, approvalId: null }), child_run_id: stamp.childRunId }
}

function auditOf(tool: Asked): "audit" | null {
  return tool.audit ? "audit" : null
}

function inputFields(tool: Asked, args: WireObject): ToolExecution["user_input_schema"] {
  return tool.fields.map((field) => ({ ...field, value: Object.hasOwn(args, field.name) ? args[field.name] : null }))
}
