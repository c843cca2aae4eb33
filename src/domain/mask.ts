// Masks: hides secrets in what is shown, by key name and by pattern, with the mask and the length visible. The digest covers the truth.
import type { Approval } from "./approval.ts"
import { canonicalJson } from "./canonical.ts"
import { globMatches } from "./glob.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json, type JsonObject } from "./json.ts"

/** An approval as it may be shown, and how many values of it are masked. */
export interface Masked {
  readonly approval: Approval
  readonly count: number
}

/** Hides values and counts what it hid. */
interface Masker {
  readonly value: (value: Json) => Json
  readonly members: (object: JsonObject, known?: ReadonlySet<string>) => JsonObject
  readonly hides: (key: string) => boolean
  readonly hide: (value: Json) => Json
  readonly count: () => number
}

/** Names of the platform's own in a requirement; what stands under them is looked into, and never masked as a whole. */
const structure = new Set([
  ..."id created_at tool_execution user_input_schema member_agent_id member_agent_name member_run_id tool_call_id".split(
    " ",
  ),
  ..."tool_name tool_args tool_call_error result requires_confirmation confirmed requires_user_input".split(" "),
  ..."external_execution_required approval_type approval_id".split(" "),
])

/** Hides in an approval what the words of the rules name. Without words it comes back as it is. */
export function maskApproval(approval: Approval, words: readonly string[]): Masked {
  if (words.length === 0) return { approval, count: 0 }
  const calls = createMasker(words, "")
  const requirements = approval.requirements?.map((one) => maskRequirement(calls, one)) ?? null
  const record = createMasker(words, repeatsCall(approval) ? "" : "another value, ")
  const toolArgs = approval.toolArgs === null ? null : record.members(approval.toolArgs)
  return { approval: { ...approval, requirements, toolArgs }, count: calls.count() + record.count() }
}

/** Hides in what a person filled in (`{values?, result?}`) what the words name. */
export function maskFilled(filled: JsonObject, words: readonly string[]): JsonObject {
  return words.length === 0 ? filled : createMasker(words, "").members(filled, new Set(["values", "result"]))
}

/** True if the words hide the value of a field or argument of that name. */
export function isMaskedName(name: string, words: readonly string[]): boolean {
  return createMasker(words, "").hides(name)
}

/** If the record says something else than its calls, it must not look the same once both are masked. */
function repeatsCall({ toolArgs, requirements }: Approval): boolean {
  const own = canonicalJson(toolArgs ?? {})
  if (requirements === null || requirements.length === 0) return true
  return requirements.some((one) => {
    const execution = isJsonObject(one["tool_execution"]) ? one["tool_execution"] : one
    return canonicalJson(execution["tool_args"] ?? {}) === own
  })
}

function maskRequirement(masker: Masker, requirement: JsonObject): JsonObject {
  const shown = masker.members(requirement, structure)
  return Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [key, maskPart(masker, key, value, requirement)]),
  )
}

function maskPart(masker: Masker, key: string, shown: Json, requirement: JsonObject): Json {
  const whole = requirement[key] ?? null
  if (key === "tool_execution" && isJsonObject(whole)) return maskRequirement(masker, whole)
  if (key === "tool_args" && isJsonObject(whole)) return masker.members(whole)
  if (key !== "user_input_schema" || !isJsonArray(whole)) return shown
  return whole.map((field) => (isJsonObject(field) ? maskField(masker, field) : field))
}

function maskField(masker: Masker, field: JsonObject): JsonObject {
  const { name, value = null } = field
  const hidden = typeof name === "string" && masker.hides(name) ? masker.hide(value) : masker.value(value)
  return { ...field, value: hidden }
}

function createMasker(words: readonly string[], note: string): Masker {
  let count = 0
  const globs = words.filter((word) => !isPattern(word)).map((word) => word.toLowerCase())
  const patterns = words.filter(isPattern).map((word) => new RegExp(word.slice(1, -1), "giu"))
  const mark = (text: string): string => {
    if (text === "") return ""
    count += 1
    return `▒▒▒▒ ${note}${text.length} characters masked ▒▒▒▒`
  }
  const hides = (key: string): boolean => globs.some((glob) => globMatches(glob, key.toLowerCase()))
  const hide = (value: Json): Json => {
    if (value === null || value === "") return value
    return mark(typeof value === "string" ? value : JSON.stringify(value))
  }
  const value = (one: Json): Json => {
    if (typeof one === "string") return patterns.reduce((text, pattern) => text.replace(pattern, mark), one)
    if (isJsonArray(one)) return one.map(value)
    return isJsonObject(one) && !isWireNumber(one) ? members(one) : one
  }
  const members = (object: JsonObject, known: ReadonlySet<string> = new Set()): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, one]) => {
        if (known.has(key)) return [key, one]
        return [key, hides(key) ? hide(one) : value(one)]
      }),
    )
  return { value, members, hides, hide, count: () => count }
}

/** `/…/` is a pattern on values, anything else the name of a key. */
export function isPattern(word: string): boolean {
  return word.length > 2 && word.startsWith("/") && word.endsWith("/")
}
