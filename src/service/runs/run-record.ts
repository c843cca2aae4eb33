// Reads what approvals say about a paused run, and writes the changes of a stretch.
import type { DatabaseSync } from "node:sqlite"
import { repeatNote } from "../../domain/again/repeat-note.ts"
import { parseJson } from "../../domain/content/json.ts"
import { counterproposalIn } from "../../domain/send-back/counterproposal.ts"
import { refusalNote } from "../../domain/send-back/refusal-note.ts"
import { type EngineRun, everyRun, type Family, type Leg, openCalls } from "../engine/run.ts"
import type { CallVerdict } from "../engine/settle-call.ts"
import type { ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { approvalText } from "../storage/approval-row.ts"
import { findApproval, insertApproval, markRunStatus } from "../storage/approval-store.ts"
import { integerOrNull, type TableRow, textOf, textOrNull } from "../storage/columns.ts"
import { recordExecutions, saveRun } from "../storage/run-store.ts"
import { touchSession } from "../storage/session-store.ts"
import { isJsonObject, parseExact, type WireObject } from "../wire/exact-json.ts"
import { auditApproval, pausedApproval } from "./paused-approval.ts"
import { keepScheduleRun } from "./schedule-run-record.ts"

/** What the model reads if somebody refuses without a reason. */
export const silentRefusal = "Tool call was rejected"

/** Verdicts by the id of the approval. */
export type VerdictsByApproval = ReadonlyMap<string, CallVerdict>

/**
 * The verdicts on all calls that a run and its members wait for, by approval, and the approval that was decided last,
 * as its routes show it. Or why there are none.
 */
type Verdicts =
  | { readonly kind: "decided"; readonly byApproval: VerdictsByApproval; readonly last: WireObject | null }
  | { readonly kind: "pending" }
  | { readonly kind: "deleted" }

/** Reads the verdicts: each status but `approved` refuses. `pending`: some row of the run or its members still is. */
export function readVerdicts(database: DatabaseSync, family: Family): Verdicts {
  const runs = everyRun(family)
  const pending = database.prepare("SELECT 1 FROM approvals WHERE run_id = ? AND status = 'pending' LIMIT 1")
  if (runs.some((run) => pending.get(run.id) !== undefined)) return { kind: "pending" }
  const ids = new Set(runs.flatMap((run) => openCalls(run).map((call) => call.approval_id ?? "")))
  const rows = [...ids].map((id) => ({ id, row: findApproval(database, id) }))
  const found = rows.flatMap(({ id, row }) => (row === null ? [] : [{ id, row }]))
  if (found.length < rows.length) return { kind: "deleted" }
  const byApproval = new Map(found.map(({ id, row }) => [id, toVerdict(row)]))
  const [last] = found.map(({ row }) => row).sort((one, other) => decidedAt(other) - decidedAt(one))
  return { kind: "decided", byApproval, last: last === undefined ? null : shownRow(last) }
}

function decidedAt(row: TableRow): number {
  return integerOrNull(row, "resolved_at") ?? 0
}

function shownRow(row: TableRow): WireObject | null {
  const shown = parseExact(approvalText(row))
  return isJsonObject(shown) ? shown : null
}

function toVerdict(row: TableRow): CallVerdict {
  const status = textOf(row, "status")
  const text = textOrNull(row, "resolution_data")
  const parsed = text === null ? null : parseExact(text)
  const values = isJsonObject(parsed) ? parsed : null
  const note = repeatedNote(values) ?? noteOf(values)
  if (status === "approved") return { kind: "approved", values, note }
  if (status === "expired") return { kind: "refused", note: "The approval expired before anybody decided" }
  const notes = notesOf(text, reasonIn(values))
  return { kind: "refused", note: note ?? silentRefusal, ...(notes.size > 0 && { notes }) }
}

/** What the model reads of each call that was sent back. Each call of ours has a record, so it may be asked again. */
function notesOf(text: string | null, note: string | null): ReadonlyMap<string, string> {
  const data = text === null ? null : parseJson(text)
  const sentBack = isJsonObject(data) ? counterproposalIn(data) : null
  return new Map(
    (sentBack?.calls ?? []).map((proposed) => [
      proposed.call ?? "",
      refusalNote({ proposed, note, mayAskAgain: true }),
    ]),
  )
}

/** What the model reads of a call that was rejected by itself, since a rejection of the same call lasts; else null. */
function repeatedNote(data: WireObject | null): string | null {
  const signed = data?.["countersign"]
  const until = isJsonObject(signed) && typeof signed["again"] === "string" ? Number(signed["until"]) : Number.NaN
  return Number.isSafeInteger(until) ? repeatNote({ reason: reasonIn(data), until }) : null
}

/** The person's words: `note`, else the reason that Countersign writes into a decision. */
function noteOf(data: WireObject | null): string | null {
  const note = data?.["note"]
  return typeof note === "string" && note !== "" ? note : reasonIn(data)
}

function reasonIn(data: WireObject | null): string | null {
  const signed = data?.["countersign"]
  const reason = isJsonObject(signed) ? signed["reason"] : null
  return typeof reason === "string" && reason !== "" ? reason : null
}

/**
 * Writes a stretch: changed runs, executed calls, approvals of new pauses and of audited calls, and the state of each
 * run in its approvals. Part of the caller's transaction.
 */
export function keepLeg(parts: Pick<ServiceParts, "database" | "random">, leg: Leg, at: number): void {
  const { database } = parts
  for (const run of everyRun(leg.family)) if (run.updatedAt === at) keepRun(database, run)
  recordExecutions(database, leg.ran, at)
  for (const { run, call } of leg.ran) {
    if (call.approval_type !== "audit") continue
    const now = everyRun(leg.family).find((candidate) => candidate.id === run.id) ?? run
    insertApproval(database, auditApproval(now, call, randomId(parts.random)))
  }
  keepScheduleRun(database, leg.family, at)
  touchSession(database, leg.family.run.sessionId, at)
}

/** Writes a run, its state in its approvals, and the approval of a new pause. */
export function keepRun(database: DatabaseSync, run: EngineRun): void {
  saveRun(database, run)
  markRunStatus(database, run.id, run.status, Math.floor(run.updatedAt / 1000))
  const approval = pausedApproval(run)
  if (approval !== null && findApproval(database, approval.id) === null) insertApproval(database, approval)
}
