// Timing: by when a rule wants a decision, and the deadlines that the demanded rules make for one case (R13).

import { Temporal } from "temporal-polyfill"
import type { JsonObject } from "../content/json.ts"
import type { Approver, Demand, Route, Rule } from "./policy.ts"

/** What a rule says of time. Durations are ms since the case was opened. */
export interface Timing {
  readonly remindAfter: readonly number[]
  /** Null: never. */
  readonly escalateAfter: number | null
  /** Who is asked besides from then on, and where. */
  readonly escalateTo: { readonly routes: readonly Route[]; readonly approvers: readonly Approver[] }
  /** Null: never. */
  readonly expireAfter: number | null
  readonly onExpiry: "leave" | "reject"
  /** Null: all hours count. */
  readonly workingHours: WorkingHours | null
}

/** A moment (epoch ms) at which something happens if nobody has decided. */
export type Deadline =
  | { readonly kind: "remind"; readonly at: number }
  | { readonly kind: "escalate"; readonly at: number; readonly rule: string }
  /** `reject`: the platform is told so; else its record stays as it is. */
  | { readonly kind: "expire"; readonly at: number; readonly reject: boolean }

/** A case's deadlines, and which of them are behind it. */
export interface CaseTime {
  /** All that the demanded rules make, earliest first. */
  readonly deadlines: readonly Deadline[]
  /** The reminders up to this moment were told; 0 before the first. */
  readonly remindedTo: number
  /** Names of the rules whose further approvers count by now, and since when. */
  readonly escalated: readonly { readonly rule: string; readonly at: number }[]
  /** Since when nobody may vote any more; `rejectAt` is when a rejection is owed to the platform, null if none is. */
  readonly expired: { readonly at: number; readonly rejectAt: number | null } | null
  /** When the cards of the closed case lose arguments and names; absent if never, or once they have. */
  readonly blankAt?: number
}

/** The time of a case whose rules say nothing of it. */
export const noTime: CaseTime = { deadlines: [], remindedTo: 0, escalated: [], expired: null }

/** Everybody whom a rule lists: who may decide from the start, and who is asked besides once it is escalated. */
export function listedIn({ approvers, timing }: Rule): readonly Approver[] {
  return [...approvers, ...(timing?.escalateTo.approvers ?? [])]
}

/** What a rule's hash covers of its timing. */
export function timingAsJson(timing: Timing): JsonObject {
  const { escalateTo, workingHours } = timing
  return {
    ...timing,
    remindAfter: [...timing.remindAfter],
    escalateTo: {
      routes: escalateTo.routes.map((route) => ({ ...route })),
      approvers: escalateTo.approvers.map((approver) => ({ ...approver })),
    },
    workingHours: workingHours === null ? null : hoursAsJson(workingHours),
  }
}

/** Holidays only where there are some, so that a rule without them keeps the hash that it had before they existed. */
function hoursAsJson({ timeZone, days, from, to, holidays }: WorkingHours): JsonObject {
  return { timeZone, days: [...days], from, to, ...(holidays.length === 0 ? {} : { holidays: [...holidays] }) }
}

/**
 * The deadlines of a demand for a case opened at `since`. Each rule's reminders and its escalation count; of the
 * expiries the earliest.
 * It rejects only where every rule that expires wants that, and every call has a rule: whoever says `leave` is heard.
 */
