// Who may stand in for a person who goes away, by the rules in force: asked before an absence begins, told and offered.
import { humanKey } from "../../domain/people/human.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { mayDecideUnder } from "../../domain/policy/judge.ts"
import { demandAtLast } from "../../domain/policy/timing.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { isPortError, type PossibleStandIn } from "../ports.ts"
import { approversOf, freshMs, type JudgePorts } from "./eligibility.ts"
import { asStandIns } from "./stand-ins.ts"

/** What tells who may stand in for whom. */
export type AskPorts = Omit<JudgePorts, "orders">

/** True if both ids are of one human: nobody stands in for themselves (R7). */
export function isSameHuman({ policy }: AskPorts, one: SlackId, other: SlackId): boolean {
  return humanKey(one, policy.identities) === humanKey(other, policy.identities)
}

/**
 * Who may stand in for a person: whom a rule names that lists the person, and that admits both. Throws if Slack does
 * not say who somebody is.
 */
export async function whoMayStandIn(ports: AskPorts, id: SlackId): Promise<readonly PossibleStandIn[]> {
  const rules = ports.policy.rules.filter(({ standIns = [] }) => standIns.length > 0)
  if (rules.length === 0) return []
  const [own, others, person] = await Promise.all([
    approversOf(ports, demandAtLast(rules)),
    approversOf(ports, demandAtLast(rules.map(asStandIns))),
    ports.people.look(id, freshMs),
  ])
  const theirs = rules.filter((rule) => own.byRule.get(rule.name)?.has(personKey(id)) && mayDecideUnder(rule, person))
  const keys = [...new Set(theirs.flatMap(({ name }) => [...(others.byRule.get(name) ?? [])]))]
  // Another id of the same human is nobody else (R7).
  const different = keys.filter((key) => !isSameHuman(ports, id, slackIdOf(key)))
  const found = await Promise.all(different.map((key) => lookIf(ports, key)))
  return found.flatMap((one) => {
    if (one === null) return []
    const under = theirs.filter((rule) => {
      const key = personKey(one)
      return others.byRule.get(rule.name)?.has(key) && !own.byRule.get(rule.name)?.has(key) && mayDecideUnder(rule, one)
    })
    return under.length === 0 ? [] : [{ id: slackIdOf(personKey(one)), name: one.name, rules: under.map(nameOf) }]
  })
}

const nameOf = ({ name }: Pick<Rule, "name">) => name

/** Somebody as Slack knows them; null if Slack does not know them: they stand in for nobody. */
async function lookIf(ports: AskPorts, key: string): Promise<Person | null> {
  return ports.people.look(slackIdOf(key), freshMs).catch((error: unknown) => {
    if (isPortError(error) && error.source === "slack" && error.notFound === true) return null
    throw error
  })
}
