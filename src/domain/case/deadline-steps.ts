// Steps that a case takes only because time passes: reminded, escalated, expired (R13). Pure; none of them approves.
import { smallest } from "../content/largest.ts"
import { overReport } from "../content/run-report.ts"
import type { Demand } from "../policy/policy.ts"
import { isOver, pendingDeadlines, type TakenStep } from "../policy/timing.ts"
import type { CardTime } from "./card-model.ts"
import { type Case, owesReview, ownPlace, routesOf, type Step } from "./case.ts"
import type { Eligible } from "./event.ts"
import { demandState, stepTo, withCards } from "./steps.ts"

/** After this many ms we try again to carry out a rejection that failed. */
export const rejectAgainMs = 60_000

/** When something is next due on a case (epoch ms); null if nothing is. On a closed case only erasing can be due. */
export function nextDeadline(current: Case): number | null {
  const { state, time, kept } = current
  if (state === "closed") {
    const next = Math.min(time.blankAt ?? Number.POSITIVE_INFINITY, kept?.until ?? Number.POSITIVE_INFINITY)
    return Number.isFinite(next) ? next : null
  }
  if (state === "sending" || state === "settled") return settledDue(current)?.at ?? null
  if (state !== "open") return null
  if (time.expired !== null) return time.expired.rejectAt
  const next = smallest(Number.POSITIVE_INFINITY, [
    ...waitingDeadlines(current).map(({ at }) => at),
    ...(current.looped === undefined ? [] : [current.looped.until]),
  ])
  return Number.isFinite(next) ? next : null
}

/**
 * What can be due. `forget`: we erase a closed case's content. `blank`: we take arguments and names off its cards.
 * `unreviewed`: an alarm, because nobody has looked at broken glass. `leave`: the wait for that ends. `lapse`: a
 * rejection lasts no longer. `ask`: people are asked about a case that a lasting rejection left undecided.
 */
type Due = "reject" | "expire" | "escalate" | "remind" | "blank" | "forget" | "unreviewed" | "leave" | "lapse" | "ask"

/** What is next due on a case whose verdict is on its way or settled. */
function settledDue(current: Case): { readonly at: number; readonly due: Due } | null {
  const { lasting, state } = current
  // Only a rejection lasts, and only an approval owes a review.
  if (lasting !== undefined && state === "settled") return { at: lasting.until, due: "lapse" }
  return glassDue(current)
}

/** What is next due while a case owes a review of broken glass; null if it owes none. */
function glassDue(current: Case): { readonly at: number; readonly due: Due } | null {
  const { glass } = current
  if (glass === undefined || !owesReview(current)) return null
  const isLast = glass.alarmAt >= glass.until
  return isLast ? { at: glass.until, due: "leave" } : { at: glass.alarmAt, due: "unreviewed" }
}

/** What is due on a case. If several things are due, the one that makes the others needless. */
export function dueNow(current: Case, now: number): Due | null {
  const { state, time, kept } = current
  if (state === "closed") {
    if (kept !== undefined && kept.until <= now) return "forget"
    return time.blankAt !== undefined && time.blankAt <= now ? "blank" : null
  }
  if (state === "sending" || state === "settled") {
    const next = settledDue(current)
    return next !== null && next.at <= now ? next.due : null
  }
  if (state !== "open") return null
  const { expired } = time
  if (expired !== null) return expired.rejectAt !== null && expired.rejectAt <= now ? "reject" : null
  if (isOver(time, now)) return "expire"
  if (current.looped !== undefined && current.looped.until <= now) return "ask"
  const due = waitingDeadlines(current).filter(({ at }) => at <= now)
  if (due.length === 0) return null
  return due.some(({ kind }) => kind === "escalate") ? "escalate" : "remind"
}

/** The deadlines of a case that waits. Once the run is over, we ask nobody any more, so only the expiry is left. */
function waitingDeadlines(current: Case): ReturnType<typeof pendingDeadlines> {
  const isOnlyEnd = overReport(current) !== null
  return pendingDeadlines(current.time).filter(({ kind }) => kind === "expire" || !isOnlyEnd)
}

/** Reminds everybody who can still decide. Several reminders that are due become one. */
export function remind(current: Case, able: Eligible, at: number): Step {
  demandState(current, "reminded of", ["open"])
  return stepTo(remindedTo(current, at), [{ kind: "reminded", at, ...able, by: expiryOf(current) }])
}

