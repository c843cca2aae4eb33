// What can be known of a token: decoded, looked up and, where there are keys, verified.
import { existsSync } from "node:fs"
import { type DecodedToken, decodeToken } from "../../auth/decode-token.ts"
import { hashServiceAccountToken, isServiceAccountToken } from "../../auth/service-account-token.ts"
import { createTokenVerifier, type TokenVerdict } from "../../auth/verify-token.ts"
import { findAccountByHash, type ServiceAccount } from "../../service/accounts/account-store.ts"
import { openDatabase } from "../../service/database.ts"
import { type Given, OptionError } from "../options.ts"
import { databaseFile, toServiceOptions } from "./service-options.ts"

/** A token taken apart. `verdict` is null where no key was given, `account` where the database has no living one. */
export type TokenFacts =
  | { readonly kind: "account"; readonly account: ServiceAccount | null }
  | { readonly kind: "jwt"; readonly decoded: DecodedToken; readonly verdict: TokenVerdict | null }

/**
 * Finds out about a token. A service account is looked up in the service's database, which has to be there. Throws `OptionError` for a text
 * that is neither kind of token.
 */
export async function tokenFacts(token: string, given: Given, clock: () => number): Promise<TokenFacts> {
  if (isServiceAccountToken(token)) return { kind: "account", account: lookUp(token, given, clock) }
  const decoded = decodeToken(token, given.text("scopes-claim"))
  if (decoded === null) throw new OptionError("token: it is neither a JWT nor a service account token")
  return { kind: "jwt", decoded, verdict: await verdictOn(token, given, clock) }
}

function lookUp(token: string, given: Given, clock: () => number): ServiceAccount | null {
  const file = databaseFile(given)
  if (!existsSync(file))
    throw new OptionError(`database: there is no ${file}; name the service's file to look an account up`)
  const database = openDatabase(file)
  try {
    return findAccountByHash(database, hashServiceAccountToken(token), Math.floor(clock() / 1000))
  } finally {
    database.close()
  }
}

async function verdictOn(token: string, given: Given, clock: () => number): Promise<TokenVerdict | null> {
  const { verificationKeys = [], jwksFile, algorithm = "RS256", tokens } = toServiceOptions(given, clock)
  if (verificationKeys.length === 0 && jwksFile === undefined) return null
  const file = jwksFile === undefined ? {} : { jwksFile }
  return createTokenVerifier({ ...tokens, ...file, verificationKeys, algorithm, clock })(token)
}
