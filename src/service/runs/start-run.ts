// Starts runs, at once or later. The runs, their approvals and their executed calls change in one transaction.
import type { Component } from "../components/component.ts"
import { advance } from "../engine/advance.ts"
import { setOut, tell } from "../engine/leg.ts"
import { type EngineRun, type Leg, type RunOutcome, type RunRefusal, refused, withStatus } from "../engine/run.ts"
import type { ServiceParts } from "../handler.ts"
import { transact } from "../storage/database.ts"
import { findRow, insertRow } from "../storage/resource-store.ts"
import { countRuns, findFamily, listAccepted, saveRun } from "../storage/run-store.ts"
import { sessions } from "../storage/session-store.ts"
import { failRun } from "./end-run.ts"
import { newRun, stageOf } from "./new-run.ts"
import { keepLeg } from "./run-record.ts"
import { thinkLater } from "./think.ts"

/** How a run is started. */
export interface StartRequest {
  readonly message: string
  readonly sessionId: string
  readonly userId: string | null
  /** The schedule that starts it, and the run of that schedule. */
  readonly schedule?: EngineRun["state"]["schedule"]
}

type Accepted = { readonly ok: true; readonly run: EngineRun } | RunRefusal

/** Starts a run, up to its first pause or its end. Another user's session is refused with 404. */
export function startRun(parts: ServiceParts, component: Component, request: StartRequest): RunOutcome {
  return transact(parts.database, () => startWithin(parts, component, request))
}

/** Starts a run as part of the caller's transaction. */
export function startWithin(parts: ServiceParts, component: Component, request: StartRequest): RunOutcome {
  const accepted = accept(parts, component, request)
  return accepted.ok ? { ok: true, leg: setRunning(parts, accepted.run) } : accepted
}

/** Accepts a run, which `carryOutAccepted` carries out later. Until then it is PENDING. */
export function acceptRun(parts: ServiceParts, component: Component, request: StartRequest): Accepted {
  return transact(parts.database, () => {
    const accepted = accept(parts, component, request)
    if (accepted.ok) saveRun(parts.database, accepted.run)
    return accepted
  })
}

/** Carries out every accepted run, each in its own transaction. Some may be from before a restart. */
function carryOutAccepted(parts: ServiceParts): void {
  const { database, later } = parts
  for (const { id } of listAccepted(database)) {
    later.begin(
      `run ${id}`,
      () => {
        const leg = transact(database, () => {
          // The run may have been cancelled since it was listed.
          const now = findFamily(database, id)?.run
          return now?.status === "PENDING" ? setRunning(parts, now) : null
        })
        if (leg !== null) thinkLater(parts, leg.family)
      },
      (why) => failRun(parts, id, why),
    )
  }
}

function accept(parts: ServiceParts, component: Component, request: StartRequest): Accepted {
  const at = parts.clock()
  const { sessionId, userId } = request
  const session = findRow(parts.database, sessions, sessionId)
  if (session !== null && session.user_id !== null && userId !== null && session.user_id !== userId) {
    return refused(404, "Session not found")
  }
  insertRow(parts.database, sessions, {
    id: sessionId,
    kind: component.kind,
    component_id: component.id,
    user_id: userId,
    name: null,
    state: null,
    metadata: null,
    summary: null,
    created_at: at,
    updated_at: at,
  })
  const before = countRuns(parts.database, component)
  const { message, schedule = null } = request
  return {
    ok: true,
    run: newRun(parts, component, { message, sessionId, userId, before, parentId: null, schedule, step: null, at }),
  }
}

function setRunning(parts: ServiceParts, run: EngineRun): Leg {
  const stage = stageOf(parts)
  const begun = tell(setOut({ run: withStatus(run, "RUNNING", stage.at), members: [] }), "started")
  const leg = advance(begun, stage)
  keepLeg(parts, leg, stage.at)
  return leg
}

/** Carries out all accepted runs after the current request. Also called at the start, so a restart loses none. */
export function carryOutSoon(parts: ServiceParts): void {
  parts.later.soon("accepted runs", () => carryOutAccepted(parts))
}
