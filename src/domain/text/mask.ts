// Masks: hide secrets in what we show, by key and by pattern. Length stays visible. The digest covers the truth.
import type { Approval } from "../content/approval.ts"
import { canonicalJson } from "../content/canonical.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../content/json.ts"
import { executionIn, isPlain, repeats } from "../content/requirement.ts"
import { createMasker, type Hidden, type Masker } from "./masker.ts"

/** An approval as it may be shown, and how much of it is masked. */
export interface Masked extends Hidden {
  readonly approval: Approval
}

/** The platform's own names in a requirement: we mask inside their values, and never a whole value. */
const structure = new Set(
  `id created_at tool_execution user_input_schema member_agent_id member_agent_name member_run_id tool_call_id tool_name
  tool_args tool_call_error result requires_confirmation confirmed requires_user_input external_execution_required
  approval_type approval_id`.split(/\s+/),
)

/** Masks an approval: all that the words of the rules name. If nothing is masked, the same approval comes back. */
export function maskApproval(approval: Approval, words: readonly string[]): Masked {
  const { masker, hidden } = createMasker(words)
  const name = (one: string | null): string | null => (one === null ? null : masker.text(one))
  const requirements = approval.requirements?.map((one) => maskRequirement(masker, one)) ?? null
  const record = repeatsCall(approval) ? masker : masker.another()
  const toolArgs = approval.toolArgs === null ? null : record.members(approval.toolArgs)
  const { toolName, sourceName, agentId, teamId, workflowId } = approval
  const own = { toolName: name(toolName), sourceName: name(sourceName), agentId: name(agentId) }
  const names = { ...own, teamId: name(teamId), workflowId: name(workflowId) }
  const untouched = hidden.count + hidden.imitations === 0
  return { approval: untouched ? approval : { ...approval, ...names, requirements, toolArgs }, ...hidden }
}

/** Masks what a person filled in (`{values?, result?}`): all that the words name. */
export function maskFilled(filled: JsonObject, words: readonly string[]): { readonly filled: JsonObject } & Hidden {
  const { masker, hidden } = createMasker(words)
  const shown = Object.entries(filled).map(([name, one]) => [
    name,
    isJsonObject(one) ? masker.members(one) : masker.value(one),
  ])
  return { filled: Object.fromEntries(shown), ...hidden }
}

/** A name, a description or another short text, as it may be shown. Only patterns mask parts of it. */
export function maskText(text: string, words: readonly string[]): string {
  return createMasker(words).masker.text(text)
}

/** True if the words mask something of a value: by the value's name, or by a pattern. */
export function isMasked(name: string, value: Json, words: readonly string[]): boolean {
  const { masker, hidden } = createMasker(words)
  if (masker.hides(name)) return true
  masker.value(value)
  return hidden.count > 0
}

/** False if the record differs from its calls. The two must then not look the same once we masked them. */
function repeatsCall({ toolArgs, requirements }: Approval): boolean {
  const own = canonicalJson(toolArgs ?? {})
  if (requirements === null || requirements.length === 0) return true
  return requirements.some((one) => canonicalJson(executionIn(one)["tool_args"] ?? {}) === own)
}

/** Masks a requirement. If a member beside the call has a name of the call but another value, its mask must differ. */
function maskRequirement(masker: Masker, requirement: JsonObject): JsonObject {
  const execution = executionIn(requirement)
  const shown = Object.entries(requirement).map(([name, value]) => {
    if (name === "tool_execution" && isJsonObject(value)) return [name, maskMembers(masker, value)]
    const differs = execution !== requirement && Object.hasOwn(execution, name) && !repeats(execution, name, value)
    return [name, maskMember(differs ? masker.another() : masker, name, value)]
  })
  return Object.fromEntries(shown)
}

function maskMembers(masker: Masker, holder: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(holder).map(([name, value]) => [name, maskMember(masker, name, value)]))
}

function maskMember(masker: Masker, name: string, value: Json): Json {
  if (isPlain(name, value)) return value
  if (name === "tool_args" && typeof value === "string") return maskArguments(masker, value)
  if (name === "user_input_schema" && isJsonArray(value))
    return value.map((field) => (isJsonObject(field) ? maskField(masker, field) : masker.value(field)))
  return masker.hides(name) && !structure.has(name) ? masker.hide(value) : masker.value(value)
}

/** Masks arguments. If they are a text, nobody knows which names stand in it. */
function maskArguments(masker: Masker, text: string): Json {
  return masker.byName ? masker.hideAll(text) : masker.text(text)
}

function maskField(masker: Masker, field: JsonObject): JsonObject {
  const { value = null, ...others } = field
  const { name } = others
  const hidden = typeof name === "string" && masker.hides(name)
  const shown = Object.entries(others).map(([key, one]) => [key, masker.value(one)])
  return { ...Object.fromEntries(shown), value: hidden ? masker.hide(value) : masker.value(value) }
}
