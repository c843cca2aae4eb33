// Refuses to approve a config under which nobody could approve the next one: too few of its approvers can vote (R16).
import type { Case } from "../../domain/case/case.ts"
import { humanKey } from "../../domain/people/human.ts"
import { oneIdentity, slackIdOf, unfitness } from "../../domain/people/person.ts"
import { builtInInstance, type RulesChange, ruleForChanges } from "../../domain/rule/rules-change.ts"
import { approversOf, freshMs, type JudgePorts } from "../people/eligibility.ts"
import type { Press } from "../ports/interaction.ts"
import type { Answer } from "../ports/reply.ts"
import { type Ports, type ProposedConfig, refusalOfSlack } from "../ports.ts"

type LockOutPorts = JudgePorts & Pick<Ports, "proposedConfigs">

/** Why an approval does not count: the proposed config would lock everybody out. Null if it would not. */
export async function lockOut(
  ports: LockOutPorts,
  { instance, approvalId }: Pick<Case, "instance" | "approvalId">,
  { verb }: Pick<Press, "verb">,
): Promise<Answer | null> {
  if (instance !== builtInInstance || verb !== "approve") return null
  const proposed = await ports.proposedConfigs.read(approvalId)
  if (proposed === null || proposed.rulesChange === null) return null
  const { quorum } = proposed.rulesChange
  const able = await countAble(ports, proposed, proposed.rulesChange)
  return able >= quorum ? null : { kind: "locked-out", able, quorum }
}

/** How many different people could vote under the proposed `rules_change` now; it stops counting at the quorum. */
async function countAble(ports: LockOutPorts, { identities }: ProposedConfig, change: RulesChange): Promise<number> {
  const rule = ruleForChanges(change)
  const { byRule } = await approversOf(ports, { rules: [rule], covered: true })
  const known = identities.map((one) => ({ ...one, ...oneIdentity(ports.people.home, one) }))
  const able = new Set<string>()
  for (const key of byRule.get(rule.name) ?? []) {
    if (able.size >= change.quorum) break
    if (await mayVote(ports, key)) able.add(humanKey(slackIdOf(key), known))
  }
  return able.size
}

/** True for a member of our workspace whose account works. Throws if Slack does not say now. */
async function mayVote(ports: LockOutPorts, key: string): Promise<boolean> {
  try {
    const person = await ports.people.look(slackIdOf(key), freshMs)
    return unfitness(person) === null && !person.guest && !person.external
  } catch (error) {
    if (refusalOfSlack(error) === null) throw error
    return false
  }
}
