// Carries out one verdict on one tool call: the call runs, or it is refused.
import { isJsonObject, parseExact, type WireObject, writeExact } from "../wire/exact-json.ts"
import type { ScriptedTool } from "./script-schema.ts"
import { pauseOf, type ToolExecution } from "./tool-execution.ts"

/** What the approval's record says; `values` is its resolution_data, `note` the person's words. */
export type CallVerdict =
  | { readonly kind: "approved"; readonly values: WireObject | null; readonly note: string | null }
  | {
      readonly kind: "refused"
      readonly note: string
      /** What the model reads of single calls instead, by their ids: they were sent back. */
      readonly notes?: ReadonlyMap<string, string>
    }

/** Runs a call for which nobody has to be asked. */
export function settleUngated(call: ToolExecution, toolbox: readonly ScriptedTool[]): ToolExecution {
  return { ...call, result: resultOf(call.tool_name, call.tool_args, toolbox), tool_call_error: false }
}

/**
 * Settles a call that waited. Refused calls of every kind do not run (`/info` says so: `enforces_rejection`). An
 * approved user_input call runs with the human's entries. If a field has no value, the call fails; the run goes on.
 */
export function settleCall(call: ToolExecution, verdict: CallVerdict, toolbox: readonly ScriptedTool[]): ToolExecution {
  const decided = { requires_confirmation: false, confirmed: verdict.kind === "approved" }
  if (verdict.kind === "refused") {
    return { ...call, ...decided, confirmation_note: noteOn(call, verdict), tool_call_error: true }
  }
  const approved = { ...call, ...decided, confirmation_note: verdict.note }
  if (call.user_input_schema !== null) return settleInput(approved, verdict.values, toolbox)
  if (call.external_execution_required === true) {
    return { ...approved, result: externalResult(verdict.values), tool_call_error: false }
  }
  return settleUngated(approved, toolbox)
}

function noteOn({ tool_call_id: id }: ToolExecution, { note, notes }: CallVerdict & { kind: "refused" }): string {
  return notes?.get(id) ?? note
}

/** What an agent that listens asks after a call was refused: the same with what its note proposes, or nothing. */
export function askedAnew({ tool_name: tool, tool_args: args, confirmed, confirmation_note: note }: ToolExecution) {
  if (confirmed !== false || note === null || !note.includes(`call ${tool} again`)) return []
  const said = /\{.*\}/.exec(note)?.[0]
  const read = said === undefined ? {} : parseExact(said)
  const proposed = isJsonObject(read) && isJsonObject(read["proposed"]) ? read["proposed"] : {}
  return [{ tool, args: { ...args, ...proposed } }]
}

/** True if an approved call cannot be carried out: someone else should run the tool, and left no result. */
export function lacksResult(call: ToolExecution, values: WireObject | null): boolean {
  return pauseOf(call) === "external_execution" && externalResult(values) === null
}

function settleInput(call: ToolExecution, values: WireObject | null, toolbox: readonly ScriptedTool[]): ToolExecution {
  const entered = enteredValues(values)
  const schema = (call.user_input_schema ?? []).map((field) =>
    Object.hasOwn(entered, field.name) ? { ...field, value: entered[field.name] } : field,
  )
  const answered = { ...call, user_input_schema: schema, answered: true }
  const missing = schema.find((field) => field.value === null || field.value === undefined)
  if (missing !== undefined)
    return { ...answered, result: `${call.tool_name}: ${missing.name} has no value`, tool_call_error: true }
  const args = { ...call.tool_args, ...Object.fromEntries(schema.map((field) => [field.name, field.value])) }
  return settleUngated({ ...answered, tool_args: args }, toolbox)
}

/** What the human entered: under `values` if that key exists, else the whole object, as in the real service. */
export function enteredValues(values: WireObject | null): WireObject {
  if (values === null) return {}
  const nested = values["values"]
  return isJsonObject(nested) ? nested : values
}

/** The text that an external execution gave, or null. */
export function externalResult(values: WireObject | null): string | null {
  const result = values?.["result"]
  return typeof result === "string" ? result : null
}

function resultOf(name: string, args: WireObject, toolbox: readonly ScriptedTool[]): string {
  return toolbox.find((tool) => tool.name === name)?.result ?? `${name} ran with ${writeExact(args)}`
}
