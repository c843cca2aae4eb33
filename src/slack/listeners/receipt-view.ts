// A receipt as a modal: what it says in words, the signed text itself, and how anybody verifies it without us.
import type { KnownBlock, ModalView } from "@slack/types"
import { plain, preformatted } from "../../blockkit/text.ts"
import type { ReceiptClaims, ReceiptVote } from "../../domain/receipt.ts"
import type { KeptReceipt } from "../../flow/ports.ts"
import { VIEWS } from "../ids.ts"
import { firstLines } from "../text/fit-lines.ts"
import { counted } from "../text/headline.ts"
import { bold, code, type Line, mention, moment, rich, say, stack } from "../text/spans.ts"
import { past } from "../text/status-words.ts"
import { createLens, type Lens } from "../text/text-fitter.ts"
import { modal } from "../views/details.ts"
import { split } from "../views/details-pages.ts"

const WORD_UNITS = 255
const LINES_SHOWN = 20
/** Text of one receipt that a modal can carry; longer ones come from the command. */
const RECEIPT_UNITS = 8_000

/** The modal of a verified receipt. */
export function receiptView({ claims, receipt, kid }: Extract<KeptReceipt, { kind: "kept" }>): ModalView {
  const lens = createLens()
  const where: Line = [say("printed by "), code(printing(claims))]
  const votes = firstLines(voteLines(claims.votes, lens), LINES_SHOWN, { noun: "vote", where })
  const rules = firstLines(ruleLines(claims, lens), LINES_SHOWN, { noun: "rule", where })
  const lines = [...verdictLines(claims, lens), ...votes, ...rules]
  const blocks: KnownBlock[] = [
    rich(stack(lines)),
    ...textBlocks(receipt, claims),
    rich(stack(verifyLines(claims))),
    { type: "context", elements: marks(claims, kid).map((mark) => plain(createLens().word(mark, 500))) },
  ]
  return modal({ callback: VIEWS.receipt, title: "Receipt", blocks })
}

function verdictLines({ verdict, at, approval, instance, sandbox }: ReceiptClaims, lens: Lens): readonly Line[] {
  const what: Line = [bold(verdict === "approve" ? "Approved" : "Rejected"), say(" · "), moment(at)]
  const which: Line = [
    say("Approval "),
    code(lens.word(approval, WORD_UNITS)),
    say(" of "),
    code(lens.word(instance, WORD_UNITS)),
  ]
  return [what, which, ...(sandbox ? [[say("Made in the sandbox: nobody really decided this")]] : [])]
}

function voteLines(votes: readonly ReceiptVote[], lens: Lens): readonly Line[] {
  return votes.map(({ person, verb, subject, surface, at }): Line => {
    const user = person.slice(person.indexOf(":") + 1)
    const how = ` ${past(verb)} it (${surface}) as `
    return [mention(user), say(how), code(lens.word(subject, WORD_UNITS)), say(" · "), moment(at)]
  })
}

function ruleLines({ rules }: ReceiptClaims, lens: Lens): readonly Line[] {
  return rules.map(({ name, quorum }) => [
    say("Rule "),
    code(lens.word(name, WORD_UNITS)),
    say(`: ${counted(quorum, "approval")} needed`),
  ])
}

function textBlocks(receipt: string, claims: ReceiptClaims): KnownBlock[] {
  if (receipt.length > RECEIPT_UNITS)
    return [rich([say("It is too long for Slack: "), code(printing(claims)), say(" prints it.")])]
  const parts = split(receipt)
  const label = parts.length === 1 ? "The receipt" : `The receipt, in ${parts.length} parts that belong together`
  return [rich([bold(label)]), ...parts.map(preformatted)]
}

/** The command that prints all of it. */
function printing({ decision }: ReceiptClaims): string {
  return `countersign receipt show ${decision}`
}

function verifyLines(claims: ReceiptClaims): readonly Line[] {
  return [
    [say("It was verified just now. To verify it without us, save it as receipt.txt and run "), code(VERIFY)],
    [say("The keys are at "), code("/.well-known/jwks.json"), say(" of this bot. The platform's record holds it too.")],
    [say("The ledger names it: "), code(printing(claims))],
  ]
}

const VERIFY = "countersign receipt verify receipt.txt --keys keys.json"

function marks({ decision, digest, revision, installation }: ReceiptClaims, kid: string): readonly string[] {
  return [
    `Decision ${decision} · Revision ${revision}`,
    `Digest ${digest}`,
    `Installation ${installation} · Key ${kid}`,
  ]
}
