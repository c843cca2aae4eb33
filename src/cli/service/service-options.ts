// Turns the options of `countersign service` into the service's own.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { CredentialPlace } from "../../auth/credential.ts"
import type { Algorithm } from "../../auth/verification-keys.ts"
import { flawOfSecret } from "../../secret.ts"
import { readScript } from "../../service/components/script.ts"
import { readScopeMappings } from "../../service/gate/routes.ts"
import type { ServiceOptions } from "../../service/service-options.ts"
import type { UpstreamOptions } from "../../service/upstream/upstream-options.ts"
import { type Given, readYaml } from "../options.ts"
import { CommandError } from "../terminal.ts"
import { algorithms, tokenSources, upstreamRoutes } from "./service-rows.ts"

/** Where the service keeps its state if no file is named: beside the bot's own data. */
const defaultDatabase = ".countersign/service.sqlite"

/** The path of the database. If it is the default one, makes its folder. */
export function databaseFile(given: Given): string {
  const file = given.text("database")
  if (file === undefined) mkdirSync(dirname(defaultDatabase), { recursive: true, mode: 0o700 })
  return file ?? defaultDatabase
}

/** The service's own options, from those that were given. Throws `CommandError`, `ServiceError` or `AuthSetupError`. */
export function toServiceOptions(given: Given, clock: () => number): ServiceOptions {
  const algorithm = oneOf(algorithms, given.text("algorithm")) ?? "RS256"
  const script = given.text("script")
  const mappings = given.text("scope-mappings")
  const [keys = [], keyFiles = []] = [given.texts("verification-key"), given.texts("verification-key-file")]
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
    ...optional("script", script === undefined ? undefined : readScript(fileText(script))),
    verificationKeys: [
      ...keys.map((key) => keyText("verification-key", key, algorithm)),
      ...keyFiles.map((path) => keyInFile("verification-key-file", path)),
    ],
    ...optional("jwksFile", given.text("jwks-file")),
    ...optional("adminScope", given.text("admin-scope")),
    ...optional("scopeMappings", mappings === undefined ? undefined : readScopeMappings(readYaml(mappings))),
    ...optional("a2aPrefix", given.text("a2a-prefix")),
    ...optional("upstream", upstreamIn(given)),
    ...optional("allowedOrigins", given.texts("allow-origin")),
    ...optional("knowledgeSources", given.texts("knowledge-source")),
    ...optional("maxBodyBytes", given.integer("max-body-bytes")),
    clock,
    random: randomBytes,
  }
}

/**
 * The text of a key that an option gives: a PEM, a file with one, or for HS256 a secret. A text that may be a secret is
 * never taken for a file's name. A text that may be a file's name is never taken for a secret: whoever knows the name
 * would have the key.
 */
export function keyText(option: string, value: string, algorithm: Algorithm): string {
  if (value.includes("-----BEGIN")) return value
  const isFile = statSync(value, { throwIfNoEntry: false })?.isFile() === true
  const flaw = algorithm === "HS256" ? flawOfSecret(value) : "is no PEM"
  if (flaw === null && isFile) throw new CommandError(`${option}: a file has this name; give it by --${option}-file`)
  if (flaw === null) return value
  if (isFile) return keyInFile(option, value)
  const wanted = algorithm === "HS256" ? "a secret of 32 bytes or more (openssl rand -hex 32)" : "a key in PEM"
  throw new CommandError(
    `${option}: this ${flaw}, and there is no such file. ${algorithm} takes ${wanted}, or its file by --${option}-file`,
  )
}

/** The text of a key in a file. */
export function keyInFile(option: string, path: string): string {
  return fileText(path, `${option}: ${path}`).trim()
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

function fileText(path: string, named = path): string {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new CommandError(`${named}: it cannot be read`, { cause })
  }
}
