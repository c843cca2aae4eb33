// The steps of a case up to the decision: opened, revised, carded, voted. Pure; an illegal step throws `StepError`.
import type { Approval } from "./approval.ts"
import { openGatedCalls } from "./approval.ts"
import {
  type Card,
  type Case,
  cardOn,
  caseIdOf,
  demandNow,
  type Place,
  type Revision,
  revisionOf,
  routesOf,
  type Step,
  type Summary,
} from "./case.ts"
import { type CaseEvent, isTold } from "./event.ts"
import { personKey, type SlackId } from "./person.ts"
import type { Policy } from "./policy.ts"
import { type Quota, type Vote, valuesHash } from "./vote.ts"

/** A step that the case's state does not allow: a mistake of ours, never of a person. */
export class StepError extends Error {
  readonly code = "illegal-step"
  readonly retryable = false
  constructor(step: string, current: Case) {
    super(`case ${current.id} is ${current.state}: it cannot be ${step}`)
    this.name = "StepError"
  }
}

/** Throws unless the case is in one of the states. */
export function demandState(current: Case, step: string, states: readonly Case["state"][]): void {
  if (!states.includes(current.state)) throw new StepError(step, current)
}

/** A step's result, with the events that people read appended to the case's lines. */
export function stepTo(next: Case, events: readonly CaseEvent[]): Step {
  return { next: { ...next, lines: [...next.lines, ...events.filter(isTold)] }, events }
}

/** Opens the case of an approval that was not known, with an empty card for each route of its rules. */
export function openCase(options: {
  readonly installation: string
  readonly approval: Approval
  readonly policy: Policy
  readonly epoch: string
  readonly at: number
}): Step {
  const { installation, approval, policy, epoch, at } = options
  const revision = revisionOf(approval, policy, 1)
  const fresh: Case = {
    id: caseIdOf(installation, approval.instance, approval.id),
    version: 0,
    installation,
    instance: approval.instance,
    approvalId: approval.id,
    openedAt: at,
    state: "open",
    revision,
    approval,
    before: null,
    summary: summaryOf(approval),
    votes: [],
    decision: null,
    sending: null,
    outcome: null,
    cards: [],
    lines: [],
    missing: null,
    epoch,
    chain: { count: 0, mac: "" },
  }
  return stepTo(withRoutes(fresh, policy), [opened(fresh, at)])
}

function opened({ approvalId: approval, instance, revision }: Case, at: number): CaseEvent {
  const rules = revision.quotas.map((quota) => quota.name)
  return { kind: "opened", at, approval, instance, revision: revision.number, digest: revision.digest, rules }
}

function summaryOf(approval: Approval): Summary {
  const calls = openGatedCalls(approval)
  const agent = approval.sourceName ?? approval.agentId ?? approval.teamId
  return {
    tool: calls[0]?.tool ?? approval.toolName,
    agent,
    requester: approval.userId,
    calls: calls.length,
    createdAt: approval.createdAt,
  }
}

/** Adds an empty card for each demanded route that has none. Cards of routes that are no longer demanded stay, and settle with the rest. */
function withRoutes(current: Case, policy: Policy): Case {
  const have = new Set(current.cards.map((card) => card.route))
  const missing = routesOf(demandNow(current, policy)).filter((route) => !have.has(route))
  return { ...current, cards: [...current.cards, ...missing.map(emptyCard)] }
}

function emptyCard(route: string): Card {
  return { route, place: null, revision: 0, face: null, told: 0, claim: null, reposts: 0, trouble: null }
}

/** Why a case needs a new revision for this content under these rules, or null if it does not. */
export function revisionNeeded(current: Case, approval: Approval, policy: Policy): "content" | "rules" | null {
  const now = revisionOf(approval, policy, current.revision.number)
  if (now.digest !== current.revision.digest) return "content"
  // The requester is not in the digest, but who may approve depends on the claim (R6).
  if (approval.userId !== current.summary.requester) return "content"
  return now.demand === current.revision.demand ? null : "rules"
}

/** New content or changed rules: a new revision, older votes void, the card to be shown anew (R2, R5). */
export function revise(current: Case, approval: Approval, policy: Policy, at: number): Step {
  demandState(current, "revised", ["open"])
  const why = revisionNeeded(current, approval, policy) ?? "content"
  const revision = revisionOf(approval, policy, current.revision.number + 1)
  const voided = current.votes.map((vote) => personKey(vote.person))
  const before = why === "content" && current.approval !== null ? seenBefore(current, current.approval) : current.before
  const next = withRoutes({ ...current, approval, before, revision, summary: summaryOf(approval), votes: [] }, policy)
  return stepTo(next, [revised(revision, why, voided, at)])
}

/** An approval whose case was closed is pending after all: the case is open again, at a new revision and on new cards. */
export function takeUpAgain(current: Case, approval: Approval, policy: Policy, at: number): Step {
  demandState(current, "taken up again", ["closed"])
  const revision = revisionOf(approval, policy, current.revision.number + 1)
  const content = { approval, revision, summary: summaryOf(approval), votes: [], cards: [], lines: [] }
  const open: Case = { ...current, ...content, state: "open", decision: null, outcome: null, missing: null }
  return stepTo(withRoutes(open, policy), [{ kind: "found", at }, opened(open, at)])
}

