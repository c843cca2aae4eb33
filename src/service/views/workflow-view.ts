// A workflow's run as its routes show it: its steps, the runs of its steps, and what the current step waits for.
import { displayName } from "../engine/advance.ts"
import { type EngineRun, type Family, isOpen } from "../engine/run.ts"
import { type BegunStep, begunSteps } from "../engine/step.ts"
import { pauseOf } from "../engine/tool-execution.ts"

/** The JSON value of a workflow's run. The caller brings the functions that show its steps' runs and requirements. */
export function workflowView(
  family: Family,
  viewOf: (member: Family) => Record<string, unknown>,
  requirementsOf: (member: Family) => readonly unknown[],
): Record<string, unknown> {
  const { run } = family
  const steps = begunSteps(family)
  const paused = run.status === "PAUSED" ? steps.find(isWaiting) : undefined
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
    ...pausePlace(paused),
    metrics: {},
    metadata: {},
    step_results: steps.flatMap((step) => (isOver(step) ? [stepResult(step)] : [])),
    step_executor_runs: steps.flatMap(({ place, member }) =>
      member === null ? [] : [{ ...viewOf(member), workflow_step_id: place.id }],
    ),
    ...(paused === undefined ? {} : { step_requirements: [stepDemand(run, paused, requirementsOf)] }),
  }
}

function isWaiting({ call, member }: BegunStep): boolean {
  return member === null ? isOpen(call) : member.run.status === "PAUSED"
}

function isOver({ call, member }: BegunStep): boolean {
  if (member === null) return call.tool_call_error !== null
  return member.run.status === "COMPLETED" || member.run.status === "ERROR"
}

function pausePlace(paused: BegunStep | undefined): Record<string, unknown> {
  if (paused === undefined) return {}
  const { place, member } = paused
  const kind = member === null ? "step" : "executor"
  return { paused_step_index: place.index, paused_step_name: place.name, pause_kind: kind }
}

/** What a finished step answered. */
export function stepResult({ place, call, member }: BegunStep): Record<string, unknown> {
  const success = call.tool_call_error === false
  return {
    content: call.result,
    step_name: place.name,
    step_id: place.id,
    step_type: "Step",
    executor_type: member === null ? "function" : member.run.kind,
    executor_name: member === null ? call.tool_name : displayName(member.run),
    step_run_id: member?.run.id ?? null,
    images: null,
    videos: null,
    audio: null,
    files: null,
    success,
    error: success ? null : call.result,
    stop: false,
    is_paused: false,
  }
}

function stepDemand(
  run: EngineRun,
  paused: BegunStep,
  requirementsOf: (member: Family) => readonly unknown[],
): Record<string, unknown> {
  const { place, call, member } = paused
  const unused = unusedAt(place)
  if (member !== null) return { ...unused, ...executorFields(member, requirementsOf) }
  const pause = pauseOf(call)
  const asked = { requires_confirmation: pause === "confirmation", requires_user_input: pause === "user_input" }
  return { ...unused, ...asked, executor_requirements: run.state.requirements }
}

function executorFields(
  member: Family,
  requirementsOf: (member: Family) => readonly unknown[],
): Record<string, unknown> {
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

/** A step that waits, with nothing set for any kind of pause. Only the real service has some of these kinds. */
function unusedAt(place: BegunStep["place"]): Record<string, unknown> {
  return {
    step_id: place.id,
    step_name: place.name,
    step_index: place.index,
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
