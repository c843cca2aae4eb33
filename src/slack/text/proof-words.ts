// Words for what proves a decision: its receipt, and the checkpoints of the ledger.
import type { ReceiptClaims, ReceiptVote } from "../../domain/case/receipt.ts"
import type { ReceiptShown } from "../../flow/ports/inbound.ts"
import { firstLines } from "../lines/fit-lines.ts"
import {
  bold,
  code,
  type Line,
  listedUpTo,
  mention,
  mentionOf,
  moment,
  quote,
  sentence,
  voterLine,
} from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { brokenName } from "./case/glass-words.ts"
import { toolOf } from "./case/headline.ts"
import { gateLines } from "./case/run-words.ts"
import { past, signed } from "./case/status-words.ts"

const wordUnits = 255
const maxLines = 20
const maxVoters = 10

/** The title and the button of a receipt's modal, and why there is nothing to show. */
export const receiptWords = {
  title: "Receipt",
  showText: "Show Signed Text",
  gone: "No receipt of this is kept here (any more). The platform's record may still hold it.",
  broken:
    "What is stored as the receipt of this was not signed by us, or was changed. Whoever runs Countersign has to look.",
} as const

type Kept = Extract<ReceiptShown, { kind: "kept" }>

const verified: Line = [bold("✓ Verified")]

/** What a verified receipt says: who decided what, why, and under which rules. */
export function receiptLines({ claims, summary, reasons }: Kept): readonly Line[] {
  const fitter = createTextFitter()
  const where = printedBy(claims)
  const why = firstLines(unsignedReasons(reasons, fitter), maxVoters, { noun: "reason", where })
  const rules = firstLines(receiptRuleLines(claims, fitter), maxLines, { noun: "rule", where })
  const head = [verified, verdictLine(claims), ...why, ...subjectLines(claims, summary, fitter)]
  return [...head, ...gateLines({ runBy: claims.expires }), ...rules]
}

function verdictLine({ verdict, votes, at, glass }: ReceiptClaims): Line {
  const ended = votes.some(({ calledBack }) => calledBack === true) ? "Called back" : "Rejected"
  const approved = glass === true ? signed(brokenName) : "Approved"
  const done = bold(verdict === "approve" ? approved : ended)
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
  return [what, ...(sandbox ? [sentence`Demo only: this was made in the local sandbox, not by real people`] : [])]
}

function voter({ person, for: away }: ReceiptVote) {
  return voterLine(mentionOf(person), away)
}

/** Who voted, and under which subject. */
export function receiptVoteLines(claims: ReceiptClaims): readonly Line[] {
  const fitter = createTextFitter()
  const votes = claims.votes.map((vote) => {
    const { verb, subject, surface, at } = vote
    const as = code(fitter.word(subject, wordUnits))
    return sentence`${voter(vote)} ${past(verb, vote.calledBack)} it (${surface}) as ${as} · ${moment(at)}`
  })
  return [verified, ...firstLines(votes, maxLines, { noun: "vote", where: printedBy(claims) })]
}

function receiptRuleLines({ rules }: ReceiptClaims, fitter: TextFitter): readonly Line[] {
  return rules.map(({ name, quorum }) => {
    const rule = code(fitter.word(name, wordUnits))
    return sentence`Rule ${rule}: ${counted(quorum, "approval")} needed`
  })
}

/** The label of the signed text, which takes so many boxes. */
export function signedTextLine(parts: number): Line {
  return [bold(parts === 1 ? "The receipt" : `The receipt, in ${parts} parts that belong together`)]
}

/** Stands in place of a signed text that no modal can hold. */
export function tooLongLine(claims: ReceiptClaims): Line {
  return sentence`It is too long for Slack: ${printing(claims)} prints it.`
}

function printedBy(claims: ReceiptClaims): Line {
  return sentence`printed by ${printing(claims)}`
}

/** The command that prints the whole text. */
function printing({ decision }: ReceiptClaims) {
  return code(`countersign receipt show ${decision}`)
}

/** How to check a receipt without asking us. */
export function verifyLines(claims: ReceiptClaims): readonly Line[] {
  const how = "To verify it without us, save it as receipt.txt and run"
  const keys = code("/.well-known/jwks.json")
  return [
    sentence`${how} ${code("countersign receipt verify receipt.txt --keys keys.json")}`,
    sentence`The keys are at ${keys} of this bot. The platform's record holds it too.`,
    sentence`The ledger names it: ${printing(claims)}`,
  ]
}

/** By what a receipt is found elsewhere: its decision, digest and key. */
export function markWords({ decision, digest, revision, installation }: ReceiptClaims, kid: string): readonly string[] {
  const first = `Decision ${decision} · Revision ${revision}`
  return [first, `Digest ${digest}`, `Installation ${installation} · Key ${kid}`]
}

/** A checkpoint in the audit channel: the root over the first `size` entries, signed at `at` (epoch ms). */
export function checkpointLine({ size, root, at }: Readonly<{ size: number; root: string; at: number }>): Line {
  return sentence`Ledger checkpoint: the first ${size} entries, signed ${moment(at)}, root ${code(root)}`
}
