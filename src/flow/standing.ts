// Where a case stands, as the answer to a press that meets a case which is not open, or which holds the vote already.
import type { Case } from "../domain/case/case.ts"
import { heldBy } from "../domain/case/steps.ts"
import { isBarred } from "../domain/case/verdict.ts"
import { tally, type Vote } from "../domain/case/vote.ts"
import type { Answer } from "./answer.ts"
import type { Press } from "./press.ts"

/** What somebody is told whose press meets a case that is not open, or that holds their vote already. */
export function standing(current: Case, press: Press): Answer {
  const { outcome, decision } = current
  if (current.state === "frozen") return { kind: "frozen" }
  if (outcome?.kind === "elsewhere" || outcome?.kind === "vanished") return { kind: "elsewhere", outcome }
  if (decision?.by === "expiry") return { kind: "expired", rejected: true }
  if (outcome === null && decision === null && current.time.expired !== null)
    return { kind: "expired", rejected: false }
  const own = decision?.votes.some((vote) => vote.interaction === press.interaction) === true
  if (outcome !== null && own) return { kind: "resolved", verb: outcome.verb, resolvedBy: outcome.resolvedBy }
  if (decision !== null && own) return { kind: "unknown-outcome", verb: decision.verb, barred: isBarred(current) }
  if (decision !== null) {
    const users = decision.votes.map((vote) => vote.person.user)
    return { kind: "already", verb: decision.verb, users, pending: outcome === null }
  }
  if (outcome !== null) return { kind: "already", verb: outcome.verb, users: [], pending: false }
  return counted(current, press)
}

/** Somebody else's rejection is held (R12): no other vote counts beside it. */
export function rejectedBy(rejection: Vote): Answer {
  return { kind: "already", verb: "reject", users: [rejection.person.user], pending: false }
}

/** How far the votes are. */
export function counted(current: Case, press: Press): Answer {
  if (press.verb === "withdraw") return { kind: "no-vote" }
  if (heldBy(current) !== null) return { kind: "held" }
  const result = tally(current.votes, current.revision.quotas)
  return { kind: "counted", verb: press.verb, progress: result.verdict === null ? result.progress : [] }
}
