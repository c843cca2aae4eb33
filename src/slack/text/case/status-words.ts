// How a case stands, in words: a name for each status and outcome, and the sentences below it.
import type { CardModel, CardStatus } from "../../../domain/case/card-model.ts"
import type { Outcome } from "../../../domain/case/case.ts"
import { approvalTakes } from "../../../domain/content/inputs.ts"
import type { Verb } from "../../../domain/policy/judge.ts"
import {
  bold,
  code,
  type Line,
  link,
  listedUpTo,
  mention,
  moment,
  type Span,
  say,
  sentence,
  voterLine,
} from "../../lines/spans.ts"
import type { TextFitter } from "../../lines/text-fitter.ts"
import { unapprovableWords } from "./argument-text.ts"
import { brokenName, isBrokenOn } from "./glass-words.ts"
import { subjectOf } from "./headline.ts"
import { proposalOverLine, proposalOverName } from "./proposal-words.ts"
import { afterwards, byPeople, overLines } from "./run-words.ts"
import { stopLines } from "./stop-words.ts"

const maxVotes = 8
const wordUnits = 255

/** The status on a card: a sign, its name, and the sentences that explain it. */
export interface StatusWords {
  /** A sign by which people tell states apart without colour; "" while the case waits. */
  readonly sign: string
  readonly name: string
  readonly lines: readonly Line[]
}

/** "approved", "rejected", or "called back" if whoever asked did that. */
export function past(verb: Verb, calledBack = false): string {
  return calledBack ? "called back" : verb === "approve" ? "approved" : "rejected"
}

/** Words for the status of a case. */
export function statusWords(model: CardModel, fitter: TextFitter): StatusWords {
  const { status } = model
  switch (status.kind) {
    case "open":
      return model.failure === null
        ? told("", "Approval needed")
        : told("⚠", "Decision failed", ...failureLines(model, fitter))
    case "expired":
      return told("◷", "Expired", expiredLine(model, status), ...unsentLines(model, fitter))
    case "deciding": {
      const { verb } = status
      return told(
        "…",
        "Deciding",
        sentence`${decidedBy(model, verb)}. It is being sent to the agent's platform: nothing to do.`,
      )
    }
    case "sending": {
      const ending = isCalledBackOn(model) ? "Calling back" : isSentBackOn(model) ? "Sending back" : "Rejecting"
      const name = status.verb === "approve" ? "Approving" : ending
      return told("…", name, sentence`${decidedBy(model, status.verb)}. ${unsureWords[`${status.barred ?? false}`]}`)
    }
    case "held":
      return told("‖", "Held after a rejection", sentence`${decidedBy(model, "reject")}${heldWords}`)
    case "settled":
      return withRun(outcomeWords(model, status.outcome, fitter), afterwards(model, fitter))
    case "replaced":
      return told("⚠", fixedWords.replaced[0], replacedWords(status.link))
    case "run-over":
      return status.ran.length > 0
        ? told("⚠", "Ran without approval", ...overLines(status, fitter))
        : told("–", "Nothing left to approve", ...overLines(status, fitter))
    case "stopped":
      return told("■", "Stopped", ...stopLines(status, fitter))
    case "unapprovable":
      return told("⚠", "Cannot be approved", [say(unapprovableWords(model.approval?.oversize))])
    case "uncovered":
    case "frozen":
      return told("⚠", fixedWords[status.kind][0], [say(fixedWords[status.kind][1])])
  }
}

function told(sign: string, name: string, ...lines: readonly Line[]): StatusWords {
  return { sign, name, lines }
}

/** The sign and the name of a status together. */
export function signed({ sign, name }: Omit<StatusWords, "lines">): string {
  return sign === "" ? name : `${sign} ${name}`
}

/** How a settled case ended, in one line: what was decided, by whom, what about, and when. */
export function endedLine(model: CardModel, outcome: Outcome, fitter: TextFitter): Line {
  const subject = subjectOf(model, fitter)
  if (outcome.kind === "elsewhere" && outcome.status === "expired")
    return sentence`${bold("◷ Expired")} ${moment(outcome.at)}, nobody decided · ${subject}`
  return sentence`${endOf(model, outcome, fitter)} · ${subject} · ${moment(outcome.at)}`
}

const otherwiseWords = "⚠ What ran is not what was decided"

