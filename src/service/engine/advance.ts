// Takes a run from one pause to the next: the calls of each turn, the work of members, and the end. Pure.
import type { WireObject } from "../wire/exact-json.ts"
import { setOut, tell, withCall, withExecution, withMember, withRun } from "./leg.ts"
import {
  type EngineRun,
  type Family,
  isOpen,
  isThinking,
  type Leg,
  type Member,
  openCalls,
  type Stage,
  withStatus,
} from "./run.ts"
import type { ScriptTurn } from "./script-schema.ts"
import { askedAnew, type CallVerdict, settleCall, settleUngated } from "./settle-call.ts"
import { askedFor, delegation, type Requirement, requirementOf, type ToolExecution } from "./tool-execution.ts"

/** Takes a run through its turns until it pauses, has no turn left, or its model has to be asked for the next one. */
export function advance(leg: Leg, stage: Stage): Leg {
  const { run } = leg.family
  const turn = run.state.turns[run.state.turn]
  const asked = tell(leg, "model_started")
  if (isThinking(run)) return asked
  if (turn === undefined) return complete(asked, stage)
  if (!Array.isArray(turn)) return fail(asked, turn.error, stage)
  return playTurn(asked, turn, stage)
}

/** Plays the calls of a turn that the model just asked for. */
export function playTurn(leg: Leg, calls: readonly Call[], stage: Stage): Leg {
  const approvalId = stage.newId()
  return settleTurn(
    calls.reduce((before, call) => play(before, call, approvalId, stage), tell(leg, "model_completed")),
    stage,
  )
}

/**
 * Ends the current turn. While a member thinks, the turn does not end yet. A workflow ends at a step that failed. If
 * something waits, the run pauses. Else the next turn begins.
 */
export function settleTurn(leg: Leg, stage: Stage): Leg {
  const { run, members } = leg.family
  if (members.some((member) => member.run.status === "RUNNING")) return withRun(leg, { ...run, updatedAt: stage.at })
  const step = run.kind === "workflow" ? run.state.tools.at(-1) : undefined
  if (step?.tool_call_error === true) return endAt(leg, step, stage)
  if (run.state.tools.some(isOpen) || members.some((member) => member.run.status === "PAUSED")) {
    return pause(leg, stage)
  }
  return advance(withRun(leg, { ...run, state: { ...run.state, turn: run.state.turn + 1 } }), stage)
}

/** Ends a workflow at a step that failed. If a function of the workflow was refused, the workflow is cancelled. */
function endAt(leg: Leg, step: ToolExecution, stage: Stage): Leg {
  if (step.result === null) return tell(withRun(leg, withStatus(leg.family.run, "CANCELLED", stage.at)), "cancelled")
  return fail(leg, step.result, stage)
}

/** The call by which a run handed work to a member, with the member's result so far. */
function answeredBy(call: ToolExecution, member: EngineRun): ToolExecution {
  if (member.status === "RUNNING") return call
  if (member.status === "PAUSED") {
    const result = `Member '${displayName(member)}' requires human input before continuing.`
    return { ...call, result, tool_call_error: false }
  }
  if (member.status === "COMPLETED") return { ...call, result: member.state.answer, tool_call_error: false }
  return { ...call, result: member.state.error ?? "The member did not finish", tool_call_error: true }
}

/** The name of a run's component. */
export function displayName(run: EngineRun): string {
  return run.state.name
}

type Call = Extract<ScriptTurn, readonly unknown[]>[number]

function play(leg: Leg, call: Call, approvalId: string, stage: Stage): Leg {
  return "tool" in call
    ? callTool(leg, call, approvalId, stage)
    : handOver(
        leg,
        { kind: call.kind, id: call.member, task: call.task ?? handedOn(leg.family), step: call.step },
        stage,
      )
}

function callTool(
  leg: Leg,
  { tool: name, args }: { readonly tool: string; readonly args: WireObject },
  approvalId: string,
  stage: Stage,
): Leg {
  const { toolbox } = leg.family.run.state
  const tool = toolbox.find((candidate) => candidate.name === name)
  if (tool === undefined) return leg
  const asked = askedFor(tool, args, {
    callId: stage.newCallId(),
    at: stage.at,
    approvalId: tool.gated ? approvalId : null,
  })
  if (tool.gated) return withCall(leg, asked)
  const done = settleUngated(asked, toolbox)
  return tell(withExecution(withCall(tell(leg, "tool_started", asked), done), done), "tool_completed", done)
}

function handOver(leg: Leg, member: Member, stage: Stage): Leg {
  const run = stage.begin(leg.family.run, member)
  const call = delegation(member, { callId: stage.newCallId(), at: stage.at, childRunId: run.id })
  const done = advance(tell(setOut({ run, members: [] }), "started"), stage)
  const announced = tell(leg, "tool_started", { ...call, child_run_id: null })
  return follow(withCall(withMember(announced, done), call), run.id)
}

