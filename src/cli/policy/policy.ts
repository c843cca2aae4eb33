// countersign policy: check, explain and test the rules; offline also where no secret is at hand.
import { knownVariables } from "../../config/reading/environment.ts"
import { type Config, type ConfigOptions, type Environment, loadConfig } from "../../config.ts"
import { countHumans, type Identity } from "../../domain/people/human.ts"
import { explain } from "../../domain/policy/explain.ts"
import type { Approver, Policy, Rule } from "../../domain/policy/policy.ts"
import { createLog } from "../../log.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { type Finding, notesOn, printFindings } from "../doctor/finding.ts"
import { lookAtOrder } from "../doctor/rules.ts"
import { judgeQuorum, lookAtApprovers } from "../doctor/slack/approvers.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { surroundings } from "../installation/context.ts"
import type { Terminal } from "../terminal.ts"
import { findApproval } from "./policy-approval.ts"
import { testPolicy } from "./policy-test.ts"
import { approverWord, explanationWords, type PeopleByRule } from "./policy-words.ts"

/** How the rules are looked at. */
export interface PolicyOptions {
  /** True: Slack is not asked, and what is not set of addresses and secrets does not matter. */
  readonly offline: boolean
  readonly json: boolean
}

/** Prints what is wrong with the rules; exit code 1 if anything fails, `strict`: or deserves a look. */
export async function policyCheck(
  terminal: Terminal,
  options: PolicyOptions & { readonly strict: boolean },
): Promise<void> {
  const config = configOf(options)
  const slack = options.offline ? null : await askSlack(withTools(config))
  const findings =
    slack !== null && "why" in slack
      ? [...(await checkPolicy(config, null)), notAsked(slack.why)]
      : await checkPolicy(config, slack)
  printFindings(terminal, findings, options)
}

function notAsked(what: string) {
  const why = "how many people are in a group only Slack knows"
  return notesOn("slack").fail({ what, why, todo: "set SLACK_BOT_TOKEN, or say --offline" })
}

/** Prints which rules an approval demands, why, and who may decide. Throws `CommandError` or a port's error. */
export async function policyExplain(terminal: Terminal, where: string, options: PolicyOptions): Promise<void> {
  const config = configOf(options)
  const approval = await findApproval(config, where)
  const explained = explain(approval, config.rules)
  const people = options.offline ? new Map<string, readonly string[]>() : await peopleOf(config, explained.demanded)
  if (!options.json) return explanationWords(approval, explained, people).forEach((line) => terminal.out(line))
  const { covered, calls } = explained
  const rules = explained.demanded.map((rule) => ({ ...rule, people: people.get(rule.name) ?? null }))
  terminal.out(JSON.stringify({ approval: approval.id, instance: approval.instance, covered, calls, rules }, null, 2))
}

/** Runs examples; exit code 1 if one comes out otherwise. Throws `CommandError`. */
export async function policyTest(
  terminal: Terminal,
  file: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const tested = await testPolicy(configOf({ offline: true }), file)
  const failed = tested.filter(({ differences }) => differences.length > 0)
  if (failed.length > 0) process.exitCode = 1
  if (json) return terminal.out(JSON.stringify({ passed: failed.length === 0, tests: tested }, null, 2))
  for (const { name, differences } of tested) {
    terminal.out(`${differences.length === 0 ? "ok  " : "FAIL"}  ${name}`)
    for (const difference of differences) terminal.out(`      ${difference}`)
  }
  terminal.out(`${tested.length - failed.length} as expected, ${failed.length} not`)
}

function configOf({ offline }: { readonly offline: boolean }): Config {
  return readPolicyConfig({ ...surroundings(), offline })
}

/** Slack's refusals are told by the command itself. */
function withTools(config: Config) {
  const log = createLog({ write: () => {}, clock: Date.now, secrets: config.secrets })
  return { config, clock: Date.now, log }
}

async function peopleOf(config: Config, rules: readonly Rule[]): Promise<PeopleByRule> {
  const slack = await askSlack(withTools(config))
  if ("why" in slack) return new Map(rules.map(({ name }) => [name, [`Slack was not asked: ${slack.why}`]]))
  const named = rules.map(async ({ name, approvers }) => {
    const people = await Promise.all(approvers.map((approver) => namesOf(slack, approver)))
    return [name, [...new Set(people.flat())]] as const
  })
  return new Map(await Promise.all(named))
}

async function namesOf(slack: SlackProbe, approver: Approver): Promise<readonly string[]> {
  switch (approver.kind) {
    case "group": {
      const { keys } = await slack.members(approver.id)
      return Promise.all(keys.map((key) => nameOf(slack, key)))
    }
    case "email": {
      const found = await slack.byEmail(approver.email)
      return found === null ? [] : [await nameOf(slack, `${found.team}:${found.user}`)]
    }
    case "user":
      return [await nameOf(slack, `${approver.team ?? slack.identity.team}:${approver.id}`)]
  }
}

/** Somebody whom Slack does not know is named by their id alone. */
async function nameOf(slack: SlackProbe, key: string): Promise<string> {
  const [team = "", user = ""] = key.split(":")
  const person = await slack.person({ team, user })
  return person === null ? user : `${person.name} (${user})`
}

/** Looks at the rules' order, and at their approvers as Slack knows them, or as far as the list tells without Slack. */
async function checkPolicy(
  { rules, identities }: Pick<Policy, "rules" | "identities">,
  probe: SlackProbe | null,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [...lookAtOrder(rules)]
  for (const rule of rules) {
    const found = probe === null ? lookAtList(rule, identities) : await lookAtApprovers({ rule, identities }, probe)
    findings.push(...found)
  }
  return findings
}

/** How many are in a group only Slack knows. */
function lookAtList(rule: Rule, identities: readonly Identity[]): readonly Finding[] {
  const notes = notesOn(`rule ${rule.name}`)
  const groups = rule.approvers.filter(({ kind }) => kind === "group")
  if (groups.length === 0) return judgeQuorum(notes, rule, countHumans(rule.approvers.map(idOf), identities))
  return [notes.ok(`${rule.quorum} must agree; how many are in its groups was not asked`)]
}

function idOf(approver: Approver) {
  return approver.kind === "user" ? { ...approver, user: approver.id } : { user: approverWord(approver) }
}

/** What a bot needs and rules do not depend on. */
const standIns = [
  "COUNTERSIGN_KEY",
  "PLATFORM_TOKEN",
  "PLATFORM_URL",
  "REDIS_URL",
  "SLACK_APP_TOKEN",
  "SLACK_BOT_TOKEN",
  "SLACK_SIGNING_SECRET",
]

/** Reads the config. `offline`: addresses and secrets that are not set are made up, for CI. Throws `ConfigError`. */
export function readPolicyConfig({ offline, env, ...from }: ConfigOptions & Pick<PolicyOptions, "offline">): Config {
  return loadConfig({ ...from, env: offline ? withStandIns(env) : env })
}

/** A name that we do not know can only be one that the file refers to. */
function withStandIns(env: Environment): Environment {
  return new Proxy(env, {
    get: (_target, name) => {
      if (typeof name !== "string") return undefined
      // A proxy's variable counts in small letters too.
      const known = knownVariables[name.toUpperCase()]
      if (env[name] || (known !== undefined && !standIns.includes(name))) return env[name]
      // By TLS, since a CA may be named for it.
      if (name === "REDIS_URL") return "rediss://stand-in"
      return known?.replace("…", "stand-in") ?? "stand-in"
    },
  })
}
