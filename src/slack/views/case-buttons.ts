// Buttons: what they carry, how they look, and what a screen reader says about buttons that look alike on many cards.
import type { Button } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { clip, escapedLength, plain, visible } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { approvalTakes } from "../../domain/content/inputs.ts"
import { actionIds } from "../ids.ts"
import { plainWords } from "../lines/spans.ts"
import { counted, createTextFitter, oneLine } from "../lines/text-fitter.ts"
import { nextEffect } from "../text/case/agreement-words.ts"
import { subjectOf, toolOf } from "../text/case/headline.ts"
import { targetOf, writeTarget } from "./button-values.ts"

/** Approve and Reject, on a card or in Details. Rejecting is the safe choice and stays unstyled. */
export function voteButton(model: CardModel, verb: "approve" | "reject"): Button {
  if (verb === "reject") return caseButton(model, actionIds.reject, "Reject")
  return { ...caseButton(model, actionIds.approve, approveLabel(model)), ...approveStyle(model) }
}

const approveLabels = { press: "Approve", form: "Fill In…", result: "Enter Result…", again: "Confirm Result…" } as const

/** What a press does. If a form opens first, the button says what to bring. */
function approveLabel({ approval, votes }: CardModel) {
  const takes = approvalTakes(approval)
  const brought = takes === "result" && votes.some(({ values }) => values !== null)
  return approveLabels[brought ? "again" : takes]
}

/** The dialog has room for more arguments than a headline. */
const dialogUnits = 200

/** If the rule says that approving destroys something, no button stands out, and Approve asks again. */
function approveStyle(model: CardModel): Pick<Button, "style" | "confirm"> {
  if (!model.look.danger) return { style: "primary" }
  const tool = calledIn(model)
  const subject = plainWords(subjectOf(model, createTextFitter(), dialogUnits))
  const { button, after } = asksMore(model, nextEffect(model))
  const text = `${cutTo(subject, blockLimits.confirmText - after.length)}${after}`
  const buttons = { confirm: plain(button), deny: plain("Cancel"), style: "danger" } as const
  return {
    confirm: { title: plain(`Run ${cutTo(tool, blockLimits.confirmTitle - 8)}?`), text: plain(text), ...buttons },
  }
}

/** What the dialog says: that the press is the vote, or that a form follows. */
function asksMore(
  model: CardModel,
  effect: ReturnType<typeof nextEffect>,
): { readonly button: string; readonly after: string } {
  switch (approveLabel(model)) {
    case "Approve":
      if (effect === "counts")
        return { button: "Approve", after: " runs once others have approved it, too. Then it cannot be undone." }
      return { button: "Approve and Run", after: " will run, and cannot be undone." }
    case "Fill In…":
      return {
        button: "Open Form",
        after: " runs with what you fill in. Once the form is sent, it cannot be undone.",
      }
    case "Enter Result…":
    case "Confirm Result…":
      return { button: "Open Form", after: ": the agent goes on with your result. It cannot be undone." }
  }
}

/** Opens Details. On a card that could not show everything, it stands in Approve's place as "Review Details". */
export function detailsButton(
  model: CardModel,
  label: "Details" | "Review" | "Review Details",
  primary: boolean,
): Button {
  const style = primary ? { style: "primary" as const } : {}
  return { ...caseButton(model, actionIds.details, label), ...style }
}

/** A button about a case. Those of other cases read the same, so screen readers hear the case. `model` is masked. */
export function caseButton(model: CardModel, action: string, text: string): Button {
  return { ...buttonOn(model, action, text), accessibility_label: accessibleLabel(text, model) }
}

/** The same, if no other button beside it reads alike. */
export function buttonOn(model: CardModel, action: string, text: string): Button {
  return plainButton(action, text, writeTarget(targetOf(model)))
}

/** A button without a style of its own. */
export function plainButton(action_id: string, text: string, value: string): Button {
  return { type: "button", action_id, text: plain(text), value }
}

/** The buttons to the pages before and after a page; pages count from 1. `valueOf`: the value of a button to a page. */
export function pageButtons(
  action: string,
  at: { readonly page: number; readonly pages: number; readonly valueOf: (page: number) => string },
): readonly Button[] {
  const { page, pages, valueOf } = at
  const button = (label: string, to: number) => plainButton(`${action}_${label.toLowerCase()}`, label, valueOf(to))
  return [...(page > 1 ? [button("Previous", page - 1)] : []), ...(page < pages ? [button("Next", page + 1)] : [])]
}

/** How much of a long tool name is kept, so that the agent has space. */
const toolUnits = 36

/**
 * "Approve: send_refund by Billing Agent", at most 75 units. The model is masked already; masked twice, it would look
 * like an imitation.
 */
function accessibleLabel(verb: string, model: CardModel): string {
  const what = `${verb}: ${cutTo(calledIn(model), toolUnits)} by `
  return `${what}${cutTo(model.summary.agent ?? "an agent", blockLimits.accessibilityLabel - escapedLength(what))}`
}

function calledIn({ approval, summary }: CardModel): string {
  const calls = approval === null ? [] : openGatedCalls(approval)
  return calls.length > 1 ? counted(calls.length, "tool") : toolOf(calls[0]?.tool ?? summary.tool)
}

function cutTo(text: string, units: number): string {
  const { text: kept, cut } = clip(oneLine(visible(text)), units - 1)
  return cut === 0 ? kept : `${kept}…`
}
