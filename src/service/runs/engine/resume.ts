// Takes a paused run on once everything that it waited for is decided. Pure.
import { answeredBy, settleTurn } from "./advance.ts"
import { setOut, tell, withCall, withExecution, withMember, withRun } from "./leg.ts"
import { type Leg, openCalls, type Stage } from "./run.ts"
import { withStatus } from "./run-status.ts"
import { settle, type Verdict } from "./settle-call.ts"
import type { Requirement, ToolExecution } from "./tool-execution.ts"

/** The verdict on a call that waited. */
export type Decide = (call: ToolExecution) => Verdict

/** Carries the verdicts to every call of the current pause, the members' first, and takes the run on from there. */
export function resume(leg: Leg, decide: Decide, stage: Stage): Leg {
  const { run, members } = leg.family
  const open = openCalls(run)
  const begun = tell(withRun(leg, withStatus(run, "RUNNING", stage.at)), "continued")
  const paused = members.filter((member) => member.run.status === "PAUSED")
  const withMembers = paused.reduce((before, member) => {
    const told = tell(before, "step_continued", delegationTo(before, member.run.id))
    return follow(withMember(told, resume(setOut(member), decide, stage)), member.run.id)
  }, begun)
  const settled = open.reduce((before, call) => carryOut(before, call, decide(call)), withMembers)
  return settleTurn(markRequirements(settled), stage)
}

function delegationTo(leg: Leg, memberId: string): ToolExecution | null {
  return leg.family.run.state.tools.find((call) => call.child_run_id === memberId) ?? null
}

/** Brings the call by which work was handed to a member up to date. */
function follow(leg: Leg, memberId: string): Leg {
  const call = delegationTo(leg, memberId)
  const member = leg.family.members.find((candidate) => candidate.run.id === memberId)
  if (call === null || member === undefined) return leg
  const answered = answeredBy(call, member.run)
  return tell(withCall(leg, answered), "tool_completed", answered)
}

function carryOut(leg: Leg, call: ToolExecution, verdict: Verdict): Leg {
  const done = settle(call, verdict, leg.family.run.state.toolbox)
  if (verdict.kind === "refused") return withCall(leg, done)
  const told = tell(leg, "tool_started", { ...done, result: null, tool_call_error: null })
  const carried = done.tool_call_error === false ? withExecution(withCall(told, done), done) : withCall(told, done)
  return tell(carried, "tool_completed", done)
}

/** The run's requirements say what became of them; what a call answered stands in its tool execution only. */
function markRequirements(leg: Leg): Leg {
  const { run } = leg.family
  const requirements = run.state.requirements.map((requirement) => marked(requirement, run.state.tools))
  return withRun(leg, { ...run, state: { ...run.state, requirements } })
}

function marked(requirement: Requirement, calls: readonly ToolExecution[]): Requirement {
  const call = calls.find((candidate) => candidate.tool_call_id === requirement.tool_execution.tool_call_id)
  if (call === undefined || call.confirmed === null) return requirement
  const { confirmed, confirmation_note } = call
  return { ...requirement, tool_execution: { ...requirement.tool_execution, confirmed, confirmation_note } }
}
