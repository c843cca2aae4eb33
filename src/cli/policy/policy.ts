// countersign policy: check, explain and test the rules; offline also where no secret is at hand.
import { readFileSync } from "node:fs"
import type { Config } from "../../config.ts"
import { explain } from "../../domain/explain.ts"
import type { Approver, Rule } from "../../domain/policy.ts"
import { createLog } from "../../log.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { healthy, notesOn, report } from "../doctor/finding.ts"
import { askSlack } from "../installation/ask-slack.ts"
import type { Terminal } from "../terminal.ts"
import { findApproval } from "./policy-approval.ts"
import { checkPolicy } from "./policy-check.ts"
import { readPolicyConfig } from "./policy-config.ts"
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
  { strict, ...options }: PolicyOptions & { readonly strict: boolean },
): Promise<void> {
  const config = configOf(options)
  const slack = options.offline ? null : await askSlack(withTools(config))
  const findings =
    slack !== null && "why" in slack
      ? [...(await checkPolicy(config, null)), notAsked(slack.why)]
      : await checkPolicy(config, slack)
  const well = healthy(findings) && !(strict && findings.some(({ level }) => level === "warn"))
  terminal.out(options.json ? JSON.stringify({ healthy: well, findings }, null, 2) : report(findings))
  if (!well) process.exitCode = 1
}

function notAsked(what: string) {
  const why = "how many people are in a group only Slack knows"
  return notesOn("slack").fail({ what, why, todo: "set SLACK_BOT_TOKEN, or say --offline" })
}

/** Prints which rules an approval demands, why, and who may decide. Throws `PolicyError`, `PlatformError` or `ChatError`. */
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

/** Runs examples; exit code 1 if one comes out otherwise. Throws `PolicyError`. */
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
  const readFile = (path: string) => readFileSync(path, "utf8")
  return readPolicyConfig({ env: process.env, readFile, cwd: process.cwd(), offline })
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
      return [
        await nameOf(
          slack,
          approver.team === undefined ? `${slack.identity.team}:${approver.id}` : approverWord(approver),
        ),
      ]
  }
}

/** Somebody whom Slack does not know is named by their id alone. */
async function nameOf(slack: SlackProbe, key: string): Promise<string> {
  const [team = "", user = ""] = key.split(":")
  const person = await slack.person({ team, user })
  return person === null ? user : `${person.name} (${user})`
}
