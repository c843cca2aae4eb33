// The form that one vote needs: values, a result, a reason. We make it from the platform's schema, and read it back.

import type { InputBlock, KnownBlock, ModalView } from "@slack/types"
import { blockLimits } from "../../../blockkit/limits.ts"
import { clip, plain } from "../../../blockkit/text.ts"
import type { CardModel } from "../../../domain/case/card-model.ts"
import { approvalTakes, isLeftBlank } from "../../../domain/content/inputs.ts"
import type { Json, JsonObject } from "../../../domain/content/json.ts"
import { hasVisibleText } from "../../../domain/content/visible-text.ts"
import type { Verb } from "../../../domain/policy/judge.ts"
import { isMasked, maskText } from "../../../domain/text/mask.ts"
import type { VoteForm } from "../../../flow/ports/inbound.ts"
import { formIds, viewIds } from "../../ids.ts"
import { maskModel } from "../../lines/masking.ts"
import { rich, say, stack } from "../../lines/spans.ts"
import { createTextFitter } from "../../lines/text-fitter.ts"
import { buttonWords } from "../../text/button-words.ts"
import { lastingChoice } from "../../text/case/again-words.ts"
import { agreementLines, aheadLines, firstRules } from "../../text/case/agreement-words.ts"
import { askedLine } from "../../text/case/case-facts.ts"
import { breakingWords, typedHint, typedLabel } from "../../text/case/glass-words.ts"
import { headlineOf } from "../../text/case/headline.ts"
import {
  askedWhy,
  endWords,
  fieldHint,
  formNames,
  missingWords,
  reasonWords,
  requiredLabel,
  resultHint,
  resultLabel,
  reviewHint,
  tooManyValues,
} from "../../text/form-words.ts"
import { alertBlock } from "../alert-block.ts"
import { type ViewNote, writeNote } from "../button-values.ts"
import { modal } from "../details.ts"
import { type FieldInput, readField } from "./form-field.ts"
import { formFields, maxFields } from "./form-room.ts"
import { insteadBlocks, readSendBack, sendBackBlocks } from "./send-back-form.ts"

/** The longest reason, in UTF-16 units. */
const reasonUnits = 1_000
const maxRules = 4
/** How much the names of the tools whose result is asked for may take. */
const toolsUnits = 1_500

/** A form as it is drawn. `begun`: the form in whose place it comes, whose reason it begins with. */
interface DrawnForm extends VoteForm {
  readonly begun?: FormValues
}

/** The form for one vote. Its submit button says what will happen. */
export function formView(note: ViewNote, verb: Verb, form: DrawnForm): ModalView {
  const approving = verb === "approve"
  const { model } = maskModel(form.model)
  const takes = approvalTakes(form.model.approval)
  const brought = takes === "result" && form.earlier !== null
  const { sendBack } = form
  const rejecting = note.calledBack === true ? "back" : sendBack === undefined ? "reject" : "sendBack"
  const kind = approving ? (brought ? "confirm" : takes) : rejecting
  const { title, submit } = formNames[form.glass === undefined ? kind : "glass"]
  const fitter = createTextFitter()
  const breaking = form.glass !== undefined
  const who = breaking
    ? [[say(breakingWords)]]
    : approving
      ? firstRules(agreementLines(model, fitter), maxRules)
      : [[say(endWords[rejecting])]]
  const asked = approving ? fieldBlocks(form) : sendBack === undefined ? [] : sendBackBlocks(form, sendBack)
  const ahead = approving && !breaking && asked.length > 0 ? aheadLines(model, createTextFitter()) : []
  const blocks: KnownBlock[] = [
    rich(headlineOf(model, fitter)),
    rich(stack([askedLine(model, fitter), ...who])),
    ...(approving && form.inputs.fields.length > maxFields
      ? [alertBlock([say(tooManyValues(form.inputs.fields.length, maxFields))], "error")]
      : []),
    ...asked,
    ...(approving && form.inputs.result.length > 0 ? [resultBlock(form)] : []),
    ...(ahead.length === 0 ? [] : [rich(stack(firstRules(ahead, maxRules)))]),
    ...reasonBlocks(form, breaking ? "glass" : approving ? "approve" : rejecting),
    ...typedBlocks(form),
    ...lastingBlocks(form),
    ...insteadBlocks(form),
  ]
  const view = modal({ callback: viewIds.form, title, note: writeNote({ ...note, verb }), blocks })
  return { ...view, submit: plain(submit), close: plain(buttonWords.cancel) }
}