function seenBefore(current: Case, approval: Approval): NonNullable<Case["before"]> {
  return { revision: current.revision.number, approval }
}

function revised(revision: Revision, why: "content" | "rules", voided: readonly string[], at: number): CaseEvent {
  const rules = revision.quotas.map((quota) => quota.name)
  return { kind: "revised", at, revision: revision.number, digest: revision.digest, rules, why, voided }
}

/** Claims a route before anything is posted there, so that a cut leaves a trace. */
export function claimCard(current: Case, route: string, claim: { readonly by: string; readonly until: number }): Step {
  return stepTo(withCard(current, route, { claim }), [])
}

/** What the presenter did on a route: remembers it and gives the claim back. */
export function rememberCard(
  current: Case,
  route: string,
  done: Partial<Omit<Card, "route" | "claim">>,
  at: number,
): Step {
  const before = current.cards.find((card) => card.route === route)
  const placed =
    done.place !== undefined && done.place !== null && done.place.ts !== before?.place?.ts ? done.place : null
  const revision = done.revision ?? before?.revision ?? 0
  const events: CaseEvent[] = placed === null ? [] : [placedEvent(route, placed, revision, at)]
  return stepTo(withCard(current, route, { ...done, claim: null }), events)
}

function placedEvent(route: string, place: Place, revision: number, at: number): CaseEvent {
  return { kind: "placed", at, route, place, revision }
}

/** The card a person clicked shows a newer face already: its own `response_url` carried it. A claim stays as it is. */
export function cardShows(
  current: Case,
  route: string,
  shown: { readonly revision: number; readonly face: string },
): Step {
  return stepTo(withCard(current, route, shown), [])
}

/** A route takes no message for now: the case stays reachable by command. */
export function troubleOn(
  current: Case,
  route: string,
  trouble: { readonly why: string; readonly retryAt: number },
): Step {
  return stepTo(withCard(current, route, { trouble, claim: null }), [])
}

/** Keeps the claim of a post whose fate nobody knows, expired, so that the next presenter looks before it posts. */
export function abandonClaim(current: Case, route: string, now: number): Step {
  const claim = cardOn(current, route)?.claim ?? null
  return stepTo(withCard(current, route, { claim: claim === null ? null : { ...claim, until: now } }), [])
}

function withCard(current: Case, route: string, change: Partial<Card>): Case {
  return { ...current, cards: current.cards.map((card) => (card.route === route ? { ...card, ...change } : card)) }
}

/**
 * Takes a sealed vote on the current revision. A person's newer vote replaces their older one. `quotas` are the revision's, as they are
 * for what is known of the requester now (R6).
 */
export function castVote(current: Case, vote: Vote, quotas: readonly Quota[]): Step {
  demandState(current, "voted on", ["open"])
  const others = current.votes.filter((older) => personKey(older.person) !== personKey(vote.person))
  const next = { ...current, revision: { ...current.revision, quotas }, votes: [...others, vote] }
  return stepTo(next, [votedEvent(vote)])
}

function votedEvent(vote: Vote): CaseEvent {
  const { name, subject, verb, reason, revealed, revision, digest, surface, interaction, mac, at } = vote
  const rules = vote.rules.map((rule) => rule.name)
  const person = personKey(vote.person)
  return {
    kind: "voted",
    at,
    person,
    name,
    subject,
    verb,
    reason,
    values: valuesHash(vote.values),
    revealed,
    rules,
    revision,
    digest,
    surface,
    interaction,
    mac,
  }
}

/** Somebody who may not decide tried to: the ledger keeps it, the case stays as it is. */
export function noteRefusal(current: Case, refused: Omit<Extract<CaseEvent, { kind: "refused" }>, "kind">): Step {
  return stepTo(current, [{ kind: "refused", ...refused }])
}

/** A voter who may not decide any more when it counts loses their vote (R5). */
export function voidVote(current: Case, person: SlackId, why: string, at: number): Step {
  demandState(current, "relieved of a vote", ["open"])
  const votes = current.votes.filter((vote) => personKey(vote.person) !== personKey(person))
  return stepTo({ ...current, votes }, [{ kind: "voided", at, person: personKey(person), why }])
}

/** A voter takes their vote back; only before the verdict is sent. */
export function withdrawVote(current: Case, person: SlackId, interaction: string, at: number): Step {
  demandState(current, "relieved of a vote", ["open"])
  const votes = current.votes.filter((vote) => personKey(vote.person) !== personKey(person))
  return stepTo({ ...current, votes }, [{ kind: "withdrawn", at, person: personKey(person), interaction }])
}

/** An approver had masked values shown to them: the ledger keeps who saw what. */
export function noteReveal(current: Case, person: SlackId, at: number): Step {
  const { number: revision, digest } = current.revision
  return stepTo(current, [{ kind: "revealed", at, person: personKey(person), revision, digest }])
}

/** Joins steps that belong into one commit. */
export function andThen(first: Step, step: (next: Case) => Step): Step {
  const second = step(first.next)
  return { next: second.next, events: [...first.events, ...second.events] }
}
