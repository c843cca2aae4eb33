// The digest of a call: who makes it, in which run, and with which arguments. A receipt has one for each call that it
// approves, so a gate at the tool can compare the call that arrives.
import { type Approval, type Call, callsOf } from "./approval.ts"
import { hashOf } from "./canonical.ts"
import type { Json, JsonObject } from "./json.ts"
import { executionIn } from "./requirement.ts"
import { callId } from "./run.ts"

/** A call as a gate sees it. */
export interface GatedCall {
  /** The run that makes the call; for a team's member the member's own run. */
  readonly run: string
  /** The id of the tool call. */
  readonly call: string
  /** The agent that makes the call; null if the team itself does. */
  readonly agent: string | null
  /** The team, if it makes the call itself; else null. */
  readonly team: string | null
  readonly tool: string
  /** What the tool is called with. */
  readonly args: JsonObject
}

/** SHA-256 over the canonical JSON of a call, with a hash in place of its arguments. 64 hex characters. */
export function callDigest({ run, call, agent, team, tool, args }: GatedCall): string {
  return hashOf({ run, call, agent, team, tool, args: hashOf(args) })
}

/**
 * The digests of all calls that an approval lets run with these values, in its order. A call without an id, or with the
 * id of another call, has none: nobody could tell which call is meant. External execution has none, either: it reaches
 * no tool of ours.
 */
export function callDigests(approval: Approval, values: JsonObject): readonly string[] {
  const requirements = approval.requirements ?? []
  const ids = requirements.map((requirement) => callId(executionIn(requirement)))
  const once = (id: string) => ids.filter((one) => one === id).length === 1
  // Without a requirement a call has no id, so the record's own call is none of these.
  return callsOf(approval).flatMap((call, at) => {
    const gated = once(ids[at] ?? "") ? gatedCallOf(approval, call, requirements[at] ?? {}) : null
    return gated === null ? [] : [callDigest({ ...gated, args: { ...call.args, ...filledIn(call, values) } })]
  })
}

/** Who makes a call, and in which run; null for a call that no gate lets run. */
function gatedCallOf(approval: Approval, of: Call, requirement: JsonObject): Omit<GatedCall, "args"> | null {
  const execution = executionIn(requirement)
  const call = callId(execution)
  // The call's own name of the tool: a gate knows no other.
  const tool = digestText(execution["tool_name"])
  const { agentId: agent } = of
  const team = agent === null ? approval.teamId : null
  if (!of.gated || !of.open || call === "" || tool === null || of.pauseType === "external_execution") return null
  if (agent === null && team === null) return null
  return { run: digestText(requirement["member_run_id"]) ?? approval.runId, call, agent, team, tool }
}

/** What the fields of a form run with: what was filled in, else the value that the form has already, even null. */
function filledIn({ pauseType, fields }: Call, values: JsonObject): JsonObject {
  if (pauseType !== "user_input") return {}
  const named = fields.flatMap((field) => {
    const name = digestText(field["name"])
    return name === null ? [] : [[name, Object.hasOwn(values, name) ? values[name] : field["value"]] as const]
  })
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? null]))
}

function digestText(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null
}
