// A run as an A2A task, by the protocol's own types (version 0.3.0).
import type { Message, Task, TaskState } from "@a2a-js/sdk"
import { derivedId } from "../derived-id.ts"
import type { Family, Run } from "../runs/engine/run.ts"
import type { RunStatus } from "../runs/engine/run-status.ts"
import { contentOf } from "../runs/views/run-view.ts"

/** The states of 2.2 in the protocol's words. A paused run waits for people: `input-required`. */
export const taskStates: Readonly<Record<RunStatus, TaskState>> = {
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
export function messageOf(run: Run, text: string, metadata?: Record<string, unknown>): Message {
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
