// The part of a form that sends a case back: for each call what becomes of it, and what its arguments should be.
import type { InputBlock, KnownBlock, PlainTextOption } from "@slack/types"
import { blockLimits } from "../../../blockkit/limits.ts"
import { plain } from "../../../blockkit/text.ts"
import type { JsonObject } from "../../../domain/content/json.ts"
import { type CallChoice, filledWith } from "../../../domain/send-back/counterproposal.ts"
import {
  counterproposalOf,
  type EditableCall,
  type EditableField,
  flawOf,
  inputOf,
  readProposed,
  type WantedCall,
} from "../../../domain/send-back/editable.ts"
import { maskText } from "../../../domain/text/mask.ts"
import type { VoteForm } from "../../../flow/ports/inbound.ts"
import type { SendBackForm } from "../../../flow/ports/interaction.ts"
import { actionIds, formIds } from "../../ids.ts"
import { rich, say } from "../../lines/spans.ts"
import { createTextFitter } from "../../lines/text-fitter.ts"
import { buttonWords } from "../../text/button-words.ts"
import {
  calledLabel,
  choiceWords,
  fixedWords,
  insteadWords,
  sendBackHints,
  sendBackWords,
  unheardWords,
} from "../../text/send-back/send-back-words.ts"
import { buttonOn } from "../case-buttons.ts"
import { type FieldInput, fieldInput } from "./form-field.ts"
import { maxFields } from "./form-room.ts"
import type { FormValues } from "./vote-form.ts"

/** How long a label may be, in UTF-16 units. */
const labelUnits = 80

/** One call as the form asks for it. `inputs`: the fields that there is room for. */
interface AskedCall extends EditableCall {
  readonly at: number
  readonly inputs: readonly { readonly field: EditableField; readonly input: FieldInput; readonly blockId: string }[]
  /** How many fields there is no room for. */
  readonly left: number
}

/** The calls with the inputs that one view holds: a choice for each first, then fields in the card's order. */
function askedCalls(form: VoteForm, { calls }: SendBackForm): readonly AskedCall[] {
  let room = maxFields - (calls.length > 1 ? calls.length : 0)
  return calls.map((call, at) => {
    const fields = call.fields.slice(0, Math.max(0, room))
    room -= fields.length
    const inputs = fields.map((field, index) => ({
      field,
      input: fieldInput(inputOf(field), form),
      blockId: `${formIds.field}_${at}_${index}`,
    }))
    return { ...call, at, inputs, left: call.fields.length - fields.length }
  })
}

/** The blocks: what sending back is, who hears it, and the inputs. */
export function sendBackBlocks(form: VoteForm, sendBack: SendBackForm): readonly KnownBlock[] {
  const { unheard } = sendBack
  const calls = askedCalls(form, sendBack)
  const several = calls.length > 1
  return [
    rich([say(sendBackWords)]),
    ...(unheard === null ? [] : [rich([say(unheardWords[unheard])])]),
    ...calls.flatMap((call) => [
      ...(several ? [choiceBlock(call, form)] : []),
      ...call.inputs.map((one) => fieldBlock(call, one, form, several)),
      ...fixedBlocks(call, form),
    ]),
  ]
}

const choices: readonly CallChoice[] = ["changed", "as-is", "not-at-all"]

function choiceBlock({ at, call }: AskedCall, form: VoteForm): InputBlock {
  const options: PlainTextOption[] = choices.map((choice) => ({ text: plain(choiceWords[choice]), value: choice }))
  const [, usual] = options
  return {
    type: "input",
    block_id: `${formIds.choice}_${at}`,
    label: plain(calledLabel(shownIn(form, call.tool ?? ""), at + 1)),
    element: {
      type: "static_select",
      action_id: formIds.value,
      options,
      ...(usual === undefined ? {} : { initial_option: usual }),
    },
  }
}

function fieldBlock(
  { at }: AskedCall,
  { field, input, blockId }: AskedCall["inputs"][number],
  form: VoteForm,
  several: boolean,
): InputBlock {
  const name = shownIn(form, field.name)
  const { options, start, multiline, hint } = input
  const menu = options?.find((option) => option.value === start)
  return {
    type: "input",
    block_id: blockId,
    // Whoever leaves an input empty that began empty changes nothing.
    optional: true,
    label: plain(several ? calledLabel(name, at + 1) : name),
    hint: plain(start === null ? hint : sendBackHints[field.kind === "json" ? "json" : "today"]),
    element:
      options === null
        ? {
            type: "plain_text_input",
            action_id: formIds.value,
            multiline,
            max_length: blockLimits.inputLength,
            ...(start === null ? {} : { initial_value: start }),
          }
        : {
            type: "static_select",
            action_id: formIds.value,
            options: [...options],
            ...(menu === undefined ? {} : { initial_option: menu }),
          },
  }
}

/** Says which arguments stay as they are, and why. */
function fixedBlocks({ fixed, left }: AskedCall, form: VoteForm): readonly KnownBlock[] {
  const names = (why: "masked" | "long") =>
    fixed.filter((one) => one.why === why).map(({ name }) => shownIn(form, name))
  const said = fixedWords({ masked: names("masked"), long: names("long"), left })
  return said === null ? [] : [rich([say(said)])]
}

/** A name as it may be shown. */
function shownIn(form: VoteForm, text: string): string {
  return createTextFitter().word(maskText(text, form.model.look.mask), labelUnits)
}

/** The way from the form of a rejection to the form that sends the case back; none in other forms. */
export function insteadBlocks({ model, maySendBack }: VoteForm): readonly KnownBlock[] {
  if (maySendBack === undefined) return []
  const button = buttonOn(model, actionIds.sendBack, buttonWords.sendBack)
  return [rich([say(insteadWords)]), { type: "actions", elements: [button] }]
}

/** What a submitted form sends back, or for each block the sentence that Slack shows there. */
export type ReadSendBack =
  | { readonly ok: true; readonly filled: JsonObject }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

/** Reads the form. `note`: the reason, or null. */
export function readSendBack(submission: FormValues, form: VoteForm, note: string | null): ReadSendBack {
  const { sendBack, model } = form
  if (sendBack === undefined) throw new Error("this form sends nothing back")
  const errors: Record<string, string> = {}
  const wanted = askedCalls(form, sendBack).map((call): WantedCall => {
    const choice = sendBack.calls.length > 1 ? choiceIn(submission, call) : "changed"
    const values: JsonObject[] = []
    for (const { field, input, blockId } of choice === "changed" ? call.inputs : []) {
      const typed = submission.value(blockId, formIds.value)
      if (typed === (input.start ?? "")) continue
      const read = readProposed(field, typed, model.look.mask)
      if (read.ok) values.push({ [field.name]: read.value })
      else errors[blockId] = read.why
    }
    return { choice, values: Object.assign({}, ...values) }
  })
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const proposal = counterproposalOf(sendBack.calls, wanted)
  const flaw = flawOf(proposal, note)
  if (flaw !== null) return { ok: false, errors: { [formIds.reason]: sendBackHints[flaw] } }
  return { ok: true, filled: filledWith(proposal) }
}

function choiceIn(submission: FormValues, { at }: AskedCall): CallChoice {
  const said = submission.value(`${formIds.choice}_${at}`, formIds.value)
  return choices.find((choice) => choice === said) ?? "as-is"
}