export function deadlinesOf(demand: Demand, since: number): readonly Deadline[] {
  const timed = demand.rules.flatMap(({ name, timing }) => (timing === undefined ? [] : [{ name, timing }]))
  const after = (ms: number, { workingHours }: Timing): number =>
    workingHours === null ? since + ms : workingMomentAfter(since, ms, workingHours)
  const reminders = new Set(timed.flatMap(({ timing }) => timing.remindAfter.map((ms) => after(ms, timing))))
  const escalations = timed.flatMap(({ name: rule, timing }): Deadline[] =>
    timing.escalateAfter === null ? [] : [{ kind: "escalate", at: after(timing.escalateAfter, timing), rule }],
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
 * The time of a case whose content or rules changed at `now`. Its deadlines count from when it was opened, so that
 * nobody puts them off by changing the content. What is escalated stays so if the rules in force say it should be by
 * now; what has expired stays expired, and is still rejected only if they say so.
 */
export function timeUnder(
  before: CaseTime,
  demand: Demand,
  { since, now }: { readonly since: number; readonly now: number },
): CaseTime {
  const deadlines = deadlinesOf(demand, since)
  // A replica whose clock is behind must not take back what another did in time.
  const isDue = ({ rule, at }: CaseTime["escalated"][number]) =>
    deadlines.some((one) => one.kind === "escalate" && one.rule === rule && one.at <= Math.max(now, at))
  const owed = deadlines.some((one) => one.kind === "expire" && one.reject)
  const { expired } = before
  return {
    deadlines,
    remindedTo: before.remindedTo,
    escalated: before.escalated.filter(isDue),
    expired: expired === null || owed ? expired : { ...expired, rejectAt: null },
  }
}

/** The deadlines that are still ahead of a case, or due. Once it has expired there are none. */
export function pendingDeadlines({ deadlines, remindedTo, escalated, expired }: CaseTime): readonly Deadline[] {
  if (expired !== null) return []
  return deadlines.filter((one) => {
    switch (one.kind) {
      case "remind":
        return one.at > remindedTo
      case "escalate":
        return escalated.every(({ rule }) => rule !== one.rule)
      case "expire":
        return true
    }
  })
}

/** True if the time to vote is over: whether or not anybody has come to note it (R13). */
export function isOver({ deadlines, expired }: CaseTime, now: number): boolean {
  return expired !== null || deadlines.some((one) => one.kind === "expire" && one.at <= now)
}

/** Who may decide under a rule of a demand: its approvers, and once it is escalated those it names besides. */
export function approversUnder(demand: Demand, rule: Rule): readonly Approver[] {
  const more = isEscalated(demand, rule) ? rule.timing?.escalateTo.approvers : undefined
  return [...rule.approvers, ...(more ?? [])]
}

/** Where a rule's cards go, likewise. */
export function routesUnder(demand: Demand, rule: Rule): readonly Route[] {
  const more = isEscalated(demand, rule) ? rule.timing?.escalateTo.routes : undefined
  return [...rule.routes, ...(more ?? [])]
}

function isEscalated({ escalated = [] }: Demand, { name }: Rule): boolean {
  return escalated.includes(name)
}

/** When time counts: on each of the days once, from its `from` on. */
export interface WorkingHours {
  /** A name of the IANA time zone database. */
  readonly timeZone: string
  /** 1 is Monday, 7 is Sunday. Never empty. */
  readonly days: readonly number[]
  /** Minutes after midnight, as the clocks there show them. */
  readonly from: number
  /** Later than `from`; beyond 1440, the day's end, for a shift that ends on the next day. */
  readonly to: number
  /** Dates (`2026-12-25`) as the calendar there shows them, on which nothing begins. */
  readonly holidays: readonly string[]
}

/** Even 90 days, the longest a rule may name, in the shortest week it may have (an hour) are over before. */
const maxDays = 16_000

/**
 * The moment (epoch ms) at which `ms` of working time have gone by since `start`. A day on which the clocks change has
 * as much working time as really goes by between its hours.
 */
export function workingMomentAfter(start: number, ms: number, hours: WorkingHours): number {
  const today = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(hours.timeZone).toPlainDate()
  const most = maxDays + 7 * hours.holidays.length
  let left = ms
  // Yesterday's shift may be at work still.
  let day = today.subtract({ days: 1 })
  for (let days = 0; days <= most; days += 1) {
    const begin = Math.max(start, momentOn(day, hours.from, hours.timeZone))
    const end = isWorked(day, hours) ? momentOn(day, hours.to, hours.timeZone) : begin
    if (end > begin && left <= end - begin) return begin + left
    left -= Math.max(0, end - begin)
    day = day.add({ days: 1 })
  }
  throw new Error(`${ms} ms of working time do not go by in ${most} days`)
}

function isWorked(day: Temporal.PlainDate, { days, holidays }: WorkingHours): boolean {
  return days.includes(day.dayOfWeek) && !holidays.includes(day.toString())
}

/** Where the clocks skip the time it is as much later, as they would show without the change. */
function momentOn(day: Temporal.PlainDate, minutes: number, timeZone: string): number {
  const time = day.toPlainDateTime().add({ minutes })
  return time.toZonedDateTime(timeZone).epochMilliseconds
}
