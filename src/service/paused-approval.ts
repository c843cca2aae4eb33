// The approval that a paused run asks for: one for all calls of the pause.
import type { NewApproval } from "./approval-row.ts"
import { writeExact } from "./exact-json.ts"
import { openCalls, type Run } from "./run.ts"
import { pauseOf } from "./tool-execution.ts"

/**
 * The row of the run's current pause, or null if it is not paused. It names the first call and holds a requirement for each;
 * inside it `approval_id` is null, as the real service has it, while the run's own copy carries the id.
 */
export function pausedApproval(run: Run, agentName: string): NewApproval | null {
  const open = openCalls(run)
  const [first] = open
  if (first === undefined || first.approval_id === null) return null
  const waiting = new Set(open.map((call) => call.tool_call_id))
  const requirements = run.state.requirements
    .filter((requirement) => waiting.has(requirement.tool_execution.tool_call_id))
    .map((requirement) => ({ ...requirement, tool_execution: { ...requirement.tool_execution, approval_id: null } }))
  return {
    id: first.approval_id,
    runId: run.id,
    sessionId: run.sessionId,
    sourceType: "agent",
    pauseType: pauseOf(first),
    toolName: first.tool_name,
    toolArgs: writeExact(first.tool_args),
    expiresAt: null,
    agentId: run.agentId,
    teamId: null,
    workflowId: null,
    userId: run.userId,
    sourceName: agentName,
    requirements: writeExact(requirements),
    context: writeExact({ tool_names: open.map((call) => call.tool_name), source_name: agentName }),
    createdAt: Math.floor(run.updatedAt / 1000),
    runStatus: run.status,
  }
}
