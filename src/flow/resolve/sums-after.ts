// Changes the sums of limits when a verdict ends: takes out what had no effect, and adds what somebody approved
// elsewhere.
import { type Case, rulesToReview, type Step } from "../../domain/case/case.ts"
import { allAccountedFor } from "../../domain/case/verdict.ts"
import { reviewSum } from "../../domain/glass/glass.ts"
import { sumName } from "../../domain/limit/sum.ts"
import type { CommitStep } from "../case/commit.ts"
import { hasLimits, type LimitPorts, readSums, sumsAddedTo } from "../people/limits-now.ts"
import { withReviewsClosed } from "../people/open-reviews.ts"
import { additionsOf, freedFrom } from "../people/sum-changes.ts"

/**
 * A step with the sums that it changes. A reservation leaves the sums if the record is rejected, or after a definite
 * refusal. It stays if the approval vanished, or if the verdict ended while nobody knew what became of it.
 */
export async function withSums(ports: LimitPorts, before: Case, step: Step): Promise<CommitStep> {
  if (before.reserved !== undefined && isUndone(before, step.next)) return freed(ports, before, step)
  if (before.glass !== undefined && step.next.glass === undefined) return withoutReviews(ports, before, step)
  return hasLimits(ports.policy) && before.reserved === undefined && isApproved(before, step.next)
    ? countedElsewhere(ports, before, step)
    : step
}

function isUndone(before: Case, { state, decision, outcome }: Case): boolean {
  if (outcome?.kind === "elsewhere") return outcome.status === "rejected"
  return before.state === "sending" && state === "open" && decision === null && allAccountedFor(before)
}

async function freed(ports: LimitPorts, before: Case, step: Step): Promise<CommitStep> {
  const { reserved: _freed, ...next } = step.next
  if (before.reserved === undefined) return step
  const { decision, sums: all } = before.reserved
  // A review that is still owed stays counted, whatever became of the verdict.
  const owed = all.filter(({ id }) => rulesToReview(next).some((rule) => sumName(reviewSum(rule)) === sumName(id)))
  const gone = all.filter((part) => !owed.includes(part))
  const sums = await ports.store.sums(gone.map(({ id }) => id))
  const changes = freedFrom(before, { decision, sums: gone }, { sums, at: ports.clock() })
  const kept = owed.length === 0 ? next : { ...next, reserved: { decision, sums: owed } }
  return { ...step, next: kept, sums: changes }
}

/** The verdict ended without effect, so nobody has to look at its broken glass: no review of it is open any more. */
async function withoutReviews(ports: LimitPorts, before: Case, step: Step): Promise<CommitStep> {
  const { changes } = await withReviewsClosed(ports, before, before.glass?.rules ?? [])
  return { ...step, sums: changes }
}

/** True if calls may run that are in no sum: somebody approved them elsewhere, or Redis lost our approval. */
function isApproved(before: Case, { outcome }: Case): boolean {
  if (before.outcome !== null) return false
  return outcome?.kind === "elsewhere" ? outcome.status === "approved" : isOursApproved(outcome)
}

function isOursApproved(outcome: Case["outcome"]): boolean {
  return outcome?.kind === "ours" && outcome.verb === "approve"
}

async function countedElsewhere(ports: LimitPorts, before: Case, step: Step): Promise<CommitStep> {
  const known = { filled: before.decision?.votes.at(-1)?.values ?? null }
  const ids = sumsAddedTo(before, ports.policy, known)
  if (ids.length === 0) return step
  const sums = await readSums(ports, ids)
  const { policy } = ports
  const adding = { policy, known, sums, at: ports.clock(), decision: before.decision?.id ?? before.id }
  const { changes } = additionsOf(before, adding)
  return { ...step, sums: changes }
}
