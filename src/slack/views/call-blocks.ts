// The calls of a case on its card: each with its name and its arguments as literal text, long ones folded.
import type { RichTextBlock } from "@slack/types"
import { escapedLength, partEnd, preformatted, visible } from "../../blockkit/text.ts"
import { type Approval, type Call, callsOf } from "../../domain/approval.ts"
import { canonicalJson } from "../../domain/canonical.ts"
import { writeArguments, writeCall } from "../text/argument-text.ts"
import { counted, NAME_UNITS, toolOf } from "../text/headline.ts"
import { bold, code, type Line, rich, say, section } from "../text/spans.ts"
import type { Lens } from "../text/text-fitter.ts"
import { inFull } from "./in-full.ts"

/** How many calls a card lists; more are named as a number and stand in Details. */
const CALLS_SHOWN = 16
/** No call takes more of a card than this, so that the buttons stay in sight on a phone. */
const CALL_UNITS = 2_400
/** What a call's title and its note of folding may take. */
const TITLE_UNITS = 420
/** Below this a fold says nothing any more. */
const LEAST_UNITS = 80

/** A call and the label it is shown under. */
export interface LabelledCall {
  readonly label: Line
  readonly body: string
}

/** Every open call of an approval, gated or not, and the record's own line if it says something else than all of them. */
export function labelledCalls(approval: Approval, lens: Lens): readonly LabelledCall[] {
  const calls = callsOf(approval)
  const open = calls.filter((call) => call.open)
  const gated = open.filter((call) => call.gated)
  const labelled = open.map((call): LabelledCall => {
    return { label: labelOf(call, gated, lens), body: bodyOf(call) }
  })
  return isListed(approval, calls) ? labelled : [...labelled, recordItself(approval, lens)]
}

/** Everything that a call says, and its names in full where its label cannot hold them. */
function bodyOf(call: Call): string {
  return [writeCall(call), ...inFull({ tool: call.tool, member: call.memberName })].join("\n\n")
}

/** The blocks of all calls within `budget` units of text. What does not fit is folded with the number of characters left out. */
export function callBlocks(approval: Approval, budget: number, lens: Lens): readonly RichTextBlock[] {
  const calls = labelledCalls(approval, lens)
  const room = Math.floor(budget / (TITLE_UNITS + LEAST_UNITS))
  const shown = calls.slice(0, Math.max(1, Math.min(CALLS_SHOWN, room)))
  const units = share(
    shown.map((call) => neededFor(call.body)),
    budget - shown.length * TITLE_UNITS,
  )
  const blocks = shown.map((call, index) => callBlock(call, units[index] ?? LEAST_UNITS, lens))
  const rest = calls.length - shown.length
  if (rest === 0) return blocks
  lens.omit()
  return [...blocks, rich([bold(`and ${counted(rest, "more call")}`), say(", all of them in Details.")])]
}

/** So many units take the whole of it; more than a call may take is not counted. */
function neededFor(body: string): number {
  return partEnd(body, 0, CALL_UNITS) < body.length ? CALL_UNITS : escapedLength(visible(body))
}

function callBlock(call: LabelledCall, units: number, lens: Lens): RichTextBlock {
  const { elements } = preformatted(lens.text(call.body, units))
  return { type: "rich_text", elements: [section(call.label), ...elements] }
}

function labelOf(call: Call, gated: readonly Call[], lens: Lens): Line {
  const tool = code(lens.word(toolOf(call.tool), NAME_UNITS))
  const member: Line = call.memberName === null ? [] : [say(" by "), code(lens.word(call.memberName, NAME_UNITS))]
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

function recordItself(approval: Approval, lens: Lens): LabelledCall {
  const tool = code(lens.word(toolOf(approval.toolName), NAME_UNITS))
  return {
    label: [bold("The record itself "), say("names another call: "), tool],
    body: writeArguments(approval.toolArgs ?? {}),
  }
}

/** Shares a budget so that short texts are whole and long ones get equal parts of what remains. */
function share(needs: readonly number[], budget: number): readonly number[] {
  const order = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need)
  const given = needs.map(() => 0)
  let left = Math.max(0, budget)
  order.forEach(({ need, index }, position) => {
    const part = Math.min(need, CALL_UNITS, Math.floor(left / (order.length - position)))
    given[index] = part
    left -= part
  })
  return given
}
