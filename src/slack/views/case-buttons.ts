// Spoken: what a screen reader says of a button that stands on many cards and lines alike.
import { LIMITS } from "../../blockkit/limits.ts"
import { clip, escapedLength, visible } from "../../blockkit/text.ts"
import { openGatedCalls } from "../../domain/approval.ts"
import type { Face } from "../../domain/face.ts"
import { counted, toolOf } from "../text/headline.ts"
import { oneLine } from "../text/text-fitter.ts"

/** A long tool leaves room for the agent. */
const TOOL_UNITS = 36

/**
 * "Approve: send_refund by Billing Agent", at most 75 units. `face` is what the surface shows, masked already: the label says no more, and a mask
 * that is masked once more reads as an imitation.
 */
export function spokenLabel(verb: string, { approval, summary }: Face): string {
  const calls = approval === null ? [] : openGatedCalls(approval)
  const tool = calls.length > 1 ? counted(calls.length, "tool") : toolOf(calls[0]?.tool ?? summary.tool)
  const what = `${verb}: ${short(tool, TOOL_UNITS)} by `
  return `${what}${short(summary.agent ?? "an agent", LIMITS.accessibilityLabel - escapedLength(what))}`
}

function short(text: string, units: number): string {
  const { text: kept, cut } = clip(oneLine(visible(text)), units - 1)
  return cut === 0 ? kept : `${kept}…`
}
