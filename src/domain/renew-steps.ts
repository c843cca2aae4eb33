// The step of a case that Redis' lost second touched, or may have touched: what was done last counts no more (R17). Pure.
import type { Case, Step } from "./case.ts"
import { personKey } from "./person.ts"
import { isGone } from "./return-steps.ts"
import { rejectionIn, stepTo } from "./steps.ts"

/**
 * Begins the case anew: votes are void at a new revision, so that presses on the old one do not count. A rejection that is held keeps revision and
 * vote, and loses the approvals beside it. A verdict on its way is doubtful from now on. What is settled stays settled; what had seemed to be
 * gone may come back, and is begun anew all the same.
 */
export function renew(current: Case, at: number): Step {
  const gone = isGone(current)
  if ((current.state === "sending" || gone) && current.sending !== null) {
    const sending = { ...current.sending, doubtfulAt: at }
    return stepTo({ ...current, sending }, [{ kind: "doubtful", at, decision: current.decision?.id ?? "" }])
  }
  const counts = current.state === "open" || gone
  const held = counts ? rejectionIn(current) : null
  const votes = counts ? current.votes.filter((vote) => vote.mac === held?.mac) : current.votes
  const voided = current.votes.filter((vote) => !votes.includes(vote)).map((vote) => personKey(vote.person))
  const moved = counts && held === null
  const revision = moved ? { ...current.revision, number: current.revision.number + 1 } : current.revision
  const event = { kind: "renewed", at, revision: revision.number, voided, held: held !== null } as const
  return stepTo({ ...current, revision, votes }, [event])
}
