// What buttons say, the dialog before a press that cannot be undone, and what a screen reader says of a button.
import { blockLimits } from "../../blockkit/limits.ts"
import { escapedLength } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { approvalTakes } from "../../domain/content/inputs.ts"
import { plainWords } from "../lines/spans.ts"
import { counted, createTextFitter, cutTo } from "../lines/text-fitter.ts"
import { nextEffect } from "./case/agreement-words.ts"
import { subjectOf, toolOf } from "./case/headline.ts"

/** The labels of buttons: short verbs in title case. */
export const buttonWords = {
  approve: "Approve",
  reject: "Reject",
  details: "Details",
  review: "Review",
  reviewDetails: "Review Details",
  receipt: "Receipt",
  callBack: "Call Back…",
  sendBack: "Send Back…",
  breakGlass: "Break Glass…",
  ask: "Ask…",
  answer: "Answer…",
  glassRight: "It Was Right",
  glassWrong: "It Was Not…",
  askAgain: "Ask Me Again",
  withdraw: "Withdraw My Vote",
  reveal: "Reveal Masked Values",
  stopAgent: "Stop This Agent…",
  nextCase: "Next Case",
  previous: "Previous",
  next: "Next",
  test: "Test the Way Back",
  close: "Close",
  cancel: "Cancel",
} as const

const approveLabels = {
  press: buttonWords.approve,
  form: "Fill In…",
  result: "Enter Result…",
  again: "Confirm Result…",
} as const

/** What a press does. If a form opens first, the button says what to bring. */
export function approveLabel({ approval, votes }: CardModel) {
  const takes = approvalTakes(approval)
  const brought = takes === "result" && votes.some(({ values }) => values !== null)
  return approveLabels[brought ? "again" : takes]
}

/** The dialog has room for more arguments than a headline. */
const dialogUnits = 200

/** The dialog before an approval that destroys something; `confirm` is the button that goes on. */
export function dialogWords(model: CardModel): {
  readonly title: string
  readonly text: string
  readonly confirm: string
} {
  const subject = plainWords(subjectOf(model, createTextFitter(), dialogUnits))
  const { button, after } = asksMore(model, nextEffect(model))
  return {
    title: `Run ${cutTo(calledIn(model), blockLimits.confirmTitle - 8)}?`,
    text: `${cutTo(subject, blockLimits.confirmText - after.length)}${after}`,
    confirm: button,
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
        return { button: "Approve", after: ". It runs once others have approved it, too. Then it cannot be undone." }
      return { button: "Approve and Run", after: ". This will run, and cannot be undone." }
    case "Fill In…":
      return {
        button: "Open Form",
        after: ". It runs with what you fill in. Once the form is sent, it cannot be undone.",
      }
    case "Enter Result…":
    case "Confirm Result…":
      return { button: "Open Form", after: ". The agent goes on with your result. It cannot be undone." }
  }
}

/** How much of a long tool name is kept, so that the agent has space. */
const toolUnits = 36

/**
 * "Approve: send_refund by Billing Agent", at most 75 units. The model is masked already; masked twice, it would look
 * like an imitation.
 */
export function spokenLabel(label: string, model: CardModel): string {
  const what = `${label}: ${cutTo(calledIn(model), toolUnits)} by `
  return `${what}${cutTo(model.summary.agent ?? "an agent", blockLimits.accessibilityLabel - escapedLength(what))}`
}

function calledIn({ approval, summary }: CardModel): string {
  const calls = approval === null ? [] : openGatedCalls(approval)
  return calls.length > 1 ? counted(calls.length, "tool") : toolOf(calls[0]?.tool ?? summary.tool)
}
