// Cuts the config down to what a command needs. We neither demand nor check the rest: stand-ins take its place.
import { knownKeys } from "../schema/keys.ts"
import { type Environment, isRecord, variable } from "./environment.ts"

/**
 * All of it (`all`); where the records lie and how they are sealed (`store`), and which webhooks there are besides, by
 * their names alone (`webhooks`); the rules (`rules`); the rules and how to
 * read the instances (`platform`); or what the revision covers (`shared`, R16), without any credential. Only `all`
 * needs Slack's tokens: code that can do without Slack asks `isStandIn`.
 */
export type ConfigNeed = "all" | "store" | "webhooks" | "rules" | "platform" | "shared"

const word = "stand-in"
/** Where the name of a variable stands that is not set, in the form of an address. */
const unsetAddress = "https://unset/"

/** The stand-in for a variable, in the form that its check wants. No call is made with it. */
const standIns: Readonly<Record<string, string>> = {
  COUNTERSIGN_KEY: word.repeat(4),
  // With TLS, because the config may name a CA.
  REDIS_URL: `rediss://${word}.invalid`,
  SLACK_BOT_TOKEN: `xoxb-${word}`,
  SLACK_APP_TOKEN: `xapp-${word}`,
  SLACK_SIGNING_SECRET: word,
  PLATFORM_URL: `${unsetAddress}${word}-PLATFORM_URL`,
  PLATFORM_TOKEN: word,
  APPROVALS_CHANNEL: "C0STANDIN",
  APPROVERS: "U0STANDIN",
}

/** Which of the variables above a command needs. */
const wanted: Readonly<Record<ConfigNeed, readonly string[]>> = {
  all: Object.keys(standIns),
  store: ["COUNTERSIGN_KEY", "REDIS_URL"],
  webhooks: ["COUNTERSIGN_KEY", "REDIS_URL"],
  rules: ["APPROVALS_CHANNEL", "APPROVERS"],
  shared: ["APPROVALS_CHANNEL", "APPROVERS"],
  platform: ["APPROVALS_CHANNEL", "APPROVERS", "PLATFORM_TOKEN"],
}

/** True for a value that nobody gave. */
export function isStandIn(value: string): boolean {
  return value.includes(word)
}

/** The environment, with a stand-in for each variable that is neither needed nor set. */
export function environmentFor(need: ConfigNeed, env: Environment): Environment {
  const missing = Object.keys(standIns).filter((name) => !wanted[need].includes(name) && !variable(env, name))
  return { ...env, ...Object.fromEntries(missing.map((name) => [name, standIns[name]])) }
}

/**
 * The stand-in for `${NAME}` at a key (`slack.bot_token`) if NAME is not set; null: the value is needed. Texts that two
 * configs are compared by (`shared`) stand for themselves: their stand-in has the name (`asWritten`).
 */
export function standInFor(need: ConfigNeed, key: string, name: string): string | null {
  const path = key.replaceAll(/\[\d+\]/g, "")
  const isNeeded = path === "webhooks.name" ? need === "webhooks" : sections[need](/^\w*/.exec(key)?.[0] ?? "")
  if (need !== "shared") return isNeeded ? null : word
  if (sharedTexts.includes(path)) return `${word}-${name}`
  const isSpare = ownKeys.has(path) || knownKeys.get(path)?.secret === true
  return (isNeeded && !isSpare) || path === "slack.sandbox" ? null : word
}

/** Keys of the shared config that take any text, so the name of a variable that is not set can stand there. */
const sharedTexts: readonly string[] = [
  "instances.name",
  "instances.url",
  "instances.resume_url",
  "instances.delegated.kid",
  "instances.delegated.audience",
  "instances.delegated.issuer",
  "slack.api_url",
]

/** Keys of an instance that belong to the process, so no revision covers them. */
const ownKeys: ReadonlySet<string> = new Set([
  "instances.token",
  "instances.token_file",
  "instances.accept_run_scope",
  "instances.resume_token",
  "instances.resume_token_file",
  "instances.resume_timeout",
  "instances.poll_every",
  "instances.timeout",
  "instances.ca_file",
  "instances.delegated.key_file",
])

