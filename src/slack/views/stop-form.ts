// The forms about stops: what to stop, and what goes on if a stop ends.
import type { InputBlock, ModalView } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import { everything, flawOfReason, maxReason, readStop } from "../../domain/order/read-stop.ts"
import type { RejectOffer, StopEnding, TypedStop } from "../../flow/ports.ts"
import { viewIds } from "../ids.ts"
import { type Line, plainWords, rich } from "../lines/spans.ts"
import { buttonWords } from "../text/button-words.ts"
import { endingLines, notReadLine, orderLabels } from "../text/order-words.ts"
import { rejectOfferLines } from "../text/reject-words.ts"
import { modal } from "./details.ts"
import type { FormValues } from "./form/vote-form.ts"

/** What the form begins with. */
export interface StopStart {
  /** Why nothing was stopped yet; null: nothing was typed. */
  readonly said: Line | null
  readonly what: string
  readonly why: string
}

const fields = { what: "stop_what", why: "stop_why", lasting: "stop_for" } as const
const action = "value"
const whatUnits = 1_000
const lastingUnits = 10

/** The form in which somebody says what to stop. */
export function stopForm({ said, what, why }: StopStart): ModalView {
  const view = modal({
    callback: viewIds.stop,
    title: orderLabels.title,
    blocks: [
      ...(said === null ? [] : [rich(said)]),
      input(fields.what, { label: orderLabels.what, hint: orderLabels.whatHint, start: what, max: whatUnits }),
      input(fields.why, { label: orderLabels.why, hint: orderLabels.whyHint, start: why, max: maxReason }),
      {
        ...input(fields.lasting, {
          label: orderLabels.forHow,
          hint: orderLabels.forHint,
          start: "",
          max: lastingUnits,
        }),
        optional: true,
      },
    ],
  })
  return { ...view, submit: plain(orderLabels.submit), close: plain(buttonWords.cancel) }
}

interface Asked {
  readonly label: string
  readonly hint: string
  readonly start: string
  readonly max: number
}

function input(block_id: string, { label, hint, start, max }: Asked): InputBlock {
  const begun = start === "" ? {} : { initial_value: start.slice(0, max) }
  return {
    type: "input",
    block_id,
    label: plain(label),
    hint: plain(hint),
    element: { type: "plain_text_input", action_id: action, max_length: max, ...begun },
  }
}

/** A stop as it was filled in, or what is wrong, by the field that it is about. */
export type StopFilled =
  | { readonly ok: true; readonly stop: TypedStop }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

/** Stands for the reason while we read what to stop: that has a field of its own, and may hold any words. */
const anyReason = "-"

/** Reads the form. */
export function readStopForm({ value }: FormValues): StopFilled {
  const wordsIn = (block: string) => tokensOf(value(block, action))
  const spans = wordsIn(fields.lasting).map((span) => `for:${span}`)
  const read = readStop([...spans, ...wordsIn(fields.what), anyReason])
  if (read.kind !== "stop") return wrong(isAboutTime(read) ? fields.lasting : fields.what, read)
  if (read.stop.reason !== anyReason) return wrong(fields.what, { kind: "no-words" })
  const reason = value(fields.why, action).trim()
  const flaw = flawOfReason(reason)
  if (flaw !== null) return wrong(fields.why, { kind: flaw })
  return { ok: true, stop: { ...read.stop, reason } }
}

function isAboutTime({ kind }: { readonly kind: string }): boolean {
  return kind === "bad-time" || kind === "two-times"
}

function wrong(field: string, read: Parameters<typeof notReadLine>[0]): StopFilled {
  return { ok: false, errors: { [field]: plainWords(notReadLine(read)) } }
}

/** What the form begins with after words that could not be read: those, in their fields. */
export function startAfter(typed: readonly string[], read: Parameters<typeof notReadLine>[0]): StopStart {
  const first = typed.findIndex((word) => !word.includes(":") && word !== everything)
  const ownWord = read.kind === "unknown-word" && first === 0 ? 1 : first
  const end = ownWord < 0 ? typed.length : ownWord
  const [what, why] = [typed.slice(0, end), typed.slice(end)]
  return { said: typed.length === 0 ? null : notReadLine(read), what: what.join(" "), why: why.join(" ") }
}

/** The words of a text. */
export function tokensOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "")
}

/** What goes on if a stop ends; whoever may end it can submit that. `stop`: its id. */
export function endView(ending: StopEnding, stop: string): ModalView {
  const blocks = endingLines(ending).map((line) => rich(line))
  const view = modal({ callback: viewIds.endStop, title: orderLabels.endTitle, blocks })
  if (ending.kind !== "may") return view
  return { ...view, private_metadata: stop, submit: plain(orderLabels.endSubmit), close: plain(buttonWords.cancel) }
}

/** How many cases would be rejected; whoever stopped can submit that. `stop`: its id. */
export function rejectView(offer: RejectOffer, stop: string): ModalView {
  const blocks = rejectOfferLines(offer).map((line) => rich(line))
  const view = modal({ callback: viewIds.rejectWaiting, title: orderLabels.rejectTitle, blocks })
  if (offer.kind !== "may" || offer.waiting === 0) return view
  const submit = plain(orderLabels.rejectSubmit)
  return { ...view, private_metadata: `${stop} ${offer.at}`, submit, close: plain(buttonWords.cancel) }
}

/** What the confirmation is about: the stop, and when the number was counted (epoch ms; 0 if that is not known). */
export function readRejectNote(note: string): { readonly stop: string; readonly shownAt: number } {
  const [stop = "", at = ""] = note.split(" ")
  return { stop, shownAt: /^\d{1,15}$/.test(at) ? Number(at) : 0 }
}
