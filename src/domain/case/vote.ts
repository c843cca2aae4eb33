// Votes, and the verdict that they reach (R1, R3): counted by distinct people and distinct subjects.
import type { z } from "zod"
import type { Approval } from "../content/approval.ts"
import { hashOf } from "../content/canonical.ts"
import type { JsonObject } from "../content/json.ts"
import { largest } from "../content/largest.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { foldName, personKey } from "../people/person.ts"
import type { Verb } from "../policy/judge.ts"
import { lastStep } from "../policy/timing.ts"
import { type RuleContext, readingIn } from "../policy/when.ts"
import type { Seal } from "../proof/seal.ts"
import { type Rule, ruleHash } from "../rule/rule.ts"
import type { Case } from "./case.ts"
import type { repeatDecisionSchema } from "./record/again-record.ts"
import type {
  expiredDecisionSchema,
  quotaSchema,
  surfaceSchema,
  valuedQuotasSchema,
  votedDecisionSchema,
  votedRuleSchema,
  voteSchema,
} from "./record/vote-record.ts"

/** Where a person acted. */
export type Surface = z.infer<typeof surfaceSchema>

/** One person's approve or reject, bound to all that it was about (R3). `at` is epoch milliseconds. */
export interface Vote extends Frozen<z.infer<typeof voteSchema>> {}

/**
 * A rule that a vote counts under: its hash, the last step of its escalation that was taken, and for whom the voter
 * stands in under it.
 */
export interface VotedRule extends Frozen<z.infer<typeof votedRuleSchema>> {}

/**
 * The verdict, made once and named by its id: the votes reached it, the case expired and its rules reject (R13), or a
 * rejection of the same call lasts (R22).
 */
export type Decision = VotedDecision | ExpiredDecision | RepeatDecision

/** A decision that one or more votes reached. The last vote completed it. */
export interface VotedDecision extends Frozen<z.infer<typeof votedDecisionSchema>> {}

/** A decision without votes: the time was over, and then the rules reject. */
interface ExpiredDecision extends Frozen<z.infer<typeof expiredDecisionSchema>> {}

/** A decision without votes: people rejected the same call before, and that rejection lasts. */
export interface RepeatDecision extends Frozen<z.infer<typeof repeatDecisionSchema>> {}

/** The decision with each of its votes changed. */
export function withVotes(decision: Decision, change: (vote: Vote) => Vote): Decision {
  return decision.by !== undefined ? decision : { ...decision, votes: decision.votes.map(change) }
}

/** A vote before it is sealed. */
export type UnsealedVote = Omit<Vote, "mac">

/** What a vote's MAC covers. */
export function voteContent(vote: UnsealedVote): JsonObject {
  const { installation, caseId, revision, digest, person, name, subject, verb, reason, revealed } = vote
  const { surface, interaction, at, calledBack, glass, sentBack, lasting } = vote
  const rules = vote.rules.map((rule) => ({ ...rule }))
  const bound = { installation, caseId, revision, digest, rules, person: { ...person }, name, subject }
  const kind = {
    ...(calledBack === undefined ? {} : { calledBack }),
    ...(glass === undefined ? {} : { glass }),
    ...(sentBack === undefined ? {} : { sentBack }),
    ...(lasting === undefined ? {} : { lasting }),
  }
  return { ...bound, verb, ...kind, reason, values: valuesHash(vote.values), revealed, surface, interaction, at }
}

/** The digest of what a person filled in. Votes with different digests never add up (R3). */
export function valuesHash(values: JsonObject | null): string | null {
  return values === null ? null : hashOf(values)
}

/** What a case asks of one rule: its name, hash and quorum. */
export interface Quota extends Frozen<z.infer<typeof quotaSchema>> {}

/** What each of the demanded rules asks, and how its condition was read. */
export function quotasOf(approval: Approval, rules: readonly Rule[], known: RuleContext): readonly Quota[] {
  return rules.map((rule) => {
    const when = readingIn(approval, rule, known)
    return { name: rule.name, hash: ruleHash(rule), quorum: rule.quorum, ...(when === null ? {} : { when }) }
  })
}

/** What a case asks of all votes, and of votes with certain values if that differs. */
export interface Quotas {
  readonly quotas: readonly Quota[]
  /** The quotas of votes with certain values, by the digest of the values. Absent if there are none. */
  readonly byValues?: readonly ValuedQuotas[]
}

