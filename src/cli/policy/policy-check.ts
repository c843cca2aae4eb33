// countersign policy check: what is wrong with the rules, before anybody waits for it.
import { countHumans } from "../../domain/human.ts"
import type { Approver, Identity, Policy, Rule } from "../../domain/policy.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { type Finding, notesOn } from "../doctor/finding.ts"
import { lookAtOrder } from "../doctor/rules.ts"
import { judgeQuorum, lookAtApprovers } from "../doctor/slack/approvers.ts"
import { approverWord } from "./policy-words.ts"

/** Looks at the rules: their order by themselves, their approvers as Slack knows them, or as far as the list tells without Slack. */
export async function checkPolicy(
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
  if (groups.length === 0) return judgeQuorum(notes, rule, countHumans(rule.approvers.map(nameOf), identities))
  return [notes.ok(`${rule.quorum} must agree; how many are in its groups was not asked`)]
}

function nameOf(approver: Approver) {
  return approver.kind === "user" ? { ...approver, user: approver.id } : { user: approverWord(approver) }
}
