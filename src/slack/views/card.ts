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
import { maskFace } from "../text/masking.ts"
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
  const { face, altered } = maskFace(truth)
  const fitter = createTextFitter()
  if (altered) fitter.omit()
  const id = idsOf(face)
  const { name, lines } = statusWords(face, fitter)
  const waiting = face.status.kind === "open" && face.failure === null
  const headline: Line = !waiting ? [bold(`${name}: `), ...headlineOf(face, fitter)] : headlineOf(face, fitter)
  const head = [
    rich(headline, id("head")),
    rich(stack([...decisionLines(face), ...factLines(face, fitter)]), id("facts")),
  ]
  const above = [...lines, ...replacingLines(face), ...relatedLines(face)]
  const state = stack([...above, ...rulesShown(face, fitter), ...voteLines(face, fitter)])
  const filled = filledBlocks(face, fitter).map((block, index) => ({ ...block, block_id: id(`filled${index}`) }))
  const foot: KnownBlock[] = [
    ...(state.length === 0 ? [] : [rich(state, id("state"))]),
    ...filled,
    mark(face, id("mark")),
  ]
  const budget = cardUnits - textUnits([...head, ...foot])
  const calls = (face.approval === null ? [] : callBlocks(face.approval, budget, fitter)).map((block, index) => ({
    ...block,
    block_id: id(`call${index}`),
  }))
  const complete = fitter.whole()
  const buttons = buttonsOf(face, complete)
  const actions: KnownBlock[] =
    buttons.length === 0 ? [] : [{ type: "actions", block_id: id("actions"), elements: buttons }]
  const asked = face.status.kind === "settled" ? folded(calls, id) : calls
  return { text: fallback(face), blocks: [...head, ...asked, ...foot, ...actions], complete }
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
export function safeCardOf(face: CardModel): Message {
  const text = "An approval waits. Its card could not be shown here: press Details."
  const id = idsOf(face)
  const { name } = statusWords(face, createTextFitter())
  const block = (words: string): KnownBlock => ({ type: "section", block_id: id("safe"), text: plain(words) })
  const ended = face.status.kind === "settled" || face.status.kind === "replaced"
  if (ended) return { text: name, blocks: [block(name)] }
  const button = buttonOn(face, actionIds.details, "Details")
  return { text, blocks: [block(text), { type: "actions", block_id: id("actions"), elements: [button] }] }
}

/** Block ids change with the revision and the state, so that a click on an older look is recognisable. */
function idsOf(face: CardModel): (part: string) => string {
  return (part) => `${part}.r${face.revision}.${face.status.kind}${face.votes.length}`
}

function decisionLines(face: CardModel): readonly Line[] {
  const calls = face.summary.calls
  const risk = riskWords(face)
  return [
    ...(risk === null ? [] : [[bold(risk)]]),
    ...(face.status.kind === "open" && calls > 1 ? [[bold(`One decision for ${counted(calls, "call")}.`)]] : []),
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

function rulesShown(face: CardModel, fitter: TextFitter): readonly Line[] {
  if (face.status.kind !== "open" && face.status.kind !== "unapprovable") return []
  const lines = ruleLines(face, fitter)
  if (lines.length > maxRules) fitter.omit()
  return firstLines(lines, maxRules, { noun: "rule", where: [say("all of them in Details")] })
}

function mark(face: CardModel, blockId: string): KnownBlock {
  const text = `Digest ${shortDigest(face.digest)} · Revision ${face.revision} · Case ${face.caseId}`
  return { type: "context", block_id: blockId, elements: [plain(text)] }
}

function buttonsOf(face: CardModel, complete: boolean): Button[] {
  switch (face.status.kind) {
    case "open":
      return complete
        ? [voteButton(face, "approve"), voteButton(face, "reject"), detailsButton(face, "Details", false)]
        : [detailsButton(face, "Review", true), voteButton(face, "reject")]
    case "unapprovable":
      return [voteButton(face, "reject"), detailsButton(face, "Details", false)]
    case "uncovered":
    case "expired":
    case "deciding":
    case "sending":
    case "held":
    case "frozen":
      return [detailsButton(face, "Details", false)]
    case "settled":
      return face.status.outcome.kind === "ours" ? [caseButton(face, actionIds.receipt, "Receipt")] : []
    case "replaced":
      return []
  }
}

/** All that notifications and screen readers get: state, who wants what, for whom, and arguments as far as they fit. */
function fallback(face: CardModel): string {
  const fitter = createTextFitter()
  const { name, lines } = statusWords(face, fitter)
  const head: readonly Line[] = [
    [say(`${name}: `), ...headlineOf(face, fitter)],
    ...decisionLines(face),
    ...lines,
    ...relatedLines(face),
    ...factLines(face, fitter).slice(0, 1),
  ]
  const begun = mrkdwn(stack(head))
  const calls = face.approval === null ? [] : labelledCalls(face.approval, fitter)
  const body = calls.map((call) => `\n${plainWords(call.label)}\n${fitter.text(call.body, cardUnits)}`).join("")
  const { text, cut } = clip(body, fallbackUnits - begun.length)
  return `${begun}${escapeMrkdwn(text)}${cut === 0 ? "" : leftOut(cut)}`
}
