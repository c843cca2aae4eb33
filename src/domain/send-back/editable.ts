// What of a case can be sent back with changes: the arguments of its open calls, each of the kind that it has today.
import { type Approval, type Call, openGatedCalls } from "../content/approval.ts"
import { type Coerced, coerce, type InputField, type InputKind, wordOf } from "../content/inputs.ts"
import { isWireNumber, type Json, type JsonObject, parseJson } from "../content/json.ts"
import { isSameJson } from "../content/run.ts"
import { isMasked } from "../text/mask.ts"
import { type CallChoice, type Counterproposal, longestCounterproposal, type ProposedCall } from "./counterproposal.ts"

/** The longest value that can be changed, as text, in UTF-16 units: as much as one input of Slack holds. */
export const longestValue = 3_000

/** One argument that can be changed. */
export interface EditableField {
  readonly name: string
  /** Its value today. */
  readonly value: Json
  readonly kind: InputKind
}

/** One open call of a case: what of it can be changed, and the names of what cannot, with the reason. */
export interface EditableCall {
  readonly call: Call
  readonly fields: readonly EditableField[]
  readonly fixed: readonly { readonly name: string; readonly why: "masked" | "long" }[]
}

/** What of a case's open calls can be changed. `mask`: the words of the rules; what they hide stays as it is. */
export function editableCalls(approval: Approval, mask: readonly string[]): readonly EditableCall[] {
  return openGatedCalls(approval).map((call) => {
    const all = Object.entries(offeredArguments(call)).map(([name, value]) => ({
      name,
      value,
      why: whyFixed(name, value, mask),
    }))
    return {
      call,
      fields: all.flatMap(({ name, value, why }) => (why === null ? [{ name, value, kind: valueKind(value) }] : [])),
      fixed: all.flatMap(({ name, why }) => (why === null ? [] : [{ name, why }])),
    }
  })
}

/** The arguments of a call. What the agent filled in for people in a form is one, too: it can say it again. */
export function offeredArguments({ args, fields }: Pick<Call, "args" | "fields">): JsonObject {
  const filled = fields.flatMap(({ name, value = null }): [string, Json][] =>
    typeof name === "string" && value !== null ? [[name, value]] : [],
  )
  return { ...args, ...Object.fromEntries(filled) }
}

function whyFixed(name: string, value: Json, mask: readonly string[]): "masked" | "long" | null {
  if (isMasked(name, value, mask)) return "masked"
  return wordOf(value).length > longestValue ? "long" : null
}

function valueKind(value: Json): InputKind {
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "truth"
  if (typeof value === "number" || isWireNumber(value)) return /^-?\d+$/.test(wordOf(value)) ? "integer" : "number"
  return "json"
}

/** A field as a form asks for it: it begins with today's value. */
export function inputOf({ name, value, kind }: EditableField): InputField {
  return { name, kind, type: "", description: "", guess: value, choices: [], calls: 1 }
}

/** What a typed text means for a field: of the same kind as today's value. `why` is a sentence for whoever typed it. */
export function readProposed(field: EditableField, typed: string, mask: readonly string[]): Coerced {
  const read = field.value === null ? readAny(typed) : coerce(inputOf(field), typed)
  if (!read.ok) return read
  if (JSON.stringify(read.value).includes(String.raw`\u0000`)) return { ok: false, why: words.nullCharacter }
  if (isMasked(field.name, read.value, mask)) return { ok: false, why: words.masked }
  return read
}

const words = {
  any: 'Please enter JSON, such as 42, "text" or [1, 2].',
  nullCharacter: "Please leave out the null character: platforms cannot keep it.",
  masked: "The rules mask such a value, and what is masked cannot be proposed.",
}

/** Today's value is null, so that nobody knows its kind. */
function readAny(typed: string): Coerced {
  try {
    return { ok: true, value: parseJson(typed.trim()) }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, why: words.any }
    throw error
  }
}

/** What somebody wants of one call: a choice, and what they would have the arguments be, by name. */
export interface WantedCall {
  readonly choice: CallChoice
  readonly values: JsonObject
}

/** The counterproposal for these calls, with no more of the arguments than what changes. */
export function counterproposalOf(calls: readonly EditableCall[], wanted: readonly WantedCall[]): Counterproposal {
  return {
    calls: calls.map(({ call: { id, tool }, fields }, at): ProposedCall => {
      const { choice, values } = wanted[at] ?? { choice: "as-is", values: {} }
      const changed = fields.filter(
        ({ name, value }) => Object.hasOwn(values, name) && !isSameJson(values[name], value),
      )
      const args = choice === "changed" ? changed.map(({ name }) => [name, values[name] ?? null]) : []
      return { call: id, tool, choice, args: Object.fromEntries(args) }
    }),
  }
}

/** What makes a counterproposal useless; null if nothing does. `empty`: the agent would hear nothing of use. */
export function flawOf(proposal: Counterproposal, note: string | null): "empty" | "too-long" | null {
  if (Buffer.byteLength(JSON.stringify(proposal)) > longestCounterproposal) return "too-long"
  const says = proposal.calls.some(({ choice, args }) => choice !== "changed" || Object.keys(args).length > 0)
  return says || note !== null ? null : "empty"
}

/** True if a counterproposal is about the calls of this case, and changes nothing but what can be changed. */
export function fitsCase({ calls }: Counterproposal, approval: Approval, mask: readonly string[]): boolean {
  const editable = editableCalls(approval, mask)
  return (
    calls.length === editable.length &&
    calls.every(({ call, tool, choice, args }, at) => {
      const { call: open, fields = [] } = editable[at] ?? {}
      const known = Object.keys(args).every((name) => fields.some((field) => field.name === name))
      return (
        call === (open?.id ?? null) &&
        tool === (open?.tool ?? null) &&
        known &&
        (choice === "changed" || Object.keys(args).length === 0)
      )
    })
  )
}
