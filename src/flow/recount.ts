// The recount: before anything is sent, the votes of a decision are verified one by one and counted again (R14).
import type { Case } from "../domain/case/case.ts"
import type { Seal } from "../domain/proof/seal.ts"
import { tally, type Vote, voteContent } from "../domain/case/vote.ts"
import { isByExpiry } from "./run-out.ts"

/** True if a vote is sealed by us and about this case as it is. */
export function isSound(seal: Seal, current: Case, vote: Vote): boolean {
  const { mac, ...content } = vote
  const bound =
    vote.caseId === current.id && vote.revision === current.revision.number && vote.digest === current.revision.digest
  const allowed = vote.rules.every(({ name, escalated }) => escalated !== true || isEscalated(current, name))
  return (
    bound && allowed && vote.installation === current.installation && seal.verify("vote", voteContent(content), mac)
  )
}

function isEscalated({ time }: Case, name: string): boolean {
  return time.escalated.some(({ rule }) => rule === name)
}

/** True if the decision's votes are sound and reach its verdict under the case's quotas; or if it is the rejection of what expired. */
export function isTallied(seal: Seal, current: Case): boolean {
  const { decision, revision } = current
  if (decision?.by === "expiry") return isByExpiry(seal, current, decision)
  if (decision === null || !decision.votes.every((vote) => isSound(seal, current, vote))) return false
  return tally(decision.votes, revision.quotas).verdict === decision.verb
}
