// Counts cases by how they came into a range and how they stood at its end, and times exactly.
import { type Course, type End, ends, standingOf } from "./course.ts"

/** How a case came to be in a range. `carried`: open when it began. `again`: ended before, and changed in it. */
export type Entering = "carried" | "asked" | "again"

/** Times of cases or votes, in ms: how many there are, and what half and 95 of 100 of them are at most. */
export interface Times {
  readonly count: number
  /** Null without a time, as is `p95`. */
  readonly median: number | null
  readonly p95: number | null
}

/** Cases, counted: `carried`, `asked` and `again` add up to the ends and `open`. */
export interface Counted extends Readonly<Record<Entering | End | "open", number>> {
  /** How long people took to decide, from the entry `opened` on. */
  readonly time: Times
}

/** Cases of one kind: of a rule, a tool or a team. `name` null: it has none. */
export interface CountedGroup extends Counted {
  readonly name: string | null
}

/** Takes cases, and counts. */
export interface CaseCounter {
  add(entering: Entering, course: Course): void
  counted(): Counted
}

/** Makes a tally. Of a case it keeps only how long people took. */
export function createTally(): CaseCounter {
  const counts = { carried: 0, asked: 0, again: 0, open: 0, ...noEnds() }
  const times: number[] = []
  return {
    add: (entering, course) => {
      counts[entering] += 1
      counts[standingOf(course)] += 1
      const took = timeToDecide(course)
      if (took !== null) times.push(took)
    },
    counted: () => ({ ...counts, time: ranksOf(times) }),
  }
}

function noEnds(): Record<End, number> {
  const voted = { approved: 0, rejected: 0, calledBack: 0 }
  return { ...voted, byExpiry: 0, expired: 0, elsewhere: 0, replaced: 0, gone: 0, frozen: 0 }
}

/** How long people took to decide a case, in ms; null if they did not, or if no entry tells when. */
function timeToDecide(course: Course): number | null {
  const { decidedAt, openedAt, verdict } = course
  if (decidedAt === null || standingOf(course) !== verdict) return null
  return Math.max(0, decidedAt - openedAt)
}

/** The median and the 95th percentile by nearest rank: each is one of the times. */
export function ranksOf(times: readonly number[]): Times {
  const sorted = Float64Array.from(times).toSorted()
  const at = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null
  return { count: sorted.length, median: at(50), p95: at(95) }
}

/** Tallies by name. */
export interface GroupCounter {
  add(names: readonly (string | null)[], entering: Entering, course: Course): void
  /** Most cases first, then by name. */
  counted(): readonly CountedGroup[]
}

/** Makes tallies by name. A case counts under each of its names. */
export function createGroups(): GroupCounter {
  const tallies = new Map<string | null, CaseCounter>()
  return {
    add: (names, entering, course) => {
      for (const name of names) {
        const tally = tallies.get(name) ?? createTally()
        tallies.set(name, tally)
        tally.add(entering, course)
      }
    },
    counted: () =>
      [...tallies].map(([name, tally]) => ({ name, ...tally.counted() })).toSorted((a, b) => byNumber(a, b)),
  }
}

function byNumber(a: CountedGroup, b: CountedGroup): number {
  return totalIn(b) - totalIn(a) || ((a.name ?? "") < (b.name ?? "") ? -1 : 1)
}

/** How many cases were counted, by how they came into the range. */
export function totalIn({ carried, asked, again }: Counted): number {
  return carried + asked + again
}

/** How many cases were counted, by how they stood at its end. The same number as `totalIn`. */
export function totalAtEnd(counted: Counted): number {
  return ends.reduce((sum, end) => sum + counted[end], counted.open)
}
