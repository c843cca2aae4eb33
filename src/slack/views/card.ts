// The card: a card model as a Slack message. Pure. If it cannot show something, it says so, and has no Approve (R4).
import type { Button, ContainerBlock, KnownBlock, SectionBlock } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { clip, escapeMrkdwn, plain, visible } from "../../blockkit/text.ts"
import { textUnits } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { actionIds } from "../ids.ts"
import { fittingLines } from "../lines/fit-lines.ts"
import { maskModel } from "../lines/masking.ts"
import { bold, grey, type Line, mrkdwn, plainWords, rich, say, shortened, stack, strong } from "../lines/spans.ts"
import { createTextFitter, leftOut, type TextFitter } from "../lines/text-fitter.ts"
import { buttonWords } from "../text/button-words.ts"
import {
  askedForTitle,
  blankLines,
  cardRefused,
  decisionLines,
  moreLines,
  partsHidden,
  replacingLines,
} from "../text/card-words.ts"
import { againLines } from "../text/case/again-words.ts"
import { rulesOnCard } from "../text/case/agreement-words.ts"
import { type Passage, passagesAsText } from "../text/case/argument-text.ts"
import { labelledCalls } from "../text/case/call-words.ts"
import { askedLine, changeLines, contextLine, relatedLines, warningLines } from "../text/case/case-facts.ts"
import { glassLines } from "../text/case/glass-words.ts"
import { headlineOf, sentenceOf } from "../text/case/headline.ts"
import { limitLines } from "../text/case/limit-words.ts"
import { newsLines } from "../text/case/news-words.ts"
import { afterwards } from "../text/case/run-words.ts"
import { endedLine, signed, statusWords } from "../text/case/status-words.ts"
import { reasonLines, voteLines } from "../text/case/vote-words.ts"
import { counterproposalLines, untoldLines } from "../text/send-back/counterproposal-words.ts"
import { callBlocks, callSections, filledBlocks } from "./call-blocks.ts"
import { buttonOn, caseButton, detailsButton, glassButtons, voteButton } from "./case-buttons.ts"

/** A message for a `chat` method or a response_url. */
export interface Message {
  readonly text: string
  readonly blocks: KnownBlock[]
}

/** A card, and whether it shows all of the case as it is. */
export interface CardMessage extends Message {
  readonly complete: boolean
}

/** All text of a message's blocks, in UTF-16 units; Slack refuses more than about 10,000 (undocumented). */
const cardUnits = 9_600
/** At least this much of the text is left to the calls. */
const callsUnits = 1_200
/** Top-level `text`: `chat.update` refuses above 4,000. */
const fallbackUnits = 3_800
/** At least this much of the top-level `text` is left for arguments. */
const leastArgumentUnits = 800

/** What a card needs besides its model. `instances`: how many we watch; a single one is not named. */
export interface CardOptions {
  readonly instances?: number
}

/** The card of a model, for any input at most `cardUnits` of text. Its `text` says only what matters most. */
export function cardOf(truth: CardModel, options: CardOptions = {}): CardMessage {
  const { model, altered } = maskModel(truth)
  if (model.blank === true) return blankCard(model)
  const fitter = createTextFitter()
  if (altered) fitter.omit()
  const id = idsOf(model)
  const settled = model.status.kind === "settled"
  const head = headOf(model, fitter)
    .filter((line) => line.length > 0)
    .map((line, at) => rich(line, id(at === 0 ? "head" : `facts${at}`)))
  const who = settled ? [] : [grey(contextLine(model, options.instances ?? 1, fitter), id("who"))]
  const filled = isOver(model) ? [] : filledBlocks(model, fitter)
  const around = textUnits([...head, ...who, ...filled, wholeInDetails, buttonsOf(model, true)])
  const state = fitted(stateLines(model, fitter), cardUnits - around - callsUnits, fitter)
  const foot: KnownBlock[] = [
    ...filled.map((block, index) => ({ ...block, block_id: id(`filled${index}`) })),
    ...(state.length === 0 ? [] : [rich(stack(state), id("state"))]),
  ]
  const budget = cardUnits - around - textUnits(rich(stack(state)))
  const calls = settled
    ? folded(callSections(model, budget, fitter), id)
    : callBlocks(model, budget, fitter).map((block, at) => ({ ...block, block_id: id(`call${at}`) }))
  const complete = fitter.whole()
  const buttons = buttonsOf(model, complete)
  const actions: KnownBlock[] =
    buttons.length === 0 ? [] : [{ type: "actions", block_id: id("actions"), elements: buttons }]
  const rest = complete || model.status.kind !== "open" ? [] : [{ ...wholeInDetails, block_id: id("whole") }]
  return { text: fallback(model, fitter), blocks: [...head, ...calls, ...who, ...foot, ...rest, ...actions], complete }
}

