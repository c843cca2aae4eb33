// Gives the embedding program a service account of its own, without a credential.

import { transact } from "../database.ts"
import { ServiceError } from "../errors.ts"
import type { Parts } from "../parts.ts"
import { isKnown } from "./account-rules.ts"
import { revokeByName } from "./account-store.ts"
import { accountName, mintAccount } from "./mint-account.ts"

/** An account to be; `expiresInDays` null means never, default 90. */
export type BootstrapAccount = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresInDays?: number | null
}

/** What it takes to mint from within. */
export type BootstrapParts = Pick<Parts, "database" | "clock" | "random"> & {
  readonly settings: Pick<Parts["settings"], "adminScope" | "ownScopes">
}

/**
 * Mints an account with exactly these scopes and returns its token. A living account of that name is revoked in the same
 * transaction, since nobody can read its token again. Throws `ServiceError` for a name or a scope that makes no sense.
 */
export function bootstrapAccount(
  parts: BootstrapParts,
  { name, scopes, expiresInDays = 90 }: BootstrapAccount,
): string {
  if (!accountName.test(name)) throw invalid(name, "the name must match ^[a-z0-9][a-z0-9_-]{0,62}$")
  const senseless = scopes.find((scope) => !isKnown(scope, parts.settings))
  if (senseless !== undefined) throw invalid(name, `${senseless} is no scope`)
  const minted = transact(parts.database, () => {
    revokeByName(parts.database, name, Math.floor(parts.clock() / 1000))
    return mintAccount(parts, { name, scopes, expiresInDays, createdBy: null })
  })
  if (minted === null) throw invalid(name, "the name is taken")
  return minted.token
}

function invalid(name: string, fault: string): ServiceError {
  return new ServiceError("account_invalid", `service account ${name}: ${fault}`)
}
