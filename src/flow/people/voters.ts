// Judges voters: approvers by the rules, and requesters who call their request back (R1). Before a verdict, it judges
// all who voted once more (R5).
import { type Case, demandAs } from "../../domain/case/case.ts"
import { standsInFor, type Vote } from "../../domain/case/vote.ts"
import { humanKey, type Identity } from "../../domain/people/human.ts"
import { personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { judgeCallBack } from "../../domain/policy/judge.ts"
import {
  freshMs,
  type Judged,
  type JudgePorts,
  judgePerson,
  oneRequester,
  quotaOf,
  type Wanted,
} from "./eligibility.ts"
import { whyHidden } from "./visibility.ts"

/** Judges one person on one case, by what they want. Throws if Slack does not say who they are. */
export function judgeVoter(ports: JudgePorts, current: Case, id: SlackId, wanted: Wanted): Promise<Judged> {
  return wanted.calledBack === true ? judgeCaller(ports, current, id) : judgePerson(ports, current, id, wanted)
}

const unlimited = { limits: null, reviews: null, valued: null } as const

async function judgeCaller(ports: JudgePorts, current: Case, id: SlackId): Promise<Judged> {
  const demand = demandAs(current, ports.policy, {})
  const person = await ports.people.look(id, freshMs)
  const [requester, barrier] = await Promise.all([
    oneRequester(ports, current.approval?.userId ?? null, ports.policy.identities),
    whyHidden(ports, current, person),
  ])
  const judgement = judgeCallBack({ person, demand, barrier, requester })
  if (!judgement.ok) return judgement
  const quotas = demand.rules.map((rule) => quotaOf(current, rule, "same"))
  const beside = current.votes.map((vote) => vote.mac)
  return { ok: true, person, demand, rules: judgement.rules, quotas, standby: [], ...unlimited, beside }
}

/** The votes of others that count no more, each with the reason. */
export interface Rejudged {
  readonly unfit: readonly { readonly vote: Vote; readonly why: string }[]
}

/**
 * Judges every other voter again before a verdict is reached (R5): somebody may have left the group since their vote. A
 * human's newer vote replaces their older one, whichever of their Slack ids cast it (R7).
 */
export async function rejudge(ports: JudgePorts, current: Case, fresh: Vote): Promise<Rejudged> {
  const others = current.votes.filter((vote) => personKey(vote.person) !== personKey(fresh.person))
  const { identities } = ports.policy
  const replaced = olderOfOne([...others, fresh], identities)
  // Whoever is away and votes all the same has their own vote.
  const borrowed = others.filter((vote) => !replaced.includes(vote) && isForHuman(vote, fresh, identities))
  const judged = await Promise.all(
    others
      .filter((vote) => !replaced.includes(vote) && !borrowed.includes(vote))
      .map(async (vote) => ({ vote, verdict: await judgeVoter(ports, current, vote.person, vote) })),
  )
  const older = replaced.map((vote) => ({ vote, why: "same-person" }))
  const back = borrowed.map((vote) => ({ vote, why: "voted-themselves" }))
  return { unfit: [...older, ...back, ...judged.flatMap(({ vote, verdict }) => unfitNow(vote, verdict))] }
}

/** The votes after which the same human voted again, oldest first. */
function olderOfOne(votes: readonly Vote[], identities: readonly Identity[]): readonly Vote[] {
  const newest = new Map(votes.map((vote) => [humanKey(vote.person, identities), vote]))
  return votes.filter((vote) => newest.get(humanKey(vote.person, identities)) !== vote)
}

/** True if a vote stands in for the human behind another vote. */
function isForHuman(vote: Vote, { person }: Vote, identities: readonly Identity[]): boolean {
  const human = humanKey(person, identities)
  return standsInFor(vote).some((key) => humanKey(slackIdOf(key), identities) === human)
}

/**
 * A vote that no longer counts, with the reason; none if all its rules still list its voter, and if the voter still
 * stands in for whom the vote names.
 */
function unfitNow(vote: Vote, verdict: Judged): readonly { readonly vote: Vote; readonly why: string }[] {
  const stoodIn = standsInFor(vote).length > 0
  if (!verdict.ok) return [{ vote, why: stoodIn ? notStandingIn : verdict.refusal.code }]
  const { rules, lent } = verdict
  const holds = vote.rules.every(({ name, for: away }) => {
    if (away === undefined) return rules.includes(name) && lent?.has(name) !== true
    return lent?.get(name)?.includes(away) === true
  })
  return holds ? [] : [{ vote, why: stoodIn ? notStandingIn : "not-approver" }]
}

const notStandingIn = "not-standing-in"
