// Where a case stands, in words: one name for each status and outcome, and the sentences below it.
import type { CardModel, CardStatus } from "../../domain/case/card-model.ts"
import type { Outcome } from "../../domain/case/case.ts"
import { mentionedOnCard } from "../../domain/case/event.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import { firstLines } from "./fit-lines.ts"
import { subjectOf } from "./headline.ts"
import { gateLines, runLines } from "./run-words.ts"
import { bold, code, group, type Line, listedUpTo, mention, moment, quote, type Span, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

const reasonUnits = 200
const maxVotes = 8
const wordUnits = 255
const ruleUnits = 80

/** The status as a card tells it: a sign and its name, and the sentences that explain it. */
export interface StatusWords {
  /** Tells states apart without any colour; "" while it waits. */
  readonly sign: string
  readonly name: string
  readonly lines: readonly Line[]
}

/** "approved" or "rejected". */
export function past(verb: Verb): string {
  return verb === "approve" ? "approved" : "rejected"
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
      return told("◷", "Expired", expiredLine(status), ...unsentLines(model, fitter))
    case "deciding": {
      const { verb } = status
      return told(
        "…",
        "Deciding",
        sentence`${decided(verb)} by ${voters(model, verb)}. It is being sent to the platform.`,
      )
    }
    case "sending": {
      const name = status.verb === "approve" ? "Approving" : "Rejecting"
      return told("…", name, sentence`${decidedBy(model, status.verb)}. ${unsureWords[`${status.barred ?? false}`]}`)
    }
    case "held":
      return told("‖", "Held", sentence`Rejected by ${voters(model, "reject")}${heldWords}`)
    case "settled":
      return withRun(outcomeWords(model, status.outcome, fitter), [
        ...runLines(status.run, model.summary.requester, fitter),
        ...gateLines(model.time),
      ])
    case "uncovered":
    case "unapprovable":
    case "frozen":
    case "replaced":
      return told("⚠", fixedWords[status.kind][0], [say(fixedWords[status.kind][1])])
  }
}

function told(sign: string, name: string, ...lines: readonly Line[]): StatusWords {
  return { sign, name, lines }
}

/** The sign and the name of a status as they stand first. */
export function signed({ sign, name }: Omit<StatusWords, "lines">): string {
  return sign === "" ? name : `${sign} ${name}`
}

/** How a settled case ended, in one line of the past: what, by whom, what it was about, and when. */
export function endedLine(model: CardModel, outcome: Outcome, fitter: TextFitter): Line {
  const subject = subjectOf(model, fitter)
  if (outcome.kind === "elsewhere" && outcome.status === "expired")
    return sentence`${bold("◷ Expired")} ${moment(outcome.at)}, nobody decided · ${subject}`
  return sentence`${endOf(model, outcome, fitter)} · ${subject} · ${moment(outcome.at)}`
}

function endOf(model: CardModel, outcome: Outcome, fitter: TextFitter): Line {
  const { sign, name } = outcomeWords(model, outcome, fitter)
  const begun = bold(`${sign} ${name}`)
  if (outcome.kind === "ours")
    return model.time.ranOut
      ? sentence`${begun}, since nobody decided in time`
      : sentence`${begun} by ${voters(model, outcome.verb)}`
  if (outcome.kind === "vanished") return sentence`${begun}: it was deleted on the platform`
  return outcome.resolvedBy === null
    ? [begun]
    : sentence`${begun} by ${code(fitter.word(outcome.resolvedBy, wordUnits))}`
}

/** What is the same for every case: its name, and what it means. */
const fixedWords = {
  uncovered: ["Nobody may decide", "No rule covers every call, so nobody may decide here. An operator can add a rule."],
  unapprovable: ["Cannot be approved", "It holds text that reads differently in every program (half a character)."],
  frozen: [
    "Frozen",
    "What is stored about this approval was not written by Countersign, or was changed. " +
      "Nothing is decided here; an operator must look.",
  ],
  replaced: ["Not in use any more", "Another message is the card of this approval now; votes count only there."],
} as const

const heldWords =
  ". The platform would run it all the same, so it was not told: the record stays pending, and that keeps the run " +
  "stopped. Who rejected it can withdraw their vote."

const unsureWords = {
  true:
    "The platform refuses Countersign's own credential at the moment, or cannot check it: " +
    "it is told as soon as that is mended.",
  false: "The platform has not confirmed it yet: the outcome is not known.",
} as const

/** The platform did not take the rejection of what expired; it is tried again by itself. */
function unsentLines({ failure }: CardModel, fitter: TextFitter): readonly Line[] {
  if (failure === null) return []
  const why = code(fitter.word(failure, wordUnits))
  return [sentence`The platform did not take the rejection: ${why}. It is tried again each minute.`]
}

function expiredLine({ at, rejecting }: Extract<CardStatus, { kind: "expired" }>): Line {
  const then = rejecting
    ? ", so it is being rejected, as the rules want"
    : ", so nobody can decide it here any more. The platform's record stays as it is"
  return sentence`Nobody decided by ${moment(at)}${then}.`
}

function withRun(words: StatusWords, run: readonly Line[]): StatusWords {
  return { ...words, lines: [...words.lines, ...run] }
}

