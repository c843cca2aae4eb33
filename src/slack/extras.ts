// What a requirement says beyond the fields that cards know: shown as it is, so that a newer platform hides nothing.
import type { Approval, Call } from "../domain/approval.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../domain/json.ts"
import { NAME_UNITS } from "./headline.ts"
import { createLens } from "./lens.ts"
import { writeArguments } from "./literal.ts"

/** Fields of a requirement that a card shows elsewhere, or that say nothing about what will run. */
const KNOWN = new Set(
  `
    id created_at tool_execution user_input_schema member_agent_id member_agent_name member_run_id tool_call_id
    tool_name tool_args tool_call_error result metrics child_run_id answered stop_after_tool_call
    requires_confirmation confirmed confirmation_note requires_user_input external_execution_required
    external_execution_silent approval_type approval_id parent_tool_call_id
  `.match(/\w+/g),
)

/** The unknown fields of the requirement at `index`, and its names in full where a label cannot hold them; "" if there are none. */
export function extrasOf(approval: Approval, call: Call, index: number): string {
  const requirement = approval.requirements?.[index] ?? {}
  const execution = requirement["tool_execution"]
  const unknown = { ...unknownIn(requirement), ...(isJsonObject(execution) ? unknownIn(execution) : {}) }
  const parts = [
    ...(Object.keys(unknown).length === 0 ? [] : [`also in the record:\n${writeArguments(unknown)}`]),
    ...inFull({ tool: call.tool, member: call.memberName }),
  ]
  return parts.map((part) => `\n\n${part}`).join("")
}

/** Names that are too long for a label or hold characters that one does not see, as JSON; empty if there are none. */
export function inFull(names: JsonObject): readonly string[] {
  const odd = Object.entries(names).filter(([, name]) => typeof name === "string" && !fits(name))
  return odd.length === 0 ? [] : [`in full:\n${writeArguments(Object.fromEntries(odd))}`]
}

function fits(name: string): boolean {
  const lens = createLens()
  lens.word(name, NAME_UNITS)
  return lens.whole()
}

function unknownIn(holder: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(holder).filter(([key, value]) => !KNOWN.has(key) && !isEmpty(value)))
}

function isEmpty(value: Json): boolean {
  if (value === null || value === false || value === "") return true
  if (isJsonArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}
