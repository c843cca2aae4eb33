// Cuts the config down to what a command needs. We neither demand nor check the rest: stand-ins take its place.
import { type Environment, isRecord, variable } from "./environment.ts"

/**
 * All of it (`all`); where the records lie and how they are sealed (`store`); the rules (`rules`); or the rules and how
 * to read the instances (`platform`). Only `all` needs Slack's tokens: code that can do without Slack asks `isStandIn`.
 */
export type ConfigNeed = "all" | "store" | "rules" | "platform"

const word = "stand-in"

/** The stand-in for a variable, in the form that its check wants. No call is made with it. */
const standIns: Readonly<Record<string, string>> = {
  COUNTERSIGN_KEY: word.repeat(4),
  // With TLS, because the config may name a CA.
  REDIS_URL: `rediss://${word}.invalid`,
  SLACK_BOT_TOKEN: `xoxb-${word}`,
  SLACK_APP_TOKEN: `xapp-${word}`,
  SLACK_SIGNING_SECRET: word,
  PLATFORM_URL: `https://${word}.invalid`,
  PLATFORM_TOKEN: word,
  APPROVALS_CHANNEL: "C0STANDIN",
  APPROVERS: "U0STANDIN",
}

/** Which of the variables above a command needs. */
const wanted: Readonly<Record<ConfigNeed, readonly string[]>> = {
  all: Object.keys(standIns),
  store: ["COUNTERSIGN_KEY", "REDIS_URL"],
  rules: ["APPROVALS_CHANNEL", "APPROVERS"],
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

/** The stand-in for `${NAME}` at a key (`slack.bot_token`) if NAME is not set; null: the value is needed. */
export function standInFor(need: ConfigNeed, key: string): string | null {
  return sections[need](/^\w*/.exec(key)?.[0] ?? "") ? null : word
}

/** Which sections of the file count for each need. Slack's address always counts, because it is no secret. */
const sections: Readonly<Record<ConfigNeed, (section: string) => boolean>> = {
  all: () => true,
  store: (section) =>
    !["slack", "instances", "identities", "rules", "classes", "http", "limits", "resolved_by"].includes(section),
  rules: (section) => ["identities", "rules", "classes", "resolved_by"].includes(section),
  platform: (section) => ["identities", "rules", "classes", "resolved_by", "instances"].includes(section),
}

/** The part of the file that is needed. Instances that we do not read keep their names, because rules may name them. */
export function neededOf(need: ConfigNeed, file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (need === "all") return file
  const kept = Object.entries(file).filter(([section]) => sections[need](section))
  const { instances, slack } = file
  return {
    ...Object.fromEntries(kept),
    ...(need === "platform" || instances === undefined ? {} : { instances: namesOf(instances) }),
    ...(slack === undefined ? {} : { slack: withoutStandIns(slack) }),
  }
}

function namesOf(instances: unknown): unknown {
  if (!Array.isArray(instances)) return instances
  return instances.map((one: unknown) => (isRecord(one) ? { name: one["name"], url: standIns["PLATFORM_URL"] } : one))
}

/** Leaves out the stand-ins. The environment's stand-ins take their place: they have the form that the check wants. */
function withoutStandIns(slack: unknown): unknown {
  if (!isRecord(slack)) return slack
  return Object.fromEntries(Object.entries(slack).filter(([, value]) => value !== word))
}
