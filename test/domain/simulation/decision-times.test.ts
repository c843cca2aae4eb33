// Times to decide: a case that somebody else decided first says only that it would have taken longer.
import { describe, expect, test } from "vitest"
import {
  addTime,
  bucketAt,
  bucketOf,
  casesIn,
  curveOf as curve,
  type DecisionTimes,
  msOf,
  quantileOf,
} from "../../../src/domain/simulation/decision-times.ts"

const minute = 60_000

/** The curve of these times in minutes; a negative one was not decided by then. */
function curveOf(...minutes: readonly number[]) {
  const times: DecisionTimes = new Map()
  for (const one of minutes) addTime(times, Math.abs(one) * minute, one > 0)
  return curve([times])
}

/** The curve's times to within a bucket, in minutes. */
function minutesAt(share: number, ...minutes: readonly number[]): number | null {
  const found = quantileOf(curveOf(...minutes), share)
  return found === null ? null : Math.round(found / minute)
}

test.each([1_000, 5_432, minute, 3_600_000, 86_400_000, 30 * 86_400_000])(
  "a bucket is true to within 1 %%: %i ms",
  (ms) => {
    expect(Math.abs(msOf(bucketOf(ms)) / ms - 1)).toBeLessThan(0.011)
  },
)

test("below a second and beyond a year all times are alike", () => {
  expect([bucketOf(0), bucketOf(999)]).toEqual([0, 0])
  expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(bucketOf(5 * 365 * 86_400_000))
})

describe("the time by which half are decided", () => {
  test("is the middle one where all were decided", () => {
    expect(minutesAt(0.5, 10, 20, 30)).toBe(20)
  })

  test("is later where others decided first", () => {
    expect(minutesAt(0.5, 10, -15, -15, 20, 30)).toBe(20)
    expect(minutesAt(0.5, -5, -5, 10, 20, 30)).toBe(20)
    expect(minutesAt(0.5, 10, -10, -10, 30)).toBe(30)
  })

  test("is unknown where most never decided", () => {
    expect(minutesAt(0.5, 10, -20, -20)).toBeNull()
    expect(minutesAt(0.5)).toBeNull()
  })
})

describe("who had not decided by a moment", () => {
  const known = curveOf(10, 20, 30, 40)

  test("decides at a later one of the known times", () => {
    const shares = [0.99, 0.6, 0.4, 0.01]
    const found = shares.map((share) => bucketAt(known, share, bucketOf(20 * minute)))

    expect(found).toEqual([30, 30, 40, 40].map((at) => ({ bucket: bucketOf(at * minute) })))
  })

  test("is left to what is known of others beyond the last known time", () => {
    expect(bucketAt(known, 0.3, bucketOf(50 * minute))).toEqual({ share: 0.3 })
    expect(bucketAt(curveOf(10, -20), 0.25, -1)).toEqual({ share: 0.5 })
    expect(bucketAt(curveOf(), 0.25, -1)).toEqual({ share: 0.25 })
  })
})

test("what few cases say is left out, where many say something else", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => (index < 10 ? 500 : 10))

  expect(curveOf(...many).last).toBe(bucketOf(10 * minute))
  expect(curveOf(...many.slice(0, 12)).last).toBe(bucketOf(500 * minute))
})

test("times are joined, and what is held does not grow with their number", () => {
  const some: DecisionTimes = new Map()
  const more: DecisionTimes = new Map()

  for (let count = 0; count < 10_000; count += 1) addTime(some, (count % 100) * minute, count % 3 === 0)
  addTime(more, 200 * minute, true)

  expect(casesIn([some, more])).toBe(10_001)
  expect(some.size).toBeLessThan(101)
})
