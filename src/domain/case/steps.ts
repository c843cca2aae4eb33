// The steps of a case up to the decision: opened, revised, voted. Pure; an illegal step throws `StepError`.
import { type Approval, openGatedCalls } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import { unseen } from "../content/surroundings.ts"
import { personKey, type SlackId } from "../people/person.ts"
import { askedOf } from "../policy/asked.ts"
import type { LimitReading } from "../policy/limit-reading.ts"
import { demandOf, type Policy, type PolicyNow } from "../policy/policy.ts"
import { deadlinesOf, noTime, timeUnder } from "../policy/timing.ts"
import { type Card, type Case, caseIdOf, demandNow, type Revision, revisionOf, routesOf, type Step } from "./case.ts"
import { type CaseEvent, isTold, namedFact } from "./event.ts"
import { callKeysOf } from "./related-approval.ts"
import { forWhom, type Quota, tally, type Vote, valuesHash } from "./vote.ts"

/** The case's state does not allow this step: our own mistake, never a person's. */
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

/** Throws unless the case is open and has not expired (R13). */
function demandVotable(current: Case, step: string): void {
  demandState(current, step, ["open"])
  if (current.time.expired !== null) throw new StepError(`${step} after it expired`, current)
}

/** A step's result, with the events that people read appended to the case's lines. */
export function stepTo(next: Case, events: readonly CaseEvent[]): Step {
  return { next: { ...next, lines: [...next.lines, ...events.filter(isTold)] }, events }
}

/** The fields that are empty in every case before it is decided. */
const unresolved = { decision: null, sending: null, outcome: null, resumption: null, missing: null }

/** Opens a case for a new approval, with an empty card for each route of its rules. */
export function openCase(options: {
  readonly installation: string
  readonly approval: Approval
  readonly policy: PolicyNow
  readonly epoch: string
  readonly at: number
  /** False: its cards wait for admission (R20). Default true. */
  readonly admitted?: boolean
}): Step {
  const { installation, approval, policy, epoch, at, admitted = true } = options
  const revision = revisionOf(approval, policy, 1)
  const fresh: Case = {
    id: caseIdOf(installation, approval.instance, approval.id),
    version: 0,
    installation,
    instance: approval.instance,
    approvalId: approval.id,
    openedAt: at,
    time: { ...noTime, deadlines: deadlinesOf(demandOf(approval, policy.rules, policy), at) },
    state: "open",
    revision,
    approval,
    before: null,
    summary: summaryOf(approval),
    votes: [],
    ...unresolved,
    cards: [],
    admission: { agent: agentKey(approval), given: admitted },
    lines: [],
    noticed: [],
    around: unseen,
    calls: callKeysOf(approval),
    related: [],
    informed: false,
    epoch,
    ended: [],
    used: [],
    chain: { count: 0, mac: "", era: 0 },
  }
  return stepTo(withRoutes(fresh, policy), [opened(fresh, policy, at)])
}

/** A key for the agent that an approval counts for (R20), from an id or, without one, a name; 16 hex characters. */
function agentKey({ agentId, teamId, workflowId, sourceName }: Approval): string {
  return sha256(JSON.stringify([agentId ?? teamId ?? workflowId ?? sourceName])).slice(0, 16)
}

function opened(current: Case, policy: PolicyNow, at: number): CaseEvent {
  const { approvalId, instance, revision, approval } = current
  const asked = approval === null ? [] : askedOf(approval, policy)
  return { kind: "opened", at, approval: approvalId, instance, ...revisionFact(revision), ...namedFact(current), asked }
}

/** What an event says about a revision. */
function revisionFact({ number, digest, quotas }: Revision) {
  return { revision: number, digest, rules: quotas.map(({ name }) => name) }
}

function summaryOf(approval: Approval): Case["summary"] {
  const calls = openGatedCalls(approval)
  const { sourceName, agentId, teamId, workflowId, toolName, userId: requester, createdAt } = approval
  const tool = calls[0]?.tool ?? toolName
  return {
    tool,
    agent: sourceName ?? agentId ?? teamId,
    ...(teamId === null ? {} : { team: teamId }),
    ...(workflowId === null ? {} : { workflow: workflowId }),
    requester,
    calls: calls.length,
    createdAt,
  }
}

/** Adds an empty card for each demanded route without one. Cards of other routes stay, and settle with the case. */
export function withRoutes(current: Case, policy: Policy): Case {
  return withCards(current, routesOf(demandNow(current, policy)))
}