/**
 * The task of a step that has none of its own: the answer of the step before it. The first step gets the run's message.
 */
function handedOn({ run }: Family): string {
  return run.state.tools.at(-1)?.result ?? run.state.message
}

function pause(leg: Leg, stage: Stage): Leg {
  const { run } = leg.family
  const demanded = new Set(run.state.requirements.map((requirement) => requirement.tool_execution.tool_call_id))
  const demands = run.state.tools
    .filter((call) => isOpen(call) && !demanded.has(call.tool_call_id))
    .map((call) => requirementOf(call, stage.newId(), stage.at))
  const state = { ...run.state, requirements: [...run.state.requirements, ...demands] }
  const paused = withRun(leg, withStatus({ ...run, state }, "PAUSED", stage.at))
  return tell(run.kind === "team" ? paused : tell(paused, "content_completed"), "paused")
}

/** Ends a run with its answer. Does not tell a model's text again: events told each piece of the text as it came. */
export function complete(leg: Leg, stage: Stage): Leg {
  const { run } = leg.family
  const answer = run.kind === "workflow" ? (run.state.tools.at(-1)?.result ?? "") : run.state.answer
  const done = withRun(leg, withStatus({ ...run, state: { ...run.state, answer } }, "COMPLETED", stage.at))
  const moments = ["content", "model_completed", "content_completed", "completed"] as const
  return moments.slice(run.state.model === null ? 0 : 1).reduce<Leg>((before, moment) => tell(before, moment), done)
}

/** Ends a run in ERROR. */
export function fail(leg: Leg, error: string, stage: Stage): Leg {
  const { run } = leg.family
  return tell(withRun(leg, withStatus({ ...run, state: { ...run.state, error } }, "ERROR", stage.at)), "failed")
}

/** Gives the verdict on a call that waited. */
export type Decide = (call: ToolExecution) => CallVerdict

/**
 * Carries out the verdicts on all calls of the current pause, those of the members first, and lets the run go on. A
 * team says that it goes on only after its members have said so, as in AgentOS.
 */
export function resume(leg: Leg, decide: Decide, stage: Stage): Leg {
  const { run, members } = leg.family
  const open = openCalls(run)
  const isTeam = run.kind === "team"
  const running = withRun(leg, withStatus(run, "RUNNING", stage.at))
  const begun = isTeam ? running : tell(running, "continued")
  const paused = members.filter((member) => member.run.status === "PAUSED")
  const withMembers = paused.reduce((before, member) => {
    const told = tell(before, "step_continued", delegationTo(before, member.run.id))
    return follow(withMember(told, resume(setOut(member), decide, stage)), member.run.id)
  }, begun)
  const heard = isTeam ? tell(withMembers, "continued") : withMembers
  const settled = open.reduce((before, call) => carryOutCall(before, call, decide(call)), heard)
  return settleTurn(markRequirements(run.state.listens ? withAskedAnew(settled, open) : settled), stage)
}

/** The leg of an agent that listens: its next turn asks again, as was proposed, what somebody sent back. */
function withAskedAnew(leg: Leg, open: readonly ToolExecution[]): Leg {
  const { run } = leg.family
  const ids = new Set(open.map((call) => call.tool_call_id))
  const anew = run.state.tools.filter((call) => ids.has(call.tool_call_id)).flatMap(askedAnew)
  const turns = anew.length === 0 ? run.state.turns : run.state.turns.toSpliced(run.state.turn + 1, 0, anew)
  return withRun(leg, { ...run, state: { ...run.state, turns } })
}

function delegationTo(leg: Leg, memberId: string): ToolExecution | null {
  return leg.family.run.state.tools.find((call) => call.child_run_id === memberId) ?? null
}

/** Updates the call that handed work to a member, once the member waits for people or has ended. */
export function follow(leg: Leg, memberId: string): Leg {
  const call = delegationTo(leg, memberId)
  const member = leg.family.members.find((candidate) => candidate.run.id === memberId)
  if (call === null || member === undefined || member.run.status === "RUNNING") return leg
  const answered = answeredBy(call, member.run)
  const followed = withCall(leg, answered)
  // We tell that a team's call completed once: when its member first waits or ends. We tell a step's each time.
  const isTold = leg.family.run.kind === "team" && call.tool_call_error !== null
  return isTold ? followed : tell(followed, "tool_completed", answered)
}

function carryOutCall(leg: Leg, call: ToolExecution, verdict: CallVerdict): Leg {
  const done = settleCall(call, verdict, leg.family.run.state.toolbox)
  if (verdict.kind === "refused") return withCall(leg, done)
  const told = tell(leg, "tool_started", { ...done, result: null, tool_call_error: null })
  const carried = done.tool_call_error === false ? withExecution(withCall(told, done), done) : withCall(told, done)
  return tell(carried, "tool_completed", done)
}

/** Notes in each requirement of the run how it was decided. Only the tool execution has the call's result. */
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
