// Mints service accounts: for a caller, or for the embedding program, which needs no credential.
import { hashServiceAccountToken, makeServiceAccountToken, tokenPrefix } from "../../auth/service-account-token.ts"
import { ServiceError } from "../errors.ts"
import type { ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { insertAccount, revokeByName, type ServiceAccount } from "../storage/account-store.ts"
import { transact } from "../storage/database.ts"
import { isKnown } from "./account-rules.ts"

/** The names that an account may have. */
export const accountName: RegExp = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** `createdBy` is the minter's subject. */
interface MintRequest extends Required<BootstrapAccount> {
  readonly createdBy: string | null
}

/** A new account and its token, which is shown only now. */
interface Minted {
  readonly account: ServiceAccount
  readonly token: string
}

/** Mints an account; null if there is an active account of this name. The caller has judged its scopes before. */
export function mintAccount(
  { database, clock, random }: Pick<ServiceParts, "database" | "clock" | "random">,
  { name, scopes, expiresInDays, createdBy }: MintRequest,
): Minted | null {
  const now = Math.floor(clock() / 1000)
  const token = makeServiceAccountToken(random)
  const account: ServiceAccount = {
    id: randomId(random),
    name,
    token_prefix: tokenPrefix(token),
    scopes: [...scopes],
    created_at: now,
    expires_at: expiresInDays === null ? null : now + expiresInDays * 86_400,
    last_used_at: null,
    revoked_at: null,
    created_by: createdBy,
  }
  return insertAccount(database, account, hashServiceAccountToken(token)) ? { account, token } : null
}

/** An account to mint. `expiresInDays` null: never; default 90. */
export interface BootstrapAccount {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresInDays?: number | null
}

/** What `bootstrapAccount` needs. */
type BootstrapParts = Pick<ServiceParts, "database" | "clock" | "random"> & {
  readonly settings: Pick<ServiceParts["settings"], "adminScope" | "ownScopes">
}

/**
 * Mints an account with exactly these scopes and returns its token. The same transaction revokes an active account of
 * that name, because nobody can read its token again. Throws `ServiceError` if the name or a scope is not valid.
 */
export function bootstrapAccount(parts: BootstrapParts, account: BootstrapAccount): string {
  const { name, scopes, expiresInDays = 90 } = account
  if (!accountName.test(name)) throw invalidAccount(name, "the name must match ^[a-z0-9][a-z0-9_-]{0,62}$")
  const senseless = scopes.find((scope) => !isKnown(scope, parts.settings))
  if (senseless !== undefined) throw invalidAccount(name, `${senseless} is no scope`)
  const minted = transact(parts.database, () => {
    revokeByName(parts.database, name, Math.floor(parts.clock() / 1000))
    return mintAccount(parts, { name, scopes, expiresInDays, createdBy: null })
  })
  if (minted === null) throw invalidAccount(name, "the name is taken")
  return minted.token
}

function invalidAccount(name: string, fault: string): ServiceError {
  return new ServiceError("account_invalid", `service account ${name}: ${fault}`)
}
