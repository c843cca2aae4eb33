// tasks/get and tasks/cancel.

import type { Component } from "../components/component.ts"
import type { Answered, HandlerRequest } from "../handler.ts"
import type { Parts } from "../parts.ts"
import { cancelRun } from "../runs/cancel-run.ts"
import type { Run } from "../runs/engine/run.ts"
import { findRun, readFamily } from "../runs/run-store.ts"
import type { Reply } from "../wire/reply.ts"
import { a2aErrors, answerA2a, refuseA2a } from "./a2a-reply.ts"
import type { A2aRequest, A2aTaskId } from "./a2a-request.ts"
import { taskOf } from "./a2a-task.ts"

type Asked = Extract<A2aRequest, { readonly task: A2aTaskId }>

/** Answers with a task of this component. */
export function getTask(parts: Parts, request: HandlerRequest, component: Component, { id, task }: Asked): Answered {
  const run = visibleRun(parts, request, component, task)
  return run === null ? notFound(id) : answerA2a(id, taskOf(readFamily(parts.database, run)))
}

/** Cancels a task that waits; one that has ended cannot be cancelled. */
export function cancelTask(parts: Parts, request: HandlerRequest, component: Component, { id, task }: Asked): Answered {
  const run = visibleRun(parts, request, component, task)
  if (run === null) return notFound(id)
  const outcome = cancelRun(parts, component, run.id)
  if (outcome.ok) return answerA2a(id, taskOf(outcome.leg.family))
  return refuseA2a(id, { status: outcome.status, code: a2aErrors.taskNotCancelable, detail: outcome.detail })
}

/** A task that the caller may know of: in the context that is named, and their own under user isolation. */
function visibleRun(
  parts: Parts,
  { standing: { owner } }: HandlerRequest,
  component: Component,
  { taskId, contextId }: A2aTaskId,
): Run | null {
  const run = findRun(parts.database, component, taskId)
  if (run === null || (contextId !== null && contextId !== run.sessionId)) return null
  return owner === null || run.userId === owner ? run : null
}

function notFound(id: string | number): Reply {
  return refuseA2a(id, { status: 404, code: a2aErrors.taskNotFound, detail: "Task not found" })
}
