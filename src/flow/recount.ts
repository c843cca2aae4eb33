// The recount: before anything is sent, the votes of a decision are verified one by one and counted again (R14).
import type { Case } from "../domain/case.ts"
import type { Seal } from "../domain/seal.ts"
import { tally, type Vote, voteContent } from "../domain/vote.ts"

/** True if a vote is sealed by us and about this case as it is. */
export function isSound(seal: Seal, current: Case, vote: Vote): boolean {
  const { mac, ...content } = vote
  const bound =
    vote.caseId === current.id && vote.revision === current.revision.number && vote.digest === current.revision.digest
  return bound && vote.installation === current.installation && seal.verify("vote", voteContent(content), mac)
}

/** True if the decision's votes are sound and reach its verdict under the case's quotas. */
export function isTallied(seal: Seal, current: Case): boolean {
  const { decision, revision } = current
  if (decision === null || !decision.votes.every((vote) => isSound(seal, current, vote))) return false
  return tally(decision.votes, revision.quotas).verdict === decision.verb
}
