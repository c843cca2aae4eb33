// Judges voters: approvers by the rules, and requesters who call their request back (R1). Before a verdict, it judges
// all who voted once more (R5).
import { type Case, demandAs } from "../../domain/case/case.ts"
import type { Vote } from "../../domain/case/vote.ts"
import { humanKey, type Identity } from "../../domain/people/human.ts"
import { personKey, type SlackId } from "../../domain/people/person.ts"
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
  const replaced = olderOfOne([...others, fresh], ports.policy.identities)
  const judged = await Promise.all(
    others
      .filter((vote) => !replaced.includes(vote))
      .map(async (vote) => ({ vote, verdict: await judgeVoter(ports, current, vote.person, vote) })),
  )
  const older = replaced.map((vote) => ({ vote, why: "same-person" }))
  return { unfit: [...older, ...judged.flatMap(({ vote, verdict }) => unfitNow(vote, verdict))] }
}

/** The votes after which the same human voted again, oldest first. */
function olderOfOne(votes: readonly Vote[], identities: readonly Identity[]): readonly Vote[] {
  const newest = new Map(votes.map((vote) => [humanKey(vote.person, identities), vote]))
  return votes.filter((vote) => newest.get(humanKey(vote.person, identities)) !== vote)
}

/** A vote that no longer counts, with the reason; none if all its rules still list its voter. */
function unfitNow(vote: Vote, verdict: Judged): readonly { readonly vote: Vote; readonly why: string }[] {
  if (!verdict.ok) return [{ vote, why: verdict.refusal.code }]
  const listed = vote.rules.every((rule) => verdict.rules.includes(rule.name))
  return listed ? [] : [{ vote, why: "not-approver" }]
}
