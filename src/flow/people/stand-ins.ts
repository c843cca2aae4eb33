// Who stands in for whom under the rules of a case: judged anew each time it counts (R5).
import type { Case } from "../../domain/case/case.ts"
import { humanKey } from "../../domain/people/human.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import { type Approvers, judge, type Lent } from "../../domain/policy/judge.ts"
import type { Demand } from "../../domain/policy/policy.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { isProposedBy } from "../../domain/send-back/proposals.ts"
import { peopleAwayFor } from "../case/orders.ts"
import type { Ports } from "../ports.ts"

type StandInPorts = Pick<Ports, "policy" | "clock" | "orders">

/** What a judgement knows of a case. */
interface Judging {
  readonly demand: Demand
  readonly approvers: Approvers
  /** Whom the requester's claim means; null if nobody knows. */
  readonly known: SlackId | null
  /** Reads somebody, as fresh as it has to be when it counts (R5). */
  readonly look: (id: SlackId) => Promise<Person>
  /** Who these rules' stand-ins are now. */
  readonly listed: (rules: readonly Rule[]) => Promise<Approvers>
}

/**
 * For whom this person may vote, by the name of the rule: approvers of the rule who are away now, who named this
 * person, who could approve themselves, and who have no vote on the case. Somebody who stands in lends nothing on.
 * Reads nothing if nobody named this person. Throws if Slack does not say who somebody is.
 */
export async function lentTo(ports: StandInPorts, current: Case, id: SlackId, judging: Judging): Promise<Lent> {
  const { identities } = ports.policy
  const taken = new Set([id, ...current.votes.map((vote) => vote.person)].map((one) => humanKey(one, identities)))
  const away = peopleAwayFor(ports, id).filter((key) => !taken.has(humanKey(slackIdOf(key), identities)))
  const own = (name: string) => judging.approvers.byRule.get(name)?.has(personKey(id)) === true
  const open = judging.demand.rules.filter(({ name, standIns = [] }) => standIns.length > 0 && !own(name))
  if (away.length === 0 || open.length === 0) return new Map()
  const [listed, lenders] = await Promise.all([
    judging.listed(open.map(asStandIns)),
    Promise.all(away.map((key) => judging.look(slackIdOf(key)))),
  ])
  if (listed.conflicts.has(personKey(id))) return new Map()
  const mayStandIn = open.filter(({ name }) => listed.byRule.get(name)?.has(personKey(id)) === true)
  const lent = mayStandIn.map(({ name }) => {
    const able = lenders.filter((person) => rulesOfLender(ports, current, person, judging).includes(name))
    return [name, able.map(personKey)] as const
  })
  return new Map(lent.filter(([, able]) => able.length > 0))
}

/** A rule whose approvers are those who may stand in. */
export function asStandIns({ timing: _escalates, ...rule }: Rule): Rule {
  return { ...rule, approvers: rule.standIns ?? [] }
}

/** The rules under which somebody who is away could approve themselves. */
function rulesOfLender(
  { policy }: StandInPorts,
  current: Case,
  person: Person,
  { demand, approvers, known }: Judging,
): readonly string[] {
  const requester = matchRequester({
    userId: current.approval?.userId ?? null,
    voter: person,
    identities: policy.identities,
    known,
  })
  const proposer = isProposedBy(current, person, policy.identities)
  const judged = judge({ person, verb: "approve", demand, approvers, requester, proposer })
  return judged.ok ? judged.rules : []
}
