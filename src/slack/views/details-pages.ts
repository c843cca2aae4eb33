// The pages of Details: every call with all that it says, in literal boxes. Each page holds some of the boxes.
import { partEnd, visible } from "../../blockkit/text.ts"
import { sentBytes } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { RunRequest } from "../../flow/ports/inbound.ts"
import type { CaseQuestions } from "../../flow/ports/question/question-acts.ts"
import type { PageSize, Shown, Surfaces } from "../../flow/ports.ts"
import { maskModel, quoted, revealModel } from "../lines/masking.ts"
import { type Line, say, section } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { doneCalls, filledIn, type Labelled, labelledCalls, longNames } from "../text/case/call-words.ts"
import { partWords, requestLabel } from "../text/details-words.ts"
import { askedAndAnswered, questionLabels } from "../text/question-words.ts"
import { cardOf } from "./card.ts"

/** How much text one literal box holds, in UTF-16 units. */
const boxUnits = 2_800
/**
 * How much the boxes of one page take on the wire, and how many it holds. Slack takes 250,000 bytes and 100 blocks in a
 * view; the blocks around the boxes take less than the rest. A small page holds as much as a message.
 */
const pageLimits = { large: { bytes: 60_000, boxes: 40 }, small: { bytes: 9_000, boxes: 30 } } as const
/** What a box takes on the wire besides its words and its text. */
const frameBytes = 200

/** One box of literal text under words of ours. Null: there are only the words. */
export interface Box {
  readonly label: Line
  readonly text: string | null
}

/** The pages of a card model, at least one. First come names that the head shortened, last the calls that are done. */
export function detailsPagesOf(model: CardModel, pageSize: PageSize): readonly (readonly Box[])[] {
  const limit = pageLimits[pageSize]
  const calls =
    model.approval === null
      ? []
      : [...labelledCalls(model, createTextFitter()), ...filledIn(model), ...doneCalls(model)]
  const pages: Box[][] = [[]]
  let bytes = 0
  for (const box of [...longNames(model), ...calls].flatMap(boxesOf)) {
    const size = bytesOf(box)
    const page = pages.at(-1) ?? []
    if (page.length > 0 && (bytes + size > limit.bytes || page.length >= limit.boxes)) {
      pages.push([box])
      bytes = size
    } else {
      page.push(box)
      bytes += size
    }
  }
  return pages
}

function bytesOf({ label, text }: Box): number {
  return frameBytes + sentBytes(section(label)) + (text === null ? 0 : sentBytes(visible(text)))
}

/** The boxes of a call. Only the first passage has the label. */
function boxesOf({ label, passages }: Labelled): readonly Box[] {
  if (passages.length === 0) return [{ label, text: null }]
  return passages.flatMap(({ words, literal }, at): readonly Box[] => {
    const own = at > 0 ? words : words.length === 0 ? label : [...label, say(" · "), ...words]
    if (literal === null) return [{ label: own, text: null }]
    const parts = split(literal)
    return parts.map((text, index) => {
      const part =
        parts.length === 1 ? [] : [say(`${own.length === 0 ? "" : " · "}${partWords(index + 1, parts.length)}`)]
      return { label: [...own, ...part], text }
    })
  })
}

/** A text in pieces that fit into a box once they are visible. It is cut between lines if possible. */
export function split(text: string): readonly string[] {
  if (text === "") return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at, boxUnits)
    const line = end < text.length ? text.lastIndexOf("\n", end - 1) + 1 : end
    const next = line > at ? line : end
    parts.push(text.slice(at, next))
    at = next
  }
  return parts
}

/** How much of a request Details show. It is no part of the decision, so it may be cut. */
const requestSize = { units: 1_500, lines: 20 }

/** What started the run, in a box that says that nobody decides about it. Approving does not need this box (R4). */
export function requestBoxes(request: RunRequest | undefined, mask: readonly string[]): readonly Box[] {
  if (request === undefined) return []
  const text = request.kind === "unread" ? null : quoted(request.input, mask, requestSize)
  return [{ label: requestLabel(request, text), text: text?.shown ?? null }]
}

/** How much of a question or an answer Details show: all of it, but where Slack refuses large views. */
const writtenSizes = { large: { units: 2_400, lines: 100 }, small: { units: 200, lines: 3 } } as const

/** What was asked about the case and answered, in boxes that say that nobody decides about it. */
export function questionBoxes(questions: CaseQuestions["questions"] = [], pageSize: PageSize): readonly Box[] {
  if (questions.length === 0) return []
  const shown = (text: string) => createTextFitter().lines(text, writtenSizes[pageSize]).shown
  const boxes = questions.flatMap((question): readonly Box[] => {
    const [asked, answered] = questionLabels(question)
    const { text, answer } = question
    return [
      { label: asked, text: shown(text) },
      { label: answered, text: answer === undefined ? null : shown(answer.text) },
    ]
  })
  return [{ label: askedAndAnswered, text: null }, ...boxes]
}

/** What a surface must have shown before it can carry an approval (R4). We ask when we draw it, and when it is used. */
export const surfaces: Surfaces = {
  carries: (model, shown) => (shown.kind === "card" ? cardOf(model).complete : isReadToItsEnd(model, shown)),
}

function isReadToItsEnd(truth: CardModel, shown: Extract<Shown, { kind: "details" }>): boolean {
  const { pages, pageSize, revealed } = shown
  if (revealed) return pages >= detailsPagesOf(revealModel(truth), pageSize).length
  const { model, whole } = maskModel(truth)
  return whole === 0 && pages >= detailsPagesOf(model, pageSize).length
}
