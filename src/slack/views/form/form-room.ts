// How many fields of a form, and how much of them, one view has room for.
import { visible } from "../../../blockkit/text.ts"
import { sentBytes } from "../../../blockkit/totals.ts"
import type { InputField } from "../../../domain/content/inputs.ts"
import { maskText } from "../../../domain/text/mask.ts"
import type { VoteForm } from "../../../flow/ports/inbound.ts"
import { startWords } from "../../text/form-words.ts"
import { type FieldInput, fieldInput } from "./form-field.ts"

/** How long the name and the description of a field may be, in UTF-16 units. */
interface FieldWords {
  readonly label: number
  readonly hint: number
}

/** How many fields a modal can hold beside the rest of the form. */
export const maxFields = 90
/** How much the fields may take of a view together, in bytes on the wire; Slack takes 250,000 for the whole view. */
const fieldsBytes = 150_000
/** What each field takes besides its own words: its JSON, and our words. */
const frameBytes = 500
const wholeWords: FieldWords = { label: 300, hint: 1_500 }
/** For a form with too many fields for whole words: Details show these in full. */
const shortWords: FieldWords = { label: 80, hint: 80 }

/**
 * The inputs of a form, and how long its words may be. If a view has no room for all, we first shorten words. Then we
 * drop the largest menus, so people type into these fields, and then the longest values that inputs begin with. Menus
 * follow from the fields alone, so we read a submitted form as it was drawn.
 */
export function formFields(form: VoteForm): { readonly inputs: readonly FieldInput[]; readonly words: FieldWords } {
  const fields = form.inputs.fields.slice(0, maxFields)
  const taken = (words: FieldWords) => sum(fields.map((field) => frameBytes + wordBytes(field, words, form)))
  const words = taken(wholeWords) > fieldsBytes / 2 ? shortWords : wholeWords
  const room = fieldsBytes - taken(words)
  const chosen = fields.map((field) => fieldInput(field, form))
  const menus = chosen.map(({ options }) => (options === null ? 0 : sentBytes(options)))
  const menuFits = fittingSizes(menus, room)
  const inputs = chosen.map((input, at) => (menuFits[at] === true ? input : fieldInput(input.field, form, "typed")))
  const starts = inputs.map(({ options, start }) => (options === null && start !== null ? sentBytes(start) : 0))
  const startFits = fittingSizes(starts, room - sum(menus.filter((_, at) => menuFits[at])))
  return { inputs: inputs.map((input, at) => (startFits[at] === true ? input : withoutStart(input))), words }
}

/** How much the name and the description of a field take at most, with the notes on what is cut. */
function wordBytes({ name, description }: InputField, { label, hint }: FieldWords, { model }: VoteForm): number {
  const bytes = (text: string, units: number) =>
    sentBytes(visible(maskText(text.slice(0, units), model.look.mask)).slice(0, units)) + noteBytes
  return bytes(name, label) + bytes(description, hint)
}

/** How much a note on what is cut may take. */
const noteBytes = 50

/** Says which of the sizes fit into the room together: the small ones go first. */
function fittingSizes(sizes: readonly number[], room: number): readonly boolean[] {
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

function withoutStart(input: FieldInput): FieldInput {
  return { ...input, start: null, hint: `${input.hint} ${startWords.elsewhere}` }
}
