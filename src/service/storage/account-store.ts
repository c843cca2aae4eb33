// Service accounts in SQLite. Only a hash of each token is kept.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { countOf, integerOf, integerOrNull, offsetOf, type TableRow, textOf, textOrNull } from "./columns.ts"

/** A service account. Times are epoch seconds; `expiresAt` null means never. */
export interface ServiceAccount {
  readonly id: string
  readonly name: string
  readonly tokenPrefix: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  readonly createdBy: string | null
}

const scopesSchema = z.array(z.string())

const listColumns = "id, name, token_prefix, scopes, created_at, expires_at, last_used_at, revoked_at, created_by"

/** Adds an account; false if there is an active account of this name. */
export function insertAccount(database: DatabaseSync, account: ServiceAccount, tokenHash: string): boolean {
  const { changes } = database
    .prepare(
      `INSERT INTO service_accounts (id, name, token_hash, token_prefix, scopes, created_at, expires_at, created_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING`,
    )
    .run(
      account.id,
      account.name,
      tokenHash,
      account.tokenPrefix,
      JSON.stringify(account.scopes),
      account.createdAt,
      account.expiresAt,
      account.createdBy,
    )
  return changes === 1
}

/** The account whose token has this hash; null if it is revoked or has expired at `now` (epoch seconds). */
export function findAccountByHash(database: DatabaseSync, tokenHash: string, now: number): ServiceAccount | null {
  const row = database
    .prepare(
      `SELECT ${listColumns} FROM service_accounts
       WHERE token_hash = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    )
    .get(tokenHash, now)
  return row === undefined ? null : toAccount(row)
}

/** Notes that the account was used, at most once a minute. `now` is epoch seconds. */
export function touchAccount(database: DatabaseSync, account: ServiceAccount, now: number): void {
  if (account.lastUsedAt !== null && now - account.lastUsedAt < 60) return
  database.prepare("UPDATE service_accounts SET last_used_at = ? WHERE id = ?").run(now, account.id)
}

/** Which accounts: `all` includes revoked accounts; `createdBy` null: whoever made them. */
interface AccountFilter {
  readonly which: "active" | "all"
  readonly createdBy: string | null
}

/** The columns by which accounts can be ordered. */
export const accountOrders = ["created_at", "name", "expires_at", "last_used_at"] as const

/** Which page of accounts, and in which order; `page` starts at 1. */
interface AccountPage {
  readonly limit: number
  readonly page: number
  readonly sortBy: (typeof accountOrders)[number]
  readonly order: "asc" | "desc"
}

/** A page of accounts, and how many there are in all. Accounts with equal values are ordered by when they were made. */
export function listAccounts(
  database: DatabaseSync,
  { which, createdBy }: AccountFilter,
  { limit, page, sortBy, order }: AccountPage,
): { readonly accounts: readonly ServiceAccount[]; readonly total: number } {
  const revoked = which === "all" ? "" : "AND revoked_at IS NULL"
  const where = `WHERE (:createdBy IS NULL OR created_by = :createdBy) ${revoked}`
  const count = database.prepare(`SELECT count(*) AS n FROM service_accounts ${where}`).get({ createdBy })
  const rows = database
    .prepare(
      `SELECT ${listColumns} FROM service_accounts ${where}
       ORDER BY ${sortBy} ${order}, seq ${order} LIMIT :limit OFFSET :offset`,
    )
    .all({ createdBy, limit, offset: offsetOf({ page, limit }) })
  return { accounts: rows.map(toAccount), total: countOf(count) }
}

/** Revokes an account, once or again. False if no account has this id and `createdBy` (null: any). `now`: epoch s. */
export function revokeAccount(
  database: DatabaseSync,
  account: { readonly id: string; readonly createdBy: string | null },
  now: number,
): boolean {
  const update = database.prepare(
    `UPDATE service_accounts SET revoked_at = coalesce(revoked_at, :now)
     WHERE id = :id AND (:createdBy IS NULL OR created_by = :createdBy)`,
  )
  return update.run({ ...account, now }).changes === 1
}

/** Revokes the active account of this name, if there is one. `now` is epoch seconds. */
export function revokeByName(database: DatabaseSync, name: string, now: number): void {
  database.prepare("UPDATE service_accounts SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL").run(now, name)
}

function toAccount(row: TableRow): ServiceAccount {
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    tokenPrefix: textOf(row, "token_prefix"),
    scopes: scopesSchema.parse(JSON.parse(textOf(row, "scopes"))),
    createdAt: integerOf(row, "created_at"),
    expiresAt: integerOrNull(row, "expires_at"),
    lastUsedAt: integerOrNull(row, "last_used_at"),
    revokedAt: integerOrNull(row, "revoked_at"),
    createdBy: textOrNull(row, "created_by"),
  }
}
