// The states of a run and the ways between them (specification 2.2, 3.2).
import { ServiceError } from "../../errors.ts"
import type { Run } from "./run.ts"

/** All states of 2.2, in its order. */
export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"] as const

/** One of them. */
export type RunStatus = (typeof runStatuses)[number]

/** Where a run may go from a state. REGENERATED marks a run whose answer was made anew; nothing here makes one. */
const ways: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  PENDING: ["RUNNING", "CANCELLED"],
  RUNNING: ["PAUSED", "COMPLETED", "ERROR", "CANCELLED"],
  PAUSED: ["RUNNING", "CANCELLED"],
  COMPLETED: ["REGENERATED"],
  CANCELLED: [],
  ERROR: [],
  REGENERATED: [],
}

/** True if a run may go from one state straight to the other. */
export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return ways[from].includes(to)
}

/** The run in another state. `at` is epoch milliseconds. Throws `ServiceError` if there is no such way. */
export function withStatus(run: Run, status: RunStatus, at: number): Run {
  if (!mayBecome(run.status, status)) {
    throw new ServiceError("run_transition", `run ${run.id}: ${run.status} cannot become ${status}`)
  }
  return { ...run, status, updatedAt: at }
}
