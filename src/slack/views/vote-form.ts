// The form that one vote needs: values, a result, a reason. Made from the platform's schema; the agent's guesses are marked as such.
import type { InputBlock, KnownBlock, ModalView } from "@slack/types"
import { LIMITS } from "../../blockkit/limits.ts"
import { clip, plain } from "../../blockkit/text.ts"
import type { InputField } from "../../domain/inputs.ts"
import type { Verb } from "../../domain/judge.ts"
import { isMasked, maskText } from "../../domain/mask.ts"
import type { VoteForm } from "../../flow/inbound.ts"
import { FORM, VIEWS } from "../ids.ts"
import { headlineOf } from "../text/headline.ts"
import { maskFace } from "../text/masking.ts"
import { rich, say } from "../text/spans.ts"
import { createLens } from "../text/text-fitter.ts"
import { alertBlock } from "./alert-block.ts"
import { type ViewNote, writeNote } from "./button-values.ts"
import { modal } from "./details.ts"
import { type FieldInput, fieldInput, MASKED } from "./form-field.ts"

/** The longest reason, in UTF-16 units. */
const REASON_UNITS = 1_000
/** Fields that a modal can hold beside the rest of the form. */
export const MOST_FIELDS = 90
const LABEL_UNITS = 300
const HINT_UNITS = 1_500

/** The form for one vote; its submit button names what will happen. */
export function formView(note: ViewNote, verb: Verb, form: VoteForm): ModalView {
  const approving = verb === "approve"
  const { face } = maskFace(form.face)
  const asked = approving
    ? form.inputs.fields.slice(0, MOST_FIELDS).map((field, at) => fieldBlock(field, at, form))
    : []
  const blocks: KnownBlock[] = [
    rich(headlineOf(face, createLens())),
    ...(approving && form.inputs.fields.length > MOST_FIELDS ? [tooMany(form.inputs.fields.length)] : []),
    ...asked,
    ...(approving && form.inputs.result.length > 0 ? [resultBlock(form)] : []),
    ...reasonBlocks(form, verb),
  ]
  const title = approving ? "Approve" : "Reject"
  const view = modal({ callback: VIEWS.form, title, note: writeNote({ ...note, verb }), blocks })
  return { ...view, submit: plain(title), close: plain("Cancel") }
}

function tooMany(count: number): KnownBlock {
  const words = `This asks for ${count} values, and a form in Slack holds ${MOST_FIELDS}: it cannot be approved here.`
  return alertBlock([say(words)], "error")
}

/** The block of the field at a place of the form. */
export function fieldBlockId(index: number): string {
  return `${FORM.field}_${index}`
}

function fieldBlock(field: InputField, index: number, form: VoteForm): InputBlock {
  const lens = createLens()
  const type = field.type === "" ? "" : ` (${field.type})`
  const shown = (text: string) => maskText(text, form.face.look.mask)
  const input = fieldInput(field, form)
  const shared = field.calls > 1 ? `The same value goes to ${field.calls} calls. ` : ""
  const said = field.description === "" ? "" : `${lens.word(shown(field.description), HINT_UNITS)} `
  return {
    type: "input",
    block_id: fieldBlockId(index),
    label: plain(lens.word(shown(`${field.name}${type}`), LABEL_UNITS)),
    hint: plain(`${said}${shared}${input.hint}`),
    element: elementOf(input),
  }
}

function elementOf({ options, start, multiline }: FieldInput): InputBlock["element"] {
  if (options === null) {
    const begun = start === null ? {} : { initial_value: start }
    return { type: "plain_text_input", action_id: FORM.value, multiline, max_length: LIMITS.inputLength, ...begun }
  }
  const initial = options.find((option) => option.value === start)
  const begun = initial === undefined ? {} : { initial_option: initial }
  return { type: "static_select", action_id: FORM.value, options: [...options], ...begun }
}

function resultBlock({ inputs, earlier, face }: VoteForm): InputBlock {
  const { mask } = face.look
  const tools = createLens().word(maskText(inputs.result.join(", "), mask), HINT_UNITS)
  const result = earlier?.["result"] ?? null
  const masked = isMasked("", result, mask)
  const fits = typeof result === "string" && result.length <= LIMITS.inputLength && !masked
  const start = fits ? { initial_value: result } : {}
  const several = inputs.result.length > 1 ? " All of them get the same result." : ""
  return {
    type: "input",
    block_id: FORM.result,
    label: plain("Result"),
    hint: plain(
      `What came out of ${tools}, which somebody else ran. The agent reads it as it is.${several}${masked ? ` ${MASKED}` : ""}`,
    ),
    element: {
      type: "plain_text_input",
      action_id: FORM.value,
      multiline: true,
      max_length: LIMITS.inputLength,
      ...start,
    },
  }
}

function reasonBlocks({ reason }: VoteForm, verb: Verb): KnownBlock[] {
  if (reason === null) return []
  const label = verb === "approve" ? "Why do you approve this?" : "Why do you reject this?"
  const choices = [...new Set(reason.choices)].map((choice) => ({
    text: plain(clip(choice, LIMITS.optionText).text),
    value: choice,
  }))
  const select: InputBlock = {
    type: "input",
    block_id: FORM.choice,
    optional: true,
    label: plain(label),
    element: { type: "static_select", action_id: FORM.value, options: choices },
  }
  const text: InputBlock = {
    type: "input",
    block_id: FORM.reason,
    optional: !reason.required || choices.length > 0,
    label: plain(choices.length > 0 ? "In your own words" : label),
    hint: plain("It stands in the thread, in the ledger and in the platform's record."),
    element: { type: "plain_text_input", action_id: FORM.value, multiline: true, max_length: REASON_UNITS },
  }
  return choices.length > 0 ? [select, text] : [text]
}

/** What is shown while the vote of a form is carried out. */
export function decidingView(): ModalView {
  return modal({ callback: VIEWS.told, title: "Approval", blocks: [rich([say("Deciding…")])] })
}
