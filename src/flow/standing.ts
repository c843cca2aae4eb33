// Where a case stands, as the answer to a press that meets a case which is not open, or which holds the vote already.
import type { Case } from "../domain/case.ts"
import { tally } from "../domain/vote.ts"
import type { Answer } from "./answer.ts"
import type { Press } from "./press.ts"

/** What somebody is told whose press meets a case that is not open, or that holds their vote already. */
export function standing(current: Case, press: Press): Answer {
  const { outcome, decision } = current
  if (outcome?.kind === "elsewhere" || outcome?.kind === "vanished") return { kind: "elsewhere", outcome }
  const own = decision?.votes.some((vote) => vote.interaction === press.interaction) === true
  if (outcome !== null && own) return { kind: "resolved", verb: outcome.verb, resolvedBy: outcome.resolvedBy }
  if (decision !== null && own) return { kind: "unknown-outcome", verb: decision.verb }
  if (decision !== null) {
    const users = decision.votes.map((vote) => vote.person.user)
    return { kind: "already", verb: decision.verb, users, pending: outcome === null }
  }
  if (outcome !== null) return { kind: "already", verb: outcome.verb, users: [], pending: false }
  return counted(current, press)
}

/** How far the votes are. */
export function counted(current: Case, press: Press): Answer {
  if (press.verb === "withdraw") return { kind: "no-vote" }
  const result = tally(current.votes, current.revision.quotas)
  return { kind: "counted", verb: press.verb, progress: result.verdict === null ? result.progress : [] }
}
