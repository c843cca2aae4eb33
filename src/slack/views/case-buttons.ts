// Buttons: what they carry, how they look, and what a screen reader says of one that stands on many cards alike.
import type { Button } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { clip, escapedLength, plain, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { actionIds } from "../ids.ts"
import { counted, toolOf } from "../text/headline.ts"
import { oneLine } from "../text/text-fitter.ts"
import { targetOf, writeTarget } from "./button-values.ts"

/** Approve and Reject, on a card or in Details. Rejecting is the safe choice and stays unstyled. */
export function voteButton(model: CardModel, verb: "approve" | "reject"): Button {
  const text = verb === "approve" ? "Approve" : "Reject"
  const style = verb === "approve" ? approveStyle(model) : {}
  return { ...caseButton(model, actionIds[verb], text), ...style }
}

/** Red and asked once more only where the rule says that approving itself destroys something. */
function approveStyle({ look, summary }: CardModel): Pick<Button, "style" | "confirm"> {
  if (!look.danger) return { style: "primary" }
  const text = plain(`This lets ${counted(summary.calls, "call")} run, and cannot be taken back.`)
  const buttons = { confirm: plain("Approve"), deny: plain("Cancel"), style: "danger" } as const
  return { style: "danger", confirm: { title: plain("Approve this?"), text, ...buttons } }
}

/** Opens Details; as "Review" it stands where Approve would, on a card that could not show everything. */
export function detailsButton(model: CardModel, label: "Details" | "Review", primary: boolean): Button {
  const style = primary ? { style: "primary" as const } : {}
  return { ...caseButton(model, actionIds.details, label), ...style }
}

/** A button on a case. Others beside it read the same, so it is read out with its case. `model` is masked. */
export function caseButton(model: CardModel, action: string, text: string): Button {
  return { ...buttonOn(model, action, text), accessibility_label: accessibleLabel(text, model) }
}

/** The same where nothing stands beside it that reads alike. */
export function buttonOn(model: CardModel, action: string, text: string): Button {
  return plainButton(action, text, writeTarget(targetOf(model)))
}

/** A button without a style of its own. */
export function plainButton(action_id: string, text: string, value: string): Button {
  return { type: "button", action_id, text: plain(text), value }
}

/** The buttons to the neighbours of a page, from 1. `valueOf`: what one carries to a page. */
export function pageButtons(
  action: string,
  at: { readonly page: number; readonly pages: number; readonly valueOf: (page: number) => string },
): readonly Button[] {
  const { page, pages, valueOf } = at
  const button = (label: string, to: number) => plainButton(`${action}_${label.toLowerCase()}`, label, valueOf(to))
  return [...(page > 1 ? [button("Previous", page - 1)] : []), ...(page < pages ? [button("Next", page + 1)] : [])]
}

/** A long tool leaves space for the agent. */
const toolUnits = 36

/** "Approve: send_refund by Billing Agent", at most 75 units. The model is masked: twice reads as an imitation. */
function accessibleLabel(verb: string, { approval, summary }: CardModel): string {
  const calls = approval === null ? [] : openGatedCalls(approval)
  const tool = calls.length > 1 ? counted(calls.length, "tool") : toolOf(calls[0]?.tool ?? summary.tool)
  const what = `${verb}: ${short(tool, toolUnits)} by `
  return `${what}${short(summary.agent ?? "an agent", blockLimits.accessibilityLabel - escapedLength(what))}`
}

function short(text: string, units: number): string {
  const { text: kept, cut } = clip(oneLine(visible(text)), units - 1)
  return cut === 0 ? kept : `${kept}…`
}
