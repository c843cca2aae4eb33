// Ends runs early: those that somebody cancels, and those that broke. The runs and their approvals change in one
// transaction.
import type { Component } from "../components/component.ts"
import { fail } from "../engine/advance.ts"
import { setOut, tell, withRun } from "../engine/leg.ts"
import { everyRun, type Family, type Leg, type RunOutcome, refused, type Stage, withStatus } from "../engine/run.ts"
import type { ServiceParts } from "../handler.ts"
import { cancelPending } from "../storage/approval-store.ts"
import { transact } from "../storage/database.ts"
import { findFamily, findRun, readFamily } from "../storage/run-store.ts"
import { stageOf } from "./new-run.ts"
import { keepLeg } from "./run-record.ts"

/**
 * Cancels a run and its members for good. Their pending approvals become `cancelled`. Whatever the run's model still
 * says is ignored.
 */
export function cancelRun(parts: ServiceParts, component: Component, runId: string): RunOutcome {
  const { database } = parts
  return transact(database, () => {
    const at = parts.clock()
    const run = findRun(database, component, runId)
    if (run === null) return refused(404, "Run not found")
    const family = readFamily(database, run)
    if (run.status === "CANCELLED") return { ok: true, leg: setOut(family) }
    if (run.status !== "PAUSED" && run.status !== "PENDING" && run.status !== "RUNNING") {
      return refused(409, `Cannot cancel run ${run.id}: run is ${run.status.toLowerCase()}`)
    }
    const leg = cancelled(setOut(family), at)
    keepEnd(parts, leg, at)
    parts.thinking.giveUp(run.id)
    return { ok: true, leg }
  })
}

/** Ends a run that broke, and the runs below it, in ERROR: else they would wait until the next start. */
export function failRun(parts: ServiceParts, runId: string, why: string): void {
  transact(parts.database, () => {
    const stage = stageOf(parts)
    const family = findFamily(parts.database, runId)
    if (family !== null) keepEnd(parts, failed(family, why, stage), stage.at)
  })
}

/** Writes the end of runs, and cancels their pending approvals. */
function keepEnd(parts: ServiceParts, leg: Leg, at: number): void {
  for (const { id, status } of everyRun(leg.family))
    if (status === "CANCELLED" || status === "ERROR") cancelPending(parts.database, id, Math.floor(at / 1000))
  keepLeg(parts, leg, at)
}

function failed({ run, members }: Family, why: string, stage: Stage): Leg {
  const leg = setOut({ run, members: members.map((member) => failed(member, why, stage).family) })
  if (run.status === "PENDING") return fail(withRun(leg, withStatus(run, "RUNNING", stage.at)), why, stage)
  return run.status === "RUNNING" ? fail(leg, why, stage) : leg
}

function cancelled(leg: Leg, at: number): Leg {
  const { run, members } = leg.family
  const ended = members.map((member) =>
    member.run.status === "PAUSED" || member.run.status === "RUNNING" ? cancelled(setOut(member), at).family : member,
  )
  const now = withRun(leg, withStatus(run, "CANCELLED", at))
  return tell({ ...now, family: { ...now.family, members: ended } }, "cancelled")
}
