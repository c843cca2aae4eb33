// Fingerprints: what is remembered of the approved calls of one tool by one caller, without any of their texts. Pure.
import { compareDecimals, decimalOf } from "../condition/decimal.ts"
import { smallest } from "../content/largest.ts"
import type { CallReading, FieldReading } from "./call-reading.ts"

/** What is kept. Days count from 1970. */
export interface Fingerprint {
  /** How many approved calls went into it. */
  readonly calls: number
  readonly fields: readonly FieldPrint[]
  /** The last calls that people rejected, oldest first. */
  readonly rejected: readonly RejectedPrint[]
}

/** What is kept of one path. Hashes are keyed, so nobody can guess a value from its hash. */
export interface FieldPrint {
  readonly path: string
  /** The hash of all that the last approved call had at the path; null if it had nothing there. */
  readonly last: string | null
  /** How many approved calls had the field; how many of these with a new value, and how many with a changed one. */
  readonly times: number
  readonly fresh: number
  readonly turns: number
  /** The last day on which an approved call had it. */
  readonly day: number
  /** Hashes of its short values, oldest first, each with the last day on which we saw it. */
  readonly seen: readonly (readonly [hash: string, day: number])[]
  /** True once we saw more values than we keep. */
  readonly full?: true
  /** The smallest and the largest number at the path in each span of days, as decimal texts; without masked numbers. */
  readonly ranges: readonly NumberRange[]
}

/** The smallest and the largest number in a span of days. `day` is the first day of the span. */
export interface NumberRange {
  readonly day: number
  readonly least: string
  readonly most: string
}

/** A rejected call: its case, and the hashes of the fields that set it apart from approved calls. */
export interface RejectedPrint {
  readonly case: string
  /** Epoch ms. */
  readonly at: number
  readonly apart: readonly { readonly path: string; readonly hash: string }[]
}

/** The most that we keep: paths, values at one path, rejected calls, and hashes of a rejected call. */
export const maxFields = 40
const maxSeen = 24
const maxRejected = 5
const maxApart = 40
/** One call adds at most this many new paths, so it cannot push out all other paths. */
const maxNewFields = 20
const dayMs = 86_400_000

/** Nothing was approved or rejected yet. */
export const nothingKept: Fingerprint = { calls: 0, fields: [], rejected: [] }

/** The day of a moment. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

/** The smallest and the largest number that stood at a path; null if there were no numbers. */
export function rangeOf({ ranges }: Pick<FieldPrint, "ranges">): NumberRange | null {
  const [first, ...others] = ranges
  return first === undefined ? null : others.reduce(widened, first)
}

function widened(range: NumberRange, { least, most }: NumberRange): NumberRange {
  const wider = {
    least: isMoreThan(range.least, least) ? least : range.least,
    most: isMoreThan(most, range.most) ? most : range.most,
  }
  return { day: range.day, ...wider }
}

/** True if the first number is more than the second. False if nobody can compare them. */
export function isMoreThan(one: string, other: string): boolean {
  const [left, right] = [decimalOf(one), decimalOf(other)]
  return left !== null && right !== null && compareDecimals(left, right) > 0
}

/** When we learn something, and for how many days we keep anything. */
export interface Learning {
  /** Epoch ms. */
  readonly at: number
  readonly keepDays: number
}

/** Adds an approved call to a fingerprint, and drops the rejections of calls like it. */
export function withApproved(before: Fingerprint, read: CallReading, learning: Learning): Fingerprint {
  const { calls, fields, rejected } = aged(before, learning)
  const prints = [...fields, ...unknownPaths(fields, read).slice(0, maxNewFields).map(emptyPrint)]
  const all = prints.map((print) => {
    const reading = read.of(print.path)
    return reading === null ? { ...print, last: null } : learned(print, reading, learning)
  })
  return {
    calls: calls + 1,
    // Fields that most calls have stay, so a call full of rare fields pushes out only rare fields.
    fields: all.toSorted((a, b) => b.times - a.times || b.day - a.day).slice(0, maxFields),
    rejected: rejected.filter((one) => !isLikeRejected(one, read)),
  }
}

function unknownPaths(fields: Fingerprint["fields"], read: CallReading): readonly string[] {
  const known = new Set(fields.map(({ path }) => path))
  return [...read.fields.keys()].filter((path) => !known.has(path))
}

function emptyPrint(path: string): FieldPrint {
  return { path, last: null, times: 0, fresh: 0, turns: 0, day: 0, seen: [], ranges: [] }
}

