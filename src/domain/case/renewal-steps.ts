// Steps that begin a case anew: a lost second touched it (R17), or its approval only seemed to be gone. Pure.
import type { Approval } from "../content/approval.ts"
import { personKey } from "../people/person.ts"
import type { Case, Step } from "./case.ts"
import { wake } from "./notice.ts"
import { doubted } from "./resumption.ts"
import { demandState, rejectionIn, stepTo } from "./steps.ts"
import type { Vote } from "./vote.ts"

/**
 * Begins the case anew, at a new revision: votes and all that was done on the old one are void. A held rejection keeps
 * its revision and vote, but the approving votes beside it are void. A verdict on its way is doubtful from now on. A
 * settled case stays settled, and its run may have been continued already; whether its rejection still lasts nobody
 * knows, so it does not. An approval that seems gone may come back,
 * so its case begins anew, too.
 */
export function renew({ lasting: _forgotten, ...current }: Case, at: number): Step {
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
  return stepTo({ ...doubted(current), revision, votes }, [event])
}

/** True if we believe that the approval is gone. If it comes back, the votes of its case count as before. */
export function isGone({ outcome }: Pick<Case, "outcome">): boolean {
  return outcome?.kind === "vanished"
}

/**
 * Takes the case up where it stood, at the same revision and on the same cards: with these votes, or with the verdict
 * that was on its way. Throws `StepError` unless the case is closed.
 */
export function comeBack(current: Case, approval: Approval, { votes, at }: Comeback): Step {
  demandState(current, "gone on with", ["closed"])
  const state = current.decision === null ? "open" : "sending"
  const voided = current.votes.filter((vote) => !votes.includes(vote)).map((vote) => personKey(vote.person))
  const back: Case = { ...wake(current, at), approval, votes, state, outcome: null, missing: null }
  return stepTo(back, [{ kind: "returned", at, revision: current.revision.number, voided }])
}

interface Comeback {
  /** The votes that are sound. */
  readonly votes: readonly Vote[]
  /** Epoch ms. */
  readonly at: number
}
