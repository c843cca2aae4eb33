// What happened to a run, as events of a stream: names and keys of the real service (`docs/platform-facts.md` 5.1).
import { displayName } from "../engine/advance.ts"
import type { EngineRun, Moment, RunEvent } from "../engine/run.ts"
import { begunSteps, stepAt } from "../engine/step.ts"
import type { ToolExecution } from "../engine/tool-execution.ts"
import type { ServerEvent } from "../wire/reply.ts"
import { contentOf, metricsOf, modelOf, requirementsOf, runView } from "./run-view.ts"
import { stepResult } from "./workflow-view.ts"

const agentNames: Readonly<Record<Moment, string | null>> = {
  started: "RunStarted",
  continued: "RunContinued",
  model_started: "ModelRequestStarted",
  model_completed: "ModelRequestCompleted",
  tool_started: "ToolCallStarted",
  tool_completed: "ToolCallCompleted",
  step_continued: null,
  content: "RunContent",
  content_completed: "RunContentCompleted",
  paused: "RunPaused",
  completed: "RunCompleted",
  failed: "RunError",
  cancelled: "RunCancelled",
}

const workflowNames: Readonly<Record<Moment, string | null>> = {
  started: "WorkflowStarted",
  continued: null,
  model_started: null,
  model_completed: null,
  tool_started: "StepStarted",
  tool_completed: "StepCompleted",
  step_continued: "StepExecutorContinued",
  content: null,
  content_completed: null,
  paused: "WorkflowPaused",
  completed: "WorkflowCompleted",
  failed: "WorkflowError",
  cancelled: "WorkflowCancelled",
}

/** The events of a stretch, in order. `at` is epoch milliseconds. */
export function streamOf(events: readonly RunEvent[], at: number): readonly ServerEvent[] {
  return events.flatMap((event) => {
    const name = eventName(event)
    if (name === null) return []
    const { run } = event.family
    const head = { created_at: Math.floor(at / 1000), event: name, ...source(run) }
    const told = { name, data: { ...head, ...(run.kind === "workflow" ? stepDetail(event, name) : detail(event)) } }
    return name === "WorkflowPaused" ? [told, { name: "WorkflowRunOutput", data: runView(event.family) }] : [told]
  })
}

/** Numbers the events of one answer. With these numbers clients follow background runs. A whole run gets no number. */
export function createNumbering(): (events: readonly ServerEvent[]) => readonly ServerEvent[] {
  let next = 0
  return (events) =>
    events.map(({ name, data }) =>
      name === "WorkflowRunOutput" ? { name, data } : { name, data: { ...data, event_index: next++ } },
    )
}

function eventName({ moment, family, call }: RunEvent): string | null {
  const { kind } = family.run
  if (kind !== "workflow") {
    const name = agentNames[moment]
    return kind === "team" && name !== null ? `Team${name}` : name
  }
  if (moment !== "tool_completed") return workflowNames[moment]
  const member = family.members.find((candidate) => candidate.run.id === call?.child_run_id)
  if (member?.run.status === "PAUSED") return "StepExecutorPaused"
  return call?.tool_call_error === true ? "StepError" : "StepCompleted"
}

function source(run: EngineRun): Record<string, unknown> {
  return {
    [`${run.kind}_id`]: run.componentId,
    [`${run.kind}_name`]: displayName(run),
    run_id: run.id,
    ...(run.parentId === null ? {} : { parent_run_id: run.parentId }),
    session_id: run.sessionId,
    nested_depth: 0,
  }
}

function detail({ moment, family, call, text }: RunEvent): Record<string, unknown> {
  const content = contentOf(family)
  switch (moment) {
    case "started":
    case "model_started":
    case "model_completed":
      return modelOf(family.run)
    case "tool_started":
      return { tool: call }
    case "tool_completed":
      return { content: `${call?.tool_name}(...) completed. `, tool: call }
    case "content":
      return { content: text ?? content, content_type: "str" }
    case "paused":
      return { content, tools: family.run.state.tools, requirements: requirementsOf(family) }
    case "completed":
      return { content, content_type: "str", session_state: {}, ...runTokens(family.run) }
    case "failed":
      return { content, error_type: "RuntimeError" }
    case "cancelled":
      return { reason: content }
    case "continued":
    case "step_continued":
    case "content_completed":
      return {}
  }
}

function runTokens(run: EngineRun): Record<string, unknown> {
  return run.state.model === null ? {} : { metrics: metricsOf(run) }
}

function stepDetail(event: RunEvent, name: string): Record<string, unknown> {
  const { family, call } = event
  switch (name) {
    case "StepStarted":
      return placeAt(family.run, family.run.state.turn)
    case "StepCompleted":
    case "StepError":
    case "StepExecutorPaused":
    case "StepExecutorContinued":
      return memberDetail(event, call, name)
    case "WorkflowPaused":
    case "WorkflowCompleted": {
      const { input: _input, content_type, ...view } = runView(family)
      return { content_type, ...view }
    }
    case "WorkflowError":
      return { error: family.run.state.error }
    case "WorkflowCancelled":
      return { reason: contentOf(family) }
    default:
      return {}
  }
}

function memberDetail({ family }: RunEvent, call: ToolExecution | null, name: string): Record<string, unknown> {
  const begun = begunSteps(family).find((step) => step.call.tool_call_id === call?.tool_call_id)
  if (begun === undefined) return {}
  const step = placeAt(family.run, begun.place.index)
  if (name === "StepCompleted" || name === "StepError") {
    const result = stepResult(begun)
    return { ...step, content: result["content"], content_type: "str", step_response: result }
  }
  const { member } = begun
  if (member === null) return step
  return {
    ...step,
    executor_id: member.run.componentId,
    executor_name: displayName(member.run),
    executor_run_id: member.run.id,
    executor_type: member.run.kind,
    ...(name === "StepExecutorPaused" ? { executor_requirements: requirementsOf(member) } : {}),
  }
}

function placeAt(run: EngineRun, at: number): Record<string, unknown> {
  const { id, name, index } = stepAt(run, at)
  return { step_id: id, step_name: name, step_index: index }
}
