// The digest of a call: who makes which call in which run, and what the tool is called with. Receipts carry one for
// each call that they approve, so that a gate at the tool can compare what arrives there.
import { type Approval, pauseTypeOf } from "./approval.ts"
import { hashOf } from "./canonical.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts"
import { executionIn, isDone } from "./requirement.ts"
import { callId } from "./run.ts"

/** A call as a gate sees it. */
export interface GatedCall {
  /** The run that makes it; of a team's member the member's own. */
  readonly run: string
  /** The id of the tool call. */
  readonly call: string
  /** The agent that makes it; null for a team's own. */
  readonly agent: string | null
  /** The team, if it makes the call itself; else null. */
  readonly team: string | null
  readonly tool: string
  /** What the tool is called with. */
  readonly args: JsonObject
}

/** SHA-256 over the canonical JSON of a call, its arguments by their own hash. 64 hex characters. */
export function callDigest({ run, call, agent, team, tool, args }: GatedCall): string {
  return hashOf({ run, call, agent, team, tool, args: hashOf(args) })
}

/**
 * The digests of all calls that an approval lets run when it is approved with these values, in its order. A call
 * without an id has none, nor have those that share one: nobody could tell which is meant. Nor has external execution,
 * which reaches no tool of ours.
 */
export function callDigests(approval: Approval, values: JsonObject): readonly string[] {
  const requirements = approval.requirements ?? []
  const ids = requirements.map((requirement) => callId(executionIn(requirement)))
  const once = (id: string) => ids.filter((one) => one === id).length === 1
  return requirements
    .filter((_, at) => once(ids[at] ?? ""))
    .flatMap((requirement) => gatedCallOf(approval, requirement, values) ?? [])
    .map(callDigest)
}

function gatedCallOf(approval: Approval, requirement: JsonObject, values: JsonObject): GatedCall | null {
  const execution = executionIn(requirement)
  const gated = execution["approval_type"] !== null && !isDone(execution)
  const call = callId(execution)
  const tool = textOf(execution["tool_name"])
  const pauseType = pauseTypeOf(execution) ?? approval.pauseType
  const agent = textOf(requirement["member_agent_id"]) ?? approval.agentId
  const team = agent === null ? approval.teamId : null
  if (!gated || call === "" || tool === null || pauseType === "external_execution") return null
  if (agent === null && team === null) return null
  const run = textOf(requirement["member_run_id"]) ?? approval.runId
  const filled = pauseType === "user_input" ? filledIn(requirement, values) : {}
  return { run, call, agent, team, tool, args: { ...objectOf(execution["tool_args"]), ...filled } }
}

/** What the form's fields run with: what was filled in, else the value that stands there already, null too. */
function filledIn(requirement: JsonObject, values: JsonObject): JsonObject {
  const schema = requirement["user_input_schema"] ?? executionIn(requirement)["user_input_schema"]
  const fields = isJsonArray(schema) ? schema.filter(isJsonObject) : []
  const named = fields.flatMap((field) => {
    const name = textOf(field["name"])
    return name === null ? [] : [[name, Object.hasOwn(values, name) ? values[name] : field["value"]] as const]
  })
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? null]))
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null
}
