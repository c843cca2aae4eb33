// Working hours: weekends, other zones, and the days on which the clocks change.

import fc from "fast-check"
import { Temporal } from "temporal-polyfill"
import { expect, test } from "vitest"
import { workingMomentAfter } from "../../../src/domain/policy/timing.ts"
import type { WorkingHours } from "../../../src/domain/rule/rule.ts"
import { cpuMs } from "../../support/cpu-time.ts"
import { runsOf } from "../../support/runs.ts"

const hour = 3_600_000
const weekdays = [1, 2, 3, 4, 5]

function hours(changes: Partial<WorkingHours> = {}): WorkingHours {
  return { timeZone: "Europe/Berlin", days: weekdays, from: 9 * 60, to: 17 * 60, holidays: [], ...changes }
}

/** The moment as ISO text in UTC, which says more in a failure than a number. */
function after(start: string, ms: number, counted: WorkingHours): string {
  return new Date(workingMomentAfter(Date.parse(start), ms, counted)).toISOString().slice(0, 16)
}

test.each([
  ["within a day", "2026-11-20T09:00Z", 2 * hour, "2026-11-20T11:00"],
  ["from before the day begins", "2026-11-20T03:00Z", 2 * hour, "2026-11-20T10:00"],
  ["up to the very end of a day", "2026-11-20T08:00Z", 8 * hour, "2026-11-20T16:00"],
  ["over a night", "2026-11-19T15:00Z", 2 * hour, "2026-11-20T09:00"],
  ["over a weekend", "2026-11-20T15:00Z", 2 * hour, "2026-11-23T09:00"],
  ["from a Saturday", "2026-11-21T12:00Z", hour, "2026-11-23T09:00"],
  ["from after the day has ended", "2026-11-20T20:00Z", hour, "2026-11-23T09:00"],
  ["over several weeks", "2026-11-02T08:00Z", 100 * hour, "2026-11-18T12:00"],
])("working time goes by %s", (_name, start, ms, end) => {
  expect(after(start, ms, hours())).toBe(end)
})

test("a day's hours are those that its own clocks show, before and after a change of summer time", () => {
  // Berlin is at UTC+2 until Sunday, 25 October 2026, and at UTC+1 from then on.
  expect(after("2026-10-23T14:00Z", 2 * hour, hours())).toBe("2026-10-26T09:00")
  // New York goes forward on Sunday, 8 March 2026.
  expect(after("2026-03-06T21:00Z", 2 * hour, hours({ timeZone: "America/New_York" }))).toBe("2026-03-09T14:00")
})

test("a day on which the clocks change has as many hours as really go by", () => {
  const night = { days: [7], from: 0, to: 6 * 60 }

  // In Berlin the hour from 2 to 3 is missing on 29 March 2026, and there twice on 25 October.
  expect(after("2026-03-28T23:00Z", 5 * hour, hours(night))).toBe("2026-03-29T04:00")
  expect(after("2026-03-28T23:00Z", 5 * hour + 60_000, hours(night))).toBe("2026-04-04T22:01")
  expect(after("2026-10-24T22:00Z", 7 * hour, hours(night))).toBe("2026-10-25T05:00")
})

test("a day that begins where the clocks skip begins when they go on", () => {
  expect(after("2026-03-28T23:00Z", hour, hours({ days: [7], from: 150, to: 6 * 60 }))).toBe("2026-03-29T02:30")
})

test("a day may end at midnight, and a zone may be half an hour off", () => {
  const kolkata = hours({ timeZone: "Asia/Kolkata", days: [6], from: 23 * 60, to: 1440 })

  expect(after("2026-11-21T00:00Z", hour, kolkata)).toBe("2026-11-21T18:30")
  expect(after("2026-11-21T00:00Z", hour + 60_000, kolkata)).toBe("2026-11-28T17:31")
})

test.each([
  ["into the next morning", "2026-11-20T21:00Z", 3 * hour, "2026-11-21T00:00"],
  ["from the middle of a night that began the day before", "2026-11-21T02:00Z", 2 * hour, "2026-11-21T04:00"],
  ["past the end of such a night", "2026-11-21T04:00Z", 2 * hour, "2026-11-23T22:00"],
  ["not in a night that begins on a Sunday", "2026-11-22T23:00Z", hour, "2026-11-23T22:00"],
])("a night shift counts %s", (_name, start, ms, end) => {
  expect(after(start, ms, hours({ from: 22 * 60, to: 30 * 60 }))).toBe(end)
})

