// What became of a proposal of other rules, in words: by votes, or because something else came first.
import type { Outcome, ProposalOutcome } from "../../../domain/case/case.ts"
import { type ProposalOver, proposalOverWords } from "../../../domain/rule/proposal.ts"
import type { Why } from "../../../flow/ports/inbound.ts"
import { code, type Line, say, sentence } from "../../lines/spans.ts"

type LockedOut = NonNullable<Why["lockedOut"]>

/** The sign before the name of such an end. */
const signs: Readonly<Record<ProposalOver, string>> = { replaced: "–", expired: "◷", outdated: "–", unapproved: "⚠" }

/** The sign and the name of a proposal's end without votes. */
export function proposalOverName({ how }: ProposalOutcome): readonly [sign: string, name: string] {
  return [signs[how], proposalOverWords[how].name]
}

/** Why a proposal ended without votes, in one sentence that names the newer one. */
export function proposalOverLine({ how, newer }: ProposalOutcome): Line {
  const { said } = proposalOverWords[how]
  return newer === undefined ? [say(said)] : sentence`${said}; the command ${code(`show ${newer}`)} opens it`
}

/** What follows from a proposal's end: which rules count, and whether anybody has to do something. */
export function afterProposal(outcome: Outcome): string {
  switch (outcome.kind) {
    case "ours":
      return outcome.verb === "approve" ? "These rules count now." : "The rules stay as they are."
    case "vanished":
      return "It is gone, and the rules stay as they are."
    case "elsewhere":
      return outcome.proposal === undefined ? "Nobody can approve it any more." : afterOver[outcome.proposal.how]
  }
}

const afterOver: Readonly<Record<ProposalOver, string>> = {
  replaced: "Nothing to do here: votes on this one do not count for the newer one.",
  expired: "The rules stay as they are. Whoever wants these has to propose them again.",
  outdated: "It cannot be approved any more. Whoever wants these rules has to propose them again.",
  unapproved: "They count now. Whoever runs Countersign was told that nobody approved them.",
}

/** Why nobody may approve a proposal that would lock everybody out. */
export function lockedOutWords({ able, quorum }: LockedOut): string {
  const who = able === 0 ? "nobody" : `only ${able}`
  return (
    `it wants ${quorum} people to approve the next change of the rules, and ${who} of those it lists can vote now. ` +
    "So the rules could not be changed any more."
  )
}

/** The same, for whoever asks who may decide it. */
export function lockedOutLine(found: LockedOut): Line {
  return [say(`Nobody can approve this: ${lockedOutWords(found)}`)]
}