/** As many lines as fit; Details have the others. */
function fitted(lines: readonly Line[], room: number, fitter: TextFitter): readonly Line[] {
  const shown = fittingLines(lines, room)
  const rest = lines.length - shown.length
  if (rest === 0) return shown
  fitter.omit()
  return [...shown, [say(moreLines(rest))]]
}

const wholeInDetails = rich([say(partsHidden)])

/** A card that only says how the case ended, with no names and nothing that anybody wrote. */
function blankCard(model: CardModel): CardMessage {
  const [end, note] = blankLines(model, createTextFitter())
  const blocks = [rich(end, idsOf(model)("blank")), rich(note)]
  return { text: mrkdwn(stack([end, note])), blocks, complete: false }
}

/** The part above the calls: a headline, and below it the risk, who asks, what is unusual, and what is new. */
function headOf(model: CardModel, fitter: TextFitter): readonly Line[] {
  const { status } = model
  if (status.kind === "settled") return [endedLine(model, status.outcome, fitter), stack(reasonLines(model, fitter))]
  const words = statusWords(model, fitter)
  const state: Line = isWaiting(model) ? [] : [bold(`${signed(words)}: `)]
  const sentence = sentenceOf(model, 0)
  const left = sentence?.ok === false && model.summary.calls === 1 ? [sentence.why] : []
  const facts = [
    ...changeLines(model),
    ...decisionLines(model),
    ...warningLines(model, fitter),
    ...counterproposalLines(model),
    ...newsLines(model),
    ...left,
  ]
  return [strong([...state, ...headlineOf(model, fitter)]), stack(facts)]
}

/** True if a settled case did not end by the votes on its card. */
function isOver({ status }: CardModel): boolean {
  return status.kind === "settled" && status.outcome.kind !== "ours"
}

function isWaiting({ status, failure }: CardModel): boolean {
  return status.kind === "open" && failure === null
}

/** The part below the calls: what the state means, who must agree, and who has voted. */
function stateLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const { status } = model
  if (status.kind === "settled")
    return [
      ...glassLines(model, fitter),
      ...againLines(model),
      ...afterwards(model, fitter, "omit"),
      ...untoldLines(model),
    ]
  const { lines } = statusWords(model, fitter)
  const above = [
    ...lines,
    ...untoldLines(model),
    ...againLines(model),
    ...replacingLines(model),
    ...relatedLines(model),
  ]
  return [...above, ...limitLines(model), ...rulesOnCard(model, fitter), ...voteLines(model, fitter)]
}

/**
 * What was asked for, in containers once it is decided. Not before: some clients may not show a whole container (R4).
 */
function folded(sections: readonly SectionBlock[], id: (part: string) => string): ContainerBlock[] {
  const calls = sections.map((block, at) => ({ ...block, block_id: id(`call${at}`) }))
  const count = Math.ceil(calls.length / blockLimits.containerChildren)
  return Array.from({ length: count }, (_, at) => ({
    type: "container",
    block_id: id(`calls${at}`),
    title: plain(askedForTitle(at + 1, count)),
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: calls.slice(at * blockLimits.containerChildren, (at + 1) * blockLimits.containerChildren),
  }))
}

/** Well below the limits of a section and of `text`. */
const safeUnits = 1_500

