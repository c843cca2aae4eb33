// The step of a case whose approval seemed to be gone and is pending as it was: nothing of what people did is lost. Pure.
import type { Approval } from "./approval.ts"
import type { Case, Step } from "./case.ts"
import { wake } from "./notice.ts"
import { personKey } from "./person.ts"
import { demandState, stepTo } from "./steps.ts"
import type { Vote } from "./vote.ts"

/** True if the approval is believed gone. It may come back: its votes count no less than before then. */
export function isGone({ outcome }: Pick<Case, "outcome">): boolean {
  return outcome?.kind === "vanished"
}

/**
 * The case goes on where it stood, at the same revision and on the same cards: with these of its votes, or with the verdict that was on its
 * way. Throws `StepError` unless it is closed.
 */
export function comeBack(current: Case, approval: Approval, { votes, at }: Comeback): Step {
  demandState(current, "gone on with", ["closed"])
  const state = current.decision === null ? "open" : "sending"
  const voided = current.votes.filter((vote) => !votes.includes(vote)).map((vote) => personKey(vote.person))
  const back: Case = { ...wake(current, at), approval, votes, state, outcome: null, missing: null }
  return stepTo(back, [{ kind: "returned", at, revision: current.revision.number, voided }])
}

interface Comeback {
  /** Those that are sound. */
  readonly votes: readonly Vote[]
  /** Epoch ms. */
  readonly at: number
}