/** The platform refused the last verdict: what that means, and what the operator must do. */
function failureLines({ failure }: CardModel, fitter: TextFitter): readonly Line[] {
  if (failure === null) return []
  const why = code(fitter.word(failure, wordUnits))
  const then = "An operator must see that Countersign may resolve this; then please decide again."
  return [sentence`The last decision failed and nothing is decided: ${why}. ${then}`]
}

/** One line a vote: who, what, when and why. Of a vote that the status names already only the reason stands here. */
export function voteLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const named = verbOf(model.status)
  const votes = model.votes.filter((vote) => vote.verb !== named || vote.reason !== null)
  if (votes.length > maxVotes) fitter.omit()
  const lines = votes.map((vote): Line => {
    const reason = vote.reason === null ? [] : [say(": "), quote(fitter.word(vote.reason, reasonUnits))]
    if (vote.verb === named) return [mention(vote.user), ...reason]
    return [mention(vote.user), say(` ${past(vote.verb)} it `), moment(vote.at), ...reason]
  })
  return firstLines(lines, maxVotes, { noun: "vote", where: [say("each told in the thread")] })
}

/** One line a rule: its name, and who must agree. */
export function ruleLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const who = agreementLines(model, fitter)
  return model.rules.map(({ name }, at) => sentence`Rule ${code(fitter.word(name, ruleUnits))}: ${who[at] ?? []}`)
}

/** For each rule who must agree, and how many of them have: "2 of @finance must approve, 1 has". */
export function agreementLines({ rules, status }: CardModel, fitter: TextFitter): readonly Line[] {
  const progress = new Map(status.kind === "open" ? status.progress.map((one) => [one.rule, one.have]) : [])
  return rules.map(({ name, quorum, approvers = [] }): Line => {
    const have = progress.get(name) ?? 0
    const none = quorum === 1 ? "" : ", nobody has yet"
    const done = have === 0 ? none : `, ${have} ${have === 1 ? "has" : "have"}`
    return sentence`${thoseOf(quorum, approvers, fitter)} must approve${done}`
  })
}

function thoseOf(quorum: number, approvers: readonly string[], fitter: TextFitter): Line {
  const [first] = approvers
  if (first === undefined) return [say(quorum === 1 ? "1 person" : `${quorum} people`)]
  if (approvers.length === 1 && !first.startsWith("S")) return [approver(first, fitter)]
  const named = listedUpTo(
    approvers.map((one) => approver(one, fitter)),
    mentionedOnCard,
  )
  return sentence`${quorum} of ${named}`
}

function approver(name: string, fitter: TextFitter): Span {
  if (/^[UW][A-Z0-9]+$/.test(name)) return mention(name)
  return /^S[A-Z0-9]+$/.test(name) ? group(name) : code(fitter.word(name, ruleUnits))
}

/** The verdict whose voters the status names, or null. */
function verbOf(status: CardStatus): Verb | null {
  if (status.kind === "held") return "reject"
  if (status.kind === "sending" || status.kind === "deciding") return status.verb
  return status.kind === "settled" && status.outcome.kind === "ours" ? status.outcome.verb : null
}

function outcomeWords(model: CardModel, outcome: Outcome, fitter: TextFitter): StatusWords {
  const at = sentence` · ${moment(outcome.at)}`
  switch (outcome.kind) {
    case "ours": {
      const by = [...decidedBy(model, outcome.verb), ...at]
      const sign = outcome.verb === "approve" ? "✓" : "✕"
      return told(sign, decided(outcome.verb), by, recorded(outcome.resolvedBy, fitter))
    }
    case "elsewhere": {
      const [sign, name, what] = elsewhere(outcome.status)
      const line = what ?? sentence`Decided outside Countersign: the platform says ${statusOf(outcome, fitter)}`
      return told(sign, name, [...line, ...at], recorded(outcome.resolvedBy, fitter))
    }
    case "vanished": {
      const line = sentence`The platform does not know this approval any more: it was deleted there${at}`
      return told("–", "Gone", line)
    }
  }
}

function recorded(resolvedBy: string | null, fitter: TextFitter): Line {
  if (resolvedBy === null) return sentence`The platform names nobody who resolved it`
  return sentence`The platform's record: resolved by ${code(fitter.word(resolvedBy, wordUnits))}`
}

function statusOf({ status }: Extract<Outcome, { kind: "elsewhere" }>, fitter: TextFitter): Span {
  return code(fitter.word(status, 40))
}

/** The sign and name of what the platform says, and a sentence where it says more than that. */
function elsewhere(status: string): readonly [sign: string, name: string, what?: Line] {
  const known = new Map<string, readonly [string, string, Line?]>([
    ["approved", ["✓", "Approved elsewhere"]],
    ["rejected", ["✕", "Rejected elsewhere"]],
    ["expired", ["◷", "Expired", [say("Nobody decided in the platform's own time")]]],
    ["cancelled", ["–", "Cancelled"]],
  ])
  return known.get(status) ?? ["–", "Settled elsewhere"]
}

function decided(verb: Verb): string {
  return verb === "approve" ? "Approved" : "Rejected"
}

function decidedBy(model: CardModel, verb: Verb): Line {
  if (model.time.ranOut) return sentence`${decided(verb)}, since nobody decided in time`
  return sentence`${decided(verb)} by ${voters(model, verb)}`
}

function voters(model: CardModel, verb: Verb): Line {
  const users = model.votes.filter((vote) => vote.verb === verb).map((vote) => vote.user)
  return users.length === 0 ? [say("somebody")] : listedUpTo(users.map(mention), maxVotes)
}
