// Service accounts in SQLite. Only a hash of each token is kept.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { given } from "../resources/conditions.ts"
import type { RowOf } from "../resources/resource.ts"
import { nullableText } from "../resources/row-columns.ts"
import { insertRow, listRows, type RowQuery, selectRows } from "./resource-store.ts"

/** A row without the hash of its token. Times are epoch seconds; `expires_at` null means never. */
export const accountRow = z.object({
  id: z.string(),
  name: z.string(),
  token_prefix: z.string(),
  scopes: z.array(z.string()),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  created_by: nullableText,
})

/** A service account. */
export type ServiceAccount = RowOf<typeof accountRow>

const accounts = { table: "service_accounts", row: accountRow, key: "id" }
const withHash = { ...accounts, row: accountRow.extend({ token_hash: z.string() }) }

/** Adds an account; false if there is an active account of this name. */
export function insertAccount(database: DatabaseSync, account: ServiceAccount, tokenHash: string): boolean {
  return insertRow(database, withHash, { ...account, token_hash: tokenHash })
}

/** The account whose token has this hash; null if it is revoked or has expired at `now` (epoch seconds). */
export function findAccountByHash(database: DatabaseSync, tokenHash: string, now: number): ServiceAccount | null {
  const [account] = selectRows(database, accounts, [
    { sql: "token_hash = ?", values: [tokenHash] },
    { sql: "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", values: [now] },
  ])
  return account ?? null
}

/** Notes that the account was used, at most once a minute. `now` is epoch seconds. */
export function touchAccount(database: DatabaseSync, account: ServiceAccount, now: number): void {
  if (account.last_used_at !== null && now - account.last_used_at < 60) return
  database.prepare("UPDATE service_accounts SET last_used_at = ? WHERE id = ?").run(now, account.id)
}

/** Which accounts: `all` includes revoked accounts; `createdBy` null: whoever made them. */
interface AccountFilter {
  readonly which: "active" | "all"
  readonly createdBy: string | null
}

/** The columns by which accounts can be ordered. */
export const accountOrders = ["created_at", "name", "expires_at", "last_used_at"] as const

/** A page of accounts, and how many there are in all. Accounts with equal values are ordered by when they were made. */
export function listAccounts(
  database: DatabaseSync,
  { which, createdBy }: AccountFilter,
  page: Omit<RowQuery, "conditions">,
): { readonly rows: readonly ServiceAccount[]; readonly total: number } {
  const active = which === "all" ? [] : [{ sql: "revoked_at IS NULL", values: [] }]
  return listRows(database, accounts, {
    ...page,
    conditions: [...given("created_by = ?", createdBy ?? undefined), ...active],
  })
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