function fieldBlockId(index: number): string {
  return `${formIds.field}_${index}`
}

function fieldBlocks(form: VoteForm): readonly InputBlock[] {
  const { inputs, words } = formFields(form)
  const fitter = createTextFitter()
  const shown = (text: string) => maskText(text, form.model.look.mask)
  return inputs.map((input, index) => {
    const { name, description, calls } = input.field
    const said = description === "" ? "" : fitter.word(shown(description), words.hint)
    return {
      type: "input",
      block_id: fieldBlockId(index),
      label: plain(requiredLabel(fitter.word(shown(name), words.label))),
      hint: plain(fieldHint(said, calls, input.hint)),
      element: elementOf(input),
    }
  })
}

function elementOf({ options, start, multiline }: FieldInput): InputBlock["element"] {
  if (options === null) return textInput(multiline, blockLimits.inputLength, start)
  const initial = options.find((option) => option.value === start)
  const begun = initial === undefined ? {} : { initial_option: initial }
  return { type: "static_select", action_id: formIds.value, options: [...options], ...begun }
}

function textInput(multiline: boolean, max_length: number, start: string | null): InputBlock["element"] {
  const begun = start === null ? {} : { initial_value: start }
  return { type: "plain_text_input", action_id: formIds.value, multiline, max_length, ...begun }
}

function resultBlock({ inputs, earlier, model }: VoteForm): InputBlock {
  const { mask } = model.look
  const tools = createTextFitter().word(maskText(inputs.result.join(", "), mask), toolsUnits)
  const result = earlier?.["result"] ?? null
  const masked = isMasked("", result, mask)
  const start = typeof result === "string" && result.length <= blockLimits.inputLength && !masked ? result : null
  const hint = resultHint(tools, { several: inputs.result.length > 1, masked, begun: start !== null })
  return {
    type: "input",
    block_id: formIds.result,
    label: plain(resultLabel),
    hint: plain(hint),
    element: textInput(true, blockLimits.inputLength, start),
  }
}

function reasonBlocks({ reason, begun }: DrawnForm, kind: keyof typeof askedWhy): KnownBlock[] {
  if (reason === null) return []
  const label = askedWhy[kind]
  const choices = [...new Set(reason.choices)].map((choice) => ({
    text: plain(clip(choice, blockLimits.optionText).text),
    value: choice,
  }))
  const chosen = choices.find(({ value }) => value === begun?.value(formIds.choice, formIds.value))
  const own = begun?.value(formIds.reason, formIds.value) ?? ""
  const select: InputBlock = {
    type: "input",
    block_id: formIds.choice,
    optional: true,
    label: plain(label),
    element: {
      type: "static_select",
      action_id: formIds.value,
      options: choices,
      ...(chosen === undefined ? {} : { initial_option: chosen }),
    },
  }
  const text: InputBlock = {
    type: "input",
    block_id: formIds.reason,
    optional: !reason.required || choices.length > 0,
    label: plain(choices.length > 0 ? reasonWords.own : reason.required ? requiredLabel(label) : label),
    hint: plain(reasonWords.hint),
    element: textInput(true, reasonUnits, own === "" || own.length > reasonUnits ? null : own),
  }
  return choices.length > 0 ? [select, text] : [text]
}

/** The field in which somebody who breaks the glass types what it is about; none in other forms. */
function typedBlocks({ glass }: VoteForm): readonly InputBlock[] {
  if (glass === undefined) return []
  return [
    {
      type: "input",
      block_id: formIds.typed,
      label: plain(typedLabel(glass.names)),
      hint: plain(typedHint(glass.word)),
      element: textInput(false, blockLimits.inputLength, null),
    },
  ]
}

/** The value of the one box. */
const ticked = "lasting"

