// What A2A can ask of a component: message/send and message/stream, tasks/get and tasks/cancel.
import type { Component } from "../components/component.ts"
import type { EngineRun, RunOutcome, RunRefusal } from "../engine/run.ts"
import type { Answered, HandlerRequest, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { continueRun } from "../runs/continue-run.ts"
import { cancelRun } from "../runs/end-run.ts"
import { acceptRun, carryOutSoon, type StartRequest, startRun } from "../runs/start-run.ts"
import { isAnyThinking, think } from "../runs/think.ts"
import { findRun, readFamily } from "../storage/run-store.ts"
import { answer, answerEvents, answerLiveEvents, type ServiceReply } from "../wire/reply.ts"
import type { A2aMessage, A2aRequest, A2aTaskId } from "./a2a-request.ts"
import { a2aEnd, a2aTeller, taskOf } from "./a2a-task.ts"

/** The component that a request is for. */
export interface ComponentCall {
  readonly parts: ServiceParts
  readonly request: HandlerRequest
  readonly component: Component
}

type AskedMessage = Extract<A2aRequest, { readonly message: A2aMessage }>
type AskedTask = Extract<A2aRequest, { readonly task: A2aTaskId }>

/**
 * Answers a message with its task: as a stream, at once, or, with `blocking: false`, as soon as it is accepted (202).
 * If the message names a task, we continue its run. As always, this is refused while approvals are pending.
 */
export async function sendMessage(call: ComponentCall, asked: AskedMessage): Promise<Answered> {
  const { parts, request, component } = call
  const { message, id } = asked
  if (message.taskId !== null) return showOutcome(parts, continueTask(call, message), asked)
  const order: StartRequest = {
    message: message.text,
    sessionId: message.contextId ?? randomId(parts.random),
    userId: taskUser(request, message),
  }
  if (message.blocking || asked.method === "message/stream")
    return showOutcome(parts, startRun(parts, component, order), asked)
  const accepted = acceptRun(parts, component, order)
  if (!accepted.ok) return taskRefusal(accepted, id)
  carryOutSoon(parts)
  return answerA2a(id, taskOf({ run: accepted.run, members: [] }), 202)
}

function continueTask({ parts, request, component }: ComponentCall, message: A2aMessage): RunOutcome {
  const runId = message.taskId ?? ""
  const { owner } = request.standing
  const run = findRun(parts.database, component, runId)
  if (run === null || (owner !== null && run.userId !== owner))
    return { ok: false, status: 404, detail: "Task not found" }
  const sessionId = message.contextId ?? run.sessionId
  return continueRun(parts, component, { runId, sessionId, userId: taskUser(request, message) }, null)
}

async function showOutcome(parts: ServiceParts, outcome: RunOutcome, asked: AskedMessage): Promise<Answered> {
  const { id, method, message } = asked
  if (!outcome.ok) return taskRefusal(outcome, id)
  const { family, events } = outcome.leg
  if (method !== "message/stream") return answerA2a(id, taskOf(await think(parts, family, () => undefined)))
  const tell = a2aTeller({ run: family.run, id, beginsWithTask: message.saysKind })
  if (!isAnyThinking(family)) return answerEvents([...tell(events), ...a2aEnd(family, id)])
  return answerLiveEvents(parts.later, async (send) => {
    send(tell(events))
    send(a2aEnd(await think(parts, family, (more) => send(tell(more))), id))
  })
}

function taskRefusal({ status, detail }: RunRefusal, id: string | number): ServiceReply {
  const code = status === 404 ? a2aErrors.taskNotFound : a2aErrors.refused
  return refuseA2a(id, { status, code, detail })
}

/** The user of a task: the token's subject, else the header's user, else the message's. */
function taskUser({ standing, context }: HandlerRequest, message: A2aMessage): string | null {
  return standing.caller.subject ?? context.req.header("x-user-id") ?? message.userId
}

/** Answers with a task of this component. */
export function getTask(call: ComponentCall, { id, task }: AskedTask): Answered {
  const run = visibleRun(call, task)
  return run === null ? noSuchTask(id) : answerA2a(id, taskOf(readFamily(call.parts.database, run)))
}

/** Cancels a task that waits. A task that has ended cannot be cancelled. */
export function cancelTask(call: ComponentCall, { id, task }: AskedTask): Answered {
  const run = visibleRun(call, task)
  if (run === null) return noSuchTask(id)
  const outcome = cancelRun(call.parts, call.component, run.id)
  if (outcome.ok) return answerA2a(id, taskOf(outcome.leg.family))
  return refuseA2a(id, { status: outcome.status, code: a2aErrors.taskNotCancelable, detail: outcome.detail })
}

/** A task that the caller may see: it must be in the named context, and under user isolation the caller's own. */
function visibleRun({ parts, request, component }: ComponentCall, { taskId, contextId }: A2aTaskId): EngineRun | null {
  const { owner } = request.standing
  const run = findRun(parts.database, component, taskId)
  if (run === null || (contextId !== null && contextId !== run.sessionId)) return null
  return owner === null || run.userId === owner ? run : null
}

function noSuchTask(id: string | number): ServiceReply {
  return refuseA2a(id, { status: 404, code: a2aErrors.taskNotFound, detail: "Task not found" })
}

/** Codes of the protocol (A2A 0.3.0, section 8.2), and JSON-RPC's general code for all other refusals. */
const a2aErrors = { taskNotFound: -32001, taskNotCancelable: -32002, refused: -32000 } as const

function answerA2a(id: string | number, result: unknown, status = 200): ServiceReply {
  return answer({ jsonrpc: "2.0", id, result }, status)
}

/** Refuses in both forms: the protocol's error for its clients, and status with `detail`, as on the other routes. */
function refuseA2a(
  id: string | number,
  { status, code, detail }: { readonly status: number; readonly code: number; readonly detail: string },
): ServiceReply {
  return answer({ jsonrpc: "2.0", id, error: { code, message: detail }, detail }, status)
}
