// The environment variables that Countersign reads, and how they fill what the file leaves out.
import { namesBelow } from "../schema/keys.ts"
import type { ConfigProblem } from "./problems.ts"

/** The environment, as `process.env` has it. An empty variable counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Every variable that Countersign reads, each with an example of what is right. */
export const knownVariables: Readonly<Record<string, string>> = {
  COUNTERSIGN_CONFIG: "countersign.yaml",
  COUNTERSIGN_KEY: "the output of: openssl rand -hex 32",
  COUNTERSIGN_RECEIPT_KEY: "the output of: openssl genpkey -algorithm ed25519",
  REDIS_URL: "redis://127.0.0.1:6379",
  REDIS_CA_FILE: "/etc/countersign/redis-ca.pem",
  PORT: "3000",
  SLACK_BOT_TOKEN: "xoxb-…",
  SLACK_APP_TOKEN: "xapp-…",
  SLACK_SIGNING_SECRET: "the Signing Secret of the app's Basic Information page",
  SLACK_API_URL: "https://slack.com/api/",
  SLACK_SANDBOX: "false",
  PLATFORM_URL: "https://agents.example.com",
  PLATFORM_TOKEN: "a token with approvals:read and approvals:write",
  APPROVALS_CHANNEL: "C012ABCDEF",
  APPROVERS: "U012ABCDEF,jane@corp.example,S012ABCDEF",
  HTTPS_PROXY: "http://proxy.example.com:3128",
  HTTP_PROXY: "http://proxy.example.com:3128",
  NO_PROXY: "agents.example.com,.internal",
  NODE_EXTRA_CA_CERTS: "/etc/countersign/ca.pem",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
}

/** The value to check, and for each path the variable that gave the value there. */
export interface Filled {
  readonly value: Record<string, unknown>
  readonly origins: ReadonlyMap<string, string>
}

/**
 * Adds the environment's values where the file says nothing, key by key. If the file has no `instances`,
 * `PLATFORM_URL` makes one; if it has no `rules`, `APPROVALS_CHANNEL` and `APPROVERS` make one. `standAlone`: if there
 * is no file, both are made even from unset variables, and the check names the missing variable.
 */
export function fillFromEnvironment(options: {
  readonly file: Readonly<Record<string, unknown>>
  readonly env: Environment
  readonly standAlone: boolean
}): Filled {
  const { file, env, standAlone } = options
  const origins = new Map<string, string>()
  const take = (path: string, name: string): string | undefined => {
    const value = variable(env, name)
    if (value !== undefined) origins.set(path, name)
    return value
  }
  const value: Record<string, unknown> = { ...file }
  for (const [key, name] of Object.entries({ redis_url: "REDIS_URL", redis_ca_file: "REDIS_CA_FILE" }))
    value[key] ??= take(key, name)
  for (const section of ["http", "slack"]) value[section] = fillSection(file[section], section, take)
  value["instances"] = fillInstances(file["instances"], { env, standAlone, take })
  if (file["rules"] === undefined && (standAlone || variable(env, "APPROVERS") !== undefined)) {
    value["rules"] = [ruleFromEnvironment(take)]
  }
  return { value: withoutUndefined(value), origins }
}

/** The variable's value without white space around it; undefined if it is empty or not set. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === "" ? undefined : value
}

/** A problem with the value of a variable. */
export function variableProblem(name: string, what: string): ConfigProblem {
  return { place: { kind: "env", name }, what, example: `${name}=${knownVariables[name]}` }
}

type Take = (path: string, name: string) => string | undefined

function fillSection(section: unknown, path: string, take: Take): unknown {
  if (section !== undefined && section !== null && !isRecord(section)) return section
  const filled: Record<string, unknown> = { ...section }
  for (const [key, name] of namesBelow([path])) if (name !== undefined) filled[key] ??= take(`${path}.${key}`, name)
  return withoutUndefined(filled)
}

function fillInstances(
  instances: unknown,
  from: { readonly env: Environment; readonly standAlone: boolean; readonly take: Take },
): unknown {
  if (instances === undefined && (from.standAlone || variable(from.env, "PLATFORM_URL") !== undefined)) {
    const url = from.take("instances[0].url", "PLATFORM_URL")
    return [withoutUndefined({ name: "default", url, token: from.take("instances[0].token", "PLATFORM_TOKEN") })]
  }
  const only: unknown = Array.isArray(instances) && instances.length === 1 ? instances[0] : undefined
  if (!isRecord(only) || only["token"] !== undefined || only["token_file"] !== undefined) return instances
  return [withoutUndefined({ ...only, token: from.take("instances[0].token", "PLATFORM_TOKEN") })]
}

/** The one rule of a bot without a file. If nobody knows the requester, people may approve all the same (R6). */
function ruleFromEnvironment(take: Take): Record<string, unknown> {
  const approvers = take("rules[0].approvers", "APPROVERS")
  return withoutUndefined({
    name: "default",
    routes: listOf(take("rules[0].routes", "APPROVALS_CHANNEL")),
    approvers: listOf(approvers),
    forbid_self_approval: true,
    unknown_requester: "allow",
    quorum: 1,
  })
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

/** True for a map of keys, as YAML's maps are read. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}
