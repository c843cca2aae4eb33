// The fields of a form: the choices, what an input begins with, what a submitted value means, and how much of all that
// one view has room for.
import type { PlainTextOption } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { escapedLength, plain, visible } from "../../blockkit/text.ts"
import { sentBytes } from "../../blockkit/totals.ts"
import { type Coerced, coerce, type InputField, wordOf } from "../../domain/content/inputs.ts"
import { isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import { isMasked, maskText } from "../../domain/text/mask.ts"
import type { VoteForm } from "../../flow/ports/inbound.ts"

/** What is said of a value that is masked. */
export const maskedNote = "Its value is masked: Details can reveal it."
/** What ends a line for any reader; Slack drops some of them from an input of one line. */
const lineEnd = /[\n\v\f\r\u0085\u2028\u2029]/
/** Longer texts get an input of several lines. */
const lineUnits = 60

/** The input of one field. */
export interface FieldInput {
  readonly field: InputField
  /** The choices, or null if people type a value. */
  readonly options: readonly PlainTextOption[] | null
  /** What it holds at first: a text, or the value of an option; null for nothing. */
  readonly start: string | null
  readonly multiline: boolean
  /** Whose value it begins with. */
  readonly hint: string
}

/** How long the name and the description of a field may be, in UTF-16 units. */
interface FieldWords {
  readonly label: number
  readonly hint: number
}

/** Fields that a modal can hold beside the rest of the form. */
export const maxFields = 90
/** What they may take of a view together, in bytes on the wire; Slack takes 250,000 of the whole view. */
const fieldsBytes = 150_000
/** What one takes before it says anything: its JSON, and our own words. */
const frameBytes = 500
const wholeWords: FieldWords = { label: 300, hint: 1_500 }
/** Where that is too much for so many fields: Details have the whole of each. */
const shortWords: FieldWords = { label: 80, hint: 80 }

/**
 * The inputs of a form, and how long its words may be. What a view has no room for goes: long words first, then the
 * largest menus, whose fields people type into, then the longest values that inputs begin with. Menus follow from the
 * fields alone, so a form that is submitted is read as it was drawn.
 */
export function formFields(form: VoteForm): { readonly inputs: readonly FieldInput[]; readonly words: FieldWords } {
  const fields = form.inputs.fields.slice(0, maxFields)
  const taken = (words: FieldWords) => sum(fields.map((field) => frameBytes + wordBytes(field, words, form)))
  const words = taken(wholeWords) > fieldsBytes / 2 ? shortWords : wholeWords
  const room = fieldsBytes - taken(words)
  const chosen = fields.map((field) => fieldInput(field, form))
  const menus = chosen.map(({ options }) => (options === null ? 0 : sentBytes(options)))
  const menuFits = fitting(menus, room)
  const inputs = chosen.map((input, at) => (menuFits[at] === true ? input : fieldInput(input.field, form, "typed")))
  const starts = inputs.map(({ options, start }) => (options === null && start !== null ? sentBytes(start) : 0))
  const startFits = fitting(starts, room - sum(menus.filter((_, at) => menuFits[at])))
  return { inputs: inputs.map((input, at) => (startFits[at] === true ? input : withoutStart(input))), words }
}

/** What the name and the description of a field take at most, with the notes on what is left out. */
function wordBytes({ name, description }: InputField, { label, hint }: FieldWords, { face }: VoteForm): number {
  const bytes = (text: string, units: number) =>
    sentBytes(visible(maskText(text.slice(0, units), face.look.mask)).slice(0, units)) + noteBytes
  return bytes(name, label) + bytes(description, hint)
}

/** What the note on what is left out may take. */
const noteBytes = 50

/** Which of the sizes fit together into the room: the small ones go first. */
function fitting(sizes: readonly number[], room: number): readonly boolean[] {
  const fits = sizes.map((size) => size === 0)
  let used = 0
  for (const { size, at } of sizes.map((size, at) => ({ size, at })).toSorted((one, other) => one.size - other.size)) {
    used += size
    if (used <= room) fits[at] = true
  }
  return fits
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

const elsewhere = "It cannot stand here; Details shows it."

function withoutStart(input: FieldInput): FieldInput {
  return { ...input, start: null, hint: `${input.hint} ${elsewhere}` }
}

/**
 * The input of a field. It begins with the first voter's value, else the agent's guess, if that can stand in it.
 * `typed`: people type it, even if there are choices.
 */
function fieldInput(field: InputField, form: VoteForm, how: "chosen" | "typed" = "chosen"): FieldInput {
  const { value, whose } = proposedIn(field, form)
  const options = how === "typed" ? null : optionsOf(field, form)
  const masked = isMasked(field.name, value, form.face.look.mask)
  const word = value === null ? "" : wordOf(value)
  const multiline = field.kind === "json" || masked || word.length > lineUnits || lineEnd.test(word)
  const input = { field, options, multiline, start: null }
  if (masked) return { ...input, hint: `${maskedNote} Please enter it.` }
  if (value === null) return { ...input, hint: "The agent filled in nothing." }
  const start = options === null ? typedStart(word) : chosenStart(options, choicesOf(field), value)
  return { ...input, start, hint: start === null ? `${whose} ${elsewhere}` : whose }
}

/** What a submitted value means. If it was not changed, it is exactly the value that its input began with. */
export function readField({ field, options, start }: FieldInput, submitted: string, form: VoteForm): Coerced {
  const chosen = choicesOf(field)[options?.findIndex((option) => option.value === submitted) ?? -1]
  if (chosen !== undefined) return { ok: true, value: chosen }
  const read = coerce(field, submitted)
  return read.ok && submitted === start ? { ok: true, value: proposedIn(field, form).value } : read
}

function proposedIn(field: InputField, { earlier }: VoteForm): { readonly value: Json; readonly whose: string } {
  const filled = valueIn(earlier, field.name)
  return filled === undefined
    ? { value: field.guess, whose: "The agent's guess: please check it." }
    : { value: filled, whose: "What the first approver filled in." }
}

function valueIn(earlier: JsonObject | null, name: string): Json | undefined {
  const values = earlier?.["values"]
  return isJsonObject(values) && Object.hasOwn(values, name) ? values[name] : undefined
}

function typedStart(word: string): string | null {
  const fits = visible(word) === word && word.length <= blockLimits.inputLength && word !== ""
  return fits ? word : null
}

/** Only the very value is chosen at first: `1` is not `"1"`. */
function chosenStart(options: readonly PlainTextOption[], choices: readonly Json[], value: Json): string | null {
  const wanted = JSON.stringify(value)
  return options[choices.findIndex((choice) => JSON.stringify(choice) === wanted)]?.value ?? null
}

function choicesOf({ kind, choices }: InputField): readonly Json[] {
  return kind === "truth" ? [true, false] : choices
}

/**
 * The choices as options of a menu; null if there are none, or no menu holds them. Masks hide only what people read.
 */
function optionsOf(field: InputField, { face: model }: VoteForm): readonly PlainTextOption[] | null {
  const choices = choicesOf(field)
  const labels = labelsOf(choices, (text) => visible(maskText(text, model.look.mask)))
  const fits = labels.every((label) => label !== "" && escapedLength(label) <= blockLimits.optionText)
  if (choices.length === 0 || choices.length > blockLimits.selectOptions || !fits) return null
  const values = valuesOf(choices)
  return labels.map((label, at) => ({ text: plain(label), value: values[at] ?? "" }))
}

/** If two choices read the same, each is written as JSON, with its number. */
function labelsOf(choices: readonly Json[], shown: (text: string) => string): readonly string[] {
  const labels = choices.map((choice) => shown(wordOf(choice)))
  if (new Set(labels).size === labels.length) return labels
  return choices.map((choice, at) => `${shown(JSON.stringify(choice))} · choice ${at + 1}`)
}

/** Slack takes no value twice. */
function valuesOf(choices: readonly Json[]): readonly string[] {
  const words = choices.map(wordOf)
  const fits = words.every((word) => word !== "" && word.length <= blockLimits.optionValue)
  return fits && new Set(words).size === words.length ? words : choices.map((_, at) => `choice_${at + 1}`)
}
