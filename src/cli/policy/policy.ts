// countersign policy: checks, explains and tests the rules. It also works offline, without secrets.
import { existsSync } from "node:fs"
import { type Config, type ConfigNeed, isStandIn, loadConfig, remarksOnHours, remarksOnRules } from "../../config.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { countHumans, type Identity } from "../../domain/people/human.ts"
import { explain } from "../../domain/policy/explain.ts"
import { noneIsPassed } from "../../domain/policy/limit-reading.ts"
import { overdueForReview } from "../../domain/policy/timing.ts"
import { type Approver, approverAsText, type Rule } from "../../domain/rule/rule.ts"
import { createLog } from "../../log.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { type Finding, notesOn, printFindings } from "../doctor/finding.ts"
import { lookAtPlaces } from "../doctor/rules.ts"
import { judgeQuorum, lookAtApprovers } from "../doctor/slack/approvers.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { surroundings } from "../installation/context.ts"
import type { Terminal } from "../terminal.ts"
import { findApproval } from "./policy-approval.ts"
import { peopleOf } from "./policy-people.ts"
import { proveRules } from "./policy-proofs.ts"
import { testPolicy } from "./policy-test.ts"
import { explanationWords } from "./policy-words.ts"

/** How the rules are looked at. */
export interface PolicyOptions {
  /** True: we do not ask Slack. */
  readonly offline: boolean
  readonly json: boolean
}

/** Prints what is wrong with the rules. Exit code 1 if anything fails; with `strict`, also for a warning. */
export async function policyCheck(
  terminal: Terminal,
  options: PolicyOptions & { readonly strict: boolean },
): Promise<void> {
  const config = configOf(terminal, "rules")
  const slack = options.offline ? null : await askSlack(withTools(config))
  const findings =
    slack !== null && "why" in slack
      ? [...(await checkPolicy(config, null)), notAsked(config, slack.why)]
      : await checkPolicy(config, slack)
  printFindings(terminal, findings, options)
}

/** Says that we did not ask Slack: rules can do without a token, but a token that Slack refuses is a mistake. */
function notAsked({ slack }: Config, what: string): Finding {
  const why = "how many people are in a group only Slack knows"
  const { warn, fail } = notesOn("slack")
  return (isStandIn(slack.botToken) ? warn : fail)({ what, why, todo: "set SLACK_BOT_TOKEN, or use --offline" })
}

/** Prints which rules an approval demands, why, and who may decide. Throws `CommandError` or a port's error. */
export async function policyExplain(terminal: Terminal, where: string, options: PolicyOptions): Promise<void> {
  const config = configOf(terminal, existsSync(where) ? "rules" : "platform")
  const approval = await findApproval(config, where)
  const { rules: all } = config
  const known = { circumstances: { requester: null, at: Date.now() }, limits: noneIsPassed(all) }
  const explained = explain(approval, all, known)
  const people = options.offline
    ? new Map<string, readonly string[]>()
    : await peopleOf(await askSlack(withTools(config)), explained.demanded)
  if (!options.json) return explanationWords(approval, explained, people).forEach((line) => terminal.out(line))
  const { covered, calls } = explained
  const rules = explained.demanded.map((rule) => ({ ...rule, people: people.get(rule.name) ?? null }))
  terminal.out(JSON.stringify({ approval: approval.id, instance: approval.instance, covered, calls, rules }, null, 2))
}

/** Runs examples. Exit code 1 if one does not come out as expected. Throws `CommandError`. */
export async function policyTest(
  terminal: Terminal,
  file: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  const tested = await testPolicy(configOf(terminal, "rules"), file)
  const failed = tested.filter(({ differences }) => differences.length > 0)
  if (failed.length > 0) process.exitCode = 1
  if (json) return terminal.out(JSON.stringify({ passed: failed.length === 0, tests: tested }, null, 2))
  for (const { name, differences } of tested) {
    terminal.out(`${differences.length === 0 ? "ok  " : "FAIL"}  ${name}`)
    for (const difference of differences) terminal.out(`      ${difference}`)
  }
  terminal.out(`${tested.length - failed.length} as expected, ${failed.length} not`)
}

function configOf(terminal: Terminal, need: ConfigNeed): Config {
  return loadConfig({ ...surroundings(terminal), need })
}

/** Adds a clock and a silent log: the command itself tells of Slack's refusals. */
function withTools(config: Config) {
  const log = createLog({ write: () => {}, clock: Date.now, secrets: config.secrets })
  return { config, clock: Date.now, log }
}

/** Looks at the rules' order, tries them, and looks at their approvers: as Slack knows them, else as the rules do. */
async function checkPolicy(
  { rules, identities, instances }: Pick<Config, "rules" | "identities" | "instances">,
  probe: SlackProbe | null,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    ...lookAtPlaces(rules),
    ...proveRules(
      rules,
      instances.map(({ name }) => name),
    ),
    ...overdueForReview(rules, Date.now()).map(overdueFinding),
    ...[...remarksOnRules(rules), ...remarksOnHours(rules, Date.now())].map((one) => notesOn("config").warn(one)),
  ]
  for (const rule of withRaisedRules(rules)) {
    const found = probe === null ? lookAtQuorum(rule, identities) : await lookAtApprovers({ rule, identities }, probe)
    for (const one of found) findings.push(one)
  }
  return findings
}

function overdueFinding({ name, reviewBy }: Rule): Finding {
  return notesOn(`rule ${name}`).warn({
    what: `its review_by has passed: ${reviewBy}`,
    why: "nobody has looked at it again, and whom it asks may not be whom you want asked",
    todo: "look at it (policy matrix), and set review_by to a new day",
  })
}

/** Judges a quorum without Slack: if the rule lists a group, nobody can tell how many people that is. */
function lookAtQuorum(rule: Rule, identities: readonly Identity[]): readonly Finding[] {
  const notes = notesOn(`rule ${rule.name}`)
  const groups = rule.approvers.filter(({ kind }) => kind === "group")
  if (groups.length === 0) return judgeQuorum(notes, rule, countHumans(rule.approvers.map(idOf), identities))
  return [notes.ok(`${rule.quorum} must agree; how many are in its groups was not asked`)]
}

function idOf(approver: Approver) {
  return approver.kind === "user" ? { ...approver, user: approver.id } : { user: approverAsText(approver) }
}
