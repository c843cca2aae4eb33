// A run in the protocol's own types (A2A 0.3.0): as a task, and as the events of a stream.
import type { Message, Task, TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk"
import type { EngineRun, Family, Moment, RunEvent, RunStatus } from "../engine/run.ts"
import { stepAt } from "../engine/step.ts"
import { derivedId } from "../ids.ts"
import { contentOf } from "../views/run-view.ts"
import { writeExact } from "../wire/exact-json.ts"
import type { ServerEvent } from "../wire/reply.ts"

/** The states of 2.2 in the protocol's words. A paused run waits for people: `input-required`. */
const taskStates: Readonly<Record<RunStatus, TaskState>> = {
  PENDING: "submitted",
  RUNNING: "working",
  PAUSED: "input-required",
  COMPLETED: "completed",
  CANCELLED: "canceled",
  ERROR: "failed",
  REGENERATED: "completed",
}

/** The task of a run: id and context are the run's and its session's; its history is what the component last said. */
export function taskOf(family: Family): Task {
  const { run } = family
  const said = messageOf(run, contentOf(family))
  return {
    kind: "task",
    id: run.id,
    contextId: run.sessionId,
    status: { state: taskStates[run.status], message: said, timestamp: new Date(run.updatedAt).toISOString() },
    history: [said],
  }
}

/** What a component says in a run. */
function messageOf(run: EngineRun, text: string, metadata?: Record<string, unknown>): Message {
  const known = { ...(run.userId === null ? {} : { userId: run.userId }), ...metadata }
  return {
    kind: "message",
    messageId: derivedId("message", run.id, run.status, text),
    role: "agent",
    parts: text === "" ? [] : [{ kind: "text", text }],
    contextId: run.sessionId,
    taskId: run.id,
    ...(Object.keys(known).length === 0 ? {} : { metadata: known }),
  }
}

type Result = Message | Task | TaskStatusUpdateEvent

const names = { message: "Message", task: "Task", "status-update": "TaskStatusUpdateEvent" } as const

/** What happened to a run, each thing a JSON-RPC response to the request of this id. */
export function a2aEvents(events: readonly RunEvent[], run: EngineRun, id: string | number): readonly ServerEvent[] {
  return events.flatMap((event) => resultsOf(event, run)).map((result) => responseOf(result, id))
}

/** The end of a stream: where the run stands, and its task. */
export function a2aEnd(family: Family, id: string | number): readonly ServerEvent[] {
  const last: TaskStatusUpdateEvent = { ...update(family.run, taskStates[family.run.status]), final: true }
  return [last, taskOf(family)].map((result) => responseOf(result, id))
}

function responseOf(result: Result, id: string | number): ServerEvent {
  return { name: names[result.kind], data: { jsonrpc: "2.0", id, result } }
}

function resultsOf(event: RunEvent, run: EngineRun): readonly Result[] {
  const { moment, family, text } = event
  const own = family.run.id === run.id
  if (moment === "content" && own) {
    return [messageOf(run, text ?? contentOf(family), { agno_content_category: "content" })]
  }
  if ((moment === "started" || moment === "continued") && own) return [update(run, "working")]
  if (moment !== "tool_started" && moment !== "tool_completed") return []
  return [{ ...update(run, "working"), metadata: toolDetail(event, moment) }]
}

function update(run: EngineRun, state: TaskState): TaskStatusUpdateEvent {
  const status = { state, timestamp: new Date(run.updatedAt).toISOString() }
  return { kind: "status-update", taskId: run.id, contextId: run.sessionId, status, final: false }
}

/** The keys are those of the real service. */
function toolDetail({ family, call }: RunEvent, moment: Extract<Moment, `tool_${string}`>): Record<string, unknown> {
  const end = moment === "tool_started" ? "started" : "completed"
  if (family.run.kind === "workflow") {
    const begun = family.run.state.tools.findIndex((one) => one.tool_call_id === call?.tool_call_id)
    const { name } = stepAt(family.run, begun === -1 ? family.run.state.turn : begun)
    return { agno_event_type: `workflow_step_${end}`, step_name: name }
  }
  if (call === null) return {}
  return {
    agno_event_type: `tool_call_${end}`,
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id,
    tool_args: writeExact(call.tool_args),
  }
}
