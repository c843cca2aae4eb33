// The votes of a case, in words: who wants what, and why it was decided so.
import type { CardModel, CardStatus } from "../../../domain/case/card-model.ts"
import type { Verb } from "../../../domain/policy/judge.ts"
import { firstLines } from "../../lines/fit-lines.ts"
import { bold, type Line, mention, moment, quote, say, sentence, voterLine } from "../../lines/spans.ts"
import type { TextFitter } from "../../lines/text-fitter.ts"
import { past } from "./status-words.ts"

const reasonUnits = 200
const maxVotes = 8

/** One line for each vote: who, what, when, why. If the status names a vote already, its line has only the reason. */
export function voteLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const named = verbOf(model.status)
  const votes = model.votes.filter((vote) => vote.verb !== named || vote.reason !== null)
  if (votes.length > maxVotes) fitter.omit()
  const lines = votes.map((vote): Line => {
    const reason = vote.reason === null ? [] : [say(": "), quote(fitter.word(vote.reason, reasonUnits))]
    const who = voterLine(mention(vote.user), vote.for)
    if (vote.verb === named) return [...who, ...reason]
    return [...who, say(` ${past(vote.verb)} it `), moment(vote.at), ...reason]
  })
  return firstLines(lines, maxVotes, { noun: "vote", where: [say("each told in the thread")] })
}

/** Why a settled case was decided so: a line for each reason of those who decided. */
export function reasonLines(model: CardModel, fitter: TextFitter): readonly Line[] {
  const verb = verbOf(model.status)
  const votes = model.votes.filter((vote) => vote.verb === verb)
  const lines = votes.flatMap(({ user, reason }) => {
    if (reason === null) return []
    const who: Line = votes.length === 1 ? [bold("Reason")] : [mention(user)]
    return [sentence`${who}: ${quote(fitter.word(reason, reasonUnits))}`]
  })
  return firstLines(lines, maxVotes, { noun: "reason", where: [say("each told in the thread")] })
}

/** The verdict whose voters the status names already, or null. */
function verbOf(status: CardStatus): Verb | null {
  if (status.kind === "held") return "reject"
  if (status.kind === "sending" || status.kind === "deciding") return status.verb
  return status.kind === "settled" && status.outcome.kind === "ours" ? status.outcome.verb : null
}