/** What a case asks of votes with these values: the rules were chosen again for them. */
export interface ValuedQuotas extends Frozen<z.infer<typeof valuedQuotasSchema>> {}

/** What a case asks of votes with these values. */
export function quotasFor({ quotas, byValues = [] }: Quotas, values: JsonObject | null): readonly Quota[] {
  const digest = valuesHash(values)
  return byValues.find((one) => one.values === digest)?.quotas ?? quotas
}

/** The verdict that votes reach, with the votes that made it; or how far the votes are, if they reach none. */
export type Tally =
  | { readonly verdict: Verb; readonly votes: readonly Vote[] }
  | { readonly verdict: null; readonly progress: readonly Progress[] }

/** How many agree under one rule, of how many. */
export interface Progress {
  readonly rule: string
  readonly have: number
  readonly need: number
}

/**
 * Counts votes that were all judged valid. One rejection decides, also one by the requester. A vote by breaking glass
 * decides if it counts for each quota for its values. Else approvals decide if, among votes with the same values,
 * distinct people with distinct subjects reach each quota for these values. Without quotas there is never a verdict. A
 * vote for somebody who is away counts only if that person has none.
 */
export function tally(all: readonly Vote[], asked: Quotas): Tally {
  const votes = withoutDoubles(all)
  const rejects = (vote: Vote) => (isCallBack(vote) ? asked.quotas.length > 0 : countsFor(vote, asked.quotas))
  const rejection = votes.find((vote) => vote.verb === "reject" && rejects(vote))
  if (rejection !== undefined) return { verdict: "reject", votes: [rejection] }
  const broken = votes.find((vote) => isGlass(vote) && meetsAll(vote, quotasFor(asked, vote.values)))
  if (broken !== undefined) return { verdict: "approve", votes: [broken] }
  const groups = groupsOf(votes, asked)
  const reached = groups.find(
    ({ quotas, approvals }) =>
      quotas.length > 0 && quotas.every((quota) => agreeUnder(approvals, quota) >= quota.quorum),
  )
  if (reached !== undefined) return { verdict: "approve", votes: reached.approvals }
  return { verdict: null, progress: stillAsked(groups, asked).map((quota) => progressOf(groups, quota)) }
}

/** The votes, but for those of people who stand in for somebody who voted: theirs counts. */
function withoutDoubles(votes: readonly Vote[]): readonly Vote[] {
  const voters = new Set(votes.map(({ person }) => personKey(person)))
  return votes.filter((vote) => !standsInFor(vote).some((absent) => voters.has(absent)))
}

/** True for the rejection of a requester who called the request back (R1). */
export function isCallBack({ verb, calledBack }: Pick<Vote, "verb" | "calledBack">): boolean {
  return verb === "reject" && calledBack === true
}

/** True if the decision is that the requester called the request back. */
export function isCalledBack(decision: Decision | null): boolean {
  return decision !== null && decision.by === undefined && decision.votes.some(isCallBack)
}

/** True for an approval by breaking glass (R1). It counts beside no other. */
export function isGlass({ verb, glass }: Pick<Vote, "verb" | "glass">): boolean {
  return verb === "approve" && glass === true
}

/** True if the decision is an approval by breaking glass. */
export function isBroken(decision: Decision | null): boolean {
  return decision !== null && decision.by === undefined && decision.votes.some(isGlass)
}

function meetsAll(vote: Vote, quotas: readonly Quota[]): boolean {
  return quotas.length > 0 && quotas.every((quota) => countsFor(vote, [quota]))
}

/** Approvals with the same values, and the quotas for these values. */
interface Group {
  readonly approvals: readonly Vote[]
  readonly quotas: readonly Quota[]
}

function groupsOf(votes: readonly Vote[], asked: Quotas): readonly Group[] {
  const approvals = votes.filter((vote) => vote.verb === "approve" && !isGlass(vote))
  const groups = [...Map.groupBy(approvals, (vote) => valuesHash(vote.values)).values()]
  return groups.map((group) => ({ approvals: group, quotas: quotasFor(asked, group[0]?.values ?? null) }))
}

