// Says whether the same people would have decided the same under other rules.
import { type Decision, type Progress, tally, type Vote } from "../case/vote.ts"
import { humanKey, type Identity } from "../people/human.ts"
import { type Person, personKey, type SlackId } from "../people/person.ts"
import { matchRequester, type RequesterMatch } from "../people/requester.ts"
import { judge, quorumOf } from "../policy/judge.ts"
import { type Rule, ruleHash } from "../rule/rule.ts"
import type { Replay } from "./replay.ts"

/** A decision stands, or needs other people (`progress`: how far it got, by rule), or nobody can tell which. */
export type DecisionUnder =
  | { readonly kind: "stands" | "cannot-tell" }
  | { readonly kind: "needs-others"; readonly progress: readonly Progress[] }

/** What is known of a decision. */
export interface DecisionSeen {
  readonly decision: Decision
  /** What the other rules ask of the case. */
  readonly replay: Replay
  /** By `ruleHash`: who may decide under a rule now. */
  readonly people: ReadonlyMap<string, ReadonlySet<string>>
  /** The voters by `personKey`, as Slack knows them now; null: Slack does not know them. */
  readonly voters: ReadonlyMap<string, Person | null>
  /** Who asked, as the platform says, and which person that is. */
  readonly userId: string | null
  readonly known: SlackId | null
  readonly identities: readonly Identity[]
}

/**
 * A vote counts under a rule with the same hash, and under any other rule that lists its voter now. A decision stands
 * if it stands under each rule that may ask. It needs other people if it fails under those that ask for certain.
 */
export function decisionUnder(seen: DecisionSeen): DecisionUnder {
  const { certain, possible, covered } = seen.replay
  if (covered === false) return { kind: "needs-others", progress: [] }
  // An approval needs each rule, a rejection needs one of them.
  const [more, less] = seen.decision.verb === "approve" ? [possible, certain] : [certain, possible]
  if (covered === true && tallied(seen, more, "unfit") === null) return { kind: "stands" }
  const progress = less.length === 0 ? null : tallied(seen, less, "fit")
  return progress === null ? { kind: "cannot-tell" } : { kind: "needs-others", progress }
}

/** What we assume of somebody whom Slack no longer knows. */
type Assumed = "fit" | "unfit"

/** How far the votes get under these rules; null if they decide the same. */
function tallied(seen: DecisionSeen, rules: readonly Rule[], assumed: Assumed): readonly Progress[] | null {
  const { decision, identities } = seen
  const votes = decision.votes.map((vote) => {
    const counted = rules.filter((rule) => rulesFor(seen, rules, vote, assumed).has(rule.name))
    const subject = humanKey(vote.person, identities)
    return { ...vote, subject, rules: counted.map((rule) => ({ name: rule.name, hash: ruleHash(rule) })) }
  })
  const quotas = rules.map((rule) => {
    return { name: rule.name, hash: ruleHash(rule), quorum: quorumFor(seen, rule, decision.votes.at(-1)) }
  })
  const result = tally(votes, { quotas })
  if (result.verdict === decision.verb) return null
  const progress = result.verdict === null ? result.progress : []
  return progress.filter(({ have, need }) => have < need)
}

/** The names of the rules under which a vote counts. */
function rulesFor(seen: DecisionSeen, rules: readonly Rule[], vote: Vote, assumed: Assumed): ReadonlySet<string> {
  const key = personKey(vote.person)
  const person = voterOf(seen, vote, assumed)
  const same = (rule: Rule) => vote.rules.some(({ hash }) => hash === ruleHash(rule))
  const others = (rule: Rule) => [...(seen.people.get(ruleHash(rule)) ?? [])].filter((one) => one !== key)
  const listed = (rule: Rule) => isStillListed(seen, rule, { key, assumed })
  const asNow = judgedUnder(seen, {
    rules,
    vote,
    person,
    listed: (rule) => (listed(rule) ? [key, ...others(rule)] : others(rule)),
  })
  // For a rule with the same hash we judged at the time of the vote whether a guest may decide.
  const member = { ...person, guest: false, external: false }
  const asThen = judgedUnder(seen, {
    rules,
    vote,
    person: member,
    listed: (rule) => (same(rule) ? [key] : others(rule)),
  })
  return new Set([...asNow, ...asThen])
}

/** True if a rule still lists a voter. When somebody leaves, Slack removes them from their groups. */
function isStillListed(
  { people, voters }: DecisionSeen,
  rule: Rule,
  { key, assumed }: { readonly key: string; readonly assumed: Assumed },
): boolean {
  const left = voters.get(key)?.deactivated ?? true
  return (left && assumed === "fit") || people.get(ruleHash(rule))?.has(key) === true
}

function judgedUnder(
  seen: DecisionSeen,
  asked: {
    readonly rules: readonly Rule[]
    readonly vote: Vote
    readonly person: Person
    readonly listed: (rule: Rule) => readonly string[]
  },
): readonly string[] {
  const { rules, vote, person, listed } = asked
  const byRule = new Map(rules.map((rule) => [rule.name, new Set(listed(rule))]))
  const approvers = { byRule, conflicts: new Map<string, string>() }
  const requester = requesterFor(seen, person)
  const judgement = judge({ person, verb: vote.verb, demand: { rules, covered: true }, approvers, requester })
  return judgement.ok ? judgement.rules : []
}

/** The voter as a person. Whoever voted was no bot, and was active. */
function voterOf({ voters }: DecisionSeen, { person, name }: Vote, assumed: Assumed): Person {
  const fit = { bot: false, deactivated: false }
  const known = voters.get(personKey(person)) ?? null
  if (known !== null) return { ...known, ...person, ...fit }
  return { ...person, name, email: null, ...fit, guest: assumed === "unfit", external: false, readAt: 0 }
}

function requesterFor({ userId, known, identities }: DecisionSeen, voter: Person): RequesterMatch {
  return matchRequester({ userId, voter, identities, known })
}

function quorumFor(seen: DecisionSeen, rule: Rule, vote: Vote | undefined): number {
  return vote === undefined ? rule.quorum : quorumOf(rule, requesterFor(seen, voterOf(seen, vote, "fit")))
}
