// The calls of a case and what approvers filled in, as blocks. A card cuts long texts.
import type { RichTextBlock, SectionBlock } from "@slack/types"
import { escapedLength, partEnd, plain, preformatted, visible } from "../../blockkit/text.ts"
import { textUnits } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { plainWords, rich, say, section } from "../lines/spans.ts"
import { type TextFitter } from "../lines/text-fitter.ts"
import type { Passage } from "../text/case/argument-text.ts"
import {
  filledIn,
  keptBackWords,
  type Labelled,
  labelledCalls,
  moreCalls,
  moreParts,
  standsInDetails,
} from "../text/case/call-words.ts"
import { onlyCall } from "../text/case/case-facts.ts"

/** How many calls a card lists. It counts the others, which stand in Details. */
const maxCalls = 16
/** One call takes at most this much of a card, in UTF-16 units, so that the buttons stay in sight on a phone. */
const callUnits = 2_400
/** One text takes at most this many lines of a card. */
const maxLines = 20
/** How much a call's title and the note on missing parts may take, and how much more a rule's sentence. */
const titleUnits = 420
const sentenceUnits = 300
/** A text that would be cut to less than this is left out: it would say nothing any more. */
const minUnits = 80
/** What "38 more lines in Details" may take. */
const noteUnits = 60

/** The blocks of all calls within `budget` units of text. They say if something did not fit and stands in Details. */
export function callBlocks(model: CardModel, budget: number, fitter: TextFitter): readonly RichTextBlock[] {
  if (model.look.argumentsInDetails === true) return keptBack(model, fitter)
  const labelled = labelledCalls(model, fitter)
  // One call stands in the headline, and its tool below the box.
  const calls =
    onlyCall(model) === null ? labelled : labelled.map((one, at) => (at === 0 ? { ...one, label: [] } : one))
  const title = titleUnits + (model.look.say === undefined ? 0 : sentenceUnits)
  const room = Math.floor(budget / (title + minUnits))
  const shown = calls.slice(0, Math.max(1, Math.min(maxCalls, room)))
  const needs = shown.map(({ passages }) => passages.reduce((units, one) => units + neededFor(one), 0))
  const units = share(needs, budget - shown.length * title)
  const blocks = shown.map((call, index) => callBlock(call, units[index] ?? minUnits, fitter))
  const rest = calls.length - shown.length
  if (rest === 0) return blocks
  fitter.omit()
  return [...blocks, rich(moreCalls(rest))]
}

/**
 * The calls of a decided case, as sections: a container takes no rich text. Text of others stands behind a bar, so that
 * nobody takes it for words of ours.
 */
export function callSections(model: CardModel, budget: number, fitter: TextFitter): readonly SectionBlock[] {
  if (model.look.argumentsInDetails === true) return []
  const calls = labelledCalls(model, fitter)
  const texts = calls.slice(0, maxCalls).map(barred)
  const units = share(texts.map(textNeeds), budget - texts.length * noteUnits)
  const rest = calls.length - texts.length
  if (rest > 0) fitter.omit()
  const more = rest === 0 ? [] : [plainWords(moreCalls(rest))]
  const shown = texts.map((text, at) => {
    const fitted = fitter.lines(text, { units: units[at] ?? 0, lines: Number.POSITIVE_INFINITY })
    const note = fitted.left === null ? [] : [standsInDetails(fitted.left)]
    return [...(fitted.shown === "" ? [] : [fitted.shown]), ...note].join("\n")
  })
  return [...shown, ...more].map((text) => ({ type: "section", text: plain(text) }))
}

function barred({ label, passages }: Labelled): string {
  const lines = passages.flatMap(({ words, literal }) => [
    ...(words.length === 0 ? [] : [plainWords(words)]),
    ...(literal?.split("\n").map((line) => `| ${line}`) ?? []),
  ])
  return [plainWords(label), ...lines].join("\n")
}

function textNeeds(text: string): number {
  return partEnd(text, 0, callUnits) < text.length ? callUnits : escapedLength(visible(text))
}

/** If the operator wants no arguments in a channel, a card says where they are. */
function keptBack({ approval }: CardModel, fitter: TextFitter): readonly RichTextBlock[] {
  fitter.omit()
  return approval === null ? [] : [rich([say(keptBackWords)])]
}

/** How many units a passage takes. It need not be exact above what a call may take. */
function neededFor({ words, literal }: Passage): number {
  const said = words.length === 0 ? 0 : textUnits(section(words))
  if (literal === null) return said
  const cut = partEnd(literal, 0, callUnits) < literal.length
  return said + noteUnits + (cut ? callUnits : escapedLength(visible(literal)))
}

/** As much of a call as fits: short passages whole, long ones cut between lines. */
function callBlock({ label, passages }: Labelled, units: number, fitter: TextFitter): RichTextBlock {
  const needs = passages.map(neededFor)
  const given = share(needs, units)
  const parts = passages.map((passage, index) => passageElements(passage, given[index] ?? 0, fitter))
  const left = parts.filter((part) => part === null).length
  if (left > 0) fitter.omit()
  const more = left === 0 ? [] : [section([say(moreParts(left))])]
  const titled = label.length === 0 ? [] : [section(label)]
  return { type: "rich_text", elements: [...titled, ...parts.flatMap((part) => part ?? []), ...more] }
}

/** The elements of a passage; null if not even its beginning fits. */
function passageElements(
  { words, literal }: Passage,
  units: number,
  fitter: TextFitter,
): RichTextBlock["elements"] | null {
  const said = words.length === 0 ? [] : [section(words)]
  const left = units - textUnits(said)
  if (literal === null) return left < 0 ? null : said
  if (left < Math.min(minUnits, escapedLength(visible(literal.slice(0, minUnits))))) return null
  const fitted = fitter.lines(literal, { units: left - noteUnits, lines: maxLines })
  const note = fitted.left === null ? [] : [section([say(standsInDetails(fitted.left))])]
  return [...said, ...preformatted(fitted.shown).elements, ...note]
}

/** Shares a budget: short texts stay whole, and long ones get equal parts of the rest. */
function share(needs: readonly number[], budget: number): readonly number[] {
  const order = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need)
  const given = needs.map(() => 0)
  let left = Math.max(0, Math.min(budget, needs.length * callUnits))
  order.forEach(({ need, index }, position) => {
    const part = Math.min(need, callUnits, Math.floor(left / (order.length - position)))
    given[index] = part
    left -= part
  })
  return given
}

/** How much of a card each of the first voters' values may take. */
const filledUnits = 800
const maxFilled = 3

/** What voters filled in, as blocks of a card. The rest stands in Details. */
export function filledBlocks(model: CardModel, fitter: TextFitter): readonly RichTextBlock[] {
  const all = filledIn(model)
  if (model.look.argumentsInDetails === true || all.length > maxFilled) fitter.omit()
  if (model.look.argumentsInDetails === true) return []
  return all.slice(0, maxFilled).map((filled) => callBlock(filled, filledUnits, fitter))
}
