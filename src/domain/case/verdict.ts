// The steps of a case from the decision to its end: decided, sent, settled, closed (R9, R10). Pure.
import { personKey } from "../people/person.ts"
import { answerableMs, proposalKept, sentBackNote, withoutProposed } from "../send-back/proposals.ts"
import { maskApproval } from "../text/mask.ts"
import {
  type Attempt,
  type Case,
  type Outcome,
  owesReview,
  ownPlace,
  type Revision,
  type Sending,
  type Step,
} from "./case.ts"
import { putOffRejection } from "./deadline-steps.ts"
import type { CaseEvent } from "./event.ts"
import { receiptHash } from "./receipt.ts"
import { isGone } from "./renewal-steps.ts"
import { demandState, StepError, stepTo } from "./steps.ts"
import { type Decision, isBroken, type Vote, withVotes } from "./vote.ts"

/**
 * Freezes the verdict before it is sent: from here on only `body` goes out (R9). The first attempt counts as made: its
 * POST follows at once, and after a crash nobody knows whether it went out. The ledger names the receipt by its hash.
 * Throws `StepError` unless votes for its verb make the decision, or it is an owed rejection or that of a repeat.
 */
export function decide(current: Case, decision: Decision, body: string, receipt?: string): Step {
  demandState(current, "decided", ["open"])
  if (!isMade(decision)) throw new StepError("decided by nobody", current)
  if (!isTimely(current, decision)) throw new StepError("decided so at this time", current)
  const event: CaseEvent = {
    kind: "decided",
    at: decision.at,
    decision: decision.id,
    verb: decision.verb,
    people: decision.votes.map((vote) => personKey(vote.person)),
    subject: subjectOf(decision) ?? "",
    reason: reasonOf(decision),
    digest: current.revision.digest,
    ...(receipt === undefined ? {} : { receipt: receiptHash(receipt) }),
    ...(decision.by === undefined ? {} : { by: decision.by }),
    ...(decision.by === "again" ? { as: decision.as } : {}),
    ...(isBroken(decision) ? { glass: true } : {}),
  }
  const attempts = [{ at: decision.at, result: "unaccounted" as const }]
  const sending = { body, ...(receipt === undefined ? {} : { receipt }), attempts }
  return stepTo({ ...current, state: "sending", decision, sending }, [event])
}

/** A decision as it was handed in, whatever its type says. */
interface Given {
  readonly by?: string
  readonly verb: string
  readonly votes: readonly Vote[]
}

/** True if votes decide, and all are for the verb, or if expiry or a lasting rejection reject, without votes. */
function isMade({ by, verb, votes }: Given): boolean {
  if (by === undefined) return votes.length > 0 && votes.every((vote) => vote.verb === verb)
  return (by === "expiry" || by === "again") && verb === "reject" && votes.length === 0
}

/** True if a decision can be made now (R13): until the case has expired, then only the owed rejection. */
function isTimely({ time }: Case, { by }: Decision): boolean {
  return by !== "expiry" ? time.expired === null : time.expired !== null && time.expired.rejectAt !== null
}

/** What goes into `resolved_by`: who completed the decision, or `countersign:expiry` or `countersign:again`. */
export function subjectOf({ by, votes }: Decision): string | null {
  return by !== undefined ? `countersign:${by}` : (votes.at(-1)?.subject ?? null)
}

/** Why it was decided so, in the words of whoever completed the decision or, of a repeat, made the first; or null. */
export function reasonOf(decision: Decision): string | null {
  return decision.by === "again" ? decision.reason : (decision.votes.at(-1)?.reason ?? null)
}

/** Notes that one more POST of the same body is about to go out. */
export function attemptAgain(current: Case, at: number): Step {
  demandState(current, "sent again", ["sending"])
  if (current.sending === null) return stepTo(current, [])
  const attempts = [...current.sending.attempts, { at, result: "unaccounted" as const }]
  const event: CaseEvent = { kind: "sent", at, decision: current.decision?.id ?? "", attempt: attempts.length }
  return stepTo({ ...current, sending: { ...current.sending, attempts } }, [event])
}

/** Notes that no answer to a POST (counted from 1) will come. Nobody knows whether it took effect; the card says so. */
export function loseAnswer(current: Case, attempt: number, at: number): Step | null {
  if (current.sending?.attempts[attempt - 1]?.result !== "unaccounted") return null
  const event: CaseEvent = { kind: "unheard", at, decision: current.decision?.id ?? "", attempt }
  return stepTo({ ...current, sending: withAttempt(current.sending, attempt, { result: "unheard" }) }, [event])
}

