// Estimates how long cases would wait under other rules. We keep what we saw of a case, and draw the rest from people's
// own times to decide.
import { largest, smallest } from "../content/largest.ts"
import type { CaseSeen } from "./case-seen.ts"
import { addTime, type Curve, curveOf, type DecisionTimes, quantileOf } from "./decision-times.ts"
import { createOwnTimes, type Drawn, type OwnTimes } from "./own-times.ts"

/** Times in ms; null: longer than anything known. */
export interface WaitTimes {
  readonly median: number | null
  /** Nine of ten cases take at most this long. */
  readonly p90: number | null
}

/** How long cases waited, and would wait. */
export interface WaitEstimate {
  /** The number of cases behind the estimate. */
  readonly cases: number
  readonly seen: WaitTimes
  readonly estimated: WaitTimes
  /** The share of cases (0 to 1) that would wait longer than anything known. */
  readonly never: number
  /**
   * The share of cases (0 to 1) whose estimate uses times that are not the person's own, so that it could be on the
   * other side of the median. We never saw how long they take: nobody asked them, or others always came first.
   */
  readonly borrowed: number
}

/** Remembers cases and estimates. */
export interface Waits {
  add(seen: CaseSeen): void
  estimate(random: () => number): WaitEstimate
}

/** We make at least this many draws, so that chance does not show if there are few cases. */
const minDraws = 20_000
/** If there are very few cases, we draw for each of them this often. */
const maxRounds = 500

/** Makes `Waits`. It holds little of a case, and holds a set of people only once. */
export function createWaits(): Waits {
  const cases: CaseSeen[] = []
  const own = createOwnTimes()
  const seen: DecisionTimes = new Map()
  return {
    add: (one) => {
      const { at, ms, votes, before, decided } = one
      cases.push(one)
      addTime(seen, ms, decided)
      for (const vote of votes) own.add(vote.person, at, { ms: vote.ms, decided: true })
      for (const person of before)
        if (votes.every((vote) => vote.person !== person)) own.add(person, at, { ms, decided: false })
    },
    estimate: (random) => {
      const draw = own.drawing(random)
      const rounds = Math.min(maxRounds, Math.ceil(minDraws / Math.max(1, cases.length)))
      const waits = new Float64Array(cases.length * rounds)
      const floors = new Float64Array(cases.length * rounds)
      cases.forEach((one, index) => {
        for (let at = index * rounds; at < (index + 1) * rounds; at += 1) {
          const wait = waitOf(one, draw)
          waits[at] = wait.ms
          floors[at] = wait.floor
        }
      })
      return { cases: cases.length, seen: timesOf(curveOf([seen])), ...estimated(waits, floors) }
    },
  }
}

function timesOf(curve: Curve): WaitTimes {
  return { median: quantileOf(curve, 0.5), p90: quantileOf(curve, 0.9) }
}

function estimated(waits: Float64Array, floors: Float64Array): Pick<WaitEstimate, "estimated" | "never" | "borrowed"> {
  const sorted = waits.toSorted()
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? endless
  const known = (ms: number) => (ms === endless ? null : ms)
  const median = at(0.5)
  const share = (holds: (ms: number, floor: number) => boolean) =>
    waits.filter((ms, index) => holds(ms, floors[index] ?? ms)).length / Math.max(1, waits.length)
  return {
    estimated: { median: known(median), p90: known(at(0.9)) },
    never: share((ms) => ms === endless),
    borrowed: share((ms, floor) => floor < ms && floor < median),
  }
}

const endless = Number.POSITIVE_INFINITY

function exactly(ms: number): Drawn {
  return { ms, floor: ms }
}

/** How long a case waits: an approval for the slowest quorum, a quorum for its fastest people, a rejection for one. */
function waitOf(one: CaseSeen, draw: ReturnType<OwnTimes["drawing"]>): Drawn {
  const { at, before, after, votes, verdict, barred, ms } = one
  const drawn = new Map<string, Drawn>()
  const timeOf = (person: string): Drawn => {
    const known = drawn.get(person)
    if (known !== undefined) return known
    const vote = votes.find((each) => each.person === person)
    const seen = exactly(vote?.agrees === true ? vote.ms : endless)
    const time = vote === undefined ? draw(person, at, before.has(person) ? ms : null) : seen
    drawn.set(person, time)
    return time
  }
  const able = (people: ReadonlySet<string>) =>
    [...people].filter((person) => verdict === "reject" || !isBarredFrom(barred, person))
  const quorums = after.map(({ people, quorum }) => ({ times: able(people).map(timeOf), quorum }))
  const by = (side: keyof Drawn): number => {
    if (verdict === "reject")
      return smallest(
        Number.POSITIVE_INFINITY,
        quorums.flatMap(({ times }) => times.map((time) => time[side])),
      )
    const waits = quorums.map(
      ({ times, quorum }) => times.map((time) => time[side]).toSorted((a, b) => a - b)[quorum - 1],
    )
    return waits.length === 0
      ? endless
      : largest(
          Number.NEGATIVE_INFINITY,
          waits.map((wait) => wait ?? endless),
        )
  }
  return { ms: by("ms"), floor: by("floor") }
}

function isBarredFrom(barred: CaseSeen["barred"], person: string): boolean {
  return barred === "all" || barred.has(person)
}
