// Starting, continuing and cancelling runs: each one transaction over the run, its approvals and its executed calls.
import type { DatabaseSync } from "node:sqlite"
import { cancelPending, countApprovals, findApproval, insertApproval, markRunStatus } from "./approval-store.ts"
import { textOf, textOrNull } from "./columns.ts"
import { transact } from "./database.ts"
import { isJsonObject, type JsonObject, parseExact } from "./exact-json.ts"
import { pausedApproval } from "./paused-approval.ts"
import { advance, type Leg, openCalls, type Run, type RunState, type Stamps, takeOn } from "./run.ts"
import { countRuns, findRun, recordExecutions, saveRun } from "./run-store.ts"
import type { ScriptedAgent, ScriptedRun } from "./script.ts"
import { lacksResult, type Verdict } from "./settle-call.ts"

/** What a step on a run gives: the run as it is now, or the refusal for the wire. */
export type RunOutcome =
  | { readonly ok: true; readonly run: Run }
  | { readonly ok: false; readonly status: 400 | 403 | 404 | 409; readonly detail: string }

/** How a run is started. */
export type StartRequest = { readonly message: string; readonly sessionId: string; readonly userId: string | null }

/** Which run is meant, and by whom; without a `userId` only the session has to fit. */
export type RunAddress = { readonly runId: string; readonly sessionId: string; readonly userId: string | null }

/** Starts a run: the scripted one that the message names, else the next in turn. */
export function startRun(database: DatabaseSync, agent: ScriptedAgent, request: StartRequest, stamps: Stamps): Run {
  return transact(database, () => {
    const scripted = chooseRun(agent, request.message, countRuns(database, agent.id))
    const state: RunState = {
      message: request.message,
      answer: scripted.answer,
      turns: scripted.turns,
      toolbox: agent.tools,
      turn: 0,
      tools: [],
      requirements: [],
    }
    const { sessionId, userId } = request
    const begun = {
      id: stamps.newId(),
      agentId: agent.id,
      sessionId,
      userId,
      createdAt: stamps.at,
      updatedAt: stamps.at,
      state,
    }
    return keep(database, agent, advance({ ...begun, status: "RUNNING" }, stamps))
  })
}

/** Continues a paused run. Refused for everybody while an approval of the run is pending. */
export function continueRun(
  database: DatabaseSync,
  agent: ScriptedAgent,
  address: RunAddress,
  stamps: Stamps,
): RunOutcome {
  return transact(database, () => {
    const run = findRun(database, agent.id, address.runId)
    if (run === null || !belongs(run, address)) return refused(404, `No runs found for run ID ${address.runId}`)
    if (countApprovals(database, { run_id: run.id, status: "pending" }) > 0) {
      return refused(403, "This run requires admin approval before it can be continued")
    }
    if (run.status !== "PAUSED")
      return refused(409, `Cannot continue run ${run.id}: run is ${run.status.toLowerCase()}`)
    const verdict = readVerdict(database, run)
    if (verdict === null) {
      return refused(
        400,
        "Run has unresolved HITL requirements. Its approval was deleted, so nobody can decide it; cancel the run.",
      )
    }
    const stuck =
      verdict.kind === "approved" ? openCalls(run).find((call) => lacksResult(call, verdict.values)) : undefined
    if (stuck !== undefined)
      return refused(400, `Tool ${stuck.tool_name} requires external execution, cannot continue run`)
    return { ok: true, run: keep(database, agent, takeOn(run, verdict, stamps)) }
  })
}

/** Cancels a run for good; its pending approvals become `cancelled`. A run that is cancelled already stays so. */
export function cancelRun(database: DatabaseSync, agent: ScriptedAgent, runId: string, at: number): RunOutcome {
  return transact(database, () => {
    const run = findRun(database, agent.id, runId)
    if (run === null) return refused(404, "Run not found")
    if (run.status === "CANCELLED") return { ok: true, run }
    if (run.status !== "PAUSED") return refused(409, `Cannot cancel run ${run.id}: run is ${run.status.toLowerCase()}`)
    const cancelled: Run = { ...run, status: "CANCELLED", updatedAt: at }
    saveRun(database, cancelled)
    cancelPending(database, run.id, seconds(at))
    markRunStatus(database, run.id, cancelled.status, seconds(at))
    return { ok: true, run: cancelled }
  })
}

function chooseRun(agent: ScriptedAgent, message: string, before: number): ScriptedRun {
  const named = agent.runs.find((run) => run.name === message)
  return named ?? agent.runs[before % agent.runs.length] ?? { name: null, turns: [], answer: "Done." }
}

/** Writes what a leg did: the run, the calls that ran, the pause's approval, and how the run stands on all its approvals. */
function keep(database: DatabaseSync, agent: ScriptedAgent, leg: Leg): Run {
  const { run, ran } = leg
  saveRun(database, run)
  recordExecutions(database, run.id, ran, run.updatedAt)
  markRunStatus(database, run.id, run.status, seconds(run.updatedAt))
  const approval = pausedApproval(run, agent.name)
  if (approval !== null) insertApproval(database, approval)
  return run
}

/** What the record says about the calls that wait; null if the record is gone. Every state but `approved` refuses. */
function readVerdict(database: DatabaseSync, run: Run): Verdict | null {
  const approvalId = openCalls(run)[0]?.approval_id
  const row = approvalId === undefined || approvalId === null ? null : findApproval(database, approvalId)
  if (row === null) return null
  if (textOf(row, "status") !== "approved") return { kind: "refused", note: "Tool call was rejected" }
  return { kind: "approved", values: readData(textOrNull(row, "resolution_data")) }
}

function readData(text: string | null): JsonObject | null {
  const value = text === null ? null : parseExact(text)
  return isJsonObject(value) ? value : null
}

function belongs(run: Run, address: RunAddress): boolean {
  if (run.sessionId !== address.sessionId) return false
  return address.userId === null || address.userId === run.userId
}

function refused(status: 400 | 403 | 404 | 409, detail: string): RunOutcome {
  return { ok: false, status, detail }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
