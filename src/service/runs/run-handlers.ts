// The runs of agents, teams and workflows: start, list, read, continue, cancel (specification 4.3).
import { z } from "zod"
import { type Component, familyOf, titleOf, withArticle } from "../components/component.ts"
import { componentIn } from "../components/guard-component.ts"
import { type ComponentKind, componentKinds, type Leg, type RunRefusal } from "../engine/run.ts"
import { requirementSchema, toolExecutionSchema } from "../engine/tool-execution.ts"
import type { Answered, HandlerRequest, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { sessionRunList } from "../sessions/session-schemas.ts"
import { runStatusSchema } from "../storage/approval-row.ts"
import { findRun, listSessionRuns, ownerOfRun, readFamily } from "../storage/run-store.ts"
import { createNumbering, streamOf } from "../views/run-events.ts"
import { runView } from "../views/run-view.ts"
import { sessionRunView } from "../views/session-run-view.ts"
import { chosenId, textBoolean } from "../wire/fields.ts"
import { named, namedLooseObject, namedObject } from "../wire/named-model.ts"
import { formBody } from "../wire/read-request.ts"
import { answer, answerEvents, answerLiveEvents, refuse, type ServerEvent, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { type ClaimedCalls, readClaims } from "./claimed-calls.ts"
import { continueRun, regenerateRun } from "./continue-run.ts"
import { cancelRun } from "./end-run.ts"
import { acceptRun, carryOutSoon, startRun } from "./start-run.ts"
import { isAnyThinking, think } from "./think.ts"

/** `POST …/runs`. Other fields are ignored, as in the real service. */
const startForm = namedObject("RunStart", {
  message: z.string(),
  stream: textBoolean(true),
  background: textBoolean(false),
  session_id: chosenId.optional(),
  user_id: z.string().optional(),
})

/**
 * `POST …/runs/{run_id}/continue`. By the kind of component, the form has `tools`, `requirements` or
 * `step_requirements`. With `regenerate`, a finished run is answered again.
 */
const continueForm = namedObject("RunContinue", {
  session_id: z.string().optional(),
  user_id: z.string().optional(),
  stream: textBoolean(true),
  tools: z.string().optional(),
  requirements: z.string().optional(),
  step_requirements: z.string().optional(),
  regenerate: textBoolean(false),
  replace_original: textBoolean(true),
})

const listQuery = z.object({ session_id: z.string(), status: z.string().optional() })
const oneQuery = z.object({ session_id: z.string().optional() })

/** A requirement of a team's run may belong to a member, and says to which. */
const member = z.object({ member_agent_id: z.string(), member_agent_name: z.string(), member_run_id: z.string() })
const requirement = named("Requirement", requirementSchema.extend(member.partial().shape))

const runModel = namedLooseObject("Run", {
  run_id: z.string(),
  session_id: z.string(),
  user_id: z.string().nullish(),
  agent_id: z.string().optional(),
  team_id: z.string().optional(),
  workflow_id: z.string().optional(),
  content: z.string().nullish(),
  status: runStatusSchema,
  created_at: z.int(),
  tools: z.array(named("ToolExecution", toolExecutionSchema)).optional(),
  requirements: z.array(requirement).optional(),
})
const runAccepted = namedObject("RunAccepted", {
  run_id: z.string(),
  session_id: z.string(),
  status: runStatusSchema,
})
const runCancelled = namedObject("RunCancelled", {})

/** The routes for runs of each kind. */
export const runRoutes: readonly ServiceRoute[] = componentKinds.flatMap(runRoutesOf)

function runRoutesOf(kind: ComponentKind): readonly ServiceRoute[] {
  const family = familyOf(kind)
  const a = withArticle(kind)
  const route = routesOf(`${titleOf(kind)}s`)
  const path = `/${family}/*/runs`
  const run = `${family}:run`
  const both = [`${family}:read`, run]
  const toRun: typeof forReading = (parts, request) => componentIn(parts, request, { kind, actions: ["run"] })
  const forReading = (parts: ServiceParts, request: HandlerRequest) =>
    componentIn(parts, request, { kind, actions: ["read", "run"] })
  return [
    route(`POST ${path}`, run, {
      id: `create_${kind}_run`,
      summary: `Run ${a}`,
      forAnybody: true,
      body: formBody(startForm),
      reply: runModel,
      media: "text/event-stream",
      accepted: runAccepted,
      before: toRun,
      handler: start,
    }),
    route(`GET ${path}`, both, {
      id: `list_${kind}_runs`,
      summary: `List the runs of ${a} in a session`,
      isOwn: true,
      query: listQuery,
      reply: sessionRunList,
      before: forReading,
      handler: showRuns,
    }),
    route(`GET ${path}/*`, both, {
      id: `get_${kind}_run`,
      summary: "View a run",
      isOwn: true,
      query: oneQuery,
      reply: runModel,
      guard: othersRun,
      before: forReading,
      handler: read,
    }),
    route(`POST ${path}/*/continue`, run, {
      id: `continue_${kind}_run`,
      summary: "Continue a paused run",
      body: formBody(continueForm),
      reply: runModel,
      media: "text/event-stream",
      refusals: [409],
      guard: (parts, owner, ids) =>
        othersRun(parts, owner, ids) === null ? null : refuse(404, `No runs found for run ID ${ids[1] ?? ""}`),
      before: toRun,
      handler: goOn,
    }),
    route(`POST ${path}/*/cancel`, run, {
      id: `cancel_${kind}_run`,
      summary: "Cancel a run",
      reply: runCancelled,
      refusals: [409],
      guard: othersRun,
      before: toRun,
      handler: (parts, { ids: [, runId = ""], found: component }) => {
        const outcome = cancelRun(parts, component, runId)
        return outcome.ok ? answer({}) : toRefusal(outcome)
      },
    }),
  ]
}

function othersRun({ database }: ServiceParts, owner: string, [, id = ""]: readonly string[]): ServiceReply | null {
  return ownerOfRun(database, id) === owner ? null : refuse(404, "Run not found")
}

async function start(parts: ServiceParts, request: WithBody<typeof startForm, Component>): Promise<Answered> {
  const { body, found: component } = request
  const { message, stream, background, session_id, user_id } = body
  const sessionId = session_id === undefined || session_id === "" ? randomId(parts.random) : session_id
  const order = { message, sessionId, userId: runUser(request, user_id) }
  if (background && !stream) return startLater(parts, component, order)
  const outcome = startRun(parts, component, order)
  return outcome.ok ? showLeg(parts, outcome.leg, background ? "numbered" : wayOf(stream)) : toRefusal(outcome)
}

function startLater(parts: ServiceParts, component: Component, order: Parameters<typeof acceptRun>[2]): ServiceReply {
  const accepted = acceptRun(parts, component, order)
  if (!accepted.ok) return toRefusal(accepted)
  carryOutSoon(parts)
  const { id, sessionId, status } = accepted.run
  return answer({ run_id: id, session_id: sessionId, status }, 202)
}

async function goOn(parts: ServiceParts, request: WithBody<typeof continueForm, Component>): Promise<Answered> {
  const { body, found: component } = request
  const sessionId = body.session_id ?? ""
  if (sessionId === "") return refuse(400, "session_id is required for this action")
  const claimed = claimsOf(body)
  if (!claimed.ok) return claimed.reply
  const [, runId = ""] = request.ids
  const address = { runId, sessionId, userId: runUser(request, body.user_id) }
  const { regenerate, replace_original: replaced } = body
  const outcome = regenerate
    ? regenerateRun(parts, component, address, replaced ? "replaced" : "kept")
    : continueRun(parts, component, address, claimed.value)
  return outcome.ok ? showLeg(parts, outcome.leg, wayOf(body.stream)) : toRefusal(outcome)
}

function showRuns(
  parts: ServiceParts,
  { query, standing, found: component }: WithQuery<typeof listQuery, Component>,
): ServiceReply {
  const { session_id: sessionId, status } = query
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

function read(
  parts: ServiceParts,
  { ids: [, runId = ""], query, found: component }: WithQuery<typeof oneQuery, Component>,
): ServiceReply {
  const run = findRun(parts.database, component, runId)
  const { session_id: sessionId } = query
  if (run === null || (sessionId !== undefined && sessionId !== run.sessionId)) return refuse(404, "Run not found")
  return answer(runView(readFamily(parts.database, run)))
}

/** How a run is shown: its last state, its events, or its events with numbers. */
type Way = "whole" | "events" | "numbered"

function wayOf(stream: boolean): Way {
  return stream ? "events" : "whole"
}

/**
 * A stretch of a run as the caller wants it: as a stream of events, or as the run at its end. If the run needs its
 * models, they are asked meanwhile.
 */
async function showLeg(parts: ServiceParts, leg: Leg, way: Way): Promise<Answered> {
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

function claimsOf(form: Readonly<Record<string, unknown>>): Checked<ClaimedCalls | null> {
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

/** The user of a run: the token's subject, else the user that the form names. */
function runUser({ standing }: HandlerRequest, claimed: string | undefined): string | null {
  return standing.caller.subject ?? claimed ?? null
}

function toRefusal({ status, detail }: RunRefusal): ServiceReply {
  return refuse(status, detail)
}
