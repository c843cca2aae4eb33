// A run in the protocol's own types (A2A 0.3.0): as a task, and as the events of a stream.
import type {
  Artifact,
  Message,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "@a2a-js/sdk"
import type { EngineRun, Family, Moment, RunEvent, RunStatus } from "../engine/run.ts"
import { stepAt } from "../engine/step.ts"
import { derivedId } from "../ids.ts"
import { contentOf } from "../views/run-view.ts"
import { writeExact } from "../wire/exact-json.ts"
import type { ServerEvent } from "../wire/reply.ts"

/** The states of specification 2.2 in the protocol's words. A paused run waits for people: `input-required`. */
const taskStates: Readonly<Record<RunStatus, TaskState>> = {
  PENDING: "submitted",
  RUNNING: "working",
  PAUSED: "input-required",
  COMPLETED: "completed",
  CANCELLED: "canceled",
  ERROR: "failed",
  REGENERATED: "completed",
}

/**
 * The task of a run. Its id and context are the ids of the run and its session; its artifacts are what the component
 * said. The last word also stands in the history, where AgentOS's own client looks for it.
 */
export function taskOf(family: Family): Task {
  const { run } = family
  const artifacts = artifactsOf(run)
  const text = contentOf(family)
  return {
    kind: "task",
    id: run.id,
    contextId: run.sessionId,
    status: taskStatus(family),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    history: text === "" ? [] : [taskMessage(run, text)],
  }
}

/** The state of a run, and why it waits or did not finish. */
function taskStatus(family: Family): TaskStatus {
  const { run } = family
  const state = taskStates[run.status]
  const reason = state === "completed" ? "" : contentOf(family)
  const timestamp = new Date(run.updatedAt).toISOString()
  return { state, timestamp, ...(reason === "" ? {} : { message: taskMessage(run, reason) }) }
}

function taskMessage(run: EngineRun, text: string): Message {
  return {
    kind: "message",
    messageId: derivedId("message", run.id, run.status, text),
    role: "agent",
    parts: [{ kind: "text", text }],
    contextId: run.sessionId,
    taskId: run.id,
    ...(run.userId === null ? {} : { metadata: { userId: run.userId } }),
  }
}

/** The texts that a model wrote beside its calls, and the answer: each is an artifact. */
function artifactsOf(run: EngineRun): Artifact[] {
  const isDone = taskStates[run.status] === "completed"
  const texts = isDone ? [...run.state.said, run.state.answer] : run.state.said
  return texts.flatMap((text, at) => (text === "" ? [] : [artifactOf(run, at, text)]))
}

function artifactOf(run: EngineRun, at: number, text: string): Artifact {
  return { artifactId: derivedId("artifact", run.id, String(at)), parts: [{ kind: "text", text }] }
}

type Result = Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent

const names = {
  task: "Task",
  "status-update": "TaskStatusUpdateEvent",
  "artifact-update": "TaskArtifactUpdateEvent",
} as const

/** One stream: the run that it tells of, the request that it answers, and whether it may begin with the task. */
interface Telling {
  readonly run: EngineRun
  readonly id: string | number
  readonly beginsWithTask: boolean
}

/**
 * Tells what happens to a run, as JSON-RPC responses: first the task, then its updates and the pieces of its artifacts.
 * The function needs all events of a stream, in order.
 */
export function a2aTeller({ run, id, beginsWithTask }: Telling): (events: readonly RunEvent[]) => ServerEvent[] {
  const begun = new Set<string>()
  const running: EngineRun = { ...run, status: "RUNNING" }
  const task = beginsWithTask ? [taskOf({ run: running, members: [] })] : []
  const opening: Result[] = [...task, update(run, working(run))]
  const resultsOf = (event: RunEvent): readonly Result[] => {
    const { moment, family } = event
    if (moment === "tool_started" || moment === "tool_completed") {
      return [{ ...update(run, working(family.run)), metadata: toolDetail(event, moment) }]
    }
    return family.run.id === run.id && moment === "content" ? pieceOf(event, begun) : []
  }
  return (events) => [...opening.splice(0), ...events.flatMap(resultsOf)].map((result) => responseOf(result, id))
}

/** The end of a stream, with the state of the run. */
export function a2aEnd(family: Family, id: string | number): readonly ServerEvent[] {
  return [responseOf({ ...update(family.run, taskStatus(family)), final: true }, id)]
}

function responseOf(result: Result, id: string | number): ServerEvent {
  return { name: names[result.kind], data: { jsonrpc: "2.0", id, result } }
}

/** A piece of what was said. It begins a new artifact, or continues one. */
function pieceOf({ family, text }: RunEvent, begun: Set<string>): readonly TaskArtifactUpdateEvent[] {
  const { run } = family
  const piece = text ?? contentOf(family)
  if (piece === "") return []
  const artifact = artifactOf(run, run.state.said.length, piece)
  const append = begun.has(artifact.artifactId)
  begun.add(artifact.artifactId)
  const whole = text === undefined ? { lastChunk: true } : {}
  return [{ kind: "artifact-update", taskId: run.id, contextId: run.sessionId, artifact, append, ...whole }]
}

function update(run: EngineRun, status: TaskStatus): TaskStatusUpdateEvent {
  return { kind: "status-update", taskId: run.id, contextId: run.sessionId, status, final: false }
}

function working(run: EngineRun): TaskStatus {
  return { state: "working", timestamp: new Date(run.updatedAt).toISOString() }
}

/** What happened to a call, with the keys of the real service. */
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
