// Ballots: a judged interaction becomes a sealed vote under a subject; one step counts the vote and freezes the verdict
// that it reaches (R3, R9). Also takes a vote back (R5).
import { lastingFrom, lastingMs } from "../../domain/again/lasting.ts"
import { type Case, demandNow, type Step } from "../../domain/case/case.ts"
import { andThen, castVote, isUsed, noteHeld, noteLimits, voidVote, withdrawVote } from "../../domain/case/steps.ts"
import { decide as decideStep } from "../../domain/case/verdict.ts"
import {
  type Quota,
  quotasFor,
  tally,
  type UnsealedVote,
  type Vote,
  type VotedRule,
  valuesHash,
  voteContent,
} from "../../domain/case/vote.ts"
import { breakGlass } from "../../domain/glass/glass.ts"
import { isReservedSubject } from "../../domain/people/delegated.ts"
import { idsOf } from "../../domain/people/human.ts"
import { type Person, personKey, resolvedByFor } from "../../domain/people/person.ts"
import { type Asked, approverWord } from "../../domain/policy/asked.ts"
import type { Refusal } from "../../domain/policy/judge.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import { approversUnder, isOver, lastStep } from "../../domain/policy/timing.ts"
import { ruleHash } from "../../domain/rule/rule.ts"
import { advance, type CommitStep } from "../case/commit.ts"
import { linkedByAbsence } from "../case/orders.ts"
import { type Judged, newestLink, type VoteLimits } from "../people/eligibility.ts"
import { type OpenReviews, withReviewsOpened } from "../people/open-reviews.ts"
import { additionsOf } from "../people/sum-changes.ts"
import type { Press, WithdrawInteraction } from "../ports/interaction.ts"
import type { Answer, Decided } from "../ports/reply.ts"
import type { Ports } from "../ports.ts"
import { decisionOf, freezeVerdict, type SigningPorts } from "../resolve/freeze.ts"
import { placeOf, standing } from "./checks.ts"

/** Somebody who may vote in the way that they want. */
export type Allowed = Extract<Judged, { ok: true }>

/** Seals a vote with all that it is about (R3). */
export function sealVote(
  ports: Pick<Ports, "seal">,
  current: Case,
  interaction: Omit<Press, "on"> & { readonly revealed: boolean },
  judged: Allowed & { readonly subject: string },
): Vote {
  const { verb, calledBack, glass, sendBack, reason, values, revealed, surface, interaction: id, at } = interaction
  const isPlain = verb === "reject" && calledBack === undefined && sendBack === undefined
  const lasts = interaction.lasting === true && isPlain && lastingMs(judged.demand.rules) !== null
  const ready = judged.standby.map((rule) => ({ name: rule.name, hash: ruleHash(rule) }))
  const rules = [...judged.quotas, ...ready]
    .filter(({ name }) => judged.rules.includes(name))
    .map((quota) => votedRule(current, quota, judged.lent))
  const { team, user, name } = judged.person
  const content: UnsealedVote = {
    installation: current.installation,
    caseId: current.id,
    revision: current.revision.number,
    digest: current.revision.digest,
    rules,
    person: { team, user },
    name,
    subject: judged.subject,
    verb,
    ...(calledBack === undefined ? {} : { calledBack }),
    ...(glass === undefined ? {} : { glass }),
    ...(sendBack === undefined ? {} : { sentBack: true }),
    ...(lasts ? { lasting: true } : {}),
    reason,
    values,
    revealed,
    surface,
    interaction: id,
    at,
  }
  return { ...content, mac: ports.seal.mac("vote", voteContent(content)) }
}

function votedRule({ time }: Case, { name, hash }: Pick<Quota, "name" | "hash">, lent: Allowed["lent"]): VotedRule {
  const [away] = lent?.get(name) ?? []
  const borrowed = away === undefined ? {} : { for: away }
  const escalated = lastStep(time.escalated, name)
  return { name, hash, ...(escalated === 0 ? {} : { escalated }), ...borrowed }
}

/**
 * The answer to somebody whose vote counts already, if the same vote again would change nothing. Null if it would
 * change something, or if we hold a rejection: a second press may send that (R12).
 */
export function countedBefore({ votes, revision }: Case, fresh: Vote, { quotas, valued }: Allowed): Answer | null {
  const result = tally(votes, revision)
  const asked = quotasFor(revision, fresh.values)
  if (result.verdict !== null || !isSameValue(quotas, revision.quotas) || !isSameValue(valued ?? quotas, asked))
    return null
  const stands = votes.some(
    (vote) =>
      isSameValue(whatItSays(vote), whatItSays(fresh)) && (fresh.reason === null || fresh.reason === vote.reason),
  )
  return stands ? { kind: "again", verb: fresh.verb, progress: result.progress } : null
}

