// The calls of a case and what approvers filled in (R3), as literal text under labels; on a card long ones are folded.
import type { RichTextBlock } from "@slack/types"
import { escapedLength, partEnd, preformatted, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { type Approval, type Call, callsOf } from "../../domain/content/approval.ts"
import { canonicalJson } from "../../domain/content/canonical.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { writeArguments, writeCall } from "../text/argument-text.ts"
import { counted, nameUnits, toolOf } from "../text/headline.ts"
import { bold, code, type Line, mention, rich, say, section } from "../text/spans.ts"
import { createTextFitter, type TextFitter } from "../text/text-fitter.ts"

/** How many calls a card lists; more are named as a number and stand in Details. */
const maxCalls = 16
/** No call takes more of a card than this, so that the buttons stay in sight on a phone. */
const callUnits = 2_400
/** What a call's title and its note of folding may take. */
const titleUnits = 420
/** Below this a fold says nothing any more. */
const minUnits = 80

/** What is shown of a call, or of what somebody filled in, under its label. */
export interface LabelledText {
  readonly label: Line
  readonly body: string
}

/** Every open call of an approval, gated or not, and the record's own line if it says something else. */
export function labelledCalls(approval: Approval, fitter: TextFitter): readonly LabelledText[] {
  const calls = callsOf(approval)
  const open = calls.filter((call) => call.open)
  const gated = open.filter((call) => call.gated)
  const labelled = open.map((call) => ({ label: labelOf(call, gated, fitter), body: bodyOf(call) }))
  return isListed(approval, calls) ? labelled : [...labelled, recordItself(approval, fitter)]
}

/** Everything that a call says, and its names in full where its label cannot hold them. */
function bodyOf(call: Call): string {
  return [writeCall(call), ...fullNames({ tool: call.tool, member: call.memberName })].join("\n\n")
}

/** The blocks of all calls within `budget` units of text. What does not fit is folded, and its characters counted. */
export function callBlocks(approval: Approval, budget: number, fitter: TextFitter): readonly RichTextBlock[] {
  const calls = labelledCalls(approval, fitter)
  const room = Math.floor(budget / (titleUnits + minUnits))
  const shown = calls.slice(0, Math.max(1, Math.min(maxCalls, room)))
  const needs = shown.map((call) => neededFor(call.body))
  const units = share(needs, budget - shown.length * titleUnits)
  const blocks = shown.map((call, index) => textBlock(call, units[index] ?? minUnits, fitter))
  const rest = calls.length - shown.length
  if (rest === 0) return blocks
  fitter.omit()
  return [...blocks, rich([bold(`and ${counted(rest, "more call")}`), say(", all of them in Details.")])]
}

/** So many units take the whole of it; more than a call may take is not counted. */
function neededFor(body: string): number {
  return partEnd(body, 0, callUnits) < body.length ? callUnits : escapedLength(visible(body))
}

function textBlock({ label, body }: LabelledText, units: number, fitter: TextFitter): RichTextBlock {
  const { elements } = preformatted(fitter.text(body, units))
  return { type: "rich_text", elements: [section(label), ...elements] }
}

function labelOf(call: Call, gated: readonly Call[], fitter: TextFitter): Line {
  const tool = code(fitter.word(toolOf(call.tool), nameUnits))
  const member: Line = call.memberName === null ? [] : [say(" by "), code(fitter.word(call.memberName, nameUnits))]
  if (!call.gated) return [tool, ...member, say(" is not part of this decision: the platform will refuse it")]
  if (gated.length === 1) return [tool, ...member]
  return [bold(`${gated.indexOf(call) + 1} of ${gated.length}: `), tool, ...member]
}

/** True if the record's own tool and arguments are those of one of its calls. */
export function isListed(approval: Approval, calls: readonly Call[]): boolean {
  const own = canonicalJson(approval.toolArgs ?? {})
  if (approval.toolName === null && approval.toolArgs === null) return true
  return calls.some((call) => call.tool === approval.toolName && canonicalJson(call.args) === own)
}

function recordItself(approval: Approval, fitter: TextFitter): LabelledText {
  const tool = code(fitter.word(toolOf(approval.toolName), nameUnits))
  const label = [bold("The record itself "), say("names another call: "), tool]
  return { label, body: writeArguments(approval.toolArgs ?? {}) }
}

/** Shares a budget so that short texts are whole and long ones get equal parts of what remains. */
function share(needs: readonly number[], budget: number): readonly number[] {
  const order = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need)
  const given = needs.map(() => 0)
  let left = Math.max(0, budget)
  order.forEach(({ need, index }, position) => {
    const part = Math.min(need, callUnits, Math.floor(left / (order.length - position)))
    given[index] = part
    left -= part
  })
  return given
}

/** What each of the first voters filled in may take of a card. */
const filledUnits = 800
const maxFilled = 3

/** What each voter filled in, whole, in the order of the votes. */
export function filledIn(model: CardModel): readonly LabelledText[] {
  return model.votes.flatMap(({ user, values }) =>
    values === null ? [] : [{ label: [mention(user), say(" filled in")], body: writeFilled(values) }],
  )
}

/** The same as blocks of a card; what does not fit is folded. */
export function filledBlocks(model: CardModel, fitter: TextFitter): readonly RichTextBlock[] {
  const all = filledIn(model)
  if (all.length > maxFilled) fitter.omit()
  return all.slice(0, maxFilled).map((filled) => textBlock(filled, filledUnits, fitter))
}

function writeFilled({ values, result }: JsonObject): string {
  const parts = [
    ...(isJsonObject(values) ? [writeArguments(values)] : []),
    ...(typeof result === "string" ? [`result:\n${result}`] : []),
  ]
  return parts.join("\n\n")
}

/** Names that are too long for a label or hold characters that one does not see, as JSON; empty if there are none. */
export function fullNames(names: JsonObject): readonly string[] {
  const odd = Object.entries(names).filter(([, name]) => typeof name === "string" && !fits(name))
  return odd.length === 0 ? [] : [`in full:\n${writeArguments(Object.fromEntries(odd))}`]
}

function fits(name: string): boolean {
  const fitter = createTextFitter()
  fitter.word(name, nameUnits)
  return fitter.whole()
}