function learned(print: FieldPrint, reading: FieldReading, { at, keepDays }: Learning): FieldPrint {
  const day = dayOf(at)
  const again = reading.hashes
  const seen = [
    ...print.seen.filter(([hash]) => !again.has(hash)),
    ...[...again.keys()].map((hash) => [hash, day] as const),
  ]
  const full = print.full === true || seen.length > maxSeen || reading.over
  const turned = print.times > 0 && print.last !== reading.all
  return {
    path: print.path,
    last: reading.all,
    times: print.times + 1,
    fresh: print.fresh + Number(novelty(print, reading) !== null),
    turns: print.turns + Number(turned),
    day,
    seen: seen.slice(-maxSeen),
    ...(full ? { full } : {}),
    ranges: reading.masked ? [] : withNumbers(print.ranges, reading, { day, spanDays: Math.max(1, keepDays / 4) }),
  }
}

function withNumbers(
  ranges: FieldPrint["ranges"],
  { numbers }: FieldReading,
  { day, spanDays }: { readonly day: number; readonly spanDays: number },
): FieldPrint["ranges"] {
  const own = numbers.flatMap(({ text }) => (text === null ? [] : [{ day, least: text, most: text }]))
  const [first, ...others] = own
  if (first === undefined) return ranges
  const now = others.reduce(widened, first)
  const last = ranges.at(-1)
  return last !== undefined && day - last.day < spanDays
    ? [...ranges.slice(0, -1), widened(last, now)]
    : [...ranges, now]
}

/** What is new about a field: a value never seen there, or a number above or below all earlier ones. `at`: which. */
export type Novelty = { readonly kind: "new" | "more" | "less"; readonly at: number | null }

/** What is new about a field of a call; null if everything at that path was approved before. */
export function novelty(print: FieldPrint, { hashes, numbers, over }: FieldReading): Novelty | null {
  if (over) return { kind: "new", at: null }
  const known = new Set(print.seen.map(([hash]) => hash))
  for (const [hash, at] of hashes) if (!known.has(hash)) return { kind: "new", at }
  const range = rangeOf(print)
  for (const { text, at } of numbers) {
    if (text === null || range === null) return { kind: "new", at }
    if (isMoreThan(text, range.most)) return { kind: "more", at }
    if (isMoreThan(range.least, text)) return { kind: "less", at }
  }
  return null
}

/** Adds a rejected call to a fingerprint: the fields that set this call apart. */
export function withRejected(
  before: Fingerprint,
  read: CallReading,
  { case: caseId, ...learning }: Learning & { readonly case: string },
): Fingerprint {
  const now = aged(before, learning)
  const hashed = apartIn(now.fields, read).slice(0, maxApart)
  const apart = hashed.flatMap((path) => {
    const reading = read.of(path)
    return reading === null ? [] : [{ path, hash: reading.all }]
  })
  return { ...now, rejected: [...now.rejected, { case: caseId, at: learning.at, apart }].slice(-maxRejected) }
}

/** The paths that set a call apart: known fields that differ from the last call, else new fields, else all fields. */
function apartIn(fields: Fingerprint["fields"], read: CallReading): readonly string[] {
  const otherwise = fields.filter(({ path, last }) => {
    const reading = read.of(path)
    return reading !== null && reading.all !== last
  })
  if (otherwise.length > 0) return otherwise.map(({ path }) => path)
  const unknown = unknownPaths(fields, read)
  return unknown.length > 0 ? unknown : [...read.fields.keys()]
}

/** True if a call has at least half of what set the rejected call apart. Its other fields change nothing. */
export function isLikeRejected({ apart }: RejectedPrint, read: CallReading): boolean {
  const same = apart.filter(({ path, hash }) => read.of(path)?.all === hash).length
  return same > 0 && same * 2 >= apart.length
}

/** Drops all that is too old to be kept. */
export function aged(before: Fingerprint, { at, keepDays }: Learning): Fingerprint {
  const gone = dayOf(at) - keepDays
  const fields = before.fields
    .filter(({ day }) => day > gone)
    .map((print) => ({
      ...print,
      seen: print.seen.filter(([, day]) => day > gone),
      ranges: print.ranges.filter(({ day }) => day > gone),
    }))
  return { ...before, fields, rejected: before.rejected.filter((one) => dayOf(one.at) > gone) }
}

/** The day of the oldest thing that we keep; null if we keep nothing. */
export function oldestDay({ fields, rejected }: Fingerprint): number | null {
  const days = [
    ...fields.flatMap(({ day, seen, ranges }) => [day, ...seen.map(([, one]) => one), ...ranges.map((one) => one.day)]),
    ...rejected.map((one) => dayOf(one.at)),
  ]
  return days.length === 0 ? null : smallest(Number.POSITIVE_INFINITY, days)
}
