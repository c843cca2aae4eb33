// The options of `countersign token mint`, `inspect` and `explain`, as tables.
import type { OptionRow } from "../options.ts"
import { serviceOptionRows } from "./service-options.ts"

/** Takes rows over from the service, so that a token is judged by the very options that the service runs with. */
function ofService(...names: readonly string[]): readonly OptionRow[] {
  return serviceOptionRows.filter((row) => names.includes(row.name))
}

/** `token mint`: a JWT, or with `--account` a service account. */
export const mintRows: readonly OptionRow[] = [
  { name: "scope", kind: "texts", value: "scope", help: "scope to hold; may be repeated" },
  { name: "subject", kind: "text", value: "text", help: "sub of the JWT; default none" },
  {
    name: "key",
    kind: "text",
    value: "key",
    help: "private key as a PEM file or text, or for HS256 a secret or its file",
  },
  { name: "kid", kind: "text", value: "text", help: "kid in the JWT's header" },
  { name: "expires-in-seconds", kind: "integer", value: "seconds", help: "life of the JWT; default 3600" },
  ...ofService("algorithm", "scopes-claim", "audience", "issuer"),
  {
    name: "account",
    kind: "text",
    value: "name",
    help: "mint a service account of this name instead; a living one is revoked",
  },
  { name: "expires-in-days", kind: "integer", value: "days", help: "life of the account; default 90" },
  { name: "never-expires", kind: "switch", help: "the account lives until it is revoked" },
  ...ofService("database", "admin-scope", "scope-mappings"),
]

/** `token inspect`: what a token says, and with keys whether it is true. */
export const inspectRows: readonly OptionRow[] = ofService(
  "verification-key",
  "algorithm",
  "jwks-file",
  "scopes-claim",
  "audience",
  "issuer",
  "leeway-seconds",
  "require-exp",
  "database",
)

/** `token explain`: the same, and what the token opens. */
export const explainRows: readonly OptionRow[] = [
  ...inspectRows,
  ...ofService("admin-scope", "scope-mappings", "a2a-prefix"),
]
