// countersign policy matrix: who may decide what, on one page.
import { loadConfig, spanWords } from "../../config.ts"
import { largest } from "../../domain/content/largest.ts"
import { raisedRule, withRaisedRules } from "../../domain/limit/limit.ts"
import { matchKeys } from "../../domain/policy/policy.ts"
import { laterApprovers, overdueForReview } from "../../domain/policy/timing.ts"
import { approverAsText, type Rule } from "../../domain/rule/rule.ts"
import { rulesInForce } from "../../domain/rule/rules-change.ts"
import { createLog } from "../../log.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { surroundings } from "../installation/context.ts"
import type { Terminal } from "../terminal.ts"
import { peopleOf } from "./policy-people.ts"
import { aboveWords, type PeopleByRule } from "./policy-words.ts"

/** One rule, and who may decide under it. */
interface Row {
  readonly rule: string
  readonly takes: string
  readonly people: readonly string[]
  readonly quorum: number
  readonly self: string
  readonly expires: string
  readonly reason: Rule["requireReason"]
  readonly reviewBy: string | null
  readonly overdue: boolean
}

/** Prints a line for each rule, then each person with their rules. Throws `ConfigError` or a port's error. */
export async function policyMatrix(
  terminal: Terminal,
  { offline, json }: { readonly offline: boolean; readonly json: boolean },
): Promise<void> {
  const config = loadConfig({ ...surroundings(terminal), need: "rules" })
  const log = createLog({ write: () => {}, clock: Date.now, secrets: config.secrets })
  const slack = offline ? { why: "--offline" } : await askSlack({ config, clock: Date.now, log })
  const rules = rulesInForce(config)
  const all = withRaisedRules(rules)
  const people = "why" in slack ? approversAsListed(all) : await peopleOf(slack, all)
  const overdue = overdueForReview(rules, Date.now())
  const rows = rules.flatMap((rule) => [
    ruleRow(rule, people, overdue.includes(rule)),
    // The further rule is asked beside its rule, so both expire together.
    ...aboveLimit(rule).map(({ rule: raised, takes }) => ({
      ...ruleRow(raised, people, false),
      takes,
      expires: expiryWords(rule),
    })),
  ])
  const persons = personsIn(all, people)
  if (json) return terminal.out(JSON.stringify({ rules: rows, people: persons }, null, 2))
  if ("why" in slack && !offline) terminal.err(`note: Slack was not asked who is in groups: ${slack.why}`)
  for (const line of [...table(rows), "", ...persons.map(({ person, rules }) => `${person}: ${rules.join("; ")}`)])
    terminal.out(line)
}

/** The approvers as the config lists them, if Slack was not asked. */
function approversAsListed(rules: readonly Rule[]): PeopleByRule {
  return new Map(rules.map(({ name, approvers }) => [name, approvers.map(approverAsText)]))
}

/** The further rule that is asked above the limit of a rule, and when. */
function aboveLimit(rule: Rule): readonly { readonly rule: Rule; readonly takes: string }[] {
  const { name, limit } = rule
  const raised = raisedRule(rule)
  return limit === undefined || raised === null
    ? []
    : [{ rule: raised, takes: `what ${name} takes, ${aboveWords(limit)}` }]
}

function ruleRow(rule: Rule, people: PeopleByRule, overdue: boolean): Row {
  const { name, quorum, requireReason, reviewBy = null } = rule
  const later = laterIn(rule).map((person) => `${person}${afterEscalation}`)
  return {
    rule: name,
    takes: takesWords(rule),
    people: [...(people.get(name) ?? []), ...later],
    quorum,
    self: selfWords(rule),
    expires: expiryWords(rule),
    reason: requireReason,
    reviewBy,
    overdue,
  }
}

function takesWords({ match, when }: Rule): string {
  const words = matchKeys.flatMap((key) => {
    const named = match[key]
    return named === undefined ? [] : [`${key} ${named.join(" or ")}`]
  })
  const all = [...words, ...(when === undefined ? [] : [`when ${when.replaceAll(/\s+/g, " ")}`])]
  return all.length === 0 ? "every call" : all.join(", ")
}

function selfWords({ forbidSelfApproval, unknownRequester }: Rule): string {
  return forbidSelfApproval ? `others; unknown: ${unknownRequester}` : "whoever asked too"
}

function expiryWords({ timing }: Rule): string {
  if (timing === undefined || timing.expireAfter === null) return "never"
  const hours = timing.workingHours === null ? "" : " of working hours"
  return `${spanWords(timing.expireAfter)}${hours}, then ${timing.onExpiry}`
}

const afterEscalation = " (after an escalation)"

function laterIn({ timing }: Rule): readonly string[] {
  return laterApprovers(timing).map(approverAsText)
}

/** Each person, in the order of the rules, with the rules under which they may decide. */
function personsIn(
  rules: readonly Rule[],
  people: PeopleByRule,
): readonly { readonly person: string; readonly rules: readonly string[] }[] {
  const pairs = rules.flatMap((rule) => [
    ...(people.get(rule.name) ?? []).map((person) => ({ person, rule: rule.name })),
    ...laterIn(rule).map((person) => ({ person, rule: `${rule.name}${afterEscalation}` })),
  ])
  return [...Map.groupBy(pairs, ({ person }) => person)].map(([person, all]) => ({
    person,
    rules: all.map(({ rule }) => rule),
  }))
}

/** `takes` is the longest, so it comes last: the others then line up in narrow columns. */
const heads = ["rule", "people", "quorum", "approved by", "expires", "reason for", "review by", "takes"]

function table(rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) => [
    row.rule,
    row.people.join(", ") || "nobody",
    `${row.quorum}`,
    row.self,
    row.expires,
    row.reason,
    row.reviewBy === null ? "never" : `${row.reviewBy}${row.overdue ? " (has passed)" : ""}`,
    row.takes,
  ])
  const widths = heads.map((head, index) =>
    largest(
      0,
      [heads, ...cells].map((one) => one[index]?.length ?? head.length),
    ),
  )
  const line = (one: readonly string[]) =>
    one
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd()
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)]
}
