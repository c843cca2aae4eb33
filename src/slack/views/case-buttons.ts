// Buttons: what they carry, how they look, and what a screen reader says about buttons that look alike on many cards.
import type { Button } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { actionIds } from "../ids.ts"
import { approveLabel, buttonWords, dialogWords, spokenLabel } from "../text/button-words.ts"
import { targetOf, writeTarget } from "./button-values.ts"

/** Approve and Reject, on a card or in Details. Rejecting is the safe choice and stays unstyled. */
export function voteButton(model: CardModel, verb: "approve" | "reject"): Button {
  if (verb === "reject") return caseButton(model, actionIds.reject, buttonWords.reject)
  return { ...caseButton(model, actionIds.approve, approveLabel(model)), ...approveStyle(model) }
}

/** If the rule says that approving destroys something, no button stands out, and Approve asks again. */
function approveStyle(model: CardModel): Pick<Button, "style" | "confirm"> {
  if (!model.look.danger) return { style: "primary" }
  const { title, text, confirm } = dialogWords(model)
  const buttons = { confirm: plain(confirm), deny: plain(buttonWords.cancel), style: "danger" } as const
  return { confirm: { title: plain(title), text: plain(text), ...buttons } }
}

/** The answers of a reviewer of broken glass. Both weigh the same, so none stands out. */
export function glassButtons(model: CardModel): readonly Button[] {
  return [
    caseButton(model, actionIds.glassRight, buttonWords.glassRight),
    caseButton(model, actionIds.glassWrong, buttonWords.glassWrong),
  ]
}

/** Opens Details. On a card that could not show everything, it stands in Approve's place as "Review Details". */
export function detailsButton(
  model: CardModel,
  label: (typeof buttonWords)["details" | "review" | "reviewDetails"],
  primary: boolean,
): Button {
  const style = primary ? { style: "primary" as const } : {}
  return { ...caseButton(model, actionIds.details, label), ...style }
}

/** A button about a case. Buttons of several cases read alike, so screen readers hear the case. `model` is masked. */
export function caseButton(model: CardModel, action: string, text: string): Button {
  return { ...buttonOn(model, action, text), accessibility_label: spokenLabel(text, model) }
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
  const button = (way: "previous" | "next", to: number) =>
    plainButton(`${action}_${way}`, buttonWords[way], valueOf(to))
  return [...(page > 1 ? [button("previous", page - 1)] : []), ...(page < pages ? [button("next", page + 1)] : [])]
}
