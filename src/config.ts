// Reads environment and countersign.yaml into one checked Config. Nothing else reads them.
import { resolve } from "node:path"
import { crossCheck } from "./config/checks/checks.ts"
import { assemble, type Config } from "./config/parts/assemble.ts"
import type { ResolvingConfig } from "./config/parts/instance.ts"
import { withTokenFiles } from "./config/parts/token-file.ts"
import { type Filled, fillFromEnvironment, isRecord } from "./config/reading/environment.ts"
import { type FilePlace, fileVariable, noFileProblem, openSource } from "./config/reading/file.ts"
import { type ConfigNeed, environmentFor, neededOf } from "./config/reading/need.ts"
import { ConfigError, keyPath } from "./config/reading/problems.ts"
import { literalSecrets } from "./config/reading/secrets.ts"
import { isUnset, type Origin, problemAt, problemsOf, wordIssue } from "./config/reading/wording.ts"
import { schema } from "./config/schema/schema.ts"
import { readDelegateKey } from "./domain/people/delegated.ts"
import type { Ruled, SharedConfig, SharedInstance, SharedResolving } from "./domain/policy/shared-config.ts"

export type { Config } from "./config/parts/assemble.ts"
export { type ChangedKey, changedKeys } from "./config/parts/changed-keys.ts"
export { lacksMetricsToken } from "./config/parts/http.ts"
export { spanWords } from "./config/parts/key-words.ts"
export { remarksOnHours, remarksOnRules } from "./config/parts/rule-remarks.ts"
export { rulesSchema } from "./config/parts/rules.ts"
export { asWritten, type ConfigNeed, isStandIn } from "./config/reading/need.ts"
export { ConfigError, describeWhere } from "./config/reading/problems.ts"

/** What `loadConfig` reads from. */
export interface ConfigOptions extends Omit<FilePlace, "need"> {
  /** Epoch ms, to notice credentials that have expired. Default `Date.now`. */
  readonly clock?: () => number
  /** Which part of the config the caller needs; stand-ins replace the rest. Default `all`. */
  readonly need?: ConfigNeed
}

/**
 * Reads and checks the configuration: `file`, else the file that `COUNTERSIGN_CONFIG` names, else `countersign.yaml` if
 * there is one. The environment gives what the file leaves out. Throws `ConfigError` with every problem at once: place,
 * key, what is wrong, what would be right; never a secret.
 */
export function loadConfig(given: ConfigOptions): Config {
  const { cwd, need = "all" } = given
  const options = { ...given, need, env: environmentFor(need, given.env) }
  const { env } = options
  const source = openSource(options)
  if (source !== undefined && source.problems.length > 0) throw new ConfigError("config_invalid", source.problems)
  const value = source === undefined ? {} : source.value
  if (!isRecord(value)) {
    const place = source?.placeOf([]) ?? { kind: "env" as const, name: fileVariable }
    throw new ConfigError("config_invalid", [
      { place, what: "must be a map of keys", example: "installation: default" },
    ])
  }
  const filled = fillFromEnvironment({ file: neededOf(need, value), env, standAlone: source === undefined })
  const settings = check({ source, filled }, options)
  const now = (options.clock ?? Date.now)()
  return assemble({
    settings,
    env,
    files: options,
    now,
    file: source === undefined ? undefined : resolve(cwd, source.file),
    fileHash: source?.hash ?? null,
  })
}

function check(origin: Origin & { readonly filled: Filled }, files: ConfigOptions & { readonly need: ConfigNeed }) {
  const secrets = literalSecrets(origin.filled.value, origin)
  // We use the schema once, so zod need not compile code for it.
  const result = schema.safeParse(origin.filled.value, { error: wordIssue, jitless: true })
  if (!result.success) {
    const found = firstPerKey(result.error.issues).flatMap((issue) => problemsOf(issue, origin))
    const lacksFile = origin.source === undefined && found.some(isUnset)
    throw new ConfigError("config_invalid", [...(lacksFile ? [noFileProblem(files.cwd)] : []), ...secrets, ...found])
  }
  const { settings, problems: unread } = withTokenFiles(result.data, files, (path, what) =>
    problemAt(path, what, origin),
  )
  const problems = [...secrets, ...unread, ...crossCheck({ settings, env: files.env, origin, files, need: files.need })]
  if (problems.length > 0) throw new ConfigError("config_invalid", problems)
  return settings
}

/** The first problem of each key: one value may fail several checks at once. */
function firstPerKey<Issue extends { readonly path: PropertyKey[] }>(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Set<string>()
  return issues.filter(({ path }) => {
    const key = keyPath(path)
    return !seen.has(key) && seen.add(key)
  })
}

/** The part of a config that all replicas share, and its instances with their other settings. */
export type SharedSettings = Pick<
  Config,
  keyof Ruled | "identities" | "resolvedBy" | "instances" | "stop" | "rulesChange" | "hold"
> & {
  readonly slack: Pick<Config["slack"], "apiUrl" | "sandbox">
}

/** The part of a config that all replicas share. Never a token, a file, a port, a time limit or a pace. */
export function sharedOf(settings: SharedSettings): SharedConfig {
  const { rules, written, identities, resolvedBy, slack, instances, stop, rulesChange, hold } = settings
  return {
    rules,
    written,
    identities,
    resolvedBy,
    slack: { apiUrl: slack.apiUrl, sandbox: slack.sandbox },
    instances: instances.map(sharedInstanceOf),
    ...(stop === undefined ? {} : { stop }),
    ...(rulesChange && { rulesChange }),
    ...(hold.length === 0 ? {} : { hold }),
  }
}

function sharedInstanceOf(instance: Config["instances"][number]): SharedInstance {
  const { name, url, resolving, resume, resumeUrl, rejectUserInput, besideAgnoSlack, receiptLifeMs } = instance
  return {
    name,
    url,
    resolving: sharedResolving(resolving),
    resume,
    ...(resumeUrl === undefined ? {} : { resumeUrl }),
    rejectUserInput,
    besideAgnoSlack,
    receiptLifeMs,
  }
}

/**
 * What replicas share about resolving. A key's id is the config's `kid`, because somebody may replace a key file at any
 * time. Only a JWK in the config itself counts by its own `kid`, as in signing.
 */
function sharedResolving(resolving: ResolvingConfig): SharedResolving {
  if (resolving.kind !== "delegated") return { kind: resolving.kind }
  const { algorithm, key, kid, audience, issuer } = resolving
  const given = key.kind === "given" ? readDelegateKey(key.value, algorithm) : null
  const own = given?.ok === true ? given.kid : null
  return { kind: "delegated", algorithm, kid: own ?? kid ?? null, audience: audience ?? null, issuer: issuer ?? null }
}
