// A run as the routes of agents, teams and workflows show it, with the same keys as in the real service.
import { displayName } from "../engine/advance.ts"
import { type EngineRun, type Family, isOpen } from "../engine/run.ts"
import type { Requirement, ToolExecution } from "../engine/tool-execution.ts"
import { messagesOf } from "./run-messages.ts"
import { workflowView } from "./workflow-view.ts"

/** A requirement of a member has more keys in its team's run than in the member's own run. */
type Demanded = Requirement & Readonly<Record<string, unknown>>

/** The JSON value of a run with its members. */
export function runView(family: Family): Record<string, unknown> {
  switch (family.run.kind) {
    case "agent":
      return agentRunView(family.run)
    case "team":
      return teamRunView(family)
    case "workflow":
      return workflowView(family, runView, requirementsOf)
  }
}

/** The text of a run: its answer, its error, or why it waits. */
export function contentOf({ run, members }: Family): string {
  switch (run.status) {
    case "COMPLETED":
    case "REGENERATED":
      return run.state.answer
    case "ERROR":
      return run.state.error ?? "The run failed"
    case "CANCELLED":
      return `Run ${run.id} was cancelled`
    case "PAUSED":
      return run.kind === "team" ? teamPause({ run, members }) : "I have tools to execute, but I need confirmation."
    case "PENDING":
    case "RUNNING":
      return ""
  }
}

/** The requirements of a run and of its members. Those of members say whose they are. */
export function requirementsOf({ run, members }: Family): readonly Demanded[] {
  const demanded = members.flatMap((member) =>
    requirementsOf(member).map((requirement) => ofMember(requirement, member.run)),
  )
  return [...run.state.requirements, ...demanded]
}

function ofMember(requirement: Demanded, member: EngineRun): Demanded {
  if (Object.hasOwn(requirement, "member_run_id")) return requirement
  const { id, created_at, ...rest } = requirement
  return {
    id,
    created_at,
    member_agent_id: member.componentId,
    member_agent_name: displayName(member),
    member_run_id: member.id,
    ...rest,
  }
}

function agentRunView(run: EngineRun): Record<string, unknown> {
  return {
    ...runHead(run),
    content: contentOf({ run, members: [] }),
    ...common(run),
    messages: messagesOf(run),
    tools: run.state.tools,
    requirements: run.state.requirements,
    input: { input_content: run.state.message },
  }
}

function teamRunView(family: Family): Record<string, unknown> {
  const { run, members } = family
  return {
    ...runHead(run),
    input: { input_content: run.state.message },
    content: contentOf(family),
    ...common(run),
    messages: messagesOf(run),
    member_responses: members.map(runView),
    requirements: requirementsOf(family),
    tools: run.state.tools,
  }
}

function runHead(run: EngineRun): Record<string, unknown> {
  return {
    run_id: run.id,
    [`${run.kind}_id`]: run.componentId,
    [`${run.kind}_name`]: displayName(run),
    session_id: run.sessionId,
    ...(run.parentId === null ? {} : { parent_run_id: run.parentId }),
    ...(run.state.regenerated_from === null ? {} : { regenerated_from: run.state.regenerated_from }),
    user_id: run.userId,
  }
}

function common(run: EngineRun): Record<string, unknown> {
  return {
    content_type: "str",
    ...modelOf(run),
    session_state: {},
    created_at: Math.floor(run.createdAt / 1000),
    status: run.status,
    metrics: metricsOf(run),
    events: [],
    ...(run.state.approval === null ? {} : { metadata: { approval: run.state.approval } }),
  }
}

/** The model that said what a run does. */
export function modelOf({ state: { model } }: EngineRun): Record<string, string> {
  if (model === null) return { model: "scripted-model", model_provider: "scripted" }
  return { model: model.name, model_provider: "openai-compatible" }
}

/** The tokens that a run's model took; nothing for a scripted run. */
export function metricsOf({ state: { model, usage } }: EngineRun): Record<string, number> {
  return model === null ? {} : { ...usage, total_tokens: usage.input_tokens + usage.output_tokens }
}

function teamPause(family: Family): string {
  const lines = linesOf(family).map((line) => `- ${line}`)
  return ["Team run paused. The following require input:", ...lines].join("\n")
}

function linesOf({ run, members }: Family): readonly string[] {
  const own = run.status === "PAUSED" ? run.state.tools.filter(isOpen) : []
  return [
    ...own.map((call) => `${displayName(run)}: ${call.tool_name} requires ${needOf(call)}`),
    ...members.flatMap(linesOf),
  ]
}

function needOf(call: ToolExecution): string {
  if (call.requires_user_input === true) return "user input"
  return call.external_execution_required === true ? "external execution" : "confirmation"
}
