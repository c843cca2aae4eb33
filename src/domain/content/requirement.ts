// A requirement: a platform's entry about one call. We take out what we understand, and show the rest as it is (R4).
import { canonicalJson } from "./canonical.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts"

/** A name and its value. */
export type RequirementMember = readonly [name: string, value: Json]

/** What a requirement says about its call. */
export interface Understood {
  readonly tool: string | null
  readonly args: JsonObject
  /** False if the platform gives no object as arguments. */
  readonly argsGiven: boolean
  /** The form of a user_input call; empty for other calls. */
  readonly fields: readonly JsonObject[]
  readonly memberName: string | null
  /** All other members that are neither absent nor plain. Nobody knows what they mean, whatever a platform adds. */
  readonly others: readonly RequirementMember[]
}

/** The part that says what runs: the content of `tool_execution`, or the requirement itself. */
export function executionIn(requirement: JsonObject): JsonObject {
  return isJsonObject(requirement["tool_execution"]) ? requirement["tool_execution"] : requirement
}

/** True for a call that has a result or an error. A call that was only confirmed runs once the run is continued. */
export function isDone(execution: JsonObject): boolean {
  const { result = null, tool_call_error: error = null } = execution
  return result !== null || (error !== null && error !== false)
}

/** Reads a requirement. What we do not read stays in `others`, so we overlook nothing. */
export function understand(requirement: JsonObject): Understood {
  const execution = executionIn(requirement)
  const within = createTaker(execution)
  const beside = execution === requirement ? within : createTaker(requirement)
  beside.take("tool_execution", isJsonObject)
  const args = within.take("tool_args", isJsonObject)
  const understood = {
    tool: within.take("tool_name", isText) ?? null,
    args: args ?? {},
    argsGiven: args !== undefined,
    memberName: beside.take("member_agent_name", isText) ?? null,
    fields: beside.take("user_input_schema", isForm) ?? within.take("user_input_schema", isForm) ?? [],
  }
  if (within === beside) return { ...understood, others: within.rest() }
  const repeated = within.rest().filter(([name, value]) => !(beside.took(name) && repeats(requirement, name, value)))
  const rest = beside.rest().filter(([name, value]) => !repeats(execution, name, value))
  return { ...understood, others: [...repeated, ...rest] }
}

/** True if an object has this value under this name. */
export function repeats(holder: JsonObject, name: string, value: Json): boolean {
  const own = holder[name]
  return own !== undefined && canonicalJson(own) === canonicalJson(value)
}

/** Takes members out of an object. `rest` gives the others, unless they are absent or plain. */
function createTaker(holder: JsonObject) {
  const taken = new Set<string>()
  return {
    take: <T extends Json>(name: string, fits: (value: Json) => value is T): T | undefined => {
      const value = holder[name] ?? null
      if (!fits(value)) return undefined
      taken.add(name)
      return value
    },
    took: (name: string): boolean => taken.has(name),
    rest: (): readonly RequirementMember[] =>
      Object.entries(holder).filter(([name, value]) => !taken.has(name) && value !== null && !isPlain(name, value)),
  }
}

/** True for a member whose meaning we know and that looks as it should: such a member does not say what will run. */
export function isPlain(name: string, value: Json): boolean {
  return plain.get(name)?.(value) === true
}

const plain: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ...isNamedAs(isId, "id", "tool_call_id", "parent_tool_call_id", "approval_id", "child_run_id"),
  ...isNamedAs(isId, "member_agent_id", "member_run_id"),
  ...isNamedAs(isTime, "created_at"),
  ...isNamedAs(isFlag, "requires_confirmation", "requires_user_input", "external_execution_required", "answered"),
  ...isNamedAs(isFlag, "external_execution_silent", "stop_after_tool_call", "tool_call_error"),
  ...isNamedAs((value) => value === "required" || value === "audit", "approval_type"),
])

function isNamedAs(fits: (value: Json) => boolean, ...names: readonly string[]) {
  return names.map((name) => [name, fits] as const)
}

function isText(value: Json): value is string {
  return typeof value === "string"
}

function isForm(value: Json): value is readonly JsonObject[] {
  return isJsonArray(value) && value.every(isJsonObject)
}

function isId(value: Json): boolean {
  return typeof value === "string" && value.length <= 200 && /^[!-~]*$/.test(value)
}

/** Epoch seconds, or ISO 8601. */
function isTime(value: Json): boolean {
  return typeof value === "number" || (typeof value === "string" && /^[\dTZ:.+-]{1,40}$/.test(value))
}

function isFlag(value: Json): boolean {
  return typeof value === "boolean"
}
