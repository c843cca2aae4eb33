// The card: a card model as a Slack message. Pure. It says what it cannot show, and then carries no approval (R4).
import type { Button, ContainerBlock, KnownBlock, RichTextBlock } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { clip, escapeMrkdwn, plain } from "../../blockkit/text.ts"
import { textUnits } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { shortDigest } from "../../domain/content/digest.ts"
import { actionIds } from "../ids.ts"
import { factLines, relatedLines } from "../text/case-facts.ts"
import { firstLines } from "../text/fit-lines.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { maskModel } from "../text/masking.ts"
import { bold, type Line, mrkdwn, plainWords, rich, say, stack } from "../text/spans.ts"
import { ruleLines, statusWords, voteLines } from "../text/status-words.ts"
import { createTextFitter, leftOut, type TextFitter } from "../text/text-fitter.ts"
import { callBlocks, filledBlocks, labelledCalls } from "./call-blocks.ts"
import { buttonOn, caseButton, detailsButton, voteButton } from "./case-buttons.ts"

/** A message for a `chat` method or a response_url. */
export interface Message {
  readonly text: string
  readonly blocks: KnownBlock[]
}

/** A card, and whether it shows everything as it is. */
export interface CardMessage extends Message {
  readonly complete: boolean
}

/** All text of a message's blocks; Slack refuses more than about 10,000 (undocumented). */
const cardUnits = 9_600
/** Top-level `text`: `chat.update` refuses above 4,000. */
const fallbackUnits = 3_800
const maxRules = 8

/** The card of a model: at most `cardUnits` of text for any input, and a `text` that carries the point alone. */
export function cardOf(truth: CardModel): CardMessage {
  const { model, altered } = maskModel(truth)
  const fitter = createTextFitter()
  if (altered) fitter.omit()
  const id = idsOf(model)
  const { name, lines } = statusWords(model, fitter)
  const waiting = model.status.kind === "open" && model.failure === null
  const headline: Line = !waiting ? [bold(`${name}: `), ...headlineOf(model, fitter)] : headlineOf(model, fitter)
  const head = [
    rich(headline, id("head")),
    rich(stack([...decisionLines(model), ...factLines(model, fitter)]), id("facts")),
  ]
  const above = [...lines, ...replacingLines(model), ...relatedLines(model)]
  const state = stack([...above, ...rulesShown(model, fitter), ...voteLines(model, fitter)])
  const filled = filledBlocks(model, fitter).map((block, index) => ({ ...block, block_id: id(`filled${index}`) }))
  const foot: KnownBlock[] = [
    ...(state.length === 0 ? [] : [rich(state, id("state"))]),
    ...filled,
    mark(model, id("mark")),
  ]
  const budget = cardUnits - textUnits([...head, ...foot])
  const calls = (model.approval === null ? [] : callBlocks(model.approval, budget, fitter)).map((block, index) => ({
    ...block,
    block_id: id(`call${index}`),
  }))
  const complete = fitter.whole()
  const buttons = buttonsOf(model, complete)
  const actions: KnownBlock[] =
    buttons.length === 0 ? [] : [{ type: "actions", block_id: id("actions"), elements: buttons }]
  const asked = model.status.kind === "settled" ? folded(calls, id) : calls
  return { text: fallback(model), blocks: [...head, ...asked, ...foot, ...actions], complete }
}

/** What was asked for, once it is decided. Not before: maybe not every client shows what a container holds (R4). */
function folded(calls: readonly RichTextBlock[], id: (part: string) => string): ContainerBlock[] {
  const count = Math.ceil(calls.length / blockLimits.containerChildren)
  return Array.from({ length: count }, (_, at) => ({
    type: "container",
    block_id: id(`calls${at}`),
    title: plain(count === 1 ? "What was asked for" : `What was asked for, part ${at + 1} of ${count}`),
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: calls.slice(at * blockLimits.containerChildren, (at + 1) * blockLimits.containerChildren),
  }))
}

