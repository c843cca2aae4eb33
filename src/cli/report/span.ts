// Which time a report is about: days or instants as somebody typed them, by default the last full month. Days are UTC.
import type { TellingEvent } from "../../domain/report/course.ts"
import type { TimeRange } from "../../domain/report/report.ts"
import { CommandError } from "../terminal.ts"

/** What was typed: each a day or an instant. */
export interface SpanOptions {
  readonly from?: string
  readonly to?: string
}

const dayMs = 86_400_000

/** The range. A day of `--to` counts whole; an instant is not in the range. Throws `CommandError`. */
export function spanOf({ from, to }: SpanOptions, now: number): TimeRange {
  if (from === undefined && to === undefined) return lastMonth(now)
  if (from === undefined) throw new CommandError("--to alone leaves open where the range begins: give --from too")
  const begins = momentOf("--from", from)
  if (begins.at >= now) throw new CommandError(`--from ${from} is not over yet: name a time before now`)
  if (to === undefined) return { from: begins.at, to: now }
  const ends = momentOf("--to", to)
  const end = ends.isDay ? ends.at + dayMs : ends.at
  if (ends.at < begins.at) throw new CommandError(`--from ${from} lies after --to ${to}: exchange them`)
  if (end > begins.at) return { from: begins.at, to: end }
  throw new CommandError(
    `nothing lies between --from ${from} and --to ${to}: name a later --to, or a day, which is whole`,
  )
}

/** The calendar month, by UTC, before that of `now`. */
function lastMonth(now: number): TimeRange {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { from: Date.UTC(year, month - 1), to: Date.UTC(year, month) }
}

interface Moment {
  /** Epoch ms. Of a day: when it begins. */
  readonly at: number
  readonly isDay: boolean
}

function momentOf(option: string, text: string): Moment {
  const [, day = "", time] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const at = isDay(day) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return { at, isDay: time === undefined }
  throw new CommandError(
    `${option} must be a day such as 2026-11-01, or an instant with its zone such as 2026-11-01T08:00+01:00, ` +
      `not ${text}`,
  )
}

/** True if the calendar has this day; `Date` would take 31 February for 3 March. */
function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** When the ledger begins, by its first entry. Throws `CommandError` if the range ends before that. */
export function demandBegun(first: TellingEvent, { from, to }: TimeRange): number {
  const at = Number(first["at"])
  if (to > at) return at
  throw new CommandError(
    `the ledger begins at ${momentWords(at)}, after the range from ${momentWords(from)} to ${momentWords(to)}: ` +
      "give --from and --to for a later one",
  )
}

/** A moment (epoch ms) in UTC, as ISO 8601 writes it. */
export function momentWords(at: number): string {
  return new Date(at).toISOString()
}
