// Continues paused runs. The runs, their approvals and their executed calls change in one transaction.
import type { Component } from "../components/component.ts"
import { advance, type Decide, resume } from "../engine/advance.ts"
import { setOut, tell, withRun } from "../engine/leg.ts"
import {
  type EngineRun,
  everyRun,
  type Leg,
  openCalls,
  type RunOutcome,
  type RunRefusal,
  refused,
  withStatus,
} from "../engine/run.ts"
import { lacksResult } from "../engine/settle-call.ts"
import type { ServiceParts } from "../handler.ts"
import { expireDue } from "../storage/approval-store.ts"
import { transact } from "../storage/database.ts"
import { findRun, readFamily } from "../storage/run-store.ts"
import { type ClaimedCalls, contradiction, noteIn } from "./claimed-calls.ts"
import { stageOf } from "./new-run.ts"
import { keepLeg, keepRun, readVerdicts, silentRefusal, type VerdictsByApproval } from "./run-record.ts"

/** Names a run for a caller. Without a `userId` only the session has to match. */
interface RunAddress {
  readonly runId: string
  readonly sessionId: string
  readonly userId: string | null
}

const deleted = "Its approval was deleted, so nobody can decide it; cancel the run."

/**
 * Continues a paused run. Refused for everybody while an approval of the run or of its members is pending. The caller's
 * claims about the calls have to agree with the record. Only the note on a refused call is taken from them.
 */
export function continueRun(
  parts: ServiceParts,
  component: Component,
  address: RunAddress,
  claimed: ClaimedCalls | null,
): RunOutcome {
  const { database } = parts
  return transact(database, () => {
    const stage = stageOf(parts)
    expireDue(database, Math.floor(stage.at / 1000))
    const run = findRun(database, component, address.runId)
    if (run === null || !belongs(run, address)) return refused(404, `No runs found for run ID ${address.runId}`)
    const family = readFamily(database, run)
    const verdicts = readVerdicts(database, family)
    if (verdicts.kind === "pending") {
      return refused(403, "This run requires admin approval before it can be continued")
    }
    if (run.status !== "PAUSED") {
      return refused(409, `Cannot continue run ${run.id}: run is ${run.status.toLowerCase()}`)
    }
    if (verdicts.kind === "deleted") return refused(400, `Run has unresolved HITL requirements. ${deleted}`)
    const obstacle = continueObstacle(everyRun(family), verdicts.byApproval, claimed)
    if (obstacle !== null) return obstacle
    const told = { ...run, state: { ...run.state, approval: verdicts.last } }
    const gone = resume(setOut({ ...family, run: told }), deciderOf(verdicts.byApproval, claimed), stage)
    const leg = parts.cancelledUnseen.delete(run.id) ? cancelledAfter(gone) : gone
    keepLeg(parts, leg, stage.at)
    return { ok: true, leg }
  })
}

/** Ends a run as AgentOS does: it looks for a cancel only after the calls have run, whatever the run's state is. */
function cancelledAfter(leg: Leg): Leg {
  return tell(withRun(leg, { ...leg.family.run, status: "CANCELLED" }), "cancelled")
}

/**
 * Gives the answer of a finished run again, in a new run, which takes over all calls and runs none. The old run becomes
 * REGENERATED, unless it is to be kept.
 */
export function regenerateRun(
  parts: ServiceParts,
  component: Component,
  address: RunAddress,
  original: "replaced" | "kept",
): RunOutcome {
  const { database } = parts
  return transact(database, () => {
    const stage = stageOf(parts)
    const run = findRun(database, component, address.runId)
    if (run === null || !belongs(run, address)) return refused(404, `No runs found for run ID ${address.runId}`)
    if (run.kind === "workflow") return refused(400, "Workflow runs cannot be regenerated")
    if (run.status !== "COMPLETED") {
      return refused(409, `Cannot regenerate run ${run.id}: run is ${run.status.toLowerCase()}`)
    }
    if (original === "replaced") keepRun(database, withStatus(run, "REGENERATED", stage.at))
    const usage = { input_tokens: 0, output_tokens: 0 }
    const state = { ...run.state, turn: run.state.turns.length, regenerated_from: run.id, usage }
    const anew = {
      ...run,
      id: stage.newId(),
      status: "RUNNING",
      createdAt: stage.at,
      updatedAt: stage.at,
      state,
    } as const
    const leg = advance(tell(setOut({ run: anew, members: [] }), "started"), stage)
    keepLeg(parts, leg, stage.at)
    return { ok: true, leg }
  })
}

function continueObstacle(
  runs: readonly EngineRun[],
  verdicts: VerdictsByApproval,
  claimed: ClaimedCalls | null,
): RunRefusal | null {
  const open = runs.flatMap(openCalls)
  const contradicted = claimed === null ? null : contradiction(open, verdicts, claimed)
  if (contradicted !== null) return refused(400, contradicted)
  const stuck = open.find((call) => {
    const verdict = verdicts.get(call.approval_id ?? "")
    return verdict?.kind === "approved" && lacksResult(call, verdict.values)
  })
  if (stuck === undefined) return null
  return refused(400, `Tool ${stuck.tool_name} requires external execution, cannot continue run`)
}

/** The verdicts of the record. If a refusal has no note, the model reads the caller's note. */
function deciderOf(verdicts: VerdictsByApproval, claimed: ClaimedCalls | null): Decide {
  return (call) => {
    const verdict = verdicts.get(call.approval_id ?? "") ?? { kind: "refused", note: silentRefusal }
    const note = claimed === null ? null : noteIn(claimed, call.tool_call_id)
    return note === null || verdict.note !== silentRefusal ? verdict : { ...verdict, note }
  }
}

function belongs(run: EngineRun, address: RunAddress): boolean {
  if (run.sessionId !== address.sessionId) return false
  return address.userId === null || address.userId === run.userId
}
