// Who may look at a case (R8): its approvers, voters, requester, and the members of the channels of its routes.

import { isThread } from "../../domain/case/card-steps.ts"
import { type Case, demandNow } from "../../domain/case/case.ts"
import { hasDecided } from "../../domain/case/notice.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { type Barrier, type Person, personKey, type SlackId, unfitness } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import type { Approvers } from "../../domain/policy/judge.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { peopleAwayFor } from "../case/orders.ts"
import { refusalOfSlack } from "../ports.ts"
import { approversOf, findRequester, freshMs, type JudgePorts } from "./eligibility.ts"
import { toBreakers, toReviewers } from "./open-reviews.ts"
import { lentTo } from "./stand-ins.ts"

/** True if a person may see a case. Anybody else hears the same as for a case that does not exist. */
export async function maySee(ports: JudgePorts, current: Case, person: Person): Promise<boolean> {
  return (await whyHidden(ports, current, person)) === null
}

/** Why a person who has a case's card before them may not see the case; null if they may. */
export async function whyHidden(ports: JudgePorts, current: Case, person: Person): Promise<Barrier | null> {
  const rules = rulesOf(ports, current)
  const shut = shutOut(person, rules)
  if (shut !== null) return shut
  if (isVoter(current, person)) return null
  const demand = demandToSee(current, rules)
  const approvers = await approversOf(ports, demand)
  if ([...approvers.byRule.values()].some((people) => people.has(personKey(person)))) return null
  if (await isBreakerOrReviewer(ports, current, { person, rules })) return null
  if (await standsIn(ports, current, person, { demand, approvers })) return null
  const isTheirs = (await mayBeRequester(ports, current, person)) || (await isOnRoute(ports, current, person))
  return isTheirs ? null : "stranger"
}

/** True for somebody who could break the glass of an open case, and for a reviewer of one whose glass was broken. */
async function isBreakerOrReviewer(
  ports: JudgePorts,
  { state, glass }: Case,
  { person, rules }: { readonly person: Person; readonly rules: readonly Rule[] },
): Promise<boolean> {
  const key = personKey(person)
  const broken = withRaisedRules(ports.policy.rules).filter(({ name }) => glass?.rules.includes(name) === true)
  const mayBreak = state === "open" && rules.length > 0 && rules.every(({ breakGlass }) => breakGlass !== undefined)
  if (!mayBreak && broken.length === 0) return false
  const asked = mayBreak ? rules.map(toBreakers) : broken.map(toReviewers)
  const { byRule } = await approversOf(ports, { rules: asked, covered: true })
  const listed = [...byRule.values()].filter((people) => people.has(key))
  return mayBreak ? listed.length === rules.length : listed.length > 0
}

/** The rules in force for a case. If its content is erased, the rules whose names the case still has. */
export function rulesOf(ports: Pick<JudgePorts, "policy">, current: Case): readonly Rule[] {
  if (current.approval !== null) return demandNow(current, ports.policy).rules
  const names = new Set(current.revision.quotas.map((quota) => quota.name))
  return withRaisedRules(ports.policy.rules).filter((rule) => names.has(rule.name))
}

/** A case's rules as a demand that knows which of them have escalated: everybody who is asked may look. */
export function demandToSee(current: Case, rules: readonly Rule[]): Demand {
  return { rules, covered: true, escalated: current.time.escalated }
}

/** True while this person may vote for somebody who is away, whoever has voted meanwhile. */
async function standsIn(
  ports: JudgePorts,
  current: Case,
  person: Person,
  under: { readonly demand: Demand; readonly approvers: Approvers },
): Promise<boolean> {
  if (peopleAwayFor(ports, person).length === 0) return false
  const known = await findRequester(ports, current.approval?.userId ?? null, ports.policy.identities)
  const look = (id: SlackId) => ports.people.look(id, freshMs)
  const listed = (rules: readonly Rule[]) => approversOf(ports, { ...under.demand, rules })
  const lent = await lentTo(ports, { ...current, votes: [] }, person, { ...under, known, look, listed })
  return lent.size > 0
}

/** Why a guest, or somebody of another workspace, may not look: no rule of the case lets them. Else null. */
export function shutOut(person: Person, rules: readonly Rule[]): Barrier | null {
  const unfit = unfitness(person)
  if (unfit !== null) return unfit
  if (person.guest && !rules.some((rule) => rule.allowGuests)) return "guest"
  return person.external && !rules.some((rule) => rule.allowExternal) ? "external" : null
}

/** True if this person has a vote on what the case shows now, or in its decision. */
export function isVoter(current: Case, person: Person): boolean {
  const votes = [...current.votes, ...(current.decision?.votes ?? [])]
  return votes.some((vote) => personKey(vote.person) === personKey(person))
}

/** The requester, if we tell them how their case ended: they may see it, and did not decide it themselves. */
export async function requesterToTell(ports: JudgePorts, current: Case): Promise<SlackId | null> {
  const id = await findRequester(ports, current.summary.requester, ports.policy.identities)
  if (id === null || hasDecided(current, id)) return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? id : null
}

async function mayBeRequester(ports: JudgePorts, current: Case, person: Person): Promise<boolean> {
  const userId = current.summary.requester
  const { identities } = ports.policy
  const known = await findRequester(ports, userId, identities).catch((error: unknown) => {
    if (refusalOfSlack(error) === null) throw error
    return null
  })
  return matchRequester({ userId, voter: person, identities, known }) === "same"
}

function isOnRoute(ports: JudgePorts, { cards }: Case, person: Person): Promise<boolean> {
  return isOn(
    ports,
    cards.filter((card) => !isThread(card)).map(({ route }) => route),
    person,
  )
}

/** True if one of these routes is this person, or a channel that they are a member of. */
export async function isOn(ports: JudgePorts, routes: readonly string[], person: Person): Promise<boolean> {
  const found = await Promise.all(
    routes.map(async (route) => {
      const [kind, id = ""] = route.split(":")
      if (kind === "person") return !person.external && id === person.user
      return ports.people.inChannel(id, person, freshMs)
    }),
  )
  return found.includes(true)
}
