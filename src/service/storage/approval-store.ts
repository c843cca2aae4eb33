// Approvals in SQLite: insert, read, list, and the one compare-and-set that resolves them.
import type { DatabaseSync } from "node:sqlite"
import type { SqlCondition } from "../resources/conditions.ts"
import { approvalColumns, approvalResponse, approvalText, type NewApproval } from "./approval-row.ts"
import { countOf, offsetOf, type TableRow, textOf, textOrNull } from "./columns.ts"
import { transact } from "./database.ts"
import { insertRow, toWhere } from "./resource-store.ts"

const approvals = { table: "approvals", row: approvalResponse }

/** Adds an approval: pending if it is required, approved if it is an audit. */
export function insertApproval(database: DatabaseSync, approval: NewApproval): void {
  const audit = approval.approval_type === "audit"
  const added = insertRow(database, approvals, {
    ...approval,
    status: audit ? "approved" : "pending",
    updated_at: approval.created_at,
    resolved_at: audit ? approval.created_at : null,
  })
  if (!added) throw new Error(`there is an approval ${approval.id} already`)
}

/** One approval, or null. */
export function findApproval(database: DatabaseSync, id: string): TableRow | null {
  return database.prepare(`SELECT ${approvalColumns} FROM approvals WHERE id = ?`).get(id) ?? null
}

/** Counts the approvals that meet the conditions. */
export function countApprovals(database: DatabaseSync, conditions: readonly SqlCondition[]): number {
  const { where, values } = toWhere(conditions)
  return countOf(database.prepare(`SELECT count(*) AS n FROM approvals ${where}`).get(...values))
}

/** A page of approvals as JSON texts, newest first, equal times in reverse order of arrival. `page` starts at 1. */
export function listApprovals(
  database: DatabaseSync,
  conditions: readonly SqlCondition[],
  limit: number,
  page: number,
): string[] {
  const { where, values } = toWhere(conditions)
  return database
    .prepare(`SELECT ${approvalColumns} FROM approvals ${where} ORDER BY created_at DESC, seq DESC LIMIT ? OFFSET ?`)
    .all(...values, limit, offsetOf({ page, limit }))
    .map(approvalText)
}

/** The text to replace in the arguments, and its replacement. */
export interface Rewriting {
  readonly from: string
  readonly to: string
}

/**
 * Changes the arguments of a pending approval, and of the call in its run, so that what runs is what the approval
 * shows. Does not change a decided approval.
 */
export function rewriteApproval(database: DatabaseSync, id: string, { from, to }: Rewriting): void {
  transact(database, () => {
    const row = database
      .prepare(
        `UPDATE approvals SET tool_args = replace(tool_args, :from, :to),
           requirements = replace(requirements, :from, :to)
         WHERE id = :id AND status = 'pending' RETURNING run_id`,
      )
      .get({ id, from, to })
    if (row === undefined) return
    const runId = textOrNull(row, "run_id")
    database.prepare("UPDATE runs SET state = replace(state, ?, ?) WHERE id = ?").run(from, to, runId)
  })
}

/** What a resolution writes. `resolutionData` is JSON text or null; `resolvedAt` is epoch seconds. */
export interface Resolution {
  readonly id: string
  readonly status: "approved" | "rejected"
  readonly resolvedBy: string | null
  readonly resolutionData: string | null
  readonly resolvedAt: number
}

/** How a resolution ended. `status` says why it had no effect. */
type Resolved =
  | { readonly kind: "resolved"; readonly row: TableRow }
  | { readonly kind: "already"; readonly status: string }
  | { readonly kind: "unknown" }

/** Resolves an approval only if it is pending. This is one statement, so of many callers exactly one succeeds. */
export function resolveApproval(database: DatabaseSync, resolution: Resolution): Resolved {
  const row = database
    .prepare(
      `UPDATE approvals SET status = :status, resolved_by = :resolvedBy, resolution_data = :resolutionData,
         resolved_at = :resolvedAt, updated_at = :resolvedAt
       WHERE id = :id AND status = 'pending' RETURNING ${approvalColumns}`,
    )
    .get({ ...resolution })
  if (row !== undefined) return { kind: "resolved", row }
  const current = findApproval(database, resolution.id)
  return current === null ? { kind: "unknown" } : { kind: "already", status: textOf(current, "status") }
}

/** Deletes an approval; false if none has this id. */
export function deleteApproval(database: DatabaseSync, id: string): boolean {
  return database.prepare("DELETE FROM approvals WHERE id = ?").run(id).changes === 1
}

/** Writes the state of a run into its approvals. `at` is epoch seconds. */
export function markRunStatus(database: DatabaseSync, runId: string, runStatus: string, at: number): void {
  database.prepare("UPDATE approvals SET run_status = ?, updated_at = ? WHERE run_id = ?").run(runStatus, at, runId)
}

/** Expires approvals that are overdue at `at` (epoch s). Call this before any read, so nobody decides them. */
export function expireDue(database: DatabaseSync, at: number): void {
  // Readers call this, too, so it takes the write lock only if there is something to write.
  const due = database.prepare("SELECT 1 FROM approvals WHERE status = 'pending' AND expires_at <= ? LIMIT 1").get(at)
  if (due === undefined) return
  database
    .prepare("UPDATE approvals SET status = 'expired', updated_at = ? WHERE status = 'pending' AND expires_at <= ?")
    .run(at, at)
}

/** Cancels the pending approvals of a run that will never go on. `at` is epoch seconds. */
export function cancelPending(database: DatabaseSync, runId: string, at: number): void {
  database
    .prepare("UPDATE approvals SET status = 'cancelled', updated_at = ? WHERE run_id = ? AND status = 'pending'")
    .run(at, runId)
}
