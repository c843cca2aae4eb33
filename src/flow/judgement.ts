// Judging for a case: reads the person, the approvers and the requester, each at most 30 s old, and asks the domain (R5, R6).
import { type Case, demandNow } from "../domain/case/case.ts"
import type { Quota, Vote } from "../domain/case/vote.ts"
import { humanKey, type Identity } from "../domain/people/human.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../domain/people/person.ts"
import { judge, quorumOf, type Refusal, type Verb } from "../domain/policy/judge.ts"
import { type Demand, ruleHash } from "../domain/policy/policy.ts"
import { approversOf, findRequester, freshMs, requesterMatch } from "./identify.ts"
import type { Ports } from "./ports.ts"

export type JudgePorts = Pick<Ports, "people" | "pins" | "policy" | "clock" | "alarm">

/** A person as judged just now, with what the judgement rests on. */
export type Judged =
  | {
      readonly ok: true
      readonly person: Person
      readonly demand: Demand
      /** Names of the rules under which the vote counts. */
      readonly rules: readonly string[]
      readonly quotas: readonly Quota[]
      /** The MACs of the votes that the case held when it was judged. */
      readonly beside: readonly string[]
    }
  | { readonly ok: false; readonly refusal: Refusal }

/** Judges one person on one case. Throws if Slack does not say who they are: then nobody decides. */
export async function judgePerson(ports: JudgePorts, current: Case, id: SlackId, verb: Verb): Promise<Judged> {
  const demand = demandNow(current, ports.policy)
  const userId = current.approval?.userId ?? null
  const { identities } = ports.policy
  const [person, approvers, known] = await Promise.all([
    ports.people.look(id, freshMs),
    approversOf(ports, demand),
    findRequester(ports, userId, identities),
  ])
  const requester = requesterMatch({ userId, voter: person, identities, known })
  const judgement = judge({ person, verb, demand, approvers, requester })
  if (!judgement.ok) return judgement
  const quotas = demand.rules.map((rule) => ({
    name: rule.name,
    hash: ruleHash(rule),
    quorum: quorumOf(rule, requester),
  }))
  const beside = current.votes.map((vote) => vote.mac)
  return { ok: true, person, demand, rules: judgement.rules, quotas, beside }
}

/** The votes of others that do not count any more, with why. */
export interface Rejudged {
  readonly unfit: readonly { readonly vote: Vote; readonly why: string }[]
}

/**
 * Every other voter is judged again before a verdict is reached (R5): somebody may have left the group since. A human's newer vote replaces
 * their older one, with whichever of their Slack ids they cast it (R7).
 */
export async function rejudge(ports: JudgePorts, current: Case, fresh: Vote): Promise<Rejudged> {
  const others = current.votes.filter((vote) => personKey(vote.person) !== personKey(fresh.person))
  const replaced = olderOfOne([...others, fresh], ports.policy.identities)
  const judged = await Promise.all(
    others
      .filter((vote) => !replaced.includes(vote))
      .map(async (vote) => ({ vote, verdict: await judgePerson(ports, current, vote.person, vote.verb) })),
  )
  const older = replaced.map((vote) => ({ vote, why: "same-person" }))
  return { unfit: [...older, ...judged.flatMap(({ vote, verdict }) => unfitNow(vote, verdict))] }
}

/** True for an approval that was pressed before the same human's last act on the case: it comes late, and what they wanted last counts (R11, R12). */
export function isOvertaken(
  { policy }: Pick<JudgePorts, "policy">,
  { votes, used }: Case,
  press: { readonly person: SlackId; readonly verb: Verb; readonly at: number },
): boolean {
  const human = humanKey(press.person, policy.identities)
  const theirs = votes.filter((vote) => humanKey(vote.person, policy.identities) === human)
  const acts = used.filter(({ person }) => humanKey(slackIdOf(person), policy.identities) === human)
  return press.verb === "approve" && [...theirs, ...acts].some(({ at }) => at > press.at)
}

/** The votes, oldest first, after which the same human voted again. */
function olderOfOne(votes: readonly Vote[], identities: readonly Identity[]): readonly Vote[] {
  const newest = new Map(votes.map((vote) => [humanKey(vote.person, identities), vote]))
  return votes.filter((vote) => newest.get(humanKey(vote.person, identities)) !== vote)
}

/** A vote counts only under rules that all still list its voter. */
function unfitNow(vote: Vote, verdict: Judged): readonly { readonly vote: Vote; readonly why: string }[] {
  if (!verdict.ok) return [{ vote, why: verdict.refusal.code }]
  const listed = vote.rules.every((rule) => verdict.rules.includes(rule.name))
  return listed ? [] : [{ vote, why: "not-approver" }]
}
