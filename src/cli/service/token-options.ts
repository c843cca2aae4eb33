// The options of `countersign token mint`, `inspect` and `explain`, as tables.
import { type OptionRow, row } from "../options.ts"
import { serviceOptionRows } from "./service-rows.ts"

/** Takes rows from the service's table, so that we judge a token by exactly the service's own options. */
function ofService(...names: readonly string[]): readonly OptionRow[] {
  return serviceOptionRows.filter((row) => names.includes(row.name))
}

/** `token mint`: a JWT, or with `--account` a service account. */
export const mintRows: readonly OptionRow[] = [
  row.texts("scope", "scope", "scope to hold; may be repeated"),
  row.text("subject", "text", "sub of the JWT; default none"),
  row.text("key", "key", "private key as PEM text or file, or for HS256 a secret of 32 bytes or more"),
  row.text("key-file", "file", "file of that key or secret"),
  row.text("kid", "text", "kid in the JWT's header"),
  row.integer("expires-in-seconds", "seconds", [1, 315_360_000], "life of the JWT; default 3600"),
  ...ofService("algorithm", "scopes-claim", "audience", "issuer"),
  row.text("account", "name", "mint a service account of this name instead; a living one is revoked"),
  row.integer("expires-in-days", "days", [1, 36_500], "life of the account; default 90"),
  row.switch("never-expires", "the account lives until it is revoked"),
  ...ofService("database", "admin-scope", "scope-mappings"),
]

/** `token inspect`: what a token says and, with keys, whether it is true. */
export const inspectRows: readonly OptionRow[] = ofService(
  "verification-key",
  "verification-key-file",
  "algorithm",
  "jwks-file",
  "scopes-claim",
  "audience",
  "issuer",
  "leeway-seconds",
  "require-exp",
  "database",
)

/** `token explain`: what `inspect` tells, and what the token opens. */
export const explainRows: readonly OptionRow[] = [
  ...inspectRows,
  ...ofService("admin-scope", "scope-mappings", "a2a-prefix"),
]