/** True if the run was read, and did not go as decided. */
function isOtherwise({ status }: CardModel): boolean {
  return status.kind === "settled" && status.run?.kind === "ended" && status.run.end.deviations.length > 0
}

function endOf(model: CardModel, outcome: Outcome, fitter: TextFitter): Line {
  const { sign, name } = outcomeWords(model, outcome, fitter)
  const begun: Line = isOtherwise(model) ? [bold(otherwiseWords), say(` · ${name}`)] : [bold(`${sign} ${name}`)]
  if (outcome.kind === "ours")
    return model.time.ranOut
      ? sentence`${begun}, because ${tooFew(model)} in time`
      : sentence`${begun} by ${voters(model, outcome.verb)}`
  if (outcome.kind === "vanished") return sentence`${begun}: the approval was deleted on the agent's platform`
  const { status, resolvedBy, proposal } = outcome
  if (proposal !== undefined) return sentence`${begun}: ${proposalOverLine(proposal)}`
  const said = name === otherEnd ? sentence`${begun} with the status ${statusOf(outcome, fitter)}` : begun
  if (resolvedBy !== null) return sentence`${said} by ${code(fitter.word(resolvedBy, wordUnits))}`
  return byPeople.has(status) ? sentence`${said}, by whom is not known` : said
}

/** The name and meaning of statuses that read the same for every case. */
const fixedWords = {
  uncovered: [
    "Nobody may decide",
    "No rule says who decides all of this, so nobody can. Whoever runs Countersign has to add a rule; nothing to do " +
      "for you.",
  ],
  frozen: [
    "Frozen",
    "Somebody or something changed what Countersign had stored about this approval, so nobody can decide it. " +
      "So nothing can be decided here. Whoever runs Countersign has to look; nothing to do for you.",
  ],
  replaced: ["Does not count any more", "Another message is the card of this approval now; votes count only there."],
} as const

function replacedWords(url: string | null | undefined): Line {
  const words = "Votes count only there."
  return url == null ? [say(fixedWords.replaced[1])] : sentence`${link(url, "Open the card that counts")}. ${words}`
}

const heldWords =
  ": it does not run. Nothing to do. The agent's platform would run it even after a rejection, so Countersign keeps " +
  "it waiting there. Whoever rejected it can take that back in Details."

const unsureWords = {
  true:
    "It is not passed on yet: the agent's platform refuses Countersign's own credential, or cannot check it. " +
    "Whoever runs Countersign has to fix that; then it is sent by itself. Nothing to do for you.",
  false:
    "The agent's platform has not confirmed that yet, so nobody knows whether it took effect. Countersign keeps " +
    "asking. Nothing to do.",
} as const

/** The platform did not accept the rejection of an expired case. We try again by ourselves. */
function unsentLines({ failure }: CardModel, fitter: TextFitter): readonly Line[] {
  if (failure === null) return []
  const why = code(fitter.word(failure, wordUnits))
  const then = "Countersign tries again each minute, and whoever runs it was told."
  return [sentence`The agent's platform did not take the rejection yet: ${why}. ${then}`]
}

function expiredLine(model: CardModel, { at, rejecting }: Extract<CardStatus, { kind: "expired" }>): Line {
  const then = rejecting
    ? `, so it is being rejected now${model.failure === null ? ". Nothing to do" : ""}`
    : ", so it is too late here. It still waits on the agent's platform, where others can decide it"
  return sentence`By ${moment(at)} ${tooFew(model)}${then}.`
}

/** Says whether some approved, though not enough of them in time. */
function tooFew({ votes }: CardModel): string {
  return votes.some(({ verb }) => verb === "approve") ? "too few people approved it" : "nobody decided"
}

function withRun(words: StatusWords, run: readonly Line[]): StatusWords {
  return { ...words, lines: [...words.lines, ...run] }
}

/** The platform refused the last verdict: what that means, and what the operator must do. */
function failureLines({ failure, approval }: CardModel, fitter: TextFitter): readonly Line[] {
  if (failure === null) return []
  const why = code(fitter.word(failure, wordUnits))
  const then =
    "Whoever runs Countersign was told and has to fix that. Until then each press fails; press again once they have."
  const run = approvalTakes(approval) === "result"
  const once = run ? " If it was run already, do not run it again: enter the same result." : ""
  return [sentence`Nothing is decided. The agent's platform did not take the last decision: ${why}. ${then}${once}`]
}

