// The keys of working hours: in which hours of which days time counts.
import { z } from "zod"
import { choice, text } from "./values.ts"

/** The days of a week, Monday first. */
export const weekDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const clockTime = text.regex(
  /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/,
  'must be a time of day such as "09:00", at most "24:00"',
)

/** A name of the IANA time zone database. */
export const timeZone = text.refine(isTimeZone, "must be the name of a time zone, such as Europe/Berlin or UTC")

/** In which hours the time of a rule counts. */
export const workingHours = z.strictObject({
  time_zone: timeZone.meta({
    description: "A name of the IANA time zone database. Summer time counts.",
    example: "Europe/Berlin",
  }),
  days: z
    .array(choice(weekDays))
    .min(1, "must list at least one day")
    .default(weekDays.slice(0, 5))
    .describe("The days on which a shift begins."),
  from: clockTime.default("09:00").meta({ description: "When it begins.", example: '"09:00"' }),
  to: clockTime.default("17:00").meta({
    description: `When it ends. If that is earlier than from, it ends on the next day: a night shift from 22:00 to
      06:00.`,
    example: '"17:00"',
  }),
  holidays: z
    .array(z.iso.date('must be a date such as "2026-12-25"'))
    .max(400, "must list at most 400 dates")
    .default([])
    .meta({ description: "Dates on which no shift begins.", example: "[2026-12-25, 2027-01-01]" }),
})

/** True for a time zone by name. Offsets such as +01:00 know no summer time, so we refuse them. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== ""
  } catch {
    return false
  }
}
