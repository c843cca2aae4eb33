// A proposal under which too few people could approve the next one: nobody may approve it (R16).
import type { Case } from "../../domain/case/case.ts"
import { humanKey } from "../../domain/people/human.ts"
import { oneIdentity, slackIdOf, unfitness } from "../../domain/people/person.ts"
import { builtInInstance, type RulesChange, ruleForChanges } from "../../domain/rule/rules-change.ts"
import { type Ports, type ProposedConfig, refusalOfSlack } from "../ports.ts"
import { approversOf, freshMs, type JudgePorts } from "./eligibility.ts"

/** How many could approve the next config under a proposed one, and how many it wants. */
export interface LockedOut {
  readonly able: number
  readonly quorum: number
}

export type LockOutPorts = JudgePorts & Pick<Ports, "proposedConfigs">

/**
 * Why nobody may approve a proposal: too few of those who would approve the next config could vote under the proposed
 * one (R16). Null if enough could, and for a case of any other instance. Throws if Slack does not say who they are.
 */
export async function lockOut(
  ports: LockOutPorts,
  { instance, approvalId }: Pick<Case, "instance" | "approvalId">,
): Promise<LockedOut | null> {
  if (instance !== builtInInstance) return null
  const proposed = await ports.proposedConfigs.read(approvalId)
  if (proposed === null || proposed.rulesChange === null) return null
  const { quorum } = proposed.rulesChange
  const able = await countAble(ports, proposed, proposed.rulesChange)
  return able >= quorum ? null : { able, quorum }
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
