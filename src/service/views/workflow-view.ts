// A workflow's run as its routes show it: its steps, whose runs they are, and what the current one waits for.
import { displayName } from "../engine/advance.ts"
import type { EngineRun, Family } from "../engine/run.ts"
import { derivedId } from "../ids.ts"

/** A step's place in its workflow. */
interface StepPlace {
  readonly id: string
  readonly name: string
  readonly index: number
}

/** The JSON value of a workflow's run. The views of its steps' runs and their requirements come from the caller. */
export function workflowView(
  family: Family,
  viewOf: (member: Family) => Record<string, unknown>,
  requirementsOf: (member: Family) => readonly unknown[],
): Record<string, unknown> {
  const { run, members } = family
  const paused = members.findIndex((member) => member.run.status === "PAUSED")
  return {
    input: run.state.message,
    ...(run.status === "COMPLETED" ? { content: run.state.answer } : {}),
    ...(run.status === "ERROR" ? { content: run.state.error } : {}),
    content_type: "str",
    workflow_id: run.componentId,
    workflow_name: displayName(run),
    run_id: run.id,
    session_id: run.sessionId,
    user_id: run.userId,
    created_at: Math.floor(run.createdAt / 1000),
    status: run.status,
    ...pauseOf(run, paused),
    metrics: {},
    metadata: {},
    step_results: members.flatMap((member, index) => (isOver(member.run) ? [stepResult(run, member.run, index)] : [])),
    step_executor_runs: members.map((member, index) => ({
      ...viewOf(member),
      workflow_step_id: stepAt(run, index).id,
    })),
    ...demandsOf(family, paused, requirementsOf),
  }
}

/** The step at a position. */
export function stepAt(run: EngineRun, index: number): StepPlace {
  const turn = run.state.turns[index]
  const call = Array.isArray(turn) ? turn[0] : undefined
  const name = call !== undefined && "member" in call ? (call.step ?? call.member) : String(index)
  return { id: derivedId("step", run.componentId, index), name, index }
}

function isOver(run: EngineRun): boolean {
  return run.status === "COMPLETED" || run.status === "ERROR"
}

function pauseOf(run: EngineRun, paused: number): Record<string, unknown> {
  if (run.status !== "PAUSED" || paused === -1) return {}
  return { paused_step_index: paused, paused_step_name: stepAt(run, paused).name, pause_kind: "executor" }
}

/** What a finished step answered. */
export function stepResult(run: EngineRun, member: EngineRun, index: number): Record<string, unknown> {
  const step = stepAt(run, index)
  const success = member.status === "COMPLETED"
  return {
    content: success ? member.state.answer : member.state.error,
    step_name: step.name,
    step_id: step.id,
    step_type: "Step",
    executor_type: member.kind,
    executor_name: displayName(member),
    step_run_id: member.id,
    images: null,
    videos: null,
    audio: null,
    files: null,
    success,
    error: success ? null : member.state.error,
    stop: false,
    is_paused: false,
  }
}

function demandsOf(
  { run, members }: Family,
  paused: number,
  requirementsOf: (member: Family) => readonly unknown[],
): Record<string, unknown> {
  const member = members[paused]
  if (run.status !== "PAUSED" || member === undefined) return {}
  return { step_requirements: [{ ...unused(run, paused), ...executorOf(member, requirementsOf) }] }
}

function executorOf(member: Family, requirementsOf: (member: Family) => readonly unknown[]): Record<string, unknown> {
  return {
    requires_executor_input: true,
    executor_requirements: requirementsOf(member),
    executor_id: member.run.componentId,
    executor_name: displayName(member.run),
    executor_run_id: member.run.id,
    executor_type: member.run.kind,
    executor_session_id: member.run.sessionId,
  }
}

/** The step, and the kinds of pauses that the real service knows and this one does not make. */
function unused(run: EngineRun, index: number): Record<string, unknown> {
  const step = stepAt(run, index)
  return {
    step_id: step.id,
    step_name: step.name,
    step_index: index,
    step_type: "Step",
    requires_confirmation: false,
    confirmation_message: null,
    confirmed: null,
    on_reject: "cancel",
    requires_user_input: false,
    user_input_message: null,
    user_input: null,
    requires_route_selection: false,
    available_choices: null,
    allow_multiple_selections: false,
    selected_choices: null,
    requires_output_review: false,
    output_review_message: null,
    is_post_execution: false,
    rejection_feedback: null,
    retry_count: 0,
    max_retries: null,
    timeout_at: null,
    on_timeout: "cancel",
  }
}
