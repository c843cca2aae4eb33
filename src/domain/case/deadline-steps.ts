// The steps of a case that only time makes: reminded, escalated, expired (R13). Pure; none of them approves.
import { overReport } from "../content/run-report.ts"
import type { Demand } from "../policy/policy.ts"
import { isOver, pendingDeadlines } from "../policy/timing.ts"
import { type Case, ownPlace, routesOf, type Step } from "./case.ts"
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
  if (state !== "open") return null
  return time.expired === null ? (waitingDeadlines(current)[0]?.at ?? null) : time.expired.rejectAt
}

/** `forget`: the content of a closed case goes; `blank`: arguments and names go from its cards. */
type Due = "reject" | "expire" | "escalate" | "remind" | "blank" | "forget"

/** What is due on a case. If several things are due, the one that makes the others needless. */
export function dueNow(current: Case, now: number): Due | null {
  const { state, time, kept } = current
  if (state === "closed") {
    if (kept !== undefined && kept.until <= now) return "forget"
    return time.blankAt !== undefined && time.blankAt <= now ? "blank" : null
  }
  if (state !== "open") return null
  const { expired } = time
  if (expired !== null) return expired.rejectAt !== null && expired.rejectAt <= now ? "reject" : null
  if (isOver(time, now)) return "expire"
  const due = waitingDeadlines(current).filter(({ at }) => at <= now)
  if (due.length === 0) return null
  return due.some(({ kind }) => kind === "escalate") ? "escalate" : "remind"
}

/** Once the run is over, nobody is asked any more: it only expires. */
function waitingDeadlines(current: Case): ReturnType<typeof pendingDeadlines> {
  const isOnlyEnd = overReport(current) !== null
  return pendingDeadlines(current.time).filter(({ kind }) => kind === "expire" || !isOnlyEnd)
}

/** Reminds everybody who can still decide, once for all reminders that are due. */
export function remind(current: Case, able: Eligible, at: number): Step {
  demandState(current, "reminded of", ["open"])
  return stepTo(remindedTo(current, at), [{ kind: "reminded", at, ...able, by: expiryOf(current) }])
}

/** The cards have lost arguments and names. If the case wakes, nobody knows what they show, so they are drawn anew. */
export function blanked(current: Case): Step {
  demandState(current, "blanked", ["closed"])
  const { blankAt: _done, ...time } = current.time
  const cards = current.cards.map((card) => (ownPlace(card) === null ? card : { ...card, modelHash: null }))
  return stepTo({ ...current, time, cards }, [])
}

/** The part of the content that we had kept is gone; only its digest is left (R15). */
export function forgotten(current: Case): Step {
  demandState(current, "forgotten", ["closed"])
  const { kept: _gone, ...next } = current
  return stepTo(next, [])
}

/** The rules whose escalation is due. */
export function escalating(current: Case, now: number): readonly string[] {
  return pendingDeadlines(current.time).flatMap((one) => (one.kind === "escalate" && one.at <= now ? [one.rule] : []))
}

/** These rules' further approvers count from now on. */
export function withEscalated(current: Case, rules: readonly string[], at: number): Case {
  const escalated = [...current.time.escalated, ...rules.map((rule) => ({ rule, at }))]
  return { ...current, time: { ...current.time, escalated } }
}

/**
 * Further approvers count, and the rules' further routes get cards. Older votes stand: content and rules are the same.
 * `demand` is the case's demand with these rules escalated. The same message also covers a reminder that is due.
 */
export function escalate(
  current: Case,
  { rules, demand, able }: { readonly rules: readonly string[]; readonly demand: Demand; readonly able: Eligible },
  at: number,
): Step {
  demandState(current, "escalated", ["open"])
  const next = withCards(remindedTo(withEscalated(current, rules, at), at), routesOf(demand))
  return stepTo(next, [{ kind: "escalated", at, rules, ...able, by: expiryOf(current) }])
}

function remindedTo(current: Case, at: number): Case {
  return { ...current, time: { ...current.time, remindedTo: at } }
}

/**
 * Nobody may vote after the deadline, even if we note it late. If the rules want a rejection, it is owed from then on.
 */
export function expire(current: Case, at: number): Step {
  demandState(current, "expired", ["open"])
  const since = expiryOf(current) ?? at
  const rejects = current.time.deadlines.some((one) => one.kind === "expire" && one.reject)
  const time = { ...current.time, expired: { at: since, rejectAt: rejects ? since : null } }
  return stepTo({ ...current, time }, [{ kind: "expired", at, rejects }])
}

/** The rejection that is owed could not be carried out now. */
export function putOffRejection(current: Case, at: number): Step {
  const { expired } = current.time
  if (expired === null || expired.rejectAt === null) return stepTo(current, [])
  return stepTo({ ...current, time: { ...current.time, expired: { ...expired, rejectAt: at + rejectAgainMs } } }, [])
}

/** The platform would not enforce the rejection that is owed. So we do not send it (R12), and nobody votes any more. */
export function leavePending(current: Case, at: number): Step {
  const { expired } = current.time
  if (expired === null) return stepTo(current, [])
  const time = { ...current.time, expired: { ...expired, rejectAt: null } }
  return stepTo({ ...current, time }, [{ kind: "held", at, person: null }])
}

/** By when a case must be decided (epoch ms); null if its rules do not say. */
export function expiryOf({ time }: Case): number | null {
  return time.deadlines.find(({ kind }) => kind === "expire")?.at ?? null
}