/** What counts of a vote: whose it is, and what they want under which rules. When and where do not count. */
function whatItSays({ person, verb, calledBack, glass, subject, values, rules, revision, digest }: Vote) {
  const under = rules.map(({ name, hash, escalated = 0, for: absent }) => [name, hash, escalated, absent])
  const kind = [verb, calledBack === true, glass === true]
  return [personKey(person), ...kind, subject, valuesHash(values), under, revision, digest]
}

function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A sealed vote with its judgement, and the older votes that no longer count. */
export interface Ballot {
  readonly sealed: Vote
  readonly judged: Allowed
  /** True if the platform would not enforce the rejection (R12). */
  readonly held: boolean
  /** The key of the same call, and for how long its rejection lasts, in ms; null if it does not. */
  readonly lasts: { readonly key: string; readonly ms: number } | null
  readonly voided: { readonly at: number; readonly unfit: readonly { readonly vote: Vote; readonly why: string }[] }
}

/**
 * One step: casts the vote, voids the votes that it ends, and freezes the verdict if these votes reach one that we need
 * not hold. Null if the case changed.
 */
export async function voteStep(
  ports: SigningPorts & Pick<Ports, "clock" | "policy" | "orders">,
  current: Case,
  ballot: Ballot,
): Promise<CommitStep | null> {
  const { sealed, judged, voided } = ballot
  if (
    current.state !== "open" ||
    isOver(current.time, ports.clock()) ||
    current.revision.number !== sealed.revision ||
    current.revision.digest !== sealed.digest ||
    isUsed(current, sealed.interaction)
  )
    return null
  // Somebody cast a vote meanwhile that was not there for the judgement. It may be the same person's, and then the
  // rejection may have to be held.
  if (current.votes.some(({ mac }) => !judged.beside.includes(mac))) return null
  const { limits } = judged
  const cast: Step = castVote(current, sealed, judged.quotas, judged.valued)
  const start = limits === null ? cast : andThen(cast, (now) => noteLimits(now, limits.all, ports.policy, limits.at))
  const cleaned = voided.unfit.reduce(
    (step, one) => andThen(step, (now) => voidVote(now, one.vote.person, one.why, voided.at)),
    start,
  )
  const result = tally(cleaned.next.votes, cleaned.next.revision)
  if (result.verdict === null) return cleaned
  if (result.verdict === "reject" && ballot.held) {
    return andThen(cleaned, (now) => noteHeld(now, sealed.person, ports.clock()))
  }
  const votes = [
    ...result.votes.filter((one) => one.mac !== sealed.mac),
    ...result.votes.filter((one) => one.mac === sealed.mac),
  ]
  // We read the limits for what this vote filled in, so it cannot decide about other values.
  if ((limits !== null || judged.reviews !== null) && !votes.includes(sealed)) return cleaned
  const made = decisionOf(cleaned.next, result.verdict, votes, ports.clock())
  const { decision, body, receipt } = await freezeVerdict(ports, cleaned.next, made)
  const decided = andThen(lasting(cleaned, ballot, votes, decision.at), (now) =>
    decideStep(now, decision, body, receipt),
  )
  const whole = limits === null ? decided : added(ports.policy, decided, sealed, { limits, decision: decision.id })
  return judged.reviews === null ? whole : broken(ports, whole, ballot, judged.reviews)
}

/** The step whose case says that its rejection lasts, if this vote makes one that does (R22). */
function lasting(step: Step, { sealed, lasts }: Ballot, votes: readonly Vote[], at: number): Step {
  if (lasts === null || !votes.includes(sealed)) return step
  return { ...step, next: { ...step.next, lasting: lastingFrom(lasts.key, at + lasts.ms) } }
}

/** Breaks the glass of the demanded rules in the commit that decides: what the case owes from now on. */
function broken(
  ports: Pick<Ports, "clock" | "policy" | "orders">,
  step: CommitStep,
  { sealed, judged }: Ballot,
  reviews: OpenReviews,
): CommitStep {
  const { rules } = judged.demand
  const { policy, clock } = ports
  const passed = passedOver(step.next, policy, sealed)
  const linked = linkedByAbsence(ports, idsOf(sealed.person, policy.identities))
  const owing = andThen(step, (now) => breakGlass(now, { vote: sealed, rules, passed, linked }, clock()))
  const decision = step.next.decision?.id ?? ""
  const { parts, changes } = withReviewsOpened(step.next, reviews, decision)
  const reserved = { decision, sums: [...(step.next.reserved?.sums ?? []), ...parts] }
  return { next: { ...owing.next, reserved }, events: owing.events, sums: [...(step.sums ?? []), ...changes] }
}

