// Estimates how long somebody takes to decide, from the cases that asked them (Kaplan and Meier's estimate).
import { firstWith } from "./first-with.ts"

/** Each bucket is a fiftieth longer than the one before. The first ends at one second, the last begins after a year. */
const growth = Math.log(1.02)
const lastBucket = 879

/** The bucket that a time (ms) falls into. */
export function bucketOf(ms: number): number {
  if (ms < 1_000) return 0
  return Math.min(lastBucket, 1 + Math.floor(Math.log(ms / 1_000) / growth))
}

/** The middle of a bucket, in ms. */
export function msOf(bucket: number): number {
  return bucket === 0 ? 500 : 1_000 * Math.exp((bucket - 0.5) * growth)
}

/** How many cases were decided in a bucket, and how many ended in it undecided. */
interface Counted {
  decided: number
  silent: number
}

/** Times to decide, by bucket, so that more cases need no more memory. */
export type DecisionTimes = Map<number, Counted>

/** Adds a case that was decided after this many ms, or was not decided by then. */
export function addTime(times: DecisionTimes, ms: number, decided: boolean): void {
  const bucket = bucketOf(ms)
  const counted = times.get(bucket) ?? { decided: 0, silent: 0 }
  counted[decided ? "decided" : "silent"] += 1
  times.set(bucket, counted)
}

/** How many cases there are. */
export function casesIn(all: readonly DecisionTimes[]): number {
  return all.reduce(
    (sum, times) => [...times.values()].reduce((one, { decided, silent }) => one + decided + silent, sum),
    0,
  )
}

/** The share of cases that are undecided after each step, earliest first. */
export interface Curve {
  readonly steps: readonly { readonly bucket: number; readonly undecided: number }[]
  /** The last bucket about which we know enough; -1: none. */
  readonly last: number
}

/** At least this many cases, or a fiftieth of all, must be undecided: fewer say little about how long others take. */
const minUndecided = 20

/**
 * The curve of these times together. If a case ended before somebody decided, they might have decided later. So such a
 * case counts up to its end, and no further.
 */
export function curveOf(all: readonly DecisionTimes[]): Curve {
  const counts = countsIn(all)
  let left = casesIn(all)
  const enough = Math.min(minUndecided, left / 50)
  let [undecided, last] = [1, -1]
  const steps: { bucket: number; undecided: number }[] = []
  for (const [bucket, { decided, silent }] of counts) {
    if (left < enough) break
    undecided *= 1 - decided / left
    if (decided > 0) steps.push({ bucket, undecided })
    last = bucket
    left -= decided + silent
  }
  return { steps, last }
}

function countsIn(all: readonly DecisionTimes[]): readonly (readonly [number, Counted])[] {
  const joined: DecisionTimes = new Map()
  for (const [bucket, { decided, silent }] of all.flatMap((times) => [...times])) {
    const before = joined.get(bucket) ?? { decided: 0, silent: 0 }
    joined.set(bucket, { decided: before.decided + decided, silent: before.silent + silent })
  }
  return [...joined].toSorted(([a], [b]) => a - b)
}

/**
 * Of the cases that were undecided at the bucket `after` (-1: of all): the first bucket at whose end less than this
 * share (0 to 1) is still undecided. If no known bucket is late enough, returns the same number of cases as a different
 * share: of those undecided at the last known bucket, or at `after` if that is later.
 */
export function bucketAt(
  { steps, last }: Curve,
  share: number,
  after: number,
): { readonly bucket: number } | { readonly share: number } {
  if (after >= last) return { share }
  const next = firstWith(steps, ({ bucket }) => bucket > after)
  const wanted = share * (steps[next - 1]?.undecided ?? 1)
  if (wanted === 0) return { share }
  const found =
    steps[
      Math.max(
        next,
        firstWith(steps, ({ undecided }) => undecided < wanted),
      )
    ]
  return found === undefined ? { share: wanted / (steps.at(-1)?.undecided ?? 1) } : { bucket: found.bucket }
}

/** The time (ms) by which a share of the cases is decided; null if it is longer than anything known. */
export function quantileOf(curve: Curve, share: number): number | null {
  const found = bucketAt(curve, 1 - share, -1)
  return "bucket" in found ? msOf(found.bucket) : null
}
