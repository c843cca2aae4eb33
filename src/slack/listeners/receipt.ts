// A receipt as a modal: that it is verified, who decided what, and when. A second modal shows the signed text, and how
// to verify it without us.
import type { KnownBlock, ModalView } from "@slack/types"
import { plain, preformatted } from "../../blockkit/text.ts"
import type { ReceiptClaims, ReceiptVote } from "../../domain/case/receipt.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { ReceiptShown } from "../../flow/ports/inbound.ts"
import { actionIds, viewIds } from "../ids.ts"
import { firstLines } from "../lines/fit-lines.ts"
import {
  bold,
  code,
  type Line,
  listedUpTo,
  mention,
  moment,
  quote,
  rich,
  say,
  sentence,
  stack,
} from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { toolOf } from "../text/case/headline.ts"
import { gateLines } from "../text/case/run-words.ts"
import { past } from "../text/case/status-words.ts"
import { readNote, readTarget, type ViewNote, writeNote } from "../views/button-values.ts"
import { plainButton } from "../views/case-buttons.ts"
import { answerView, modal, toldView } from "../views/details.ts"
import { split } from "../views/details-pages.ts"
import { failureAnswer, type ListenerContext, onClick, openModal, replyToOf, tell } from "./listener-context.ts"

const title = "Receipt"

/** The button was pressed. */
export const onReceipt = onClick((context, click) => {
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null) return () => tell(context, replyTo, { kind: "replaced" })
  const { person, place, triggerId } = click
  const opening = { title, triggerId } as const
  const note = { target, place, verb: null }
  return () =>
    openModal(context, { ...opening, replyTo, event: "receipt-failed", caseId: target.caseId }, async (viewId) =>
      context.views.show(viewId, await askedView(context, { person, note }, receiptView)),
    )
})

/** Somebody asked for the signed text, in the modal. We judge again whether they may see it. */
export const onReceiptText = onClick((context, { view, person }) => {
  const note = readNote(view?.note)
  if (view === null || note === null) return null
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
    return toldView([say(missing[shown.kind])], { title })
  } catch (error) {
    context.log.warn("receipt-failed", { caseId: target.caseId, error })
    return answerView(failureAnswer(error), { title })
  }
}

const missing = {
  gone: "No receipt of this is kept here (any more). The platform's record may still hold it.",
  broken:
    "What is stored as the receipt of this was not signed by us, or was changed. Whoever runs Countersign has to look.",
} as const

const wordUnits = 255
const maxLines = 20
const maxVoters = 10
/** How much text of one receipt a modal can carry, in UTF-16 units. The command prints longer ones. */
const receiptUnits = 8_000

/** The modal of a verified receipt. */
export function receiptView({ claims, summary, reasons }: Kept, note: ViewNote): ModalView {
  const fitter = createTextFitter()
  const where = sentence`printed by ${code(printing(claims))}`
  const rules = firstLines(receiptRuleLines(claims, fitter), maxLines, { noun: "rule", where })
  const verdict = [
    verdictLine(claims),
    ...firstLines(unsignedReasons(reasons, fitter), maxVoters, { noun: "reason", where }),
  ]
  const head = [[bold("✓ Verified")], ...verdict, ...subjectLines(claims, summary, fitter)]
  const lines = [...head, ...gateLines({ runBy: claims.expires }), ...rules]
  const button = plainButton(actionIds.receiptText, "Show Signed Text", "")
  const blocks: KnownBlock[] = [rich(stack(lines)), { type: "actions", elements: [button] }]
  return modal({ callback: viewIds.receipt, title, blocks, note: writeNote(note) })
}

/** The modal with the signed text: who voted under which subject, and how to verify it. */
export function receiptTextView({ claims, receipt, kid }: Kept): ModalView {
  const fitter = createTextFitter()
  const where = sentence`printed by ${code(printing(claims))}`
  const votes = firstLines(receiptVoteLines(claims.votes, fitter), maxLines, { noun: "vote", where })
  const blocks: KnownBlock[] = [
    rich(stack([[bold("✓ Verified")], ...votes])),
    ...textBlocks(receipt, claims),
    rich(stack(verifyLines(claims))),
    { type: "context", elements: marks(claims, kid).map((mark) => plain(createTextFitter().word(mark, 500))) },
  ]
  return modal({ callback: viewIds.receipt, title, blocks })
}

function verdictLine({ verdict, votes, at }: ReceiptClaims): Line {
  const ended = votes.some(({ calledBack }) => calledBack === true) ? "Called back" : "Rejected"
  const done = bold(verdict === "approve" ? "Approved" : ended)
  const who = listedUpTo(votes.map(voter), maxVoters)
  const by = votes.length === 0 ? sentence`, because nobody decided in time` : sentence` by ${who}`
  return sentence`${done}${by} · ${moment(at)}`
}

/** Reasons are erased with their people, so no receipt signs them. */
function unsignedReasons(reasons: Kept["reasons"], fitter: TextFitter): readonly Line[] {
  return reasons.map(({ user, reason }) => {
    const said = quote(fitter.word(reason, wordUnits))
    return sentence`${bold("Reason")} of ${mention(user)} (not signed): ${said}`
  })
}

function subjectLines({ approval, instance, sandbox }: ReceiptClaims, summary: Kept["summary"], fitter: TextFitter) {
  const name = (text: string) => code(fitter.word(text, wordUnits))
  const by = summary.agent === null ? [] : sentence` by ${name(summary.agent)}`
  const what = sentence`${name(toolOf(summary.tool))}${by} · Approval ${name(approval)} of ${name(instance)}`
  return [what, ...(sandbox ? [sentence`Demo only: nobody really decided this`] : [])]
}

function voter({ person }: ReceiptVote) {
  return mention(person.slice(person.indexOf(":") + 1))
}

function receiptVoteLines(votes: readonly ReceiptVote[], fitter: TextFitter): readonly Line[] {
  return votes.map((vote) => {
    const { verb, subject, surface, at } = vote
    const as = code(fitter.word(subject, wordUnits))
    return sentence`${voter(vote)} ${past(verb, vote.calledBack)} it (${surface}) as ${as} · ${moment(at)}`
  })
}

function receiptRuleLines({ rules }: ReceiptClaims, fitter: TextFitter): readonly Line[] {
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

/** The command that prints the whole text. */
function printing({ decision }: ReceiptClaims): string {
  return `countersign receipt show ${decision}`
}

function verifyLines(claims: ReceiptClaims): readonly Line[] {
  const how = "To verify it without us, save it as receipt.txt and run"
  const keys = code("/.well-known/jwks.json")
  return [
    sentence`${how} ${code(verifyCommand)}`,
    sentence`The keys are at ${keys} of this bot. The platform's record holds it too.`,
    sentence`The ledger names it: ${code(printing(claims))}`,
  ]
}

const verifyCommand = "countersign receipt verify receipt.txt --keys keys.json"

function marks({ decision, digest, revision, installation }: ReceiptClaims, kid: string): readonly string[] {
  const first = `Decision ${decision} · Revision ${revision}`
  return [first, `Digest ${digest}`, `Installation ${installation} · Key ${kid}`]
}