/** The box by which a rejection also counts for the same call for a while; none in other forms. */
function lastingBlocks({ lastingMs }: VoteForm): readonly InputBlock[] {
  if (lastingMs === undefined) return []
  const options = [{ text: plain(lastingChoice.option(lastingMs)), value: ticked }]
  return [
    {
      type: "input",
      block_id: formIds.lasting,
      optional: true,
      label: plain(lastingChoice.label),
      hint: plain(lastingChoice.hint),
      element: { type: "checkboxes", action_id: formIds.value, options },
    },
  ]
}

/** The values of a form, by block and action: the text, or the value of the option; "" for none. */
export interface FormValues {
  readonly value: (block: string, action: string) => string
}

/**
 * What a form said: `filled` is `{values?, result?, proposal?}`, or null for a vote that needs neither; `lasting` is
 * set if the rejection also counts for the same call for a while.
 */
export type ReadForm =
  | {
      readonly ok: true
      readonly filled: JsonObject | null
      readonly reason: string | null
      readonly lasting?: true
    }
  /** For each block, the sentence that Slack shows there. */
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

/** Reads the form of one vote. We guess nothing: if a value does not fit, a sentence beside its field says so. */
export function readForm(submission: FormValues, verb: Verb, form: VoteForm): ReadForm {
  const values: Record<string, Json> = {}
  const errors: Record<string, string> = {}
  const { result: tools } = form.inputs
  if (verb === "approve") {
    formFields(form).inputs.forEach((input, index) => {
      const blockId = fieldBlockId(index)
      const typed = submission.value(blockId, formIds.value)
      const missing = { ok: false, why: missingWords.value } as const
      const read = typed === "" || isLeftBlank(input.field, typed) ? missing : readField(input, typed, form)
      if (read.ok) values[input.field.name] = read.value
      else errors[blockId] = read.why
    })
  }
  const result = submission.value(formIds.result, formIds.value)
  const wantsResult = verb === "approve" && tools.length > 0
  if (wantsResult && !hasVisibleText(result)) errors[formIds.result] = missingWords.result
  const reason = reasonIn(submission)
  const back = form.sendBack === undefined ? null : readSendBack(submission, form, reason)
  if (back?.ok === false) Object.assign(errors, back.errors)
  if (form.reason?.required === true && reason === null) errors[formIds.reason] = missingWords.reason
  const { glass } = form
  const isTyped = glass === undefined || submission.value(formIds.typed, formIds.value).trim() === glass.word
  if (!isTyped) errors[formIds.typed] = typedHint(glass.word)
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const filled = back?.ok === true ? back.filled : filledOf(values, wantsResult ? result : null)
  const lasting = form.lastingMs !== undefined && submission.value(formIds.lasting, formIds.value) === ticked
  return { ok: true, filled, reason, ...(lasting && { lasting }) }
}

function filledOf(values: JsonObject, result: string | null): JsonObject | null {
  const some = Object.keys(values).length > 0
  if (!some && result === null) return null
  return { ...(some ? { values } : {}), ...(result === null ? {} : { result }) }
}

/** The form in which a reviewer says why it was not right to break the glass. `truth`: the model, unmasked. */
export function reviewFormView(note: ViewNote, truth: CardModel): ModalView {
  const { model } = maskModel(truth)
  const fitter = createTextFitter()
  const { title, submit } = formNames.review
  const reason: InputBlock = {
    type: "input",
    block_id: formIds.reason,
    label: plain(requiredLabel(askedWhy.review)),
    hint: plain(reviewHint),
    element: textInput(true, reasonUnits, null),
  }
  const blocks: KnownBlock[] = [rich(headlineOf(model, fitter)), reason]
  const view = modal({ callback: viewIds.glassReview, title, note: writeNote(note), blocks })
  return { ...view, submit: plain(submit), close: plain(buttonWords.cancel) }
}

/** The reason in the form of a review; without one, the sentence beside its field. */
export function readReviewReason(submission: FormValues) {
  const reason = submission.value(formIds.reason, formIds.value).trim()
  if (hasVisibleText(reason)) return { ok: true, reason } as const
  return { ok: false, errors: { [formIds.reason]: missingWords.reason } } as const
}

/** The chosen reason, then the person's own words. */
function reasonIn(submission: FormValues): string | null {
  const parts = [
    submission.value(formIds.choice, formIds.value),
    submission.value(formIds.reason, formIds.value).trim(),
  ]
  const said = parts.filter(hasVisibleText).join(": ")
  return said === "" ? null : said
}