/** The quotas to show. Once somebody approved, only those for values with which somebody approved. */
function stillAsked(groups: readonly Group[], { quotas }: Quotas): readonly Quota[] {
  if (groups.length === 0) return quotas
  return quotas.filter(({ name }) => groups.some((group) => group.quotas.some((one) => one.name === name)))
}

function progressOf(groups: readonly Group[], quota: Quota): Progress {
  const have = largest(
    0,
    groups.map(({ approvals }) => agreeUnder(approvals, quota)),
  )
  return { rule: quota.name, have, need: quota.quorum }
}

function countsFor(vote: Vote, quotas: readonly Quota[]): boolean {
  return quotas.some((quota) => vote.rules.some((rule) => rule.name === quota.name && rule.hash === quota.hash))
}

/** The people for whom a voter stands in (`team:user`), each once; empty for most votes. */
export function standsInFor({ rules }: Pick<Vote, "rules">): readonly string[] {
  return [...new Set(rules.flatMap((rule) => rule.for ?? []))]
}

/** The fields that say for whom a voter stands in; none for most votes. */
export function forWhom(vote: Pick<Vote, "rules">): { readonly for?: readonly string[] } {
  const people = standsInFor(vote)
  return people.length === 0 ? {} : { for: people }
}

/** Whose vote it is under a rule, as `team:user`: the voter's own, or that of whoever is away. */
function whoseUnder({ rules, person }: Vote, { name }: Pick<Quota, "name">): string {
  return rules.find((rule) => rule.name === name)?.for ?? personKey(person)
}

function agreeUnder(approvals: readonly Vote[], quota: Quota): number {
  const counted = approvals.filter((vote) => countsFor(vote, [quota]))
  return Math.min(
    distinct(counted.map((vote) => personKey(vote.person))),
    distinct(counted.map((vote) => foldName(vote.subject))),
    distinct(counted.map((vote) => whoseUnder(vote, quota))),
  )
}

function distinct(values: readonly string[]): number {
  return new Set(values).size
}

/** True if we sealed a vote, and if it is about this case in its present state. */
export function isSound(seal: Seal, current: Case, vote: Vote): boolean {
  const { mac, ...content } = vote
  const bound =
    vote.caseId === current.id && vote.revision === current.revision.number && vote.digest === current.revision.digest
  const allowed = vote.rules.every(({ name, escalated = 0 }) => escalated <= lastStep(current.time.escalated, name))
  return (
    bound && allowed && vote.installation === current.installation && seal.verify("vote", voteContent(content), mac)
  )
}

/**
 * True if the votes are sound and reach the verdict under the case's quotas, or if it is the rejection of an expiry or
 * of a repeat.
 */
export function isTallied(seal: Seal, current: Case): boolean {
  const { decision, revision } = current
  if (decision?.by === "expiry") return isByExpiry(seal, current, decision)
  if (decision?.by === "again") return decision.id === repeatIdOf(seal, current, decision)
  if (decision === null || !decision.votes.every((vote) => isSound(seal, current, vote))) return false
  return tally(decision.votes, revision).verdict === decision.verb
}

/** True if a decision without votes is the rejection that this case owes, and we made it (R14). */
export function isByExpiry(seal: Seal, current: Case, { id, verb, votes }: Decision): boolean {
  return verb === "reject" && votes.length === 0 && id === idOf(seal, current)
}

/** The id of the owed rejection, new each time. It rests on a MAC, so only our key makes it. Null if none is owed. */
export function idOf(seal: Seal, { id, revision, time }: Case): string | null {
  const { rejectAt = null } = time.expired ?? {}
  if (rejectAt === null) return null
  const mac = seal.mac("expiry", { case: id, revision: revision.number, digest: revision.digest, rejectAt })
  return hashOf({ expiry: mac }).slice(0, 32)
}

/**
 * The id of the rejection of a repeat. It rests on a MAC over what it repeats, so only our key makes it, and the record
 * can say nothing else of it (R14).
 */
export function repeatIdOf(
  seal: Seal,
  { id, revision }: Pick<Case, "id" | "revision">,
  { as, reason, until }: Pick<RepeatDecision, "as" | "reason" | "until">,
): string {
  const of = { case: id, revision: revision.number, digest: revision.digest }
  return hashOf({ again: seal.mac("again", { ...of, as: { ...as }, reason, until }) }).slice(0, 32)
}