/**
 * Notes that a stop covers a verdict that may be on its way: from now on we only read what becomes of it (R9). Null if
 * it is in doubt already.
 */
export function doubtStopped(current: Case, at: number): Step | null {
  demandState(current, "stopped on its way", ["sending"])
  if (current.sending === null || current.sending.doubtfulAt !== undefined) return null
  const event = { kind: "doubtful", at, decision: current.decision?.id ?? "", why: "stopped" } as const
  return stepTo({ ...current, sending: { ...current.sending, doubtfulAt: at, stopped: true } }, [event])
}

/** The sending, with a change of one of its attempts (counted from 1). */
function withAttempt(sending: Sending, attempt: number, change: Partial<Attempt>): Sending {
  const changed = (one: Attempt, index: number) => (index === attempt - 1 ? { ...one, ...change } : one)
  return { ...sending, attempts: sending.attempts.map(changed) }
}

/** Why the platform refused a POST: in words, for the ledger, and whether our credential is the cause. */
export interface Refused extends Pick<Attempt, "barred"> {
  readonly result: string
}

/** Notes that the platform certainly refused a POST (counted from 1): it had no effect. Others may be under way. */
export function accountAttempt(current: Case, attempt: number, { result, ...why }: Refused, at: number): Step {
  demandState(current, "accounted for", ["sending"])
  if (current.sending === null || current.decision === null) return stepTo(current, [])
  const sending = withAttempt(current.sending, attempt, { result: "refused", ...why })
  return stepTo({ ...current, sending }, [{ kind: "attempted", at, decision: current.decision.id, attempt, result }])
}

/** True while the last answered POST was refused because of our credential. A POST under way changes nothing yet. */
export function isBarred({ sending }: Case): boolean {
  return sending?.attempts.findLast(({ result }) => result !== "unaccounted")?.barred === true
}

/** True while the first POST is under way, and nothing says that its answer will not come. */
export function isFirstPost(sending: Sending | null): boolean {
  return sending?.attempts.length === 1 && sending.attempts.every(({ result }) => result === "unaccounted")
}

/** True if we know of every POST that it had no effect; only then may a definite refusal end the verdict (R9). */
export function allAccountedFor(current: Case): boolean {
  return current.sending !== null && current.sending.attempts.every((attempt) => attempt.result === "refused")
}

/** When the calls were approved, by us or elsewhere, even if the record is gone; null if they were not. */
export function approvedAt({ decision, outcome }: Case): number | null {
  if (outcome?.kind === "elsewhere") return outcome.status === "approved" ? outcome.at : null
  if (decision !== null) return decision.verb === "approve" ? decision.at : null
  return outcome?.kind === "ours" && outcome.verb === "approve" ? outcome.at : null
}

/**
 * Ends the verdict after a definite refusal: votes are void, the case is open again, and the thread gives the reason.
 * An expired case stays expired; later we try again to send the rejection that it owes.
 */
export function reopen(current: Case, why: string, at: number): Step {
  demandState(current, "reopened", ["sending"])
  const decision = current.decision?.id ?? ""
  const ended = decision === "" ? current.ended : [...current.ended, decision]
  const { reserved: _freed, glass: _owed, lasting: _void, ...rest } = current
  const open: Case = { ...rest, state: "open", votes: [], decision: null, sending: null, ended }
  return stepTo(putOffRejection(open, at).next, [{ kind: "reopened", at, decision, why }])
}

/** The case without a lasting rejection: what the platform holds is not the rejection of people that we sent. */
function endless({ lasting: _void, ...rest }: Case): Case {
  return rest
}

/** Settles the case: its record is decided, or gone. A record that is gone may come back, so we keep the verdict. */
export function settle(settling: Case, outcome: Outcome, event: CaseEvent): Step {
  demandState(settling, "settled", ["open", "sending"])
  const current = outcome.kind === "ours" && outcome.decisionId === settling.decision?.id ? settling : endless(settling)
  const sending = outcome.kind === "vanished" ? current.sending : null
  const next: Case = { ...current, state: "settled", outcome, missing: null, sending }
  return stepTo({ ...next, ...sentBackNote(current, outcome) }, [event])
}

/**
 * Notes one more time at which the platform did not know the approval. Misses at which we knew no other approval
 * (`alone`) are counted apart from the rest.
 */
export function miss(current: Case, at: number, alone = false): Step {
  const before = current.missing !== null && (current.missing.alone === true) === alone ? current.missing : null
  const counted = { times: (before?.times ?? 0) + 1, since: before?.since ?? at }
  const missing = alone ? { ...counted, alone } : counted
  return stepTo({ ...current, missing }, [{ kind: "missed", at, times: missing.times }])
}