/** A text with the names of variables that are not set, as the file has them: `${PLATFORM_URL}`. */
export function asWritten(text: string): string {
  return text.replace(unsetAddress, "").replaceAll(new RegExp(String.raw`${word}-(\w+)`, "g"), "${$1}")
}

/** The sections that say what may be done, and by whom. */
const ofRules: readonly string[] = ["rules", "classes", "stop", "rules_change", "hold"]

/** The sections that say neither where the records lie nor how they are sealed. */
const besideStore: readonly string[] = [
  "slack",
  "instances",
  "identities",
  "http",
  "limits",
  "resolved_by",
  "webhooks",
  ...ofRules,
]

/** Which sections of the file count for each need. Slack's address always counts, because it is no secret. */
const sections: Readonly<Record<ConfigNeed, (section: string) => boolean>> = {
  all: () => true,
  store: (section) => !besideStore.includes(section),
  webhooks: (section) => !besideStore.includes(section),
  rules: (section) => ["identities", "resolved_by", ...ofRules].includes(section),
  shared: (section) => ["identities", "resolved_by", "instances", ...ofRules].includes(section),
  platform: (section) => ["identities", "resolved_by", "instances", ...ofRules].includes(section),
}

/** The part of the file that is needed. Instances that we do not read keep their names, because rules may name them. */
export function neededOf(need: ConfigNeed, file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (need === "all") return file
  const kept = Object.entries(file).filter(([section]) => sections[need](section))
  const { instances, slack, webhooks } = file
  return {
    ...Object.fromEntries(kept),
    ...(need === "platform" || instances === undefined ? {} : { instances: instancesFor(need, instances) }),
    ...(need === "webhooks" && Array.isArray(webhooks) ? { webhooks: webhooks.map(nameOfWebhook) } : {}),
    ...(slack === undefined ? {} : { slack: withAddress("api_url", withoutStandIns(slack)) }),
  }
}

function instancesFor(need: ConfigNeed, instances: unknown): unknown {
  if (!Array.isArray(instances)) return instances
  const partOf = need === "shared" ? sharedPart : namePart
  return instances.map((one: unknown) => (isRecord(one) ? partOf(one) : one))
}

/** The name of a webhook, with stand-ins for all else that it needs. */
function nameOfWebhook(webhook: unknown): unknown {
  if (!isRecord(webhook)) return webhook
  const secret = `whsec_${Buffer.from(word.repeat(4)).toString("base64")}`
  return { name: webhook["name"], url: `${unsetAddress}${word}`, secret }
}

function namePart({ name }: Readonly<Record<string, unknown>>): unknown {
  return { name, url: standIns["PLATFORM_URL"] }
}

/** What replicas share of an instance. That there is a credential counts, and not which. */
function sharedPart(instance: Readonly<Record<string, unknown>>): unknown {
  const shared = Object.fromEntries(Object.entries(instance).filter(([key]) => !ownKeys.has(`instances.${key}`)))
  const { resolve_token: token } = shared
  const said = { ...shared, ...(token === undefined ? {} : { resolve_token: word }) }
  return withAddress("resume_url", withAddress("url", said))
}

/** An address of which a variable is not set, in the form that the check wants. */
function withAddress(key: string, part: unknown): unknown {
  const address = isRecord(part) ? part[key] : undefined
  if (!isRecord(part) || typeof address !== "string" || !address.startsWith(word)) return part
  return { ...part, [key]: `${unsetAddress}${address}` }
}

/** Leaves out the stand-ins. The environment's stand-ins take their place: they have the form that the check wants. */
function withoutStandIns(slack: unknown): unknown {
  if (!isRecord(slack)) return slack
  return Object.fromEntries(Object.entries(slack).filter(([, value]) => value !== word))
}