test("a night in which the clocks change has as many hours as really go by", () => {
  const night = { days: [6], from: 22 * 60, to: 30 * 60 }

  expect(after("2026-03-28T21:00Z", 7 * hour, hours(night))).toBe("2026-03-29T04:00")
  expect(after("2026-10-24T20:00Z", 9 * hour, hours(night))).toBe("2026-10-25T05:00")
})

test("nothing begins on a holiday, and what began the day before goes on", () => {
  const holidays = ["2026-12-25", "2026-12-28"]

  expect(after("2026-12-24T15:00Z", 2 * hour, hours({ holidays }))).toBe("2026-12-29T09:00")
  expect(after("2026-12-25T02:00Z", hour, hours({ holidays, from: 22 * 60, to: 30 * 60 }))).toBe("2026-12-25T03:00")
})

test("holidays on the only day of a week put its time off", () => {
  const holidays = Array.from({ length: 400 }, (_, week) =>
    new Date(Date.UTC(2026, 10, 23) + week * 168 * hour).toISOString().slice(0, 10),
  )
  const shortest = hours({ timeZone: "UTC", days: [1], from: 0, to: 60, holidays })

  expect(after("2026-11-23T00:00Z", 2_160 * hour, shortest)).toBe("2075-12-09T01:00")
})

test("the longest duration in the shortest week is over some day", () => {
  const shortest = hours({ timeZone: "UTC", days: [1], from: 0, to: 60 })

  expect(after("2026-11-23T00:00Z", 2_160 * hour, shortest)).toBe("2068-04-09T01:00")
})

test("the longest duration in the shortest week is no work to speak of, wherever the clocks change", () => {
  const began = cpuMs()

  for (let run = 0; run < 20; run += 1)
    expect(after("2026-11-23T00:00Z", 2_160 * hour, hours({ days: [1], to: 10 * 60 }))).toBe("2068-04-09T08:00")

  // Day by day with the calendar, one of them took a quarter of a second.
  expect(cpuMs() - began).toBeLessThan(2_000)
})

/** The same, day by day with the calendar. */
function byCalendar(start: number, ms: number, { timeZone, days, from, to, holidays }: WorkingHours): number {
  const momentOn = (date: Temporal.PlainDate, minutes: number) =>
    date.toPlainDateTime().add({ minutes }).toZonedDateTime(timeZone).epochMilliseconds
  let date = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone).toPlainDate()
  date = date.subtract({ days: 1 })
  for (let left = ms; ; date = date.add({ days: 1 })) {
    if (!days.includes(date.dayOfWeek) || holidays.includes(date.toString())) continue
    const begin = Math.max(start, momentOn(date, from))
    const span = Math.max(0, momentOn(date, to) - begin)
    if (span > 0 && left <= span) return begin + left
    left -= span
  }
}

test("it comes to what the calendar says day by day, in zones that change their clocks at odd times and by odd steps", () => {
  const zones = ["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "America/Asuncion"]
  const counted = fc
    .record({
      timeZone: fc.constantFrom(...zones),
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      from: fc.integer({ min: 0, max: 1_380 }),
      span: fc.integer({ min: 60, max: 1_439 }),
      holidays: fc.constantFrom([], ["2011-12-31", "2026-03-29", "2026-10-25"]),
    })
    .map(({ span, ...rest }) => ({ ...rest, to: rest.from + span }))
  const start = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2030, 0, 1) })

  fc.assert(
    fc.property(start, fc.integer({ min: 1, max: 900 * hour }), counted, (at, ms, one) => {
      expect(workingMomentAfter(at, ms, one)).toBe(byCalendar(at, ms, one))
    }),
    { numRuns: runsOf(60) },
  )
})

test("longer takes longer, never less than the time itself, and adds up day by day", () => {
  const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
  const ms = fc.integer({ min: 1, max: 200 * hour })
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham")

  fc.assert(
    fc.property(start, ms, ms, zone, (at, first, second, timeZone) => {
      const counted = hours({ timeZone })
      const half = workingMomentAfter(at, first, counted)
      expect(half).toBeGreaterThanOrEqual(at + first)
      expect(workingMomentAfter(half, second, counted)).toBe(workingMomentAfter(at, first + second, counted))
    }),
    { numRuns: runsOf(60) },
  )
})
