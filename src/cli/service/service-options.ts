// The options of `countersign service`, as a table, and what they mean to the service.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { CredentialPlace } from "../../auth/credential.ts"
import type { Algorithm } from "../../auth/verification-keys.ts"
import { readScript } from "../../service/components/script.ts"
import { readScopeMappings } from "../../service/gate/routes.ts"
import type { ServiceOptions } from "../../service/service-options.ts"
import type { UpstreamOptions } from "../../service/upstream/upstream-options.ts"
import { type Given, type OptionRow, readYaml, row } from "../options.ts"
import { CommandError } from "../terminal.ts"

/** Prefix of the variables. */
export const servicePrefix = "SERVICE_"

/** Where the service keeps its state unless another file is named: beside the bot's own data. */
const defaultDatabase = ".countersign/service.sqlite"

/** The database's file; the folder of the default one is made. */
export function databaseFile(given: Given): string {
  const file = given.text("database")
  if (file === undefined) mkdirSync(dirname(defaultDatabase), { recursive: true, mode: 0o700 })
  return file ?? defaultDatabase
}

const algorithms = ["RS256", "ES256", "HS256"] as const
const tokenSources = ["HEADER", "COOKIE", "BOTH"] as const
const upstreamRoutes = ["unserved", "all"] as const

/** Every option of the service. */
export const serviceOptionRows: readonly OptionRow[] = [
  row.text("host", "address", "address to listen on; default 127.0.0.1"),
  row.integer("port", "port", "port to listen on, 0 for any free one; default 7777"),
  row.text("database", "file", "SQLite file; default .countersign/service.sqlite"),
  row.text("script", "file", "YAML file of agents, teams and workflows and what their runs do"),
  row.texts(
    "verification-key",
    "key",
    "PEM file, PEM text, or for HS256 a secret or a file that holds it; may be repeated",
  ),
  row.text("algorithm", "name", "algorithm of all keys; default RS256", algorithms),
  row.text("jwks-file", "file", "JSON Web Key Set, read again when it changes"),
  row.text("scopes-claim", "name", "claim that carries the scopes; default scopes"),
  row.texts("audience", "text", "accepted audience; may be repeated; default: aud is not looked at"),
  row.texts("issuer", "text", "accepted issuer; may be repeated; default: iss is not looked at"),
  row.integer("leeway-seconds", "seconds", "tolerance for the times of tokens; default 10"),
  row.switch("require-exp", "a JWT without exp is refused; without this it never ends"),
  row.text("token-source", "place", "where tokens are read from; default HEADER", tokenSources),
  row.text("cookie-name", "name", "cookie that carries the token; default access_token"),
  row.text("admin-scope", "scope", "the one scope of full access; default service:admin"),
  row.text("scope-mappings", "file", 'YAML or JSON file: "METHOD /path" to a list of scopes'),
  row.text("a2a-prefix", "path", "where the A2A routes stand; default /a2a"),
  row.switch("user-isolation", "who is not admin sees only rows of their own"),
  row.switch("resolved-by-from-subject", "the token's subject overwrites resolved_by, as AgentOS does"),
  row.switch("no-authorization", "scopes are not enforced; without keys, nobody is asked for a token"),
  row.text("upstream", "url", "instance that gets what is not served here"),
  row.text("upstream-token", "token", "credential that replaces every caller's towards it"),
  row.text("upstream-routes", "which", "what it gets: unserved (default), or all but service accounts", upstreamRoutes),
  row.integer("upstream-timeout-ms", "ms", "how long it may take to answer; default 300000"),
  row.integer("max-body-bytes", "bytes", "longest request body; default 8388608"),
]

/** What was given as the service's own options. Throws `CommandError`, `ServiceError` or `AuthSetupError`. */
export function toServiceOptions(given: Given, clock: () => number): ServiceOptions {
  const algorithm = oneOf(algorithms, given.text("algorithm")) ?? "RS256"
  const script = given.text("script")
  const mappings = given.text("scope-mappings")
  const keys = given.texts("verification-key")
  return {
    port: given.integer("port") ?? 7777,
    database: given.text("database") ?? defaultDatabase,
    authorization: !given.isOn("no-authorization"),
    algorithm,
    userIsolation: given.isOn("user-isolation"),
    resolvedByFromSubject: given.isOn("resolved-by-from-subject"),
    tokens: tokensIn(given),
    credentialPlace: placeIn(given),
    ...optional("host", given.text("host")),
    ...optional("script", script === undefined ? undefined : readScript(textOf(script))),
    ...optional(
      "verificationKeys",
      keys?.map((key) => keyText(key, algorithm)),
    ),
    ...optional("jwksFile", given.text("jwks-file")),
    ...optional("adminScope", given.text("admin-scope")),
    ...optional("scopeMappings", mappings === undefined ? undefined : readScopeMappings(readYaml(mappings))),
    ...optional("a2aPrefix", given.text("a2a-prefix")),
    ...optional("upstream", upstreamIn(given)),
    ...optional("maxBodyBytes", given.integer("max-body-bytes")),
    clock,
    random: randomBytes,
  }
}

/** The text of a key: what a file of that name holds, else the value itself, a PEM or an HS256 secret. */
export function keyText(value: string, algorithm: Algorithm): string {
  if (value.includes("-----BEGIN")) return value
  if (statSync(value, { throwIfNoEntry: false })?.isFile() === true) return textOf(value).trim()
  if (algorithm === "HS256") return value
  throw new CommandError(`verification-key: ${algorithm} takes a public key in PEM, and no file is called so`)
}

function tokensIn(given: Given): NonNullable<ServiceOptions["tokens"]> {
  return {
    ...optional("scopesClaim", given.text("scopes-claim")),
    ...optional("audience", given.texts("audience")),
    ...optional("issuer", given.texts("issuer")),
    ...optional("leewaySeconds", given.integer("leeway-seconds")),
    requireExp: given.isOn("require-exp"),
  }
}

function placeIn(given: Given): Partial<CredentialPlace> {
  return {
    ...optional("source", oneOf(tokenSources, given.text("token-source"))),
    ...optional("cookieName", given.text("cookie-name")),
  }
}

function upstreamIn(given: Given): UpstreamOptions | undefined {
  const url = given.text("upstream")
  const token = given.text("upstream-token")
  if (url === undefined) {
    if (token !== undefined) throw new CommandError("upstream-token: there is no upstream to send it to; set upstream")
    return undefined
  }
  return {
    url,
    ...optional("token", token),
    ...optional("routes", oneOf(upstreamRoutes, given.text("upstream-routes"))),
    ...optional("timeoutMs", given.integer("upstream-timeout-ms")),
  }
}

function oneOf<T extends string>(words: readonly T[], word: string | undefined): T | undefined {
  return words.find((candidate) => candidate === word)
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  const filled: { [P in K]?: V } = {}
  if (value !== undefined) filled[key] = value
  return filled
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new CommandError(`${path}: it cannot be read`, { cause })
  }
}
