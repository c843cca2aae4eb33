// An approval: the platform's record of a paused run that waits for a decision, and the calls that it covers.
import type { z } from "zod"
import type { Json, JsonObject } from "./json.ts"
import { once } from "./once.ts"
import type { approvalSchema, oversizeSchema } from "./record/case-parts.ts"
import type { Frozen } from "./record/frozen.ts"
import { executionIn, isDone, type RequirementMember, understand } from "./requirement.ts"

/** What a call waits for. Other platforms may have other words. */
export type PauseType = string

/** The record as the platform tells it (specification 2.1). Times are epoch milliseconds. */
export interface Approval extends Frozen<z.infer<typeof approvalSchema>> {}

/** What is known of content that is too large to be shown. */
export interface Oversize extends Frozen<z.infer<typeof oversizeSchema>> {}

/** One tool call that an approval covers. */
export interface Call {
  readonly id: string | null
  readonly tool: string | null
  readonly args: JsonObject
  /** False if the arguments are no object: then they do not say what will run. */
  readonly argsGiven: boolean
  /** True if the arguments are left out, because they are too large to be shown. */
  readonly oversize: boolean
  readonly pauseType: PauseType | null
  /** The team member that makes the call, if the requirement names one; else the approval's agent. */
  readonly agentId: string | null
  readonly memberName: string | null
  /** True if the decision covers the call. The platform refuses an ungated confirmation beside a gated one. */
  readonly gated: boolean
  /** True while the call has neither a result nor an error. */
  readonly open: boolean
  /** The form of a user_input call: for each field `{name, field_type, description, value}`. Empty for other calls. */
  readonly fields: readonly JsonObject[]
  /** What else the platform says and we do not understand: we show it as it is (R4). */
  readonly others: readonly RequirementMember[]
}

/** Every call of an approval, in the platform's order; never empty: without requirements the record is the call. */
export const callsOf = once((approval: Approval): readonly Call[] => {
  const calls = (approval.requirements ?? []).map((requirement) => callOf(approval, requirement))
  return calls.some((call) => call.gated && call.open) ? calls : [...calls, recordAsCall(approval)]
})

/** The calls that a decision is about: gated and still open (`docs/platform-facts.md` 3.3); never empty. */
export function openGatedCalls(approval: Approval): readonly Call[] {
  return callsOf(approval).filter((call) => call.gated && call.open)
}

/**
 * The calls that we choose rules for: those that a decision is about. If the record itself names a tool that none of
 * its requirements names, the record is one more such call, so that we miss no rule for that tool (R1).
 */
export const ruledCalls = once((approval: Approval): readonly Call[] => {
  const named = approval.toolName === null || callsOf(approval).some((call) => call.tool === approval.toolName)
  return named ? openGatedCalls(approval) : [...openGatedCalls(approval), recordAsCall(approval)]
})

/** True for a question to the user. A decision about another call leaves the answer to the question empty. */
export function isQuestion({ others }: Call): boolean {
  return others.some(([name]) => name === "user_feedback_schema")
}

function recordAsCall(approval: Approval): Call {
  const { toolName: tool, toolArgs, pauseType, agentId } = approval
  return {
    id: null,
    tool,
    args: toolArgs ?? {},
    argsGiven: toolArgs !== null,
    oversize: toolArgs === null && approval.oversize !== undefined,
    pauseType,
    agentId,
    memberName: null,
    gated: true,
    open: true,
    fields: [],
    others: [],
  }
}

function callOf(approval: Approval, requirement: JsonObject): Call {
  const execution = executionIn(requirement)
  const { tool, ...understood } = understand(requirement)
  return {
    id: textOf(execution["tool_call_id"]) ?? textOf(requirement["id"]),
    tool: tool ?? approval.toolName,
    ...understood,
    oversize: false,
    pauseType: pauseTypeOf(execution) ?? approval.pauseType,
    agentId: textOf(requirement["member_agent_id"]) ?? approval.agentId,
    gated: execution["approval_type"] !== null,
    open: !isDone(execution),
  }
}

/**
 * What a call waits for; null if no flag says it. If a tool has several flags, the platform prefers user input, then
 * external execution (`docs/platform-facts.md` 3.1).
 */
export function pauseTypeOf(execution: JsonObject): PauseType | null {
  if (execution["requires_user_input"] === true) return "user_input"
  if (execution["external_execution_required"] === true) return "external_execution"
  return execution["requires_confirmation"] === true ? "confirmation" : null
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null
}

/** True if the platform's record is no longer pending. */
export function isDecided(record: Approval): boolean {
  return record.status !== "pending"
}
