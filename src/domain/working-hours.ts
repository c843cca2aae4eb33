// Working hours: when a duration that counts only them is over. Pure; what a time zone's clocks show is Temporal's knowledge.
import { Temporal } from "temporal-polyfill"

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

/** The longest duration that a rule may name (90 days) in the shortest week that it may have (an hour) is over before. */
const mostDays = 16_000

/**
 * The moment (epoch ms) at which `ms` of working time have gone by since `start`. A day on which the clocks change has as much working
 * time as really goes by between its hours.
 */
export function workingMomentAfter(start: number, ms: number, hours: WorkingHours): number {
  const today = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(hours.timeZone).toPlainDate()
  const most = mostDays + 7 * hours.holidays.length
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
