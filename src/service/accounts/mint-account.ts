// Mints a service account: makes its token and keeps the hash of it.
import type { DatabaseSync } from "node:sqlite"
import { hashServiceAccountToken, makeServiceAccountToken, tokenPrefix } from "../../auth/service-account-token.ts"
import { randomId } from "../random-ids.ts"
import { insertAccount, type ServiceAccount } from "./account-store.ts"

/** What an account may be called. */
export const accountName: RegExp = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** An account to be. `expiresInDays` null means never; `createdBy` is the minter's subject. */
export type MintRequest = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresInDays: number | null
  readonly createdBy: string | null
}

/** A new account and its token, which is shown this once. */
export type Minted = { readonly account: ServiceAccount; readonly token: string }

/** Mints an account; null if an active one of that name exists. What it may hold has been judged before. */
export function mintAccount(
  {
    database,
    clock,
    random,
  }: { readonly database: DatabaseSync; readonly clock: () => number; readonly random: (size: number) => Uint8Array },
  request: MintRequest,
): Minted | null {
  const now = Math.floor(clock() / 1000)
  const token = makeServiceAccountToken(random)
  const account: ServiceAccount = {
    id: randomId(random),
    name: request.name,
    tokenPrefix: tokenPrefix(token),
    scopes: request.scopes,
    createdAt: now,
    expiresAt: request.expiresInDays === null ? null : now + request.expiresInDays * 86_400,
    lastUsedAt: null,
    revokedAt: null,
    createdBy: request.createdBy,
  }
  return insertAccount(database, account, hashServiceAccountToken(token)) ? { account, token } : null
}
