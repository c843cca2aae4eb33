// Reads an absence as people type it: `until monday @bob`. They are back when that day begins where they are.
import { temporal } from "../policy/calendar.ts"

/** What was typed. Null where nothing clear was: then a form asks for it. */
export interface TypedAbsence {
  /** When they are back, epoch ms. */
  readonly until: number | null
  /** Who stands in: a Slack user id. */
  readonly standIn: string | null
}

/** Slack writes `@ann` as `<@U0ANN|ann>` if it knows her. */
const mentioned = /^<@([UW][A-Z0-9]{1,30})(?:\|[^>]*)?>$/
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

/** Reads an absence. `now`: epoch ms. `timeZone`: the one in which a day begins, as the IANA database names it. */
export function readAbsence(typed: readonly string[], now: number, timeZone: string): TypedAbsence {
  const people = typed.flatMap((word) => mentioned.exec(word)?.[1] ?? [])
  const others = typed.filter((word) => !mentioned.test(word) && word.toLowerCase() !== "until")
  const [day, ...more] = others
  const [standIn, ...further] = people
  return {
    until: day === undefined || more.length > 0 ? null : dayBegins(day, now, timeZone),
    standIn: standIn === undefined || further.length > 0 ? null : standIn,
  }
}

/** When a day begins: `tomorrow`, the next day of that name, or a date such as 2026-12-01. Null for anything else. */
export function dayBegins(text: string, now: number, timeZone: string): number | null {
  const word = text.trim().toLowerCase()
  const today = temporal().Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  const begins = (day: typeof today) => day.toZonedDateTime(timeZone).epochMilliseconds
  if (word === "tomorrow") return begins(today.add({ days: 1 }))
  const named = days.findIndex((name) => name === word || name.slice(0, 3) === word)
  if (named >= 0) return begins(today.add({ days: ((named + 1 - today.dayOfWeek + 6) % 7) + 1 }))
  if (!/^\d{4}-\d{2}-\d{2}$/.test(word) || Number.isNaN(Date.parse(word))) return null
  const moment = new Date(`${word}T00:00:00Z`).toISOString().slice(0, 10) === word
  return moment ? begins(temporal().PlainDate.from(word)) : null
}
