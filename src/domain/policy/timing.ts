// Timing: by when a rule wants a decision, and which deadlines the demanded rules make for one case (R13).
import type { z } from "zod"
import { largest } from "../content/largest.ts"
import type { deadlineSchema, timeSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import type { Approver, EscalationStep, Route, Rule, Timing, WorkingHours } from "../rule/rule.ts"
import { temporal } from "./calendar.ts"
import type { Demand } from "./policy.ts"

/** A moment (epoch ms) at which something happens if nobody has decided by then. */
export type Deadline = Frozen<z.infer<typeof deadlineSchema>>

/** A case's deadlines, and which of them have passed. */
export interface CaseTime extends Frozen<z.infer<typeof timeSchema>> {}

/** A step of a rule's escalation: the rule's name, and which step it is, from 1. */
export type TakenStep = Pick<CaseTime["escalated"][number], "rule" | "step">

/** The time of a case whose rules say nothing about time. */
export const noTime: CaseTime = { deadlines: [], remindedTo: 0, escalated: [], expired: null }

/** A day ends last where clocks are this many ms behind UTC. */
const lastToEndADayMs = 12 * 3_600_000

/** The rules that nobody looked at in time: the day of their `reviewBy` is over in all time zones. */
export function overdueForReview(rules: readonly Rule[], now: number): readonly Rule[] {
  const today = new Date(now - lastToEndADayMs).toISOString().slice(0, 10)
  return rules.filter(({ reviewBy }) => reviewBy !== undefined && reviewBy < today)
}

/** Everybody that a rule lists: to decide, at once or later, to break the glass, and to look at that afterwards. */
export function listedIn({ approvers, timing, limit, breakGlass }: Rule): readonly Approver[] {
  const later = [...laterApprovers(timing), ...(limit?.asks.approvers ?? [])]
  return [...approvers, ...later, ...(breakGlass?.approvers ?? []), ...(breakGlass?.reviewers ?? [])]
}

/** Everybody whom the steps of an escalation add. */
export function laterApprovers(timing: Timing | undefined): readonly Approver[] {
  return (timing?.escalate ?? []).flatMap(({ approvers }) => approvers)
}

/** Everybody whose name a rule has: those that it lists, and those who may stand in. */
export function namedIn(rule: Rule): readonly Approver[] {
  return [...listedIn(rule), ...(rule.standIns ?? [])]
}

/**
 * The deadlines of a demand for a case opened at `since`: each rule's reminders and escalations, and the earliest
 * expiry. At the expiry the case is rejected only if every call has a rule, and every rule that expires rejects: a
 * single `leave` is enough to leave it.
 */
export function deadlinesOf(demand: Demand, since: number): readonly Deadline[] {
  const timed = demand.rules.flatMap(({ name, timing }) => (timing === undefined ? [] : [{ name, timing }]))
  const after = (ms: number, { workingHours }: Timing): number =>
    workingHours === null ? since + ms : workingMomentAfter(since, ms, workingHours)
  const reminders = new Set(timed.flatMap(({ timing }) => timing.remindAfter.map((ms) => after(ms, timing))))
  const escalations = timed.flatMap(({ name: rule, timing }) =>
    timing.escalate.map(
      (one, index): Deadline => ({ kind: "escalate", at: after(one.after, timing), rule, step: index + 1 }),
    ),
  )
  const expiries = timed.flatMap(({ timing }) =>
    timing.expireAfter === null ? [] : [{ at: after(timing.expireAfter, timing), onExpiry: timing.onExpiry }],
  )
  const reject = demand.covered && expiries.every(({ onExpiry }) => onExpiry === "reject")
  const [first] = expiries.map(({ at }) => at).toSorted((a, b) => a - b)
  return [
    ...[...reminders].map((at): Deadline => ({ kind: "remind", at })),
    ...escalations,
    ...(first === undefined ? [] : [{ kind: "expire", at: first, reject } as const]),
  ].toSorted((a, b) => a.at - b.at)
}

/**
 * The time of a case whose content or rules changed at `now`. Its deadlines still count from its opening, so nobody can
 * move them by a change of the content. A step of an escalation stays taken if the rules in force say that it should be
 * by now. An expired case stays so, and we still reject it only if these rules say so.
 */
export function timeUnder(
  before: CaseTime,
  demand: Demand,
  { since, now }: { readonly since: number; readonly now: number },
): CaseTime {
  const deadlines = deadlinesOf(demand, since)
  // A replica whose clock is behind must not take back what another replica did in time.
  const isDue = (taken: CaseTime["escalated"][number]) =>
    deadlines.some((one) => isStep(one, taken) && one.at <= Math.max(now, taken.at))
  const owed = deadlines.some((one) => one.kind === "expire" && one.reject)
  const { expired } = before
  return {
    deadlines,
    remindedTo: before.remindedTo,
    escalated: before.escalated.filter(isDue),
    expired: expired === null || owed ? expired : { ...expired, rejectAt: null },
  }
}

function isStep(deadline: Deadline, { rule, step }: TakenStep): boolean {
  return deadline.kind === "escalate" && deadline.rule === rule && deadline.step === step
}

/** The deadlines of a case that are still to come, or are due. An expired case has none. */
export function pendingDeadlines({ deadlines, remindedTo, escalated, expired }: CaseTime): readonly Deadline[] {
  if (expired !== null) return []
  return deadlines.filter((one) => {
    switch (one.kind) {
      case "remind":
        return one.at > remindedTo
      case "escalate":
        return !escalated.some((taken) => isStep(one, taken))
      case "expire":
        return true
    }
  })
}

/** True if the time to vote is over, whether or not anybody has noted it (R13). */
export function isOver({ deadlines, expired }: CaseTime, now: number): boolean {
  return expired !== null || deadlines.some((one) => one.kind === "expire" && one.at <= now)
}

/** With less time left than this, in ms, a case is due. */
const dueWithinMs = 3_600_000

/** The earlier of two ends, such as those of the rules and of the platform; null if there is none. Epoch ms. */
export function earlierOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

/** True if little time is left until `end`, or none. */
export function isDue(end: number | null, now: number): boolean {
  return end !== null && end - now < dueWithinMs
}

/** Who may decide under a rule of a demand: its approvers, and those whom each step adds that was taken. */
export function approversUnder(demand: Demand, rule: Rule): readonly Approver[] {
  return [...rule.approvers, ...stepsTaken(demand, rule).flatMap(({ approvers }) => approvers)]
}

/** Where a rule's cards go: its routes, and those that each step adds that was taken. */
export function routesUnder(demand: Demand, rule: Rule): readonly Route[] {
  return [...rule.routes, ...stepsTaken(demand, rule).flatMap(({ routes }) => routes)]
}

function stepsTaken({ escalated = [] }: Demand, { name, timing }: Rule): readonly EscalationStep[] {
  return (timing?.escalate ?? []).slice(0, lastStep(escalated, name))
}

/** The last step of a rule's escalation that was taken, from 1; 0: none. A later step takes those before it along. */
export function lastStep(taken: readonly TakenStep[], rule: string): number {
  return largest(
    0,
    taken.filter((one) => one.rule === rule).map(({ step }) => step),
  )
}

/** Rules as a demand that asks everybody whom they ever ask, as if each step had been taken. */
export function demandAtLast(rules: readonly Rule[]): Demand {
  const escalated = rules.map(({ name, timing }) => ({ rule: name, step: timing?.escalate.length ?? 0 }))
  return { rules, covered: true, escalated }
}

/** In this many days even a rule's longest time (90 days) passes, if an hour a week counts. */
const maxDays = 16_000

const minuteMs = 60_000
const dayMs = 86_400_000

/**
 * The moment (epoch ms) at which `ms` of working time have passed since `start`. If clocks change during a shift, its
 * real length counts. Days are numbers: how many lie after 1970-01-01.
 */
export function workingMomentAfter(start: number, ms: number, hours: WorkingHours): number {
  const momentOn = wallClock(hours.timeZone)
  const holidays = new Set(hours.holidays.map((date) => Date.parse(date) / dayMs))
  // Yesterday's shift may not be over yet.
  const first = dayAt(start, hours.timeZone) - 1
  const last = first + maxDays + 7 * holidays.size
  let left = ms
  for (let day = first; day <= last; day += 1) {
    if (!hours.days.includes(weekdayOf(day)) || holidays.has(day)) continue
    const begin = Math.max(start, momentOn(day, hours.from))
    const end = momentOn(day, hours.to)
    if (end > begin && left <= end - begin) return begin + left
    left -= Math.max(0, end - begin)
  }
  throw new Error(`${ms} ms of working time do not go by in ${last - first} days`)
}

/** 1 is Monday, 7 is Sunday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

function dayAt(moment: number, timeZone: string): number {
  const date = temporal().Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone).toPlainDate()
  return Date.parse(date.toString()) / dayMs
}

/**
 * The moment (epoch ms) when a time zone's clocks are this many minutes past a day's midnight. If they skip that time,
 * the moment is later by as much. The calendar is slow: until a day before clocks change again, we only add.
 */
function wallClock(timeZone: string): (day: number, minutes: number) => number {
  let known = { since: 0, until: 0, ahead: 0 }
  return (day, minutes) => {
    const shown = day * dayMs + minutes * minuteMs
    const sum = shown - known.ahead
    if (sum >= known.since && sum < known.until) return sum
    const date = temporal().Instant.fromEpochMilliseconds(shown).toZonedDateTimeISO("UTC").toPlainDateTime()
    const asked = date.toZonedDateTime(timeZone)
    const change = asked.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const since = asked.epochMilliseconds
    known = { since, until: change - dayMs, ahead: asked.offsetNanoseconds / 1e6 }
    return since
  }
}
