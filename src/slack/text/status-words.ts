// Where a case stands, in words: one name for each status and outcome, and the sentences below it.
import type { Outcome } from "../../domain/case.ts"
import type { Face, FaceStatus } from "../../domain/face.ts"
import type { Verb } from "../../domain/judge.ts"
import { firstLines } from "./fit-lines.ts"
import { counted } from "./headline.ts"
import { runLines } from "./run-words.ts"
import { code, type Line, listedUpTo, mention, moment, quote, say } from "./spans.ts"
import type { Lens } from "./text-fitter.ts"

const REASON_UNITS = 200
const VOTES_SHOWN = 8
const WORD_UNITS = 255
const RULE_UNITS = 80

/** The status as a card tells it: its name, and the sentences that explain it. */
export interface StatusWords {
  readonly name: string
  readonly lines: readonly Line[]
}

/** "approved" or "rejected". */
export function past(verb: Verb): string {
  return verb === "approve" ? "approved" : "rejected"
}

/** Words for the status of a case. */
export function statusWords(face: Face, lens: Lens): StatusWords {
  const { status } = face
  switch (status.kind) {
    case "open":
      return { name: face.failure === null ? "Approval needed" : "Decision failed", lines: failureLines(face, lens) }
    case "uncovered":
      return {
        name: "Nobody may decide",
        lines: [[say("No rule covers every call, so nobody may decide here. An operator can add a rule.")]],
      }
    case "unapprovable":
      return {
        name: "Cannot be approved",
        lines: [[say("It holds text that reads differently in every program (half a character).")]],
      }
    case "expired":
      return { name: "Expired", lines: [expiredLine(status), ...unsentLines(face, lens)] }
    case "deciding":
      return {
        name: "Deciding",
        lines: [
          [
            say(`${decided(status.verb)} by `),
            ...voters(face, status.verb),
            say(". It is being sent to the platform."),
          ],
        ],
      }
    case "sending":
      return {
        name: status.verb === "approve" ? "Approving" : "Rejecting",
        lines: [[...decidedBy(face, status.verb), say(`. ${UNSURE[`${status.barred ?? false}`]}`)]],
      }
    case "held":
      return {
        name: "Held",
        lines: [
          [
            say("Rejected by "),
            ...voters(face, "reject"),
            say(
              ". The platform would run it all the same, so it was not told: the record stays pending, and that keeps the run stopped. Who rejected it can withdraw their vote.",
            ),
          ],
        ],
      }
    case "settled":
      return withRun(outcomeWords(face, status.outcome, lens), runLines(status.run, face.summary.requester, lens))
    case "frozen":
      return {
        name: "Frozen",
        lines: [
          [
            say(
              "What is stored about this approval was not written by Countersign, or was changed. Nothing is decided here; an operator must look.",
            ),
          ],
        ],
      }
    case "replaced":
      return {
        name: "Not in use any more",
        lines: [[say("Another message is the card of this approval now; votes count only there.")]],
      }
  }
}

const UNSURE = {
  true: "The platform refuses Countersign's own credential at the moment, or cannot check it: it is told as soon as that is mended.",
  false: "The platform has not confirmed it yet: the outcome is not known.",
} as const

/** The platform did not take the rejection of what expired; it is tried again by itself. */
function unsentLines({ failure }: Face, lens: Lens): readonly Line[] {
  if (failure === null) return []
  const why = code(lens.word(failure, WORD_UNITS))
  return [[say("The platform did not take the rejection: "), why, say(". It is tried again each minute.")]]
}

function expiredLine({ at, rejecting }: Extract<FaceStatus, { kind: "expired" }>): Line {
  const then = rejecting
    ? ", so it is being rejected, as the rules want"
    : ", so nobody can decide it here any more. The platform's record stays as it is"
  return [say("Nobody decided by "), moment(at), say(`${then}.`)]
}

function withRun({ name, lines }: StatusWords, run: readonly Line[]): StatusWords {
  return { name, lines: [...lines, ...run] }
}

