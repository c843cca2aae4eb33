// The options of `countersign service`, as a table. Every command reads it, so it loads no other part of the service.
import { type OptionRow, row } from "../options.ts"

/** Prefix of the variables. */
export const servicePrefix = "SERVICE_"

/** The words that may follow an option with a fixed choice. */
export const algorithms = ["RS256", "ES256", "HS256"] as const
export const tokenSources = ["HEADER", "COOKIE", "BOTH"] as const
export const upstreamRoutes = ["unserved", "all"] as const

/** Every option of the service. */
export const serviceOptionRows: readonly OptionRow[] = [
  row.text("host", "address", "address to listen on; default 127.0.0.1"),
  row.integer("port", "port", [0, 65_535], "port to listen on, 0 for any free one; default 7777"),
  row.text("database", "file", "SQLite file; default .countersign/service.sqlite"),
  row.text("script", "file", "YAML file of agents, teams and workflows and what their runs do"),
  row.texts("verification-key", "key", "PEM text or file, or for HS256 a secret of 32 bytes or more; may be repeated"),
  row.texts("verification-key-file", "file", "file of a PEM, or of a secret for HS256; may be repeated"),
  row.text("algorithm", "name", "algorithm of all keys; default RS256", algorithms),
  row.text("jwks-file", "file", "JSON Web Key Set, read again when it changes"),
  row.text("scopes-claim", "name", "claim that carries the scopes; default scopes"),
  row.texts("audience", "text", "accepted audience; may be repeated; default: aud is not checked"),
  row.texts("issuer", "text", "accepted issuer; may be repeated; default: iss is not checked"),
  row.integer("leeway-seconds", "seconds", [0, 3_600], "tolerance for the times of tokens; default 10"),
  row.switch("require-exp", "a JWT without exp is refused; without this it never ends"),
  row.text("token-source", "place", "where tokens are read from; default HEADER", tokenSources),
  row.text("cookie-name", "name", "cookie that carries the token; default access_token"),
  row.text("admin-scope", "scope", "the one scope of full access; default service:admin"),
  row.text("scope-mappings", "file", 'YAML or JSON file: "METHOD /path" to a list of scopes'),
  row.text("a2a-prefix", "path", "where the A2A routes stand; default /a2a"),
  row.switch("user-isolation", "callers who are not admin see only their own rows"),
  row.switch("resolved-by-from-subject", "the token's subject overwrites resolved_by, as AgentOS does"),
  row.switch("no-authorization", "scopes are not enforced; without keys, nobody needs a token"),
  row.text("upstream", "url", "instance that gets what is not served here"),
  row.text("upstream-token", "token", "credential that it gets in place of each caller's"),
  row.text("upstream-routes", "which", "what it gets: unserved (default), or all but service accounts", upstreamRoutes),
  row.integer("upstream-timeout-ms", "ms", [1, 86_400_000], "how long it may take to answer; default 300000"),
  row.texts("allow-origin", "origin", "page of another origin that may ask, or *; may be repeated; default none"),
  row.texts(
    "knowledge-source",
    "name=place",
    "address or folder that knowledge may be fetched from, by a name; may be repeated; default nowhere",
  ),
  row.integer("max-body-bytes", "bytes", [1, 1_073_741_824], "longest request body; default 8388608"),
]
