// The people on a card, as Slack knows them when we draw it: who asks by name, and no approver who may not decide.

import type { CardModel, CardRule } from "../../domain/case/card-model.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { cleanName, type Person, slackIdOf } from "../../domain/people/person.ts"
import { mayDecideUnder } from "../../domain/policy/judge.ts"
import { demandAtLast } from "../../domain/policy/timing.ts"
import type { Approver, Rule } from "../../domain/rule/rule.ts"
import { isPortError, type People, type Ports } from "../ports.ts"
import { approversOf, findRequester, freshMs, linkedUser } from "./eligibility.ts"

type NamePorts = Pick<Ports, "people" | "policy" | "identityLinks" | "clock" | "alarm">

/** A name may be this old, in ms. We judge nobody by it. */
const namesMs = 600_000

/** A person or group that a rule lists. */
export interface Whom {
  readonly id: string
  readonly name: string
}

/**
 * The model with what Slack says about its people. If Slack or Redis are silent, the requester keeps the platform's
 * name for them, and approvers stand as the rules list them.
 */
export async function withNames(ports: NamePorts, model: CardModel): Promise<CardModel> {
  const all = new Map(withRaisedRules(ports.policy.rules).map((rule) => [rule.name, rule]))
  const [requesterName, rules] = await Promise.all([
    requesterNameOf(ports, model.summary.requester),
    Promise.all(model.rules.map((rule) => withoutRefused(ports, rule, all.get(rule.name)))),
  ])
  return { ...model, rules, ...(requesterName && { requesterName }) }
}

/** How Slack names the requester; null if Slack knows nobody by that claim. The name is only for people (R6). */
async function requesterNameOf(ports: NamePorts, claim: string | null): Promise<string | null> {
  return ifTold(null, async () => {
    const { spare } = ports.people
    const id = await findRequester({ people: spare }, claim, ports.policy.identities, namesMs)
    return id === null ? null : cleanName((await spare.look(id, namesMs)).name)
  })
}

async function withoutRefused(ports: NamePorts, drawn: CardRule, rule: Rule | undefined): Promise<CardRule> {
  const shown = await withStandIns(ports, drawn, rule)
  if (shown.approvers === undefined) return shown
  const whom = await Promise.all(shown.approvers.map((word) => whomMeant(ports, word, rule, ports.people.spare)))
  return { ...shown, approvers: shown.approvers.filter((_, at) => whom[at] !== "refused") }
}

/** The rule with the stand-ins that it lists, for those of its approvers who are away. */
async function withStandIns(ports: NamePorts, shown: CardRule, rule: Rule | undefined): Promise<CardRule> {
  const { standIns: noted = [], ...rest } = shown
  if (noted.length === 0 || rule === undefined) return rest
  const under = (approvers: readonly Approver[]) => approversOf(ports, demandAtLast([{ ...rule, approvers }]))
  const known = await ifTold(null, async () => Promise.all([under(rule.approvers), under(rule.standIns ?? [])]))
  if (known === null) return rest
  const [own, others] = known.map(({ byRule }) => byRule.get(rule.name) ?? new Set<string>())
  const standIns = noted.filter(({ person, standIn }) => {
    return own?.has(person) === true && !own.has(standIn) && others?.has(standIn) === true
  })
  return standIns.length === 0 ? rest : { ...rest, standIns }
}

/**
 * The person or group that a word of a rule stands for. `refused`: they may not decide by that rule. Null if it stands
 * for nobody, or if nobody can tell now: Slack or Redis are silent, or the rules in force lack this rule.
 */
export async function whomMeant(
  ports: NamePorts,
  word: string,
  rule: Rule | undefined,
  people: People["spare"],
): Promise<Whom | "refused" | null> {
  return ifTold(null, async () => {
    const user = word.includes("@") ? await linkedUser(ports, word) : word
    if (user === null) return null
    if (user.startsWith("S")) {
      const { trouble, name = user } = await people.members(user, namesMs)
      return trouble === null ? { id: user, name } : null
    }
    if (rule === undefined) return null
    const person = await people.look({ team: people.home.team, user }, namesMs)
    return mayDecideUnder(rule, person) ? { id: user, name: person.name } : "refused"
  })
}

/** What the read gives; `otherwise` if Slack or Redis do not say, because a card does not wait for them. */
async function ifTold<T>(otherwise: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isPortError(error)) return otherwise
    throw error
  }
}

/** A person as Slack knows them now; null if Slack does not know them: they decide nothing. Throws if it is silent. */
export async function personIf({ people }: Pick<Ports, "people">, key: string): Promise<Person | null> {
  try {
    return await people.look(slackIdOf(key), freshMs)
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    return null
  }
}
