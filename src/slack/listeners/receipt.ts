// "Receipt" was pressed on a settled card: a modal at once because the trigger dies, filled when the receipt is read.
import type { ModalView } from "@slack/types"
import type { ReceiptShown } from "../../flow/inbound.ts"
import type { Target } from "../../flow/press.ts"
import { type Line, say } from "../text/spans.ts"
import { readTarget } from "../views/button-values.ts"
import { answerView, toldView } from "../views/details.ts"
import { acknowledge, type Desk, failureAnswer, type Listener, tell } from "./listener-context.ts"
import { type Click, readClick } from "./payloads.ts"
import { receiptView } from "./receipt-view.ts"
import { replyToOf, triggerDied } from "./votes.ts"

/** The button was pressed. */
export const onReceipt: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const target = readTarget(click.value)
  await acknowledge(desk, ack)
  if (target === null) return () => tell(desk, replyToOf(click), { kind: "replaced" })
  return () => openReceipt(desk, click, target)
}

async function openReceipt(desk: Desk, click: Click, target: Target): Promise<void> {
  const { triggerId } = click
  try {
    const loading = toldView([say("Loading…")], { title: "Receipt" })
    const answer = await desk.call("views.open", (client) =>
      client.views.open({ trigger_id: triggerId, view: loading }),
    )
    const view = await viewOf(desk, click, target)
    await desk.views.show(answer.view?.id ?? "", view)
  } catch (error) {
    desk.log.warn("receipt-failed", { caseId: target.caseId, error })
    await tell(desk, replyToOf(click), triggerDied(error) ? { kind: "late" } : failureAnswer(error))
  }
}

async function viewOf(desk: Desk, { person, place }: Click, target: Target): Promise<ModalView> {
  try {
    return shownView(await desk.inbound.receipt({ person, target, place }))
  } catch (error) {
    desk.log.warn("receipt-failed", { caseId: target.caseId, error })
    return answerView(failureAnswer(error), { title: "Receipt" })
  }
}

function shownView(shown: ReceiptShown): ModalView {
  switch (shown.kind) {
    case "kept":
      return receiptView(shown)
    case "told":
      return answerView(shown.answer, { title: "Receipt" })
    case "gone":
    case "broken":
      return toldView(PLAIN[shown.kind], { title: "Receipt" })
  }
}

const PLAIN: Readonly<Record<"gone" | "broken", Line>> = {
  gone: [say("No receipt of this is kept here (any more). The platform's record may still hold it.")],
  broken: [say("What is stored as the receipt of this was not signed by us, or was changed. An operator must look.")],
}