/** Adds an empty card for each of these routes that has none. */
export function withCards(current: Case, routes: readonly string[]): Case {
  const have = new Set(current.cards.map((card) => card.route))
  const missing = routes.filter((route) => !have.has(route))
  return { ...current, cards: [...current.cards, ...missing.map(emptyCard)] }
}

/** The card of a route before it is posted. */
export function emptyCard(route: string): Card {
  const unposted = { place: null, summary: false, revision: 0, modelHash: null, told: 0 }
  return { route, ...unposted, lease: null, reposts: 0, trouble: null }
}

/** Why this content under these rules needs a new revision; null if it does not. */
export function revisionNeeded(current: Case, approval: Approval, policy: Policy): "content" | "rules" | null {
  const { number } = current.revision
  const now = revisionOf(approval, asThen(current, policy), number)
  if (now.digest !== current.revision.digest) return "content"
  // The requester is not in the digest, but who may approve depends on the claim (R6).
  if (approval.userId !== current.summary.requester) return "content"
  return now.demand === current.revision.demand ? null : "rules"
}

/** The rules in force, with the requester, the time and the limits as the case's revision has them. */
export function asThen({ revision: { circumstances, limits } }: Case, policy: Policy): PolicyNow {
  if (circumstances === undefined && limits === undefined) return policy
  return { ...policy, ...(circumstances && { circumstances }), ...(limits && { limits }) }
}

/** Makes a new revision, for new content or changed rules. Older votes are void, and we draw the card anew (R2, R5). */
export function revise(revising: Case, approval: Approval, policy: PolicyNow, at: number): Step {
  demandState(revising, "revised", ["open"])
  // What is new is not the call that was rejected, so people are asked.
  const { looped: _over, ...current } = revising
  const why = revisionNeeded(current, approval, policy) ?? "content"
  const revision = revisionOf(approval, policy, current.revision.number + 1)
  const voided = current.votes.map((vote) => personKey(vote.person))
  const replaced = why === "content" ? current.approval : null
  const before = replaced === null ? current.before : { revision: current.revision.number, approval: replaced }
  const time = timeUnder(current.time, demandOf(approval, policy.rules, policy), { since: current.openedAt, now: at })
  const calls = [...new Set([...current.calls, ...callKeysOf(approval)])]
  const content = { approval, before, revision, time, summary: summaryOf(approval), calls, votes: [] }
  const changed = why === "rules" ? { asked: askedOf(approval, policy) } : namedFact(content)
  const event: CaseEvent = { kind: "revised", at, ...revisionFact(revision), why, voided, ...changed }
  return stepTo(withRoutes({ ...current, ...content }, policy), [event])
}

/** Opens a closed case again, because its approval is pending: at a new revision, and on new cards. */
export function takeUpAgain(current: Case, approval: Approval, policy: PolicyNow, at: number): Step {
  demandState(current, "taken up again", ["closed"])
  const revision = revisionOf(approval, policy, current.revision.number + 1)
  const time = { ...noTime, deadlines: deadlinesOf(demandOf(approval, policy.rules, policy), at) }
  const content = { approval, revision, summary: summaryOf(approval), calls: callKeysOf(approval), openedAt: at, time }
  const empty = { votes: [], cards: [], lines: [], related: [], informed: false }
  // We keep what an earlier decision added to sums, because the run may have gone on by that decision.
  const { reserved: _counted, glass: _owed, looped: _over, ...rest } = current
  const open: Case = { ...rest, ...content, ...empty, ...unresolved, state: "open" }
  return stepTo(withRoutes(open, policy), [{ kind: "found", at }, opened(open, policy, at)])
}

/**
 * Counts a sealed vote on the current revision. A person's newer vote replaces their older one. `quotas`: the quotas of
 * the revision, by what we know of the requester now (R6). `valued`: the quotas for the vote's values, if they differ.
 */
export function castVote(
  current: Case,
  vote: Vote,
  quotas: readonly Quota[],
  valued: readonly Quota[] | null = null,
): Step {
  demandVotable(current, "voted on")
  const votes = [...votesBut(current, vote.person), vote]
  const next = { ...current, revision: { ...withValued(current.revision, vote, valued), quotas }, votes }
  return stepTo(withUsed(next, { ...vote, person: personKey(vote.person) }), [votedEvent(vote)])
}

/** The revision after a vote with values: its quotas replace those of earlier votes with the same values. */
function withValued({ byValues = [], ...revision }: Revision, vote: Vote, quotas: readonly Quota[] | null): Revision {
  const values = valuesHash(vote.values)
  const others = byValues.filter((one) => one.values !== values)
  const all = quotas === null || values === null ? others : [...others, { values, quotas }]
  return all.length === 0 ? revision : { ...revision, byValues: all }
}