/** Whom each rule asks, as it lists them, without the person who broke the glass and those who had agreed. */
function passedOver(current: Case, policy: Policy, { person }: Vote): readonly Asked[] {
  const demand = demandNow(current, policy)
  const agreed = new Set([person.user, ...current.votes.map((vote) => vote.person.user)])
  return demand.rules.map((rule) => {
    const approvers = approversUnder(demand, rule).map(approverWord)
    return { rule: rule.name, quorum: rule.quorum, approvers: approvers.filter((word) => !agreed.has(word)) }
  })
}

/** Adds an approval to sums, in the commit that decides. A rejection adds nothing. */
function added(
  policy: Policy,
  step: Step,
  { verb, values: filled }: Vote,
  { limits, decision }: { readonly limits: VoteLimits; readonly decision: string },
): CommitStep {
  if (verb === "reject") return step
  const { at, sums } = limits
  const { reserved, changes } = additionsOf(step.next, { policy, known: { filled }, sums, at, decision })
  return { ...step, next: { ...step.next, reserved }, sums: changes }
}

export type SubjectPorts = Pick<Ports, "platforms" | "identityLinks" | "policy" | "resolvedBy" | "alarm" | "clock">

/** A name, or why there is none; `length` if it is longer than the platform allows. */
export type Subject =
  | { readonly ok: true; readonly subject: string }
  | { readonly ok: false; readonly refusal: Refusal }
  | { readonly ok: false; readonly length: number }

/**
 * The subject of a person. If the instance only records a name, the name comes from the template. If we sign a
 * credential for the subject, the subject has authority there. It is then what `identities` lists, else the e-mail that
 * was linked to the person when first seen. We refuse an e-mail that has belonged to somebody else, with an alarm,
 * until an operator links it again.
 */
export async function subjectFor(ports: SubjectPorts, instance: string, person: Person): Promise<Subject> {
  if (ports.platforms.get(instance)?.delegated !== true) return resolvedByFor(person, ports.resolvedBy)
  const listed = ports.policy.identities.find((one) => one.team === person.team && one.user === person.user)
  if (listed !== undefined) return fit(listed.subject)
  const email = person.email?.toLowerCase()
  if (email === undefined) return { ok: false, refusal: { code: "no-subject" } }
  const self = { team: person.team, user: person.user }
  const linked = await newestLink(ports, email, () => ports.identityLinks.pin(email, self, ports.clock()))
  if (linked === "behind") return { ok: false, refusal: { code: "conflicting-email", email } }
  const moved = personKey(linked.person) !== personKey(person)
  if (!moved && linked.contested === null) return fit(email)
  if (moved) await ports.identityLinks.contest(email, self, ports.clock())
  const now = personKey(moved ? person : (linked.contested ?? person))
  ports.alarm({ code: "email-means-somebody-else", email, pinned: personKey(linked.person), now })
  return { ok: false, refusal: { code: "conflicting-email", email } }
}

function fit(subject: string): Subject {
  if (isReservedSubject(subject)) return { ok: false, refusal: { code: "no-subject" } }
  const length = Array.from(subject).length
  return length > 255 ? { ok: false, length } : { ok: true, subject }
}

/** Takes a vote back. We judge nobody: this undoes only the person's own act. A second run gives the same answer. */
export async function withdraw(
  ports: Pick<Ports, "store" | "views" | "clock" | "jobs">,
  current: Case,
  interaction: WithdrawInteraction,
): Promise<Decided> {
  if (isUsed(current, interaction.interaction) || (await ports.store.consumed(interaction.interaction)))
    return { answer: { kind: "withdrawn" }, case: current }
  const placed = await placeOf(ports, current, interaction)
  if (!placed.ok) return { answer: placed.answer, case: current }
  const at = ports.clock()
  if (current.state === "open" && isOver(current.time, at))
    return { answer: { kind: "expired", rejected: false }, case: current }
  const done = await advance(
    ports,
    current,
    (now) =>
      !isOver(now.time, at) && hasVote(now, interaction)
        ? withdrawVote(now, interaction.person, interaction.interaction, at)
        : null,
    interaction.interaction,
  )
  if (done.kind === "duplicate") return { answer: { kind: "withdrawn" }, case: current }
  if (done.kind === "unchanged") return { answer: standing(done.case, interaction), case: done.case }
  await ports.jobs.present(current.id)
  return { answer: { kind: "withdrawn" }, case: done.case }
}

function hasVote(current: Case, { person }: WithdrawInteraction): boolean {
  return current.state === "open" && current.votes.some((vote) => personKey(vote.person) === personKey(person))
}
