// The approvals that a run makes: one for all calls of a pause, and one for each audited call that ran.
import { displayName } from "../engine/advance.ts"
import { type EngineRun, openCalls } from "../engine/run.ts"
import { stepAt } from "../engine/step.ts"
import { pauseOf, type ToolExecution } from "../engine/tool-execution.ts"
import type { NewApproval } from "../storage/approval-row.ts"

/**
 * The row for the current pause of this run; null if none of its own calls waits. It names the first call and has a
 * requirement for each. As in the real service, `approval_id` is null in the row, but set in the run. The row expires
 * after the shortest time that one of its tools sets.
 */
export function pausedApproval(run: EngineRun): NewApproval | null {
  const open = openCalls(run)
  const [first] = open
  if (first === undefined || first.approval_id === null) return null
  const waiting = new Set(open.map((call) => call.tool_call_id))
  const requirements = run.state.requirements
    .filter((requirement) => waiting.has(requirement.tool_execution.tool_call_id))
    .map((requirement) => ({ ...requirement, tool_execution: { ...requirement.tool_execution, approval_id: null } }))
  return {
    ...sourceOf(run),
    ...calledBy(first),
    id: first.approval_id,
    approval_type: "required",
    expires_at: expiryOf(run, waiting),
    requirements,
    context: contextOf(run, open),
  }
}

/** The row that says that an audited call ran. */
export function auditApproval(run: EngineRun, call: ToolExecution, id: string): NewApproval {
  return {
    ...sourceOf(run),
    ...calledBy(call),
    id,
    approval_type: "audit",
    context: contextOf(run, [call]),
  }
}

function sourceOf(run: EngineRun) {
  return {
    run_id: run.id,
    session_id: run.sessionId,
    source_type: run.kind,
    agent_id: run.kind === "agent" ? run.componentId : null,
    team_id: run.kind === "team" ? run.componentId : null,
    workflow_id: run.kind === "workflow" ? run.componentId : (run.state.step?.workflow_id ?? null),
    user_id: run.userId,
    source_name: displayName(run),
    schedule_id: run.state.schedule?.id ?? null,
    schedule_run_id: run.state.schedule?.run_id ?? null,
    created_at: Math.floor(run.updatedAt / 1000),
    run_status: run.status,
  }
}

function calledBy(first: ToolExecution) {
  return { pause_type: pauseOf(first), tool_name: first.tool_name, tool_args: first.tool_args }
}

function contextOf(run: EngineRun, calls: readonly ToolExecution[]) {
  const names = { tool_names: calls.map((call) => call.tool_name), source_name: displayName(run) }
  return { ...names, ...stepOf(run, calls) }
}

/** The workflow and the step that a run or a call belongs to. */
function stepOf(run: EngineRun, [call]: readonly ToolExecution[]): Record<string, string> {
  if (run.kind !== "workflow") {
    const { step } = run.state
    return step === null ? {} : { workflow_name: step.workflow_name, step_name: step.step_name }
  }
  const index = run.state.tools.findIndex((one) => one.tool_call_id === call?.tool_call_id)
  return { workflow_name: displayName(run), step_name: stepAt(run, index).name }
}

function expiryOf(run: EngineRun, waiting: ReadonlySet<string>): number | null {
  const names = new Set(run.state.tools.filter((call) => waiting.has(call.tool_call_id)).map((call) => call.tool_name))
  const lives = run.state.toolbox.flatMap((tool) =>
    names.has(tool.name) && tool.expires_in !== null ? [tool.expires_in] : [],
  )
  return lives.length === 0
    ? null
    : Math.floor(run.updatedAt / 1000) + lives.reduce((one, other) => Math.min(one, other))
}
