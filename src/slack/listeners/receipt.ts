// A receipt as a modal: that it is verified, who decided what, and when. A second modal shows the signed text, and how
// to verify it without us.
import type { KnownBlock, ModalView } from "@slack/types"
import { plain, preformatted } from "../../blockkit/text.ts"
import type { ReceiptClaims } from "../../domain/case/receipt.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { ReceiptShown } from "../../flow/ports/inbound.ts"
import { actionIds, viewIds } from "../ids.ts"
import { rich, say, stack } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import {
  markWords,
  receiptLines,
  receiptVoteLines,
  receiptWords,
  signedTextLine,
  tooLongLine,
  verifyLines,
} from "../text/proof-words.ts"
import { readNote, readTarget, type ViewNote, writeNote } from "../views/button-values.ts"
import { plainButton } from "../views/case-buttons.ts"
import { answerView, modal, toldView } from "../views/details.ts"
import { split } from "../views/details-pages.ts"
import {
  failureAnswer,
  type ListenerContext,
  onClick,
  openModal,
  refuseForeign,
  replyToOf,
} from "./listener-context.ts"

const { title } = receiptWords

/** The button was pressed. */
export const onReceipt = onClick((context, click) => {
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null) return refuseForeign(context, click)
  const { person, place, triggerId } = click
  const opening = { title, triggerId } as const
  const note = { target, place, verb: null }
  return () =>
    openModal(context, { ...opening, replyTo, event: "receipt-failed", caseId: target.caseId }, async (viewId) =>
      context.views.show(viewId, await askedView(context, { person, note }, receiptView)),
    )
})

/** Somebody asked for the signed text, in the modal. We judge again whether they may see it. */
export const onReceiptText = onClick((context, click) => {
  const { view, person } = click
  const note = readNote(view?.note)
  if (view === null || note === null) return refuseForeign(context, click)
  return async () => context.views.show(view.id, await askedView(context, { person, note }, receiptTextView))
})

type Kept = Extract<ReceiptShown, { kind: "kept" }>

interface Asked {
  readonly person: SlackId
  /** The note of the card that the modal was opened from. */
  readonly note: ViewNote
}

async function askedView(
  context: ListenerContext,
  { person, note }: Asked,
  show: (shown: Kept, note: ViewNote) => ModalView,
): Promise<ModalView> {
  const { target, place } = note
  try {
    const shown = await context.inbound.receipt({ person, target, place })
    if (shown.kind === "kept") return show(shown, note)
    if (shown.kind === "told") return answerView(shown.answer, { title })
    return toldView([say(receiptWords[shown.kind])], { title })
  } catch (error) {
    context.log.warn("receipt-failed", { caseId: target.caseId, error })
    return answerView(failureAnswer(error), { title })
  }
}

/** How much text of one receipt a modal can carry, in UTF-16 units. The command prints longer ones. */
const receiptUnits = 8_000

/** The modal of a verified receipt. */
export function receiptView(kept: Kept, note: ViewNote): ModalView {
  const button = plainButton(actionIds.receiptText, receiptWords.showText, "")
  const blocks: KnownBlock[] = [rich(stack(receiptLines(kept))), { type: "actions", elements: [button] }]
  return modal({ callback: viewIds.receipt, title, blocks, note: writeNote(note) })
}

/** The modal with the signed text: who voted under which subject, and how to verify it. */
export function receiptTextView({ claims, receipt, kid }: Kept): ModalView {
  const blocks: KnownBlock[] = [
    rich(stack(receiptVoteLines(claims))),
    ...textBlocks(receipt, claims),
    rich(stack(verifyLines(claims))),
    { type: "context", elements: markWords(claims, kid).map((mark) => plain(createTextFitter().word(mark, 500))) },
  ]
  return modal({ callback: viewIds.receipt, title, blocks })
}

function textBlocks(receipt: string, claims: ReceiptClaims): KnownBlock[] {
  if (receipt.length > receiptUnits) return [rich(tooLongLine(claims))]
  const parts = split(receipt)
  return [rich(signedTextLine(parts.length)), ...parts.map(preformatted)]
}