/** Forgets earlier misses, because the platform's list does not confirm them. Null if there are none. */
export function forgetMisses(current: Case): Step | null {
  return current.missing === null ? null : stepTo({ ...current, missing: null }, [])
}

/** Notes that the platform knows the approval after all. */
export function found(current: Case, at: number): Step {
  return stepTo({ ...current, missing: null }, [{ kind: "found", at }])
}

/** Freezes the case: Redis holds something that we did not write, or that contradicts itself. Nobody decides (R14). */
export function freeze(current: Case, why: string, at: number): Step {
  return stepTo({ ...current, state: "frozen", sending: null }, [{ kind: "frozen", at, why }])
}

/** How long we keep something of a closed case, in ms. */
export interface ClosedTimes {
  /** Arguments and names on its cards; null: we never take them away. */
  readonly blankAfterMs: number | null
  /** The masked content of the case. 0: we keep none. */
  readonly retainArgumentsMs: number
}

const nothingStays: ClosedTimes = { blankAfterMs: null, retainArgumentsMs: 0 }

/**
 * Closes the case: every card and thread says how it ended. For a while we keep the masked content (R15). If the
 * approval is gone, we also keep what people filled in: their votes need it if the approval comes back.
 */
export function close(closing: Case, at: number, times: ClosedTimes = nothingStays): Step {
  demandState(closing, "closed", ["settled"])
  if (closing.lasting !== undefined) throw new StepError("closed while its rejection lasts", closing)
  if (owesReview(closing)) throw new StepError("closed before somebody looked at the broken glass", closing)
  const { kept: keptBefore, reserved, stopped: _ended, standIns: _back, looped: _asked, ...current } = closing
  const emptied = (vote: Vote): Vote => (isGone(current) ? vote : { ...vote, values: null })
  const votes = current.votes.map(emptied)
  const decision = current.decision === null ? null : withoutExpiry(withVotes(current.decision, emptied))
  const { blankAt: _before, ...timeLeft } = current.time
  const time = times.blankAfterMs === null ? timeLeft : { ...timeLeft, blankAt: at + times.blankAfterMs }
  const revision = withoutContent(current.revision)
  const erased = {
    approval: null,
    before: null,
    revision,
    votes,
    decision,
    lines: [],
    time,
    ...withoutProposed(current),
  }
  // If a case was closed before, and woke for a notice, its kept content stays as it was.
  const kept = current.approval === null ? keptBefore : keptOf(current, at, times.retainArgumentsMs)
  const held = {
    ...(kept === undefined ? {} : { kept }),
    // If the approval comes back, its decision may still be refused.
    ...(reserved !== undefined && isGone(current) ? { reserved } : {}),
  }
  const next: Case = { ...current, ...erased, ...held, state: "closed" }
  return stepTo(next, [{ kind: "closed", at }])
}

/** The revision without amounts and news, which are part of the content. */
function withoutContent({ limits, news: _new, ...revision }: Revision): Revision {
  return limits === undefined ? revision : { ...revision, limits: limits.map(({ sums: _sums, ...read }) => read) }
}

/** The decision without its expiry: we no longer draw cards of a closed case, and the receipt keeps the expiry. */
function withoutExpiry(decision: Decision): Decision {
  if (decision.by !== undefined) return decision
  const { expiresAt: _said, ...rest } = decision
  return rest
}

/** The part of a case's content that may be shown after the end. */
function keptOf(current: Case, at: number, retainMs: number): Case["kept"] {
  const { approval, revision, sentBack } = current
  const forMs = sentBack === undefined ? retainMs : Math.max(retainMs, answerableMs)
  if (approval === null || forMs === 0) return undefined
  const { approval: masked } = maskApproval(approval, revision.look.mask)
  return {
    approval: { ...masked, context: null, resolutionData: null },
    until: at + forMs,
    ...proposalKept(current),
  }
}

/**
 * Notes that we compared the case with the platform's record, and found nothing changed: in this epoch of Redis (R17),
 * and under this policy (R16). Redis may have forgotten what the cards showed last, so we draw them once more.
 */
export function comparedUnder(current: Case, epoch: string, policy: string): Step {
  const cards = current.cards.map((card) => (ownPlace(card) === null ? card : { ...card, modelHash: null }))
  const doubted = epoch === current.epoch ? {} : { cards }
  return stepTo({ ...current, ...doubted, epoch, revision: { ...current.revision, policy } }, [])
}
