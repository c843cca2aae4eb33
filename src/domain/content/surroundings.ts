// Surroundings: what an approval's own record does not say, but the platform tells elsewhere (`docs/platform-facts.md`,
// traps 23 and 24). Pure.
import type { z } from "zod"
import type { Approval } from "./approval.ts"
import type { Frozen } from "./record/frozen.ts"
import type { surroundingsSchema, workflowPlaceSchema } from "./record/run-parts.ts"

/** The step of a workflow to which an approval belongs, as the platform names it. */
export interface WorkflowPlace extends Frozen<z.infer<typeof workflowPlaceSchema>> {}

/** What we found around an approval. */
export interface Surroundings extends Frozen<z.infer<typeof surroundingsSchema>> {}

/** The surroundings before anybody looked. */
export const unseen: Surroundings = { seen: false, team: null, unenforced: false }

/** True if two findings say the same. */
export function isSameSurroundings(one: Surroundings, other: Surroundings): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The few fields of an approval that lead to its surroundings, so that we need not keep whole approvals. */
export interface Trace {
  readonly id: string
  readonly runId: string
  readonly sessionId: string
  /**
   * Where we find its surroundings. An agent or a team may be a member or a workflow's step: its session says so. If
   * the record names a workflow, the record itself says so. Null: nowhere.
   */
  readonly knownBy: "session" | "record" | null
}

/** Takes the trace of an approval. */
export function traceOf(approval: Approval): Trace {
  const { id, runId, sessionId, agentId, teamId, workflowId } = approval
  if (workflowId !== null) return { id, runId, sessionId, knownBy: "record" }
  return { id, runId, sessionId, knownBy: agentId === null && teamId === null ? null : "session" }
}

/**
 * The workflow's step that an approval belongs to, by its own record or by its session; null if it belongs to none, or
 * if its content is gone.
 */
export function workflowOf(approval: Approval | null, around: Surroundings): WorkflowPlace | null {
  if (approval === null) return null
  const { workflowId: id } = approval
  if (id === null) return around.workflow ?? null
  const said = (key: string) => {
    const value = approval.context?.[key]
    return typeof value === "string" && value !== "" ? value : null
  }
  return { id, name: said("workflow_name"), step: said("step_name") }
}
