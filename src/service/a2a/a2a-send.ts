// message/send and message/stream: starts a run, or continues the one that the message names.

import type { Component } from "../components/component.ts"
import type { Answered, HandlerRequest } from "../handler.ts"
import type { Parts } from "../parts.ts"
import { randomId } from "../random-ids.ts"
import { continueRun } from "../runs/continue-run.ts"
import { carryOutSoon } from "../runs/run-later.ts"
import type { RunOutcome, RunRefusal } from "../runs/run-outcome.ts"
import { findRun } from "../runs/run-store.ts"
import { acceptRun, type StartRequest, startRun } from "../runs/start-run.ts"
import { answerEvents } from "../wire/event-stream.ts"
import type { Reply } from "../wire/reply.ts"
import { a2aErrors, answerA2a, refuseA2a } from "./a2a-reply.ts"
import type { A2aMessage, A2aRequest } from "./a2a-request.ts"
import { a2aStream } from "./a2a-stream.ts"
import { taskOf } from "./a2a-task.ts"

type Asked = Extract<A2aRequest, { readonly message: A2aMessage }>

/**
 * Answers a message with its task: as a stream, at once, or, with `blocking: false`, as soon as it is accepted (202). A message that
 * names a task goes on with it, under the rules of every continue: never before its approvals are decided.
 */
export function sendMessage(parts: Parts, request: HandlerRequest, component: Component, asked: Asked): Answered {
  const { message, id } = asked
  if (message.taskId !== null) return shown(goOn(parts, request, component, message), asked)
  const order: StartRequest = {
    message: message.text,
    sessionId: message.contextId ?? randomId(parts.random),
    userId: userOf(request, message),
  }
  if (message.blocking || asked.method === "message/stream") return shown(startRun(parts, component, order), asked)
  const accepted = acceptRun(parts, component, order)
  if (!accepted.ok) return refusal(accepted, id)
  carryOutSoon(parts)
  return answerA2a(id, taskOf({ run: accepted.run, members: [] }), 202)
}

function goOn(parts: Parts, request: HandlerRequest, component: Component, message: A2aMessage): RunOutcome {
  const runId = message.taskId ?? ""
  const { owner } = request.standing
  const run = findRun(parts.database, component, runId)
  if (run === null || (owner !== null && run.userId !== owner))
    return { ok: false, status: 404, detail: "Task not found" }
  const sessionId = message.contextId ?? run.sessionId
  return continueRun(parts, component, { runId, sessionId, userId: userOf(request, message) }, null)
}

function shown(outcome: RunOutcome, { id, method }: Asked): Reply {
  if (!outcome.ok) return refusal(outcome, id)
  if (method === "message/stream") return answerEvents(a2aStream(outcome.leg, id))
  return answerA2a(id, taskOf(outcome.leg.family))
}

function refusal({ status, detail }: RunRefusal, id: string | number): Reply {
  const code = status === 404 ? a2aErrors.taskNotFound : a2aErrors.refused
  return refuseA2a(id, { status, code, detail })
}

/** A token's subject wins; without one the header counts, then the message's own word. */
function userOf({ standing, context }: HandlerRequest, message: A2aMessage): string | null {
  return standing.caller.subject ?? context.req.header("x-user-id") ?? message.userId
}
