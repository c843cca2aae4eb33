// What we still know of a case's content, for rules to look at. What is masked or gone is unknown.

import { type Case, maskSummary } from "../case/case.ts"
import { type Approval, callsOf } from "../content/approval.ts"
import { digestOf } from "../content/digest.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"
import { maskApproval } from "../text/mask.ts"
import { hasMask } from "../text/masker.ts"

/** A case's content as far as we can read it. What we cannot read is null. */
export interface KeptContent {
  readonly approval: Approval
  /** Why some of it is unknown; null if we can read all of it. */
  readonly lacks: "masked" | "not-kept" | null
  /** False: of the names that `match` looks at, only those of the case's summary are known. */
  readonly named: boolean
}

/** The content of a case. It is whole only if its digest is still that of the decided content. */
export function contentOf(current: Case): KeptContent {
  const approval = current.approval ?? current.kept?.approval ?? null
  if (approval === null) return { approval: summarised(current), lacks: "not-kept", named: false }
  if (digestOf(approval) === current.revision.digest) return { approval, lacks: null, named: true }
  if (namesIn(approval).some(isHidden)) return { approval: summarised(current), lacks: "masked", named: false }
  return { approval: withoutHidden(approval), lacks: "masked", named: true }
}

/** The content of a case as far as people may see it: what its rules mask is unknown while it is open, too (R15). */
export function seenContentOf(current: Case): KeptContent {
  const { approval, revision, summary } = current
  const { mask } = revision.look
  const { tool, ...names } = maskSummary(summary, mask)
  const seen = { ...current, summary: { ...names, tool: isHidden(tool) ? null : tool } }
  return contentOf(approval === null ? seen : { ...seen, approval: maskApproval(approval, mask).approval })
}

/** What we know of a closed case whose content is gone. If it had several calls, its summary lacks some tools. */
function summarised({ instance, approvalId, summary }: Case): Approval {
  const { tool, team = null, workflow = null, requester, calls, createdAt } = summary
  const run = { runId: "", sessionId: "", status: "", sourceType: "", approvalType: null, pauseType: null }
  const content = { toolName: calls === 1 ? tool : null, toolArgs: null, requirements: null, context: null }
  const who = { agentId: null, teamId: team, workflowId: workflow, sourceName: null, userId: requester }
  const end = { resolvedBy: null, resolutionData: null, resolvedAt: null, updatedAt: null, expiresAt: null }
  return { instance, id: approvalId, ...run, ...content, ...who, ...end, createdAt, runStatus: null }
}

/** All names that rules compare with words, and the names of form fields. */
function namesIn(approval: Approval): readonly (Json | undefined)[] {
  const { toolName, agentId, teamId, workflowId } = approval
  const calls = callsOf(approval).flatMap(({ tool, agentId: agent, fields }) => [
    tool,
    agent,
    ...fields.map(({ name }) => name),
  ])
  return [toolName, agentId, teamId, workflowId, ...calls]
}

/** True for a text that contains a mask of ours (`masker.ts`), or that we changed to look unlike a mask. */
function isHidden(value: Json | undefined): boolean {
  return typeof value === "string" && (hasMask(value) || value.includes("U+2592⟩"))
}

function withoutHidden(approval: Approval): Approval {
  const { toolArgs, requirements } = approval
  return {
    ...approval,
    toolArgs: toolArgs === null ? null : membersShown(toolArgs),
    requirements: requirements?.map(withoutHiddenArguments) ?? null,
  }
}

/** A requirement without masked arguments. We hide no more: a masked result still says that the call is done. */
function withoutHiddenArguments(requirement: JsonObject): JsonObject {
  const { tool_execution: execution } = requirement
  return {
    ...argumentsShown(requirement),
    ...(isJsonObject(execution) ? { tool_execution: argumentsShown(execution) } : {}),
  }
}

function argumentsShown(holder: JsonObject): JsonObject {
  const { tool_args: args } = holder
  return args === undefined ? holder : { ...holder, tool_args: shown(args) }
}

function shown(value: Json): Json {
  if (isHidden(value)) return null
  if (isJsonArray(value)) return value.map(shown)
  return isJsonObject(value) ? membersShown(value) : value
}

function membersShown(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, shown(value)]))
}
