// The runs of agents, teams and workflows: start, list, read, continue, cancel (specification 4.3).
import { z } from "zod"
import { type Component, familyOf } from "../components/component.ts"
import { withComponent } from "../components/guard-component.ts"
import type { ComponentKind, Leg, RunRefusal } from "../engine/run.ts"
import type { Answered, Answering, Handler, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { findRun, listSessionRuns, readFamily } from "../storage/run-store.ts"
import { createNumbering, streamOf } from "../views/run-events.ts"
import { runView } from "../views/run-view.ts"
import { sessionRunView } from "../views/session-run-view.ts"
import { chosenId, textBoolean } from "../wire/fields.ts"
import { readForm, readQuery } from "../wire/read-request.ts"
import { answer, answerEvents, answerLiveEvents, refuse, type ServerEvent, type ServiceReply } from "../wire/reply.ts"
import { type ClaimedCalls, readClaims } from "./claimed-calls.ts"
import { continueRun, regenerateRun } from "./continue-run.ts"
import { cancelRun } from "./end-run.ts"
import { acceptRun, carryOutSoon, startRun } from "./start-run.ts"
import { isAnyThinking, takeUpThinking, think } from "./think.ts"

/** `POST …/runs`. Other fields are ignored, as by the real service. */
export const startForm = z.object({
  message: z.string(),
  stream: textBoolean(true),
  background: textBoolean(false),
  session_id: chosenId.optional(),
  user_id: z.string().optional(),
})

/**
 * `POST …/runs/{run_id}/continue`; one of `tools`, `requirements`, `step_requirements`, by kind of component. With
 * `regenerate` a finished run is answered anew instead.
 */
export const continueForm = z.object({
  session_id: z.string().optional(),
  user_id: z.string().optional(),
  stream: textBoolean(true),
  tools: z.string().optional(),
  requirements: z.string().optional(),
  step_requirements: z.string().optional(),
  regenerate: textBoolean(false),
  replace_original: textBoolean(true),
})

/** `GET …/runs` of a component. */
export const componentRunsQuery = z.object({ session_id: z.string(), status: z.string().optional() })

/** `GET …/runs/{run_id}` of a component. */
export const readRunQuery = z.object({ session_id: z.string().optional() })

/** Handlers of all routes of runs. Making them takes up the runs that a restart cut off. */
export function runHandlers(parts: ServiceParts): Handlers {
  carryOutSoon(parts)
  takeUpThinking(parts)
  return {
    ...handlersOf(parts, "agent"),
    ...handlersOf(parts, "team"),
    ...handlersOf(parts, "workflow"),
  }
}

type Step = (parts: ServiceParts, request: HandlerRequest, component: Component) => Answering

function handlersOf(parts: ServiceParts, kind: ComponentKind): Handlers {
  const path = `/${familyOf(kind)}/*/runs`
  const guarded =
    (actions: readonly string[], step: Step): Handler =>
    (request) =>
      withComponent(parts, request, { kind, actions }, (component) => step(parts, request, component))
  return {
    [`POST ${path}`]: guarded(["run"], start),
    [`GET ${path}`]: guarded(["read", "run"], list),
    [`GET ${path}/*`]: guarded(["read", "run"], read),
    [`POST ${path}/*/continue`]: guarded(["run"], goOn),
    [`POST ${path}/*/cancel`]: guarded(["run"], cancel),
  }
}

async function start(parts: ServiceParts, request: HandlerRequest, component: Component): Promise<Answered> {
  const checked = await readForm(startForm, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const { message, stream, background, session_id, user_id } = checked.value
  const sessionId = session_id === undefined || session_id === "" ? randomId(parts.random) : session_id
  const order = { message, sessionId, userId: userOf(request, user_id) }
  if (background && !stream) return startLater(parts, component, order)
  const outcome = startRun(parts, component, order)
  return outcome.ok ? shown(parts, outcome.leg, background ? "numbered" : wayOf(stream)) : toRefusal(outcome)
}

function startLater(parts: ServiceParts, component: Component, order: Parameters<typeof acceptRun>[2]): ServiceReply {
  const accepted = acceptRun(parts, component, order)
  if (!accepted.ok) return toRefusal(accepted)
  carryOutSoon(parts)
  const { id, sessionId, status } = accepted.run
  return answer({ run_id: id, session_id: sessionId, status }, 202)
}

async function goOn(parts: ServiceParts, request: HandlerRequest, component: Component): Promise<Answered> {
  const checked = await readForm(continueForm, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  const sessionId = checked.value.session_id ?? ""
  if (sessionId === "") return refuse(400, "session_id is required for this action")
  const claimed = claimsOf(checked.value)
  if (!claimed.ok) return claimed.reply
  const [, runId = ""] = request.ids
  const address = { runId, sessionId, userId: userOf(request, checked.value.user_id) }
  const { regenerate, replace_original: replaced } = checked.value
  const outcome = regenerate
    ? regenerateRun(parts, component, address, replaced ? "replaced" : "kept")
    : continueRun(parts, component, address, claimed.value)
  return outcome.ok ? shown(parts, outcome.leg, wayOf(checked.value.stream)) : toRefusal(outcome)
}

function list(parts: ServiceParts, { context, standing }: HandlerRequest, component: Component): ServiceReply {
  const checked = readQuery(componentRunsQuery, context)
  if (!checked.ok) return checked.reply
  const { session_id: sessionId, status } = checked.value
  const runs = listSessionRuns(parts.database, sessionId).filter(
    (run) =>
      run.kind === component.kind &&
      run.componentId === component.id &&
      run.parentId === null &&
      (standing.owner === null || run.userId === standing.owner) &&
      (status === undefined || run.status === status),
  )
  return answer(runs.map((run) => sessionRunView(readFamily(parts.database, run))))
}

function read(parts: ServiceParts, { ids, context }: HandlerRequest, component: Component): ServiceReply {
  const checked = readQuery(readRunQuery, context)
  if (!checked.ok) return checked.reply
  const [, runId = ""] = ids
  const run = findRun(parts.database, component, runId)
  const { session_id: sessionId } = checked.value
  if (run === null || (sessionId !== undefined && sessionId !== run.sessionId)) return refuse(404, "Run not found")
  return answer(runView(readFamily(parts.database, run)))
}

function cancel(parts: ServiceParts, { ids: [, runId = ""] }: HandlerRequest, component: Component): ServiceReply {
  const outcome = cancelRun(parts, component, runId)
  return outcome.ok ? answer({}) : toRefusal(outcome)
}

/** How a run is shown: as it is at last, as its events, or as events with their numbers. */
type Way = "whole" | "events" | "numbered"

function wayOf(stream: boolean): Way {
  return stream ? "events" : "whole"
}

/**
 * A run's stretch as the caller wants to see it: as a stream of events, or as the run that it led to. Models are asked
 * meanwhile, if the run needs them.
 */
async function shown(parts: ServiceParts, leg: Leg, way: Way): Promise<Answered> {
  if (way === "whole") return answer(runView(await think(parts, leg.family, () => undefined)))
  const numbered = way === "numbered" ? createNumbering() : (events: readonly ServerEvent[]) => events
  const told = (events: Leg["events"]) => numbered(streamOf(events, parts.clock()))
  if (!isAnyThinking(leg.family)) return answerEvents(told(leg.events))
  return answerLiveEvents(parts.later, async (send) => {
    const tell = (events: Leg["events"]): void => send(told(events))
    tell(leg.events)
    await think(parts, leg.family, tell)
  })
}

type Claims =
  | { readonly ok: true; readonly value: ClaimedCalls | null }
  | { readonly ok: false; readonly reply: ServiceReply }

function claimsOf(form: Readonly<Record<string, unknown>>): Claims {
  for (const field of ["tools", "requirements", "step_requirements"]) {
    const text = form[field]
    if (typeof text !== "string" || text === "") continue
    const claims = readClaims(text)
    return claims === null
      ? { ok: false, reply: refuse(400, `Invalid JSON in ${field} field`) }
      : { ok: true, value: claims }
  }
  return { ok: true, value: null }
}

/** A token's subject wins over the form's claim. */
function userOf({ standing }: HandlerRequest, claimed: string | undefined): string | null {
  return standing.caller.subject ?? claimed ?? null
}

function toRefusal({ status, detail }: RunRefusal): ServiceReply {
  return refuse(status, detail)
}