/** What is posted where Slack refuses the card: who asks for what, and Details. Never carries a vote. */
export function safeCardOf(model: CardModel): Message {
  const text = "An approval waits. Its card could not be shown here: press Details."
  const id = idsOf(model)
  const { name } = statusWords(model, createTextFitter())
  const block = (words: string): KnownBlock => ({ type: "section", block_id: id("safe"), text: plain(words) })
  const ended = model.status.kind === "settled" || model.status.kind === "replaced"
  if (ended) return { text: name, blocks: [block(name)] }
  const button = buttonOn(model, actionIds.details, "Details")
  return { text, blocks: [block(text), { type: "actions", block_id: id("actions"), elements: [button] }] }
}

/** Block ids change with the revision and the state, so that a click on an older look is recognisable. */
function idsOf(model: CardModel): (part: string) => string {
  return (part) => `${part}.r${model.revision}.${model.status.kind}${model.votes.length}`
}

function decisionLines(model: CardModel): readonly Line[] {
  const calls = model.summary.calls
  const risk = riskWords(model)
  return [
    ...(risk === null ? [] : [[bold(risk)]]),
    ...(model.status.kind === "open" && calls > 1 ? [[bold(`One decision for ${counted(calls, "call")}.`)]] : []),
  ]
}

/** After a post of which nobody knows whether Slack took it. */
function replacingLines({ replaces, status }: CardModel): readonly Line[] {
  const words =
    "This card replaces an earlier one of the same approval, if one hangs here: votes count only on this one."
  return replaces && status.kind !== "settled" && status.kind !== "replaced" ? [[say(words)]] : []
}

/** What the rules say of the risk, or null if none does. */
export function riskWords({ look }: CardModel): string | null {
  const words = { low: "Low risk", medium: "Medium risk", high: "High risk" } as const
  const danger = look.danger ? "approving this cannot be taken back" : null
  if (look.risk === null) return danger === null ? null : "Approving this cannot be taken back"
  return danger === null ? words[look.risk] : `${words[look.risk]}: ${danger}`
}

function rulesShown(model: CardModel, fitter: TextFitter): readonly Line[] {
  if (model.status.kind !== "open" && model.status.kind !== "unapprovable") return []
  const lines = ruleLines(model, fitter)
  if (lines.length > maxRules) fitter.omit()
  return firstLines(lines, maxRules, { noun: "rule", where: [say("all of them in Details")] })
}

function mark(model: CardModel, blockId: string): KnownBlock {
  const text = `Digest ${shortDigest(model.digest)} · Revision ${model.revision} · Case ${model.caseId}`
  return { type: "context", block_id: blockId, elements: [plain(text)] }
}

function buttonsOf(model: CardModel, complete: boolean): Button[] {
  switch (model.status.kind) {
    case "open":
      return complete
        ? [voteButton(model, "approve"), voteButton(model, "reject"), detailsButton(model, "Details", false)]
        : [detailsButton(model, "Review", true), voteButton(model, "reject")]
    case "unapprovable":
      return [voteButton(model, "reject"), detailsButton(model, "Details", false)]
    case "uncovered":
    case "expired":
    case "deciding":
    case "sending":
    case "held":
    case "frozen":
      return [detailsButton(model, "Details", false)]
    case "settled":
      return model.status.outcome.kind === "ours" ? [caseButton(model, actionIds.receipt, "Receipt")] : []
    case "replaced":
      return []
  }
}

/** All that notifications and screen readers get: state, who wants what, for whom, and arguments as far as they fit. */
function fallback(model: CardModel): string {
  const fitter = createTextFitter()
  const { name, lines } = statusWords(model, fitter)
  const head: readonly Line[] = [
    [say(`${name}: `), ...headlineOf(model, fitter)],
    ...decisionLines(model),
    ...lines,
    ...relatedLines(model),
    ...factLines(model, fitter).slice(0, 1),
  ]
  const begun = mrkdwn(stack(head))
  const calls = model.approval === null ? [] : labelledCalls(model.approval, fitter)
  const body = calls.map((call) => `\n${plainWords(call.label)}\n${fitter.text(call.body, cardUnits)}`).join("")
  const { text, cut } = clip(body, fallbackUnits - begun.length)
  return `${begun}${escapeMrkdwn(text)}${cut === 0 ? "" : leftOut(cut)}`
}
