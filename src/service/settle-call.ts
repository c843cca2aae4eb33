// Carries one verdict to one tool call: it runs, or it is refused.
import { isJsonObject, type JsonObject, writeExact } from "./exact-json.ts"
import type { ScriptedTool } from "./script.ts"
import { pauseOf, type ToolExecution } from "./tool-execution.ts"

/** What the approval's record says; `values` is its resolution_data. */
export type Verdict =
  | { readonly kind: "approved"; readonly values: JsonObject | null }
  | { readonly kind: "refused"; readonly note: string }

/**
 * Settles a call. Refused calls of every kind do not run (the service says so in `/info`: `enforces_rejection`). An approved
 * user_input call runs with what the human entered; where a field has no value the call fails and the run goes on.
 */
export function settle(call: ToolExecution, verdict: Verdict, toolbox: readonly ScriptedTool[]): ToolExecution {
  if (verdict.kind === "refused") {
    return {
      ...call,
      requires_confirmation: false,
      confirmed: false,
      confirmation_note: verdict.note,
      tool_call_error: true,
    }
  }
  const confirmation = call.approval_id === null ? {} : { requires_confirmation: false, confirmed: true }
  if (call.user_input_schema !== null) return { ...settleInput(call, verdict.values, toolbox), ...confirmation }
  if (call.external_execution_required === true) {
    return { ...call, ...confirmation, result: externalResult(verdict.values), tool_call_error: false }
  }
  return { ...call, ...confirmation, result: resultOf(call.tool_name, call.tool_args, toolbox), tool_call_error: false }
}

/** True if an approval of this call cannot be carried out: someone else was to run the tool and left no result. */
export function lacksResult(call: ToolExecution, values: JsonObject | null): boolean {
  return pauseOf(call) === "external_execution" && externalResult(values) === null
}

function settleInput(call: ToolExecution, values: JsonObject | null, toolbox: readonly ScriptedTool[]): ToolExecution {
  const entered = enteredValues(values)
  const schema = (call.user_input_schema ?? []).map((field) =>
    Object.hasOwn(entered, field.name) ? { ...field, value: entered[field.name] } : field,
  )
  const answered = { ...call, user_input_schema: schema, answered: true }
  const missing = schema.find((field) => field.value === null || field.value === undefined)
  if (missing !== undefined)
    return { ...answered, result: `${call.tool_name}: ${missing.name} has no value`, tool_call_error: true }
  const args = { ...call.tool_args, ...Object.fromEntries(schema.map((field) => [field.name, field.value])) }
  return { ...answered, tool_args: args, result: resultOf(call.tool_name, args, toolbox), tool_call_error: false }
}

/** The human's entries: under `values` if that key exists, else the whole object, as the real service has it. */
function enteredValues(values: JsonObject | null): JsonObject {
  if (values === null) return {}
  const nested = values["values"]
  return isJsonObject(nested) ? nested : values
}

function externalResult(values: JsonObject | null): string | null {
  const result = values?.["result"]
  return typeof result === "string" ? result : null
}

function resultOf(name: string, args: JsonObject, toolbox: readonly ScriptedTool[]): string {
  return toolbox.find((tool) => tool.name === name)?.result ?? `${name} ran with ${writeExact(args)}`
}
