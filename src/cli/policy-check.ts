// countersign policy check: what is wrong with the rules, before anybody waits for it.
import type { Rule } from "../domain/policy.ts"
import type { SlackProbe } from "../slack/probe.ts"
import { judgeQuorum, lookAtApprovers } from "./doctor/approvers.ts"
import { type Finding, notesOn } from "./doctor/finding.ts"
import { lookAtOrder } from "./doctor/rules.ts"

/** Looks at the rules: their order by themselves, their approvers as Slack knows them, or as far as the list tells without Slack. */
export async function checkPolicy(rules: readonly Rule[], probe: SlackProbe | null): Promise<readonly Finding[]> {
  const findings: Finding[] = [...lookAtOrder(rules)]
  for (const rule of rules) findings.push(...(probe === null ? lookAtList(rule) : await lookAtApprovers(rule, probe)))
  return findings
}

/** How many are in a group only Slack knows. */
function lookAtList(rule: Rule): readonly Finding[] {
  const notes = notesOn(`rule ${rule.name}`)
  const groups = rule.approvers.filter(({ kind }) => kind === "group")
  if (groups.length === 0) return judgeQuorum(notes, rule, rule.approvers.length)
  return [notes.ok(`${rule.quorum} must agree; how many are in its groups was not asked`)]
}
