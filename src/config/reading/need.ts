// What a command needs of the config. What it does not need is neither asked for nor looked at: something stands in.
import { type Environment, isRecord, variable } from "./environment.ts"

/**
 * All of it (`all`); where the records lie and what they are sealed with (`store`); the rules (`rules`); or the rules
 * and how the instances are read (`platform`). Slack's tokens are needed for `all` alone: who can do without Slack asks
 * `isStandIn`.
 */
export type ConfigNeed = "all" | "store" | "rules" | "platform"

const word = "stand-in"

/** What stands in for a variable, in the form that its check wants. No call is made with it. */
const standIns: Readonly<Record<string, string>> = {
  COUNTERSIGN_KEY: word.repeat(4),
  // By TLS, since a CA may be named for it.
  REDIS_URL: `rediss://${word}.invalid`,
  SLACK_BOT_TOKEN: `xoxb-${word}`,
  SLACK_APP_TOKEN: `xapp-${word}`,
  SLACK_SIGNING_SECRET: word,
  PLATFORM_URL: `https://${word}.invalid`,
  PLATFORM_TOKEN: word,
  APPROVALS_CHANNEL: "C0STANDIN",
  APPROVERS: "U0STANDIN",
}

/** The variables that are asked for, of those above. */
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

/** The environment, with something in place of each variable that is not needed and not set. */
export function environmentFor(need: ConfigNeed, env: Environment): Environment {
  const missing = Object.keys(standIns).filter((name) => !wanted[need].includes(name) && !variable(env, name))
  return { ...env, ...Object.fromEntries(missing.map((name) => [name, standIns[name]])) }
}

/** What stands in for `${NAME}` at a key (`slack.bot_token`) where NAME is not set; null: it is needed. */
export function standInFor(need: ConfigNeed, key: string): string | null {
  return sections[need](/^\w*/.exec(key)?.[0] ?? "") ? null : word
}

/** Which sections of the file count. What Slack is reached by is read for all, since it is no secret. */
const sections: Readonly<Record<ConfigNeed, (section: string) => boolean>> = {
  all: () => true,
  store: (section) => !["slack", "instances", "identities", "rules", "http", "limits", "resolved_by"].includes(section),
  rules: (section) => ["identities", "rules", "resolved_by"].includes(section),
  platform: (section) => ["identities", "rules", "resolved_by", "instances"].includes(section),
}

/** Of the file, what is needed. Instances that are not read keep their names, which rules may name. */
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

/** The environment gives what a token's check wants. */
function withoutStandIns(slack: unknown): unknown {
  if (!isRecord(slack)) return slack
  return Object.fromEntries(Object.entries(slack).filter(([, value]) => value !== word))
}
