// The keys of a rule that are about time: their shape, what they become, and what is wrong though each by itself is right.
import { z } from "zod"
import type { Rule } from "../../domain/policy.ts"
import type { Timing } from "../../domain/timing.ts"
import type { WorkingHours } from "../../domain/working-hours.ts"
import type { Problem } from "../reading/problems.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import { choice, duration, text } from "../schema/values.ts"

const HOUR_MS = 3_600_000
const DAY_MINUTES = 1_440
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const span = duration({
  min: 1,
  max: 90 * 24 * HOUR_MS,
  words: "must be more than nothing and at most 2160h (90 days)",
})
const clockTime = text
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as "09:00", at most "24:00"')
  .transform(minutesOf)

const workingHours = z.strictObject({
  time_zone: text.refine(isTimeZone, "must be the name of a time zone, such as Europe/Berlin or UTC"),
  days: z.array(choice(DAYS)).min(1, "must list at least one day").optional(),
  from: clockTime.optional(),
  to: clockTime.optional(),
  holidays: z
    .array(z.iso.date('must be a date such as "2026-12-25"'))
    .max(400, "must list at most 400 dates")
    .optional(),
})

/** The keys of a rule that say by when; `escalate_to` takes what the rule's own `routes` and `approvers` take. */
export function timingKeys<Routes extends z.ZodType, Approvers extends z.ZodType>(
  routes: Routes,
  approvers: Approvers,
) {
  return {
    remind_after: z
      .preprocess(
        (value) => (value === undefined || Array.isArray(value) ? value : [value]),
        z.array(span).min(1, "must list at least one duration").max(10, "must list at most 10 durations").optional(),
      )
      .optional(),
    escalate_after: span.optional(),
    escalate_to: z.strictObject({ routes: routes.optional(), approvers: approvers.optional() }).optional(),
    expire_after: span.optional(),
    on_expiry: choice(["leave", "reject"]).optional(),
    working_hours: workingHours.optional(),
  }
}

/** What a rule says of time; nothing if it never says when. */
export function timingOf(
  settings: RuleSettings,
  escalateTo: Timing["escalateTo"],
): Pick<Rule, "timing"> | Record<string, never> {
  if (!isTimed(settings)) return {}
  const { remind_after: remindAfter = [], on_expiry: onExpiry = "leave", working_hours: hours } = settings
  return {
    timing: {
      remindAfter: remindAfter.toSorted((a, b) => a - b),
      escalateAfter: settings.escalate_after ?? null,
      escalateTo,
      expireAfter: settings.expire_after ?? null,
      onExpiry,
      workingHours: hours === undefined ? null : workingHoursOf(hours),
    },
  }
}

type Hours = z.infer<typeof workingHours>

/** Hours that end before they begin end on the next day. */
function workingHoursOf({ time_zone: timeZone, days = DAYS.slice(0, 5), holidays = [], ...told }: Hours): WorkingHours {
  const numbers = DAYS.flatMap((day, index) => (days.includes(day) ? [index + 1] : []))
  const { from = 9 * 60, to = 17 * 60 } = told
  return { timeZone, days: numbers, from, to: to < from ? to + DAY_MINUTES : to, holidays }
}

function isTimed({ remind_after, escalate_after, expire_after }: RuleSettings): boolean {
  return remind_after !== undefined || escalate_after !== undefined || expire_after !== undefined
}

/** The path of a key below the rule, and what is wrong there. */
type Wrong = readonly [path: readonly string[], what: string]

/** Each problem with the key that should change. */
export function checkTiming(
  rule: RuleSettings,
  report: (path: readonly string[], what: string) => Problem,
): readonly Problem[] {
  return [...tooLate(rule), ...withoutTheOther(rule), ...wrongHours(rule)].map(([path, what]) => report(path, what))
}

function tooLate({
  remind_after = [],
  escalate_after,
  expire_after = Number.POSITIVE_INFINITY,
}: RuleSettings): Wrong[] {
  const late = "comes when the approval has expired already: make it shorter than expire_after"
  const wrong: Wrong[] = []
  if (remind_after.some((ms) => ms >= expire_after)) wrong.push([["remind_after"], late])
  if (new Set(remind_after).size < remind_after.length) wrong.push([["remind_after"], "lists a duration twice"])
  if (escalate_after !== undefined && escalate_after >= expire_after) wrong.push([["escalate_after"], late])
  return wrong
}

/** Keys that mean nothing without another. */
function withoutTheOther({ escalate_after, escalate_to, expire_after, on_expiry }: RuleSettings): Wrong[] {
  const { routes = [], approvers = [] } = escalate_to ?? {}
  const wrong: Wrong[] = []
  if (escalate_after !== undefined && escalate_to === undefined)
    wrong.push([["escalate_to"], "is missing: say who is asked then"])
  if (escalate_after === undefined && escalate_to !== undefined)
    wrong.push([["escalate_after"], "is missing: say when escalate_to counts"])
  if (escalate_to !== undefined && routes.length + approvers.length === 0)
    wrong.push([["escalate_to"], "names nobody: list routes or approvers"])
  if (on_expiry !== undefined && expire_after === undefined)
    wrong.push([["expire_after"], "is missing: without it on_expiry never happens"])
  return wrong
}

/** Days of less than an hour would put a deadline off for years. */
function wrongHours(rule: RuleSettings): Wrong[] {
  if (rule.working_hours === undefined) return []
  const { from, to } = workingHoursOf(rule.working_hours)
  const end = ["working_hours", "to"]
  const wrong: Wrong[] = []
  if (!isTimed(rule))
    wrong.push([["working_hours"], "counts nothing: there is no remind_after, escalate_after or expire_after"])
  if (to - from < 60) wrong.push([end, "must be at least an hour after from"])
  return wrong
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return hours * 60 + minutes
}

/** Offsets such as +01:00 know no summer time, so they are refused. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== ""
  } catch {
    return false
  }
}
