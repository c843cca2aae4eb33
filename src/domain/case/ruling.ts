// A ruling: what was decided about one call of a paused run, and how a continue says so (`docs/platform-facts.md` 5.3,
// 5.8).
import type { Call } from "../content/approval.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"
import { executionIn } from "../content/requirement.ts"
import {
  callId,
  callsInRun,
  entriesOf,
  gateRefusal,
  isSameJson,
  isWaiting,
  type Run,
  type Runner,
} from "../content/run.ts"
import type { Verb } from "../policy/judge.ts"

/** One decided call. */
export interface Ruling {
  readonly call: Call
  readonly verb: Verb
  /** What was filled in, `{values?, result?}`, or null. */
  readonly filled: JsonObject | null
  /** What the model reads about a rejection. */
  readonly note: string
}

/** The rulings by the id of their call. */
export type Rulings = ReadonlyMap<string, Ruling>

/** What a platform does with decided calls that we hand over. If in doubt, all of it is false. */
export interface Taking {
  /** Its teams go by each record, as AgentOS's teams do since 2.9.0. */
  readonly strict: boolean
  /** Calls that we leave out stay in the run, as in AgentOS since 3.0.0. In older versions they vanish from the run. */
  readonly keeps: boolean
  /** A second gated call of a run has a record of its own, as in AgentOS since 3.1.2, so that people are asked. */
  readonly asksAgain: boolean
}

/**
 * The longest list of calls that AgentOS accepts, in bytes. It refuses a longer field of a form
 * (`docs/platform-facts.md` 5.1).
 */
const explicitLimit = 1_048_576

/** True for calls that the platform would refuse, because their text is too long. */
export function isTooLong(explicit: Explicit): boolean {
  return explicit !== null && Buffer.byteLength(explicit.text) > explicitLimit
}

/** The field of a continue's form with explicit calls; null if the platform's record is to decide. */
export type Explicit = { readonly name: "tools" | "requirements"; readonly text: string } | null

/**
 * How we hand over the decided calls of a paused run: the table of `docs/platform-facts.md` 5.8. A rejection is always
 * explicit, because only then the model reads the reason. A workflow's record always decides, and gives the reason. We
 * leave out calls that have ended, if they stay in the run: they may be long.
 */
export function explicitFor(
  run: Run,
  runner: Runner,
  rulings: Rulings,
  { strict, keeps }: Pick<Taking, "strict" | "keeps">,
): Explicit {
  if (runner === "workflows") return null
  const approved = [...rulings.values()].every((ruling) => ruling.verb === "approve")
  if (approved && (runner === "agents" || strict)) return null
  const sent = entriesOf(run, runner).filter((entry) => !keeps || isWaiting(executionIn(entry)))
  const entries = sent.map((entry) => ruled(entry, rulings))
  return { name: runner === "teams" ? "requirements" : "tools", text: JSON.stringify(entries) }
}

/** The stored entry with its ruling; unchanged if it does not wait, or has no ruling. */
function ruled(entry: JsonObject, rulings: Rulings): JsonObject {
  const execution = executionIn(entry)
  const ruling = rulings.get(callId(execution))
  if (ruling === undefined || !isWaiting(execution)) return entry
  if (entry === execution)
    return ruling.verb === "reject" ? refusedExecution(execution, ruling.note) : confirmed(execution, ruling)
  return ruling.verb === "reject"
    ? refusedRequirement(entry, execution, ruling.note)
    : allowed(entry, execution, ruling)
}

function refusedExecution(execution: JsonObject, note: string): JsonObject {
  const asked = { requires_user_input: false, external_execution_required: false, answered: true }
  return { ...execution, ...asked, requires_confirmation: true, confirmed: false, confirmation_note: note }
}

function refusedRequirement(entry: JsonObject, execution: JsonObject, note: string): JsonObject {
  const { user_input_schema: _left, ...rest } = entry
  return { ...rest, tool_execution: refusedExecution(execution, note), confirmation: false, confirmation_note: note }
}

function confirmed(execution: JsonObject, { filled }: Ruling): JsonObject {
  if (execution["requires_user_input"] === true) {
    return { ...execution, user_input_schema: withValues(execution["user_input_schema"], filled), answered: true }
  }
  if (execution["external_execution_required"] === true) return { ...execution, result: filled?.["result"] ?? null }
  return { ...execution, confirmed: true }
}

function allowed(entry: JsonObject, execution: JsonObject, ruling: Ruling): JsonObject {
  const ready = { ...entry, tool_execution: confirmed(execution, ruling) }
  if (execution["requires_user_input"] === true) {
    return { ...ready, user_input_schema: withValues(entry["user_input_schema"], ruling.filled) }
  }
  if (execution["external_execution_required"] === true) {
    return { ...ready, external_execution_result: ruling.filled?.["result"] ?? null }
  }
  return { ...ready, confirmation: true }
}

function withValues(schema: Json | undefined, filled: JsonObject | null): Json {
  const values = isJsonObject(filled?.["values"]) ? filled["values"] : {}
  if (!isJsonArray(schema)) return schema ?? null
  return schema.map((field) => {
    const name = isJsonObject(field) ? field["name"] : undefined
    if (!isJsonObject(field) || typeof name !== "string" || !Object.hasOwn(values, name)) return field
    return { ...field, value: values[name] ?? null }
  })
}

/** What did not run as it was decided, one sentence for each difference (`docs/platform-facts.md`, traps 62 and 63). */
export function deviationsIn(run: Run, rulings: Rulings): readonly string[] {
  const executed = callsInRun(run).filter((execution) => hasRun(execution))
  return [...rulings.values()].flatMap((ruling) => {
    const execution = executed.find((one) => callId(one) === ruling.call.id)
    if (execution === undefined) return []
    const tool = ruling.call.tool ?? "a tool without a name"
    if (ruling.verb === "reject") return [`${tool} ran although it was rejected`]
    return ranAsDecided(execution, ruling) ? [] : [`${tool} ran with other arguments than were approved`]
  })
}

/** The tools of approved calls that ran, each once. The status of a cancelled or failed run does not tell this. */
export function ranIn(run: Run, rulings: Rulings): readonly string[] {
  const ran = callsInRun(run).filter((execution) => hasRun(execution))
  const approved = ran.map((execution) => rulings.get(callId(execution))).filter((ruling) => ruling?.verb === "approve")
  return [...new Set(approved.map((ruling) => ruling?.call.tool ?? "a tool without a name"))]
}

/** True if the tool ran: its call then has a result, even after an error. A refused call has none or a gate's words. */
function hasRun(execution: JsonObject): boolean {
  return typeof execution["result"] === "string" && gateRefusal(execution) === null
}

/** The words with which gates at the tools refused to run calls of these rulings, each once. */
export function gateRefusalsIn(run: Run, rulings: Rulings): readonly string[] {
  const refused = callsInRun(run).filter((execution) => rulings.has(callId(execution)))
  return [...new Set(refused.flatMap((execution) => gateRefusal(execution) ?? []))]
}

function ranAsDecided(execution: JsonObject, { call, filled }: Ruling): boolean {
  const args = isJsonObject(execution["tool_args"]) ? execution["tool_args"] : {}
  if (call.pauseType !== "user_input") return isSameJson(args, call.args)
  const values = isJsonObject(filled?.["values"]) ? filled["values"] : {}
  const guessed = call.fields.flatMap(({ name, value = null }): [string, Json][] =>
    typeof name === "string" ? [[name, value]] : [],
  )
  const wanted = new Map([...guessed, ...Object.entries(values)])
  return [...wanted].every(([name, value]) => isSameJson(args[name], value))
}
