// A run: what the platform says about it when we read it, and which of its calls still wait (`docs/platform-facts.md`
// 5.7).
import type { z } from "zod"
import type { Approval, Call } from "./approval.ts"
import { canonicalJson } from "./canonical.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from "./json.ts"
import type { Frozen } from "./record/frozen.ts"
import type { addressSchema, originSchema } from "./record/run-parts.ts"
import { executionIn, isDone } from "./requirement.ts"

/**
 * The kind of component that continues a run. We continue no workflow of AgentOS, because in a workflow an approval
 * decides nothing (`docs/platform-facts.md` 5.6).
 */
export type Runner = "agents" | "teams" | "workflows"

/** Where a run is read and continued. */
export interface RunAddress extends Frozen<z.infer<typeof addressSchema>> {}

/** Where the run of an agent's own approval is; null for a team's, a member's or a workflow's. */
export function agentRunOf({ sourceType, agentId, teamId, workflowId, ...where }: Approval): RunAddress | null {
  if (sourceType !== "agent" || agentId === null || teamId !== null || workflowId !== null) return null
  const { sessionId, runId } = where
  return { runner: "agents", component: agentId, sessionId, runId }
}

/** A run as we read it. Its calls stay as they were sent, numbers digit by digit, because we may send them back. */
export interface Run {
  readonly id: string
  /** PENDING, RUNNING, COMPLETED, PAUSED, CANCELLED, ERROR; other words are kept as they are. */
  readonly status: string
  /** Whose run it is; null if it is nobody's. */
  readonly userId: string | null
  /** The run that handed work to this one, or null. */
  readonly parentId: string | null
  /** What it answered: text, or a value in the agent's own form; null if nothing. While it waits: why it waits. */
  readonly content: Json
  readonly tools: readonly JsonObject[]
  readonly requirements: readonly JsonObject[]
  /** The runs of a team's members or of a workflow's steps, as far as the answer contains them. */
  readonly members: readonly Run[]
}

/** What a run says it waits for: an agent's calls, or requirements, which name the calls of members and steps, too. */
export function entriesOf(run: Run, runner: Runner): readonly JsonObject[] {
  return runner === "agents" ? run.tools : run.requirements
}

/**
 * The calls of a run that wait for somebody, gated or not. A confirmed call that has not run is one of them: it runs
 * once the run is continued. A team's requirements also list calls that have run; these are left out.
 */
export function waitingIn(run: Run, runner: Runner): readonly JsonObject[] {
  const open = entriesOf(run, runner).map(executionIn).filter(isWaiting)
  return runner === "agents" ? open : open.filter((one) => isAbsent(one["confirmed"]) && isAbsent(one["answered"]))
}

/** True for a call that paused the run and has neither a result nor an error. */
export function isWaiting(execution: JsonObject): boolean {
  const pauses = ["requires_confirmation", "requires_user_input", "external_execution_required"]
  const asks = pauses.some((flag) => execution[flag] === true) || isJsonArray(execution["user_feedback_schema"])
  return asks && !isDone(execution)
}

/** The id of a call, or "" if it has none. */
export function callId(execution: JsonObject): string {
  const id = execution["tool_call_id"]
  return typeof id === "string" ? id : ""
}

/** The words of a gate at the tool (docs/tool-gate.md) that refused to run a call; null if there are none. */
export function gateRefusal({ result, tool_call_error: failed }: JsonObject): string | null {
  return failed === true && typeof result === "string" && result.startsWith("countersign refused:") ? result : null
}

/** The runs of the members, or of the step, whose calls a run or an approval lists. */
export function memberRunsIn({ requirements }: { readonly requirements: Approval["requirements"] }): readonly string[] {
  const ids = (requirements ?? []).map((requirement) => requirement["member_run_id"])
  return [...new Set(ids.filter((id) => typeof id === "string"))]
}

/** True if a run's call is the one that an approval showed: the same id, tool, arguments and values of its form. */
export function isCall(execution: JsonObject, call: Call): boolean {
  const schema = isJsonArray(execution["user_input_schema"]) ? execution["user_input_schema"] : []
  return (
    callId(execution) === call.id &&
    execution["tool_name"] === call.tool &&
    isSameJson(execution["tool_args"] ?? {}, call.args) &&
    isSameJson(filledSchema(schema), filledSchema(call.fields))
  )
}

function filledSchema(schema: readonly Json[]): Json {
  return schema.filter(isJsonObject).map((field) => [field["name"] ?? null, field["value"] ?? null])
}

/** Every call that a run's answer holds, its members' included. */
export function callsInRun(run: Run): readonly JsonObject[] {
  return [...run.tools, ...run.requirements.map(executionIn), ...run.members.flatMap(callsInRun)]
}

/** True if two values are the same JSON, in whatever way their numbers are written. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  return plainWord(one) === plainWord(other)
}

function plainWord(value: Json | undefined): string {
  return canonicalJson(parseJson(JSON.stringify(value ?? null)))
}

function isAbsent(value: Json | undefined): boolean {
  return value === null || value === undefined
}

/**
 * The session id of a run that began in Slack: `{entity}:{channel}:{thread_ts}`, or `{entity}:{thread_ts}` if the
 * session began in an older version (2.7.2; `docs/platform-facts.md` 8).
 */
const session = /:(?:[CDG][A-Z0-9]+:)?\d{10}\.\d{6}$/

/** Why we do not continue a run of this session; null if we may. `beside`: the operator's `beside_agno_slack`. */
export function leftToAgnoSlack(sessionId: string, beside: boolean): string | null {
  if (beside || !session.test(sessionId)) return null
  const where = "it belongs to AgentOS's own Slack interface, where anybody in its thread can continue it as well"
  return `${where}, and its tool could run twice`
}

/** The Slack thread in which a run began, and a link to it; null if Slack gives none. */
export interface RunOrigin extends Frozen<z.infer<typeof originSchema>> {}

const thread = /:([CDG][A-Z0-9]{1,30}):(\d{10}\.\d{6})$/

/**
 * The thread that a session's id names: its run began there. Whoever started the run named the session, so this is a
 * hint and decides nothing.
 */
export function threadOf({ sessionId }: { readonly sessionId: string }): RunOrigin["place"] | null {
  const [, channel, ts] = thread.exec(sessionId) ?? []
  return channel === undefined || ts === undefined ? null : { channel, ts }
}
