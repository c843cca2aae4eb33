// A field of a form: its choices, what its input begins with, and what a submitted value means.
import type { PlainTextOption } from "@slack/types"
import { blockLimits } from "../../../blockkit/limits.ts"
import { escapedLength, plain, visible } from "../../../blockkit/text.ts"
import { type Coerced, coerce, type InputField, wordOf } from "../../../domain/content/inputs.ts"
import { isJsonObject, type Json, type JsonObject } from "../../../domain/content/json.ts"
import { isMasked, maskText } from "../../../domain/text/mask.ts"
import type { VoteForm } from "../../../flow/ports/inbound.ts"
import { numberedChoice, startWords } from "../../text/form-words.ts"

/** Each character that any reader takes for the end of a line; Slack drops some of them from an input of one line. */
const lineEnd = /[\n\v\f\r\u0085\u2028\u2029]/
/** A longer text gets an input of several lines. */
const lineUnits = 60

/** The input of one field. */
export interface FieldInput {
  readonly field: InputField
  /** The choices, or null if people type a value. */
  readonly options: readonly PlainTextOption[] | null
  /** What the input holds at first: a text, or the value of an option; null for nothing. */
  readonly start: string | null
  readonly multiline: boolean
  /** Whose value it begins with. */
  readonly hint: string
}

/**
 * The input of a field. It begins with the first voter's value, else with the agent's guess, if that fits in. `typed`:
 * people type the value even if there are choices.
 */
export function fieldInput(field: InputField, form: VoteForm, how: "chosen" | "typed" = "chosen"): FieldInput {
  const { value, whose } = proposedIn(field, form)
  const options = how === "typed" ? null : optionsOf(field, form)
  const masked = isMasked(field.name, value, form.model.look.mask)
  const word = value === null ? "" : wordOf(value)
  const multiline = field.kind === "json" || masked || word.length > lineUnits || lineEnd.test(word)
  const input = { field, options, multiline, start: null }
  if (masked) return { ...input, hint: `${startWords.masked} ${startWords.enter}` }
  if (value === null) return { ...input, hint: startWords.nothing }
  const start = options === null ? typedStart(word) : chosenStart(options, choicesOf(field), value)
  return { ...input, start, hint: start === null ? `${whose} ${startWords.elsewhere}` : whose }
}

/** What a submitted value means. An unchanged value is exactly the value that its input began with. */
export function readField({ field, options, start }: FieldInput, submitted: string, form: VoteForm): Coerced {
  const chosen = choicesOf(field)[options?.findIndex((option) => option.value === submitted) ?? -1]
  if (chosen !== undefined) return { ok: true, value: chosen }
  const read = coerce(field, submitted)
  return read.ok && submitted === start ? { ok: true, value: proposedIn(field, form).value } : read
}

function proposedIn(field: InputField, { earlier }: VoteForm): { readonly value: Json; readonly whose: string } {
  const filled = valueIn(earlier, field.name)
  return filled === undefined
    ? { value: field.guess, whose: startWords.guess }
    : { value: filled, whose: startWords.earlier }
}

function valueIn(earlier: JsonObject | null, name: string): Json | undefined {
  const values = earlier?.["values"]
  return isJsonObject(values) && Object.hasOwn(values, name) ? values[name] : undefined
}

function typedStart(word: string): string | null {
  const fits = visible(word) === word && word.length <= blockLimits.inputLength && word !== ""
  return fits ? word : null
}

/** The option that is chosen at first. It must be the very same value: `1` is not `"1"`. */
function chosenStart(options: readonly PlainTextOption[], choices: readonly Json[], value: Json): string | null {
  const wanted = JSON.stringify(value)
  return options[choices.findIndex((choice) => JSON.stringify(choice) === wanted)]?.value ?? null
}

function choicesOf({ kind, choices }: InputField): readonly Json[] {
  return kind === "truth" ? [true, false] : choices
}

/** The choices as options of a menu; null if there are none or no menu holds them. Masks hide only what people read. */
function optionsOf(field: InputField, { model }: VoteForm): readonly PlainTextOption[] | null {
  const choices = choicesOf(field)
  const labels = labelsOf(choices, (text) => visible(maskText(text, model.look.mask)))
  const fits = labels.every((label) => label !== "" && escapedLength(label) <= blockLimits.optionText)
  if (choices.length === 0 || choices.length > blockLimits.selectOptions || !fits) return null
  const values = valuesOf(choices)
  return labels.map((label, at) => ({ text: plain(label), value: values[at] ?? "" }))
}

/** The choices as people read them. If two read alike, each is written as JSON, with its number. */
function labelsOf(choices: readonly Json[], shown: (text: string) => string): readonly string[] {
  const labels = choices.map((choice) => shown(wordOf(choice)))
  if (new Set(labels).size === labels.length) return labels
  return choices.map((choice, at) => numberedChoice(shown(JSON.stringify(choice)), at + 1))
}

/** The value of each option: Slack accepts no value twice. */
function valuesOf(choices: readonly Json[]): readonly string[] {
  const words = choices.map(wordOf)
  const fits = words.every((word) => word !== "" && word.length <= blockLimits.optionValue)
  return fits && new Set(words).size === words.length ? words : choices.map((_, at) => `choice_${at + 1}`)
}
