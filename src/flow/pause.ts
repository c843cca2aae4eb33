// Pauses: which runs of a session stand still for want of somebody's answer, and whether an approval asks for it.
import type { Approval } from "../domain/content/approval.ts"
import type { JsonObject } from "../domain/content/json.ts"
import { executionIn } from "../domain/content/requirement.ts"
import { callId, isWaiting } from "../domain/content/run.ts"
import type { PausedRun, SessionRun } from "./ports.ts"

/** A paused run, and all runs of which an approval would be one of this pause: its own, its members' and its steps'. */
export type Pause = Pick<PausedRun, "runId" | "runner" | "component" | "calls" | "tools"> & {
  readonly family: readonly string[]
}

/** The pauses of a session. A run that another one of the session started is part of that one's. */
export function pausesIn(runs: readonly SessionRun[]): readonly Pause[] {
  const listed = new Set(runs.map(({ runId }) => runId))
  const first = runs.filter(({ parentRunId }) => parentRunId === null || !listed.has(parentRunId))
  return first.filter(({ status }) => status === "PAUSED").map((run) => pauseOf(run, familyOf(run, runs)))
}

function pauseOf(run: SessionRun, family: readonly SessionRun[]): Pause {
  const { runId, agentId, teamId, workflowId } = run
  const steps = family.flatMap((one) => one.steps)
  const paused = family.filter(({ status }) => status === "PAUSED")
  const waiting = [...paused, ...steps].flatMap(({ tools }) => tools.filter(isWaiting))
  return {
    runId,
    ...(workflowId !== null
      ? { runner: "workflows", component: workflowId }
      : teamId !== null
        ? { runner: "teams", component: teamId }
        : { runner: "agents", component: agentId }),
    calls: idsOf(waiting),
    tools: [...new Set(waiting.map(({ tool_name: tool }) => tool).filter((tool) => typeof tool === "string"))],
    family: [...family, ...steps].map((one) => one.runId),
  }
}

/** The run and those that it started, and they in turn. */
function familyOf(run: SessionRun, runs: readonly SessionRun[]): readonly SessionRun[] {
  const family = new Set([run])
  // What is added on the way is met later in the same walk.
  for (const member of family) for (const one of runs) if (one.parentRunId === member.runId) family.add(one)
  return [...family]
}

function idsOf(executions: readonly JsonObject[]): readonly string[] {
  return executions.map(callId).filter((id) => id !== "")
}

/**
 * True if the approvals of a pause's family ask for what it waits for, or did: one is pending, or one names a call that waits. Where calls cannot be told
 * apart, any approval counts. What paused again after an approved one is told by `watch.ts`.
 */
export function isAskedAbout({ calls }: Pick<Pause, "calls">, approvals: readonly Approval[]): boolean {
  if (approvals.some((one) => one.status === "pending" || isPausedAgain(one))) return true
  if (calls.length === 0) return approvals.length > 0
  const named = approvals.flatMap(({ requirements }) => idsOf((requirements ?? []).map(executionIn)))
  return calls.some((id) => named.includes(id))
}

/** Approved, and its run moved since and is paused (`docs/platform-facts.md` 5.5, trap 61). */
export function isPausedAgain({ status, runStatus, resolvedAt, updatedAt }: Approval): boolean {
  const later = resolvedAt !== null && updatedAt !== null && updatedAt > resolvedAt
  return status === "approved" && runStatus === "PAUSED" && later
}