function outcomeWords(model: CardModel, outcome: Outcome, fitter: TextFitter): StatusWords {
  const at = sentence` · ${moment(outcome.at)}`
  switch (outcome.kind) {
    case "ours": {
      const [sign, by] = [outcome.verb === "approve" ? "✓" : "✕", [...decidedBy(model, outcome.verb), ...at]]
      const record = recordSentence(outcome.resolvedBy, fitter)
      if (isBrokenOn(model, outcome.verb)) return told(brokenName.sign, brokenName.name, by, record)
      return told(sign, decided(model, outcome.verb), by, record)
    }
    case "elsewhere": {
      if (outcome.proposal !== undefined) {
        const [sign, name] = proposalOverName(outcome.proposal)
        return told(sign, name, [...proposalOverLine(outcome.proposal), ...at])
      }
      const [sign, name, what] = elsewhere(outcome.status)
      const line = what ?? sentence`Decided outside Countersign: the platform says ${statusOf(outcome, fitter)}`
      return told(sign, name, [...line, ...at], recordSentence(outcome.resolvedBy, fitter))
    }
    case "vanished": {
      const line = sentence`The platform does not know this approval any more: it was deleted there${at}`
      return told("–", "Gone", line)
    }
  }
}

function recordSentence(resolvedBy: string | null, fitter: TextFitter): Line {
  if (resolvedBy === null) return sentence`The platform names nobody who resolved it`
  return sentence`The platform's record: resolved by ${code(fitter.word(resolvedBy, wordUnits))}`
}

function statusOf({ status }: Extract<Outcome, { kind: "elsewhere" }>, fitter: TextFitter): Span {
  return code(fitter.word(status, 40))
}

/** The sign and name of a status that the platform gave, and a sentence if it needs one. */
function elsewhere(status: string): readonly [sign: string, name: string, what?: Line] {
  const known = new Map<string, readonly [string, string, Line?]>([
    ["approved", ["✓", "Approved elsewhere"]],
    ["rejected", ["✕", "Rejected elsewhere"]],
    ["expired", ["◷", "Expired", [say("Nobody decided in the platform's own time")]]],
    ["cancelled", ["–", "Cancelled"]],
  ])
  return known.get(status) ?? ["–", otherEnd]
}

/** The name of an end that only the platform has a word for. */
const otherEnd = "Ended on the agent's platform"

/** What was decided. A call that a person ran, and entered the result of, is done. */
function decided(model: CardModel, verb: Verb): string {
  if (verb === "reject") return isCalledBackOn(model) ? "Called back" : isSentBackOn(model) ? "Sent back" : "Rejected"
  return approvalTakes(model.approval) === "result" ? "Done" : "Approved"
}

/** True if whoever asked called it back. */
function isCalledBackOn({ votes, time }: CardModel): boolean {
  return !time.ranOut && votes.some(({ calledBack }) => calledBack === true)
}

/** True if a rejection sent the case back, with what to ask instead. */
function isSentBackOn({ votes, time }: CardModel): boolean {
  return !time.ranOut && votes.some(({ sentBack }) => sentBack === true)
}

function decidedBy(model: CardModel, verb: Verb): Line {
  const name = isBrokenOn(model, verb) ? brokenName.name : decided(model, verb)
  return model.time.ranOut
    ? sentence`${name}, because ${tooFew(model)} in time`
    : sentence`${name} by ${voters(model, verb)}`
}

/** Whose votes decided. Of a result: who entered it, and who confirmed it. */
function voters(model: CardModel, verb: Verb): Line {
  const users = model.votes.filter((vote) => vote.verb === verb).map((one) => voterLine(mention(one.user), one.for))
  const [first, ...others] = users
  if (first === undefined) return [say("somebody")]
  if (model.again?.kind === "repeat") return sentence`itself, as ${mention(model.again.user)} rejected it before`
  if (verb === "reject" && isCalledBackOn(model)) return sentence`${first}, who had asked for it`
  return decided(model, verb) === "Done" && others.length > 0
    ? sentence`${first}, confirmed by ${listedUpTo(others, maxVotes)}`
    : listedUpTo(users, maxVotes)
}
