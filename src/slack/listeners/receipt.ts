// A receipt as a modal: what it says in words, the signed text itself, and how anybody verifies it without us.
import type { KnownBlock, ModalView } from "@slack/types"
import { plain, preformatted } from "../../blockkit/text.ts"
import type { ReceiptClaims, ReceiptVote } from "../../domain/case/receipt.ts"
import type { ReceiptShown } from "../../flow/ports/inbound.ts"
import type { Target } from "../../flow/ports/interaction.ts"
import type { KeptReceipt } from "../../flow/ports.ts"
import { viewIds } from "../ids.ts"
import { firstLines } from "../text/fit-lines.ts"
import { counted } from "../text/headline.ts"
import { bold, code, type Line, mention, moment, rich, say, sentence, stack } from "../text/spans.ts"
import { past } from "../text/status-words.ts"
import { createTextFitter, type TextFitter } from "../text/text-fitter.ts"
import { readTarget } from "../views/button-values.ts"
import { answerView, modal, toldView } from "../views/details.ts"
import { split } from "../views/details-pages.ts"
import { failureAnswer, type ListenerContext, onClick, openModal, replyToOf, tell } from "./listener-context.ts"
import type { Click } from "./payloads.ts"

const title = "Receipt"

/** The button was pressed. */
export const onReceipt = onClick((context, click) => {
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null) return () => tell(context, replyTo, { kind: "replaced" })
  const { caseId } = target
  const opening = { title, triggerId: click.triggerId } as const
  return () =>
    openModal(context, { ...opening, replyTo, event: "receipt-failed", caseId }, async (viewId) =>
      context.views.show(viewId, await viewOf(context, click, target)),
    )
})

async function viewOf(context: ListenerContext, { person, place }: Click, target: Target): Promise<ModalView> {
  try {
    return shownView(await context.inbound.receipt({ person, target, place }))
  } catch (error) {
    context.log.warn("receipt-failed", { caseId: target.caseId, error })
    return answerView(failureAnswer(error), { title })
  }
}

function shownView(shown: ReceiptShown): ModalView {
  switch (shown.kind) {
    case "kept":
      return receiptView(shown)
    case "told":
      return answerView(shown.answer, { title })
    case "gone":
    case "broken":
      return toldView([say(missing[shown.kind])], { title })
  }
}

const missing = {
  gone: "No receipt of this is kept here (any more). The platform's record may still hold it.",
  broken: "What is stored as the receipt of this was not signed by us, or was changed. An operator must look.",
} as const

const wordUnits = 255
const maxLines = 20
/** Text of one receipt that a modal can carry; longer ones come from the command. */
const receiptUnits = 8_000

/** The modal of a verified receipt. */
export function receiptView({ claims, receipt, kid }: Extract<KeptReceipt, { kind: "kept" }>): ModalView {
  const fitter = createTextFitter()
  const where = sentence`printed by ${code(printing(claims))}`
  const votes = firstLines(voteLines(claims.votes, fitter), maxLines, { noun: "vote", where })
  const rules = firstLines(ruleLines(claims, fitter), maxLines, { noun: "rule", where })
  const lines = [...verdictLines(claims, fitter), ...votes, ...rules]
  const blocks: KnownBlock[] = [
    rich(stack(lines)),
    ...textBlocks(receipt, claims),
    rich(stack(verifyLines(claims))),
    { type: "context", elements: marks(claims, kid).map((mark) => plain(createTextFitter().word(mark, 500))) },
  ]
  return modal({ callback: viewIds.receipt, title, blocks })
}

function verdictLines(claims: ReceiptClaims, fitter: TextFitter): readonly Line[] {
  const { verdict, at, approval, instance, sandbox } = claims
  const what = sentence`${bold(verdict === "approve" ? "Approved" : "Rejected")} · ${moment(at)}`
  const name = (text: string) => code(fitter.word(text, wordUnits))
  const which = sentence`Approval ${name(approval)} of ${name(instance)}`
  return [what, which, ...(sandbox ? [sentence`Made in the sandbox: nobody really decided this`] : [])]
}

function voteLines(votes: readonly ReceiptVote[], fitter: TextFitter): readonly Line[] {
  return votes.map(({ person, verb, subject, surface, at }) => {
    const who = mention(person.slice(person.indexOf(":") + 1))
    const as = code(fitter.word(subject, wordUnits))
    return sentence`${who} ${past(verb)} it (${surface}) as ${as} · ${moment(at)}`
  })
}

function ruleLines({ rules }: ReceiptClaims, fitter: TextFitter): readonly Line[] {
  return rules.map(({ name, quorum }) => {
    const rule = code(fitter.word(name, wordUnits))
    return sentence`Rule ${rule}: ${counted(quorum, "approval")} needed`
  })
}

function textBlocks(receipt: string, claims: ReceiptClaims): KnownBlock[] {
  if (receipt.length > receiptUnits)
    return [rich(sentence`It is too long for Slack: ${code(printing(claims))} prints it.`)]
  const parts = split(receipt)
  const label = parts.length === 1 ? "The receipt" : `The receipt, in ${parts.length} parts that belong together`
  return [rich([bold(label)]), ...parts.map(preformatted)]
}

/** The command that prints all of it. */
function printing({ decision }: ReceiptClaims): string {
  return `countersign receipt show ${decision}`
}

function verifyLines(claims: ReceiptClaims): readonly Line[] {
  const how = "To verify it without us, save it as receipt.txt and run"
  const keys = code("/.well-known/jwks.json")
  return [
    sentence`It was verified just now. ${how} ${code(verifyCommand)}`,
    sentence`The keys are at ${keys} of this bot. The platform's record holds it too.`,
    sentence`The ledger names it: ${code(printing(claims))}`,
  ]
}

const verifyCommand = "countersign receipt verify receipt.txt --keys keys.json"

function marks({ decision, digest, revision, installation }: ReceiptClaims, kid: string): readonly string[] {
  const first = `Decision ${decision} · Revision ${revision}`
  return [first, `Digest ${digest}`, `Installation ${installation} · Key ${kid}`]
}
