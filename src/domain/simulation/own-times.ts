// How long each person takes to decide, by the hour of the week at which a case begins to ask: at night all are slow.
import {
  addTime,
  bucketAt,
  bucketOf,
  type Curve,
  casesIn,
  curveOf,
  type DecisionTimes,
  msOf,
} from "./decision-times.ts"

/** When somebody decides, in ms, and the earliest moment that their own times allow. */
export interface Drawn {
  readonly ms: number
  readonly floor: number
}

/** When cases began to ask (`at`, epoch ms), and how long people took. */
export interface OwnTimes {
  add(person: string, at: number, time: { readonly ms: number; readonly decided: boolean }): void
  /** Makes a function that draws when a person decides. They had not by `after` (ms; null: from the start). */
  drawing(random: () => number): (person: string, at: number, after: number | null) => Drawn
}

/** If an hour has this many cases, only these count. Else those of other days count, too, then those of all hours. */
const minCases = 20

/** The kinds of days: Monday to Thursday are alike (a working day follows), each other day is a kind by itself. */
const days = 4
const hours = 24

/** The kind of day, and the hour, by UTC. The first day of the epoch was a Thursday. */
function hourOf(at: number): { readonly day: number; readonly hour: number } {
  const weekday = (Math.floor(at / 86_400_000) + 3) % 7
  return { day: Math.max(0, weekday - 3), hour: Math.floor(at / 3_600_000) % hours }
}

/** Times by `day * 24 + hour`. */
type ByHour = Map<number, DecisionTimes>

/** Makes `OwnTimes` without any times. */
export function createOwnTimes(): OwnTimes {
  const own = new Map<string, ByHour>()
  const all: ByHour = new Map()
  return {
    add: (person, at, { ms, decided }) => {
      const { day, hour } = hourOf(at)
      const theirs = own.get(person) ?? new Map<number, DecisionTimes>()
      own.set(person, theirs)
      for (const times of [theirs, all]) {
        const place = day * hours + hour
        const found = times.get(place) ?? new Map()
        times.set(place, found)
        addTime(found, ms, decided)
      }
    },
    drawing: (random) => {
      const curves = new Map([...own].map(([person, times]) => [person, curvesOf(times)] as const))
      const ofAll = curvesOf(all)
      return (person, at, after) => {
        const start = after === null ? -1 : bucketOf(after)
        const theirs = curves.get(person)?.(at) ?? noCurve
        const found = bucketAt(theirs, 1 - random(), start)
        if ("bucket" in found) return { ms: msOf(found.bucket), floor: msOf(found.bucket) }
        // After a person's last known time, the times of all people count.
        const known = Math.max(start, theirs.last)
        const beyond = bucketAt(ofAll(at), found.share, known)
        const ms = "bucket" in beyond ? msOf(beyond.bucket) : Number.POSITIVE_INFINITY
        return { ms, floor: known < 0 ? 0 : msOf(known) }
      }
    },
  }
}

const noCurve: Curve = { steps: [], last: -1 }

/** The curve for each hour of the week. We make it when somebody first asks for it. */
function curvesOf(times: ByHour): (at: number) => Curve {
  const made = new Map<number, Curve>()
  let whole: Curve | undefined
  const make = (day: number, hour: number): Curve => {
    const kinds = Array.from({ length: days }, (_, kind) => times.get(kind * hours + hour) ?? new Map())
    const wanted = [[times.get(day * hours + hour) ?? new Map()], kinds]
    const enough = wanted.find((parts) => casesIn(parts) >= minCases)
    if (enough !== undefined) return curveOf(enough)
    whole ??= curveOf([...times.values()])
    return whole
  }
  return (at) => {
    const { day, hour } = hourOf(at)
    const place = day * hours + hour
    const curve = made.get(place) ?? make(day, hour)
    made.set(place, curve)
    return curve
  }
}
