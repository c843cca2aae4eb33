// Cancels runs: one transaction over the runs and their approvals.
import type { Component } from "../components/component.ts"
import { setOut, tell, withRun } from "../engine/leg.ts"
import { everyRun, type Leg, type RunOutcome, refused, withStatus } from "../engine/run.ts"
import type { ServiceParts } from "../handler.ts"
import { cancelPending } from "../storage/approval-store.ts"
import { transact } from "../storage/database.ts"
import { findRun, readFamily } from "../storage/run-store.ts"
import { keepLeg } from "./run-record.ts"

/**
 * Cancels a run and its members for good; their pending approvals become `cancelled`. A cancelled run stays so.
 * Nothing that its model still says is taken in.
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
    for (const ended of everyRun(leg.family)) cancelPending(database, ended.id, Math.floor(at / 1000))
    keepLeg(parts, leg, at)
    parts.thinking.giveUp(run.id)
    return { ok: true, leg }
  })
}

function cancelled(leg: Leg, at: number): Leg {
  const { run, members } = leg.family
  const ended = members.map((member) =>
    member.run.status === "PAUSED" || member.run.status === "RUNNING" ? cancelled(setOut(member), at).family : member,
  )
  const now = withRun(leg, withStatus(run, "CANCELLED", at))
  return tell({ ...now, family: { ...now.family, members: ended } }, "cancelled")
}