/** The card that we post if Slack refuses the real one: who asks for what, and Details. It never carries a vote. */
export function safeCardOf(model: CardModel): Message {
  const text = cardRefused
  const id = idsOf(model)
  const fitter = createTextFitter()
  const name = signed(statusWords(model, fitter))
  const block = (words: string): KnownBlock => ({ type: "section", block_id: id("safe"), text: plain(words) })
  const ended = model.status.kind === "settled" || model.status.kind === "replaced"
  const left = plainWords(shortened(stack([[say(name)], ...afterwards(model, fitter, "omit")]), safeUnits))
  if (ended) return { text: escapeMrkdwn(visible(left)), blocks: [block(left)] }
  const button = buttonOn(model, actionIds.details, buttonWords.details)
  return { text, blocks: [block(text), { type: "actions", block_id: id("actions"), elements: [button] }] }
}

/** Block ids change with revision and state, so we recognise a click on an older look of the card. */
function idsOf(model: CardModel): (part: string) => string {
  return (part) => `${part}.r${model.revision}.${model.status.kind}${model.votes.length}`
}

function buttonsOf(model: CardModel, complete: boolean): Button[] {
  switch (model.status.kind) {
    case "open":
      return complete
        ? [voteButton(model, "approve"), voteButton(model, "reject"), detailsButton(model, buttonWords.details, false)]
        : [detailsButton(model, buttonWords.reviewDetails, true), voteButton(model, "reject")]
    case "stopped":
    case "unapprovable":
    case "run-over":
      return [voteButton(model, "reject"), detailsButton(model, buttonWords.details, false)]
    case "uncovered":
    case "expired":
    case "deciding":
    case "sending":
    case "held":
    case "frozen":
      return [detailsButton(model, buttonWords.details, false)]
    case "settled":
      return [
        ...(model.glass?.here === true ? glassButtons(model) : []),
        ...(isEndable(model) ? [caseButton(model, actionIds.askAgain, buttonWords.askAgain)] : []),
        detailsButton(model, buttonWords.details, false),
        ...(model.status.outcome.kind === "ours" ? [caseButton(model, actionIds.receipt, buttonWords.receipt)] : []),
      ]
    case "replaced":
      return []
  }
}

/** True if the card's rejection lasts, and people can end that here (R22). */
function isEndable({ again }: CardModel): boolean {
  return again?.kind === "lasting" && again.here
}

/**
 * The text that notifications and screen readers get: how the case stands, who wants what, who must agree and who has,
 * why they decided so, what is left to do, and the arguments that fit.
 */
function fallback(model: CardModel, fitter: TextFitter): string {
  const { status } = model
  const state = stateLines(model, fitter)
  if (status.kind === "settled") {
    const told = [endedLine(model, status.outcome, fitter), ...voteLines(model, fitter), ...state]
    return mrkdwn(shortened(stack(told), fallbackUnits))
  }
  const head: readonly Line[] = [
    [say(`${signed(statusWords(model, fitter))}: `), ...headlineOf(model, fitter)],
    ...changeLines(model),
    ...decisionLines(model),
    ...state,
    askedLine(model, fitter),
    ...warningLines(model, fitter),
    ...counterproposalLines(model),
    ...newsLines(model),
  ]
  const begun = mrkdwn(shortened(stack(head), fallbackUnits - leastArgumentUnits))
  const calls = model.look.argumentsInDetails === true ? [] : labelledCalls(model, fitter)
  const body = calls.map(({ label, passages }) => `\n${plainWords(label)}\n${textOf(passages)}`).join("")
  // Only the beginning of a long text has to be made visible.
  const { text, cut } = clip(visible(body.slice(0, fallbackUnits)), fallbackUnits - begun.length)
  const left = cut + Math.max(0, body.length - fallbackUnits)
  return `${begun}${escapeMrkdwn(text)}${left === 0 ? "" : leftOut(left)}`
}

function textOf(passages: readonly Passage[]): string {
  return passagesAsText(passages, (line) => plainWords(line))
}
