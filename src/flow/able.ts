// Able: who can still decide a case, for the lines that remind people of it.
import { type Case, demandNow } from "../domain/case/case.ts"
import type { Able } from "../domain/case/event.ts"
import { humanKey } from "../domain/people/human.ts"
import { slackIdOf } from "../domain/people/person.ts"
import { tally } from "../domain/case/vote.ts"
import { approversOf } from "./identify.ts"
import { type JudgePorts, judgePerson } from "./judgement.ts"
import { isPortError } from "./ports.ts"

/** How many are named in one line, … */
const mostNamed = 10
/** … and how many are looked up for it. The others are only counted. */
const mostLooked = 30

/** Everybody who could vote now, has not, and is listed by a rule that still lacks votes. Throws if Slack does not say. */
export async function ableTo(ports: JudgePorts, current: Case): Promise<Able> {
  const { byRule } = await approversOf(ports, demandNow(current, ports.policy))
  const { identities } = ports.policy
  const voted = new Set(current.votes.map((vote) => humanKey(vote.person, identities)))
  const keys = new Set(lacking(current).flatMap((rule) => [...(byRule.get(rule) ?? [])]))
  const waited = [...keys].filter((key) => !voted.has(humanKey(slackIdOf(key), identities)))
  const judged = await Promise.all(waited.slice(0, mostLooked).map((key) => isAble(ports, current, key)))
  const able = waited.filter((_, index) => judged[index] === true)
  const uncounted = Math.max(0, waited.length - mostLooked)
  return { people: able.slice(0, mostNamed), more: Math.max(0, able.length - mostNamed) + uncounted }
}

function lacking({ votes, revision }: Case): readonly string[] {
  const counted = tally(votes, revision.quotas)
  if (counted.verdict !== null) return revision.quotas.map(({ name }) => name)
  return counted.progress.filter(({ have, need }) => have < need).map(({ rule }) => rule)
}

/** What cannot be approved at all can still be rejected. An approver whom Slack does not know is nobody. */
async function isAble(ports: JudgePorts, current: Case, key: string): Promise<boolean> {
  const verb = current.revision.approvable ? "approve" : "reject"
  try {
    return (await judgePerson(ports, current, slackIdOf(key), verb)).ok
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    return false
  }
}
