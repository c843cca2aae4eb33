// Surroundings: what an approval's own record does not say, but the platform tells elsewhere (`docs/platform-facts.md`,
// traps 23 and 24). Pure.
import type { Approval } from "./approval.ts"

/** What was found around an approval. */
export interface Surroundings {
  /** True once we could read its session: then we know the rest, and nothing is merely unheard of. */
  readonly seen: boolean
  /** The team whose member makes the call, by its id; null if there is none, or nobody could tell. */
  readonly team: string | null
  /** True if its run is a workflow's step, which the platform continues whatever is decided here. */
  readonly unenforced: boolean
}

/** Before anybody looked. */
export const unseen: Surroundings = { seen: false, team: null, unenforced: false }

/** True if two findings say the same. */
export function isSameSurroundings(one: Surroundings, other: Surroundings): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The few fields of an approval that we need to find its surroundings, so we need not keep a list. */
export interface Trace {
  readonly id: string
  readonly runId: string
  readonly sessionId: string
  /** True for a call of an agent, which may be a team's member or a workflow's step. */
  readonly ofAgent: boolean
}

/** Takes the trace of an approval. */
export function traceOf(approval: Approval): Trace {
  const { id, runId, sessionId, agentId, teamId, workflowId } = approval
  return { id, runId, sessionId, ofAgent: agentId !== null && teamId === null && workflowId === null }
}
