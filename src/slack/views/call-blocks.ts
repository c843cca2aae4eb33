// The calls of a case and what approvers filled in (R3): literal text under words of ours. A card cuts long texts.
import type { RichTextBlock, SectionBlock } from "@slack/types"
import { escapedLength, partEnd, plain, preformatted, visible } from "../../blockkit/text.ts"
import { textUnits } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { type Approval, type Call, callsOf, isQuestion, openGatedCalls } from "../../domain/content/approval.ts"
import { isListed } from "../../domain/content/changes.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { bold, code, type Line, mention, plainWords, rich, say, section } from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { argumentPassages, callPassages, type Passage, under } from "../text/case/argument-text.ts"
import { calledLine, onlyCall } from "../text/case/case-facts.ts"
import { nameUnits, sentenceOf, toolOf } from "../text/case/headline.ts"

/** How many calls a card lists. It counts the others, which stand in Details. */
const maxCalls = 16
/** One call takes at most this much of a card, in UTF-16 units, so that the buttons stay in sight on a phone. */
const callUnits = 2_400
/** One text takes at most this many lines of a card. */
const maxLines = 20
/** How much a call's title and the note on missing parts may take, and how much more a rule's sentence. */
const titleUnits = 420
const sentenceUnits = 300
/** A text that would be cut below this is left out: it would say nothing any more. */
const minUnits = 80
/** What "38 more lines in Details" may take. */
const noteUnits = 60

/** A call, or what somebody filled in: its label, and all that it says. */
export interface Labelled {
  readonly label: Line
  readonly passages: readonly Passage[]
}

/** Every open call of an approval, gated or not; and the record itself, if it says something else. */
export function labelledCalls(model: CardModel, fitter: TextFitter): readonly Labelled[] {
  const { approval, look } = model
  if (approval === null) return []
  const calls = callsOf(approval)
  const open = calls.filter((call) => call.open)
  const labelled = open.map((call) => ({
    label: labelOf(call, model, fitter),
    passages: [...callPassages(call, look.showFirst), ...fullNames({ tool: call.tool, member: call.memberName })],
  }))
  return isListed(approval, calls) ? labelled : [...labelled, recordItself(approval, fitter)]
}

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
  return [...blocks, rich([bold(`and ${counted(rest, "more call")}`), say(", all of them in Details.")])]
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
  const more = rest === 0 ? [] : [`and ${counted(rest, "more call")}, all of them in Details.`]
  const shown = texts.map((text, at) => {
    const fitted = fitter.lines(text, { units: units[at] ?? 0, lines: Number.POSITIVE_INFINITY })
    const note = fitted.left === null ? [] : [`${fitted.left} in Details`]
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
  return approval === null ? [] : [rich([say("The arguments stand in Details.")])]
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
  const more = left === 0 ? [] : [section([say(`${counted(left, "more part")} in Details`)])]
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
  const note = fitted.left === null ? [] : [section([say(`${fitted.left} in Details`)])]
  return [...said, ...preformatted(fitted.shown).elements, ...note]
}

function labelOf(call: Call, model: CardModel, fitter: TextFitter): Line {
  const gated = model.approval === null ? [] : openGatedCalls(model.approval)
  const called = calledLine(call, fitter)
  if (!call.gated) return [...called, say(` is not part of this decision: ${fateOf(call)}`)]
  if (gated.length === 1) return called
  const at = gated.indexOf(call)
  const sentence = sentenceOf(model, at)
  const said: Line = sentence === null ? [] : [say(" · "), ...(sentence.ok ? sentence.line : sentence.why)]
  return [bold(`${at + 1} of ${gated.length}: `), ...called, ...said]
}

/** What the platform does with a call that is not part of the decision (`docs/platform-facts.md` 3.3). */
function fateOf(call: Call): string {
  return isQuestion(call)
    ? "the platform will answer it with nothing, so nobody is asked"
    : "the platform will refuse it"
}

function recordItself(approval: Approval, fitter: TextFitter): Labelled {
  const tool = code(fitter.word(toolOf(approval.toolName), nameUnits))
  const label = [bold("The record itself "), say("names another call: "), tool]
  return { label, passages: argumentPassages(Object.entries(approval.toolArgs ?? {})) }
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

/** What each voter filled in, whole, in the order of their votes. */
export function filledIn(model: CardModel): readonly Labelled[] {
  return model.votes.flatMap(({ user, values }) =>
    values === null ? [] : [{ label: [mention(user), say(filledWords(values))], passages: passagesOfFilled(values) }],
  )
}

/** A person who ran the call brings its result and nothing else. */
function filledWords({ values }: JsonObject): string {
  return values === undefined ? " ran it and entered" : " filled in"
}

/** What voters filled in, as blocks of a card. The rest stands in Details. */
export function filledBlocks(model: CardModel, fitter: TextFitter): readonly RichTextBlock[] {
  const all = filledIn(model)
  if (model.look.argumentsInDetails === true || all.length > maxFilled) fitter.omit()
  if (model.look.argumentsInDetails === true) return []
  return all.slice(0, maxFilled).map((filled) => callBlock(filled, filledUnits, fitter))
}

function passagesOfFilled({ values, result }: JsonObject): readonly Passage[] {
  return [
    ...(isJsonObject(values) ? argumentPassages(Object.entries(values)) : []),
    ...(typeof result === "string" ? argumentPassages([["result", result]]) : []),
  ]
}

/** Names that are too long for a label or hold invisible characters; empty if there are none. */
export function fullNames(names: JsonObject): readonly Passage[] {
  const odd = Object.entries(names).filter(([, name]) => typeof name === "string" && !fits(name))
  return under("Names in full", argumentPassages(odd))
}

function fits(name: string): boolean {
  const fitter = createTextFitter()
  fitter.word(name, nameUnits)
  return fitter.whole()
}