function votesBut({ votes }: Case, person: SlackId): Case["votes"] {
  return votes.filter((vote) => personKey(vote.person) !== personKey(person))
}

function votedEvent(vote: Vote): CaseEvent {
  const { installation: _, caseId: __, calledBack, ...told } = vote
  const kind = calledBack === undefined ? "voted" : "called-back"
  const rules = vote.rules.map((rule) => rule.name)
  return { ...told, kind, person: personKey(vote.person), rules, ...forWhom(vote), values: valuesHash(vote.values) }
}

/** Notes limits of an open case that a vote read again. If a limit asks more people now, their routes tell them. */
export function noteLimits(current: Case, limits: readonly LimitReading[], policy: PolicyNow, at: number): Step {
  const { approval, revision } = current
  const before = new Set(approval === null ? [] : demandNow(current, policy).rules.map(({ name }) => name))
  const next = withRoutes({ ...current, revision: { ...revision, limits } }, policy)
  const asked = approval === null ? [] : askedOf(approval, { ...asThen(next, policy), limits })
  const added = asked.filter(({ rule }) => !before.has(rule))
  return stepTo(next, added.length === 0 ? [] : [{ kind: "raised", at, asked: added }])
}

/** Notes in the ledger that a person tried to decide and may not, or approved what they had not been shown. */
export function noteRefusal(current: Case, refused: Omit<Extract<CaseEvent, { kind: "refused" }>, "kind">): Step {
  return stepTo(withUsed(current, refused), [{ kind: "refused", ...refused }])
}

/** For this many ms we remember an interaction that counted or was refused. Nobody repeats it later. */
const usedMs = 86_400_000

/** The case that remembers one more interaction that counted, and forgets those of more than a day ago. */
export function withUsed(current: Case, { interaction, person, at }: Case["used"][number]): Case {
  const young = current.used.filter((one) => one.at > at - usedMs && one.interaction !== interaction)
  return { ...current, used: [...young, { interaction, person, at }] }
}

/** True if an interaction counted before, or was refused: then it does not count again (R11). */
export function isUsed({ used }: Case, interaction: string): boolean {
  return used.some((one) => one.interaction === interaction)
}

/** The rejection that holds an open case. It counts, but we do not send it: the platform would run the calls (R12). */
export function heldBy(current: Case): Vote | null {
  return current.state === "open" ? rejectionIn(current) : null
}

/** The rejection that would hold the case, if the case were open. */
export function rejectionIn({ votes, revision }: Pick<Case, "votes" | "revision">): Vote | null {
  const result = tally(votes, revision)
  return result.verdict === "reject" ? (result.votes[0] ?? null) : null
}

/** Holds the rejection that was just cast. */
export function noteHeld(current: Case, person: SlackId, at: number): Step {
  return stepTo(current, [{ kind: "held", at, person: personKey(person) }])
}

/** Voids the vote of somebody who may no longer decide at the moment that counts (R5). */
export function voidVote(current: Case, person: SlackId, why: string, at: number): Step {
  demandState(current, "relieved of a vote", ["open"])
  const event: CaseEvent = { kind: "voided", at, person: personKey(person), why }
  return stepTo({ ...current, votes: votesBut(current, person) }, [event])
}

/** Takes a voter's own vote back. That is possible only before the verdict is sent. */
export function withdrawVote(current: Case, person: SlackId, interaction: string, at: number): Step {
  demandVotable(current, "relieved of a vote")
  const used = { at, person: personKey(person), interaction }
  return stepTo(withUsed({ ...current, votes: votesBut(current, person) }, used), [{ kind: "withdrawn", ...used }])
}

/** Notes in the ledger that we showed masked values to an approver. */
export function noteReveal(current: Case, person: SlackId, at: number): Step {
  const { number: revision, digest } = current.revision
  return stepTo(current, [{ kind: "revealed", at, person: personKey(person), revision, digest }])
}

/** Makes a step of the case as it is at that moment; null if there is nothing to do. */
export type StepOn = (now: Case) => Step | null

/** Joins the steps that have something to do, one after the other; null if none has. */
export function joined(now: Case, steps: readonly (StepOn | undefined)[]): Step | null {
  return steps.reduce<Step | null>((before, step) => {
    const made = step?.(before?.next ?? now) ?? null
    return made === null || before === null ? (made ?? before) : andThen(before, () => made)
  }, null)
}

/** Joins steps that belong in one commit. */
export function andThen(first: Step, step: (next: Case) => Step): Step {
  const second = step(first.next)
  return { next: second.next, events: [...first.events, ...second.events] }
}