/** Notes that the cards have lost arguments and names. If the case wakes, we redraw its cards, whatever they show. */
export function blanked(current: Case): Step {
  demandState(current, "blanked", ["closed"])
  const { blankAt: _done, ...time } = current.time
  const cards = current.cards.map((card) => (ownPlace(card) === null ? card : { ...card, modelHash: null }))
  return stepTo({ ...current, time, cards }, [])
}

/** Drops the part of the content that we had kept. Only the digest is left (R15). */
export function forgotten(current: Case): Step {
  demandState(current, "forgotten", ["closed"])
  const { kept: _gone, ...next } = current
  return stepTo(next, [])
}

/** Puts off until then (epoch ms) that we drop the kept content: a hold covers the case. */
export function keptUntil(current: Case, until: number): Step {
  demandState(current, "kept for longer", ["closed"])
  return stepTo(current.kept === undefined ? current : { ...current, kept: { ...current.kept, until } }, [])
}

/** The steps of escalations that are due. */
export function escalating(current: Case, now: number): readonly TakenStep[] {
  return pendingDeadlines(current.time).flatMap((one) =>
    one.kind === "escalate" && one.at <= now ? [{ rule: one.rule, step: one.step }] : [],
  )
}

/** The case with these steps taken: from now on their approvers count. */
export function withEscalated(current: Case, steps: readonly TakenStep[], at: number): Case {
  const escalated = [...current.time.escalated, ...steps.map(({ rule, step }) => ({ rule, step, at }))]
  return { ...current, time: { ...current.time, escalated } }
}

/**
 * Takes steps of escalations: their approvers count, and their routes get cards. Older votes stand, because content and
 * rules are the same. `demand` is the case's demand with these steps taken. The message about the escalation also
 * serves as a reminder that is due.
 */
export function escalate(
  current: Case,
  { steps, demand, able }: { readonly steps: readonly TakenStep[]; readonly demand: Demand; readonly able: Eligible },
  at: number,
): Step {
  demandState(current, "escalated", ["open"])
  const next = withCards(remindedTo(withEscalated(current, steps, at), at), routesOf(demand))
  const rules = [...new Set(steps.map(({ rule }) => rule))]
  return stepTo(next, [{ kind: "escalated", at, rules, ...able, by: expiryOf(current) }])
}

function remindedTo(current: Case, at: number): Case {
  return { ...current, time: { ...current.time, remindedTo: at } }
}

/**
 * Lets the case expire: nobody may vote after the deadline, even if we note it late. If the rules want a rejection, we
 * owe it from the deadline on.
 */
export function expire(current: Case, at: number): Step {
  demandState(current, "expired", ["open"])
  const since = expiryOf(current) ?? at
  const rejects = current.time.deadlines.some((one) => one.kind === "expire" && one.reject)
  const time = { ...current.time, expired: { at: since, rejectAt: rejects ? since : null } }
  return stepTo({ ...current, time }, [{ kind: "expired", at, rejects }])
}

/** Puts off the owed rejection, because we could not carry it out now. */
export function putOffRejection(current: Case, at: number): Step {
  const { expired } = current.time
  if (expired === null || expired.rejectAt === null) return stepTo(current, [])
  return stepTo({ ...current, time: { ...current.time, expired: { ...expired, rejectAt: at + rejectAgainMs } } }, [])
}

/** Drops the owed rejection, because the platform would not enforce it (R12). Still nobody may vote. */
export function leavePending(current: Case, at: number): Step {
  const { expired } = current.time
  if (expired === null) return stepTo(current, [])
  const time = { ...current.time, expired: { ...expired, rejectAt: null } }
  return stepTo({ ...current, time }, [{ kind: "held", at, person: null }])
}

/** By when somebody has to decide a case (epoch ms); null if its rules do not say. */
export function expiryOf({ time }: Case): number | null {
  return time.deadlines.find(({ kind }) => kind === "expire")?.at ?? null
}

/** What a card says about time. */
export function cardTimeOf(current: Case): CardTime {
  const { deadlines, escalated, expired } = current.time
  const waits = current.state === "open" && expired === null
  return {
    decideBy: waits ? expiryOf(current) : null,
    thenReject: waits && deadlines.some((one) => one.kind === "expire" && one.reject),
    escalatedAt: escalated[0]?.at ?? null,
    ranOut: current.decision?.by === "expiry",
    ...runByOf(current),
  }
}

function runByOf({ decision, outcome, resumption }: Case): Pick<CardTime, "runBy"> {
  const ran = outcome?.kind !== "ours" || resumption?.kind === "ended"
  return ran || decision === null || decision.by !== undefined || decision.expiresAt === undefined
    ? {}
    : { runBy: decision.expiresAt }
}