/** The platform refused the last verdict: what that means, and what the operator must do. */
function failureLines({ failure }: Face, lens: Lens): readonly Line[] {
  if (failure === null) return []
  return [
    [
      say("The last decision failed and nothing is decided: "),
      code(lens.word(failure, WORD_UNITS)),
      say(". An operator must see that Countersign may resolve this; then please decide again."),
    ],
  ]
}

/** One line a vote: who, what, when and why. Of a vote that the status names already only the reason stands here. */
export function voteLines(face: Face, lens: Lens): readonly Line[] {
  const named = verbOf(face.status)
  const votes = face.votes.filter((vote) => vote.verb !== named || vote.reason !== null)
  if (votes.length > VOTES_SHOWN) lens.omit()
  const lines = votes.map((vote): Line => {
    const reason = vote.reason === null ? [] : [say(": "), quote(lens.word(vote.reason, REASON_UNITS))]
    if (vote.verb === named) return [mention(vote.user), ...reason]
    return [mention(vote.user), say(` ${past(vote.verb)} it `), moment(vote.at), ...reason]
  })
  return firstLines(lines, VOTES_SHOWN, { noun: "vote", where: [say("each told in the thread")] })
}

/** One line a rule: its name and how many of how many agreed. */
export function ruleLines(face: Face, lens: Lens): readonly Line[] {
  const progress = new Map(face.status.kind === "open" ? face.status.progress.map((one) => [one.rule, one]) : [])
  return face.rules.map((rule): Line => {
    const have = progress.get(rule.name)?.have
    const name = code(lens.word(rule.name, RULE_UNITS))
    if (have === undefined) return [say("Rule "), name, say(`: ${counted(rule.quorum, "approval")} needed`)]
    return [say("Rule "), name, say(`: ${have} of ${counted(rule.quorum, "approval")}`)]
  })
}

/** The verdict whose voters the status names, or null. */
function verbOf(status: FaceStatus): Verb | null {
  if (status.kind === "held") return "reject"
  if (status.kind === "sending" || status.kind === "deciding") return status.verb
  return status.kind === "settled" && status.outcome.kind === "ours" ? status.outcome.verb : null
}

function outcomeWords(face: Face, outcome: Outcome, lens: Lens): StatusWords {
  switch (outcome.kind) {
    case "ours": {
      const word = decided(outcome.verb)
      const by: Line = [...decidedBy(face, outcome.verb), say(" · "), moment(outcome.at)]
      return { name: word, lines: [by, recorded(outcome.resolvedBy, lens)] }
    }
    case "elsewhere": {
      const lines: Line = [
        say("Decided outside Countersign: the platform says "),
        code(lens.word(outcome.status, 40)),
        say(" · "),
        moment(outcome.at),
      ]
      return { name: elsewhereName(outcome.status), lines: [lines, recorded(outcome.resolvedBy, lens)] }
    }
    case "vanished":
      return {
        name: "Gone",
        lines: [
          [say("The platform does not know this approval any more: it was deleted there · "), moment(outcome.at)],
        ],
      }
  }
}

function recorded(resolvedBy: string | null, lens: Lens): Line {
  if (resolvedBy === null) return [say("The platform names nobody who resolved it")]
  return [say("The platform's record: resolved by "), code(lens.word(resolvedBy, WORD_UNITS))]
}

function elsewhereName(status: string): string {
  const known: Readonly<Record<string, string>> = {
    approved: "Approved elsewhere",
    rejected: "Rejected elsewhere",
    expired: "Expired",
    cancelled: "Cancelled",
  }
  return (Object.hasOwn(known, status) ? known[status] : undefined) ?? "Settled elsewhere"
}

function decided(verb: Verb): string {
  return verb === "approve" ? "Approved" : "Rejected"
}

function decidedBy(face: Face, verb: Verb): Line {
  if (face.time.ranOut) return [say(`${decided(verb)}, since nobody decided in time`)]
  return [say(`${decided(verb)} by `), ...voters(face, verb)]
}

function voters(face: Face, verb: Verb): Line {
  const users = face.votes.filter((vote) => vote.verb === verb).map((vote) => vote.user)
  const named = users.map((user): Line => [mention(user)])
  return named.length === 0 ? [say("somebody")] : listedUpTo(named, VOTES_SHOWN)
}
