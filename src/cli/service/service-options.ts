// The options of `countersign service`, as a table, and what they mean to the service.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { CredentialPlace } from "../../auth/credential.ts"
import { readScopeMappings } from "../../auth/scope-mappings.ts"
import type { Algorithm } from "../../auth/verification-keys.ts"
import { readScript } from "../../service/script.ts"
import type { ServiceOptions } from "../../service/service-options.ts"
import type { UpstreamOptions } from "../../service/upstream/upstream-options.ts"
import { type Given, type OptionRow, readYaml } from "../options.ts"
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
  { name: "host", kind: "text", value: "address", help: "address to listen on; default 127.0.0.1" },
  { name: "port", kind: "integer", value: "port", help: "port to listen on, 0 for any free one; default 7777" },
  { name: "database", kind: "text", value: "file", help: "SQLite file; default .countersign/service.sqlite" },
  {
    name: "script",
    kind: "text",
    value: "file",
    help: "YAML file of agents, teams and workflows and what their runs do",
  },
  {
    name: "verification-key",
    kind: "texts",
    value: "key",
    help: "PEM file, PEM text, or for HS256 a secret or a file that holds it; may be repeated",
  },
  { name: "algorithm", kind: "text", value: "name", choices: algorithms, help: "algorithm of all keys; default RS256" },
  { name: "jwks-file", kind: "text", value: "file", help: "JSON Web Key Set, read again when it changes" },
  { name: "scopes-claim", kind: "text", value: "name", help: "claim that carries the scopes; default scopes" },
  {
    name: "audience",
    kind: "texts",
    value: "text",
    help: "accepted audience; may be repeated; default: aud is not looked at",
  },
  {
    name: "issuer",
    kind: "texts",
    value: "text",
    help: "accepted issuer; may be repeated; default: iss is not looked at",
  },
  { name: "leeway-seconds", kind: "integer", value: "seconds", help: "tolerance for the times of tokens; default 10" },
  { name: "require-exp", kind: "switch", help: "a JWT without exp is refused; without this it never ends" },
  {
    name: "token-source",
    kind: "text",
    value: "place",
    choices: tokenSources,
    help: "where tokens are read from; default HEADER",
  },
  { name: "cookie-name", kind: "text", value: "name", help: "cookie that carries the token; default access_token" },
  { name: "admin-scope", kind: "text", value: "scope", help: "the one scope of full access; default service:admin" },
  {
    name: "scope-mappings",
    kind: "text",
    value: "file",
    help: 'YAML or JSON file: "METHOD /path" to a list of scopes',
  },
  { name: "a2a-prefix", kind: "text", value: "path", help: "where the A2A routes stand; default /a2a" },
  { name: "user-isolation", kind: "switch", help: "who is not admin sees only rows of their own" },
  {
    name: "resolved-by-from-subject",
    kind: "switch",
    help: "the token's subject overwrites resolved_by, as AgentOS does",
  },
  {
    name: "no-authorization",
    kind: "switch",
    help: "scopes are not enforced; without keys, nobody is asked for a token",
  },
  { name: "upstream", kind: "text", value: "url", help: "instance that gets what is not served here" },
  { name: "upstream-token", kind: "text", value: "token", help: "credential that replaces every caller's towards it" },
  {
    name: "upstream-routes",
    kind: "text",
    value: "which",
    choices: upstreamRoutes,
    help: "what it gets: unserved (default), or all but service accounts",
  },
  { name: "upstream-timeout-ms", kind: "integer", value: "ms", help: "how long it may take to answer; default 300000" },
  { name: "max-body-bytes", kind: "integer", value: "bytes", help: "longest request body; default 8388608" },
]

/** Turns what was given into the service's own options. Throws `CommandError`, `ServiceError` (script) or `AuthSetupError` (mappings). */
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

/** The text of a verification key: what a file of that name holds, else the value itself, which has to be a PEM or an HS256 secret. */
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
