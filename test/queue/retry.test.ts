// When a job comes again.
import { expect, test } from "vitest"
import { delayAfter, RetryLater } from "../../src/queue/retry.ts"
import { backoffMs } from "../../src/repeat.ts"

test("waits double from half a second up to half a minute", () => {
  const waits = [1, 2, 3, 7, 8, 9, 1_000_000].map((failures) => backoffMs(failures, () => 0))

  expect(waits).toEqual([500, 1_000, 2_000, 30_000, 30_000, 30_000, 30_000])
})

test("chance takes off up to half of a wait", () => {
  expect(backoffMs(1, () => 0.999)).toBe(250)
  expect(backoffMs(8, () => 0.5)).toBe(22_500)
})

test("a job comes again when its processor said, at least a millisecond later", () => {
  expect(delayAfter(new RetryLater("again", 12.2))).toBe(13)
  expect(delayAfter(new RetryLater("again", -5))).toBe(1)
})

test("what failed below the processor is tried again after a second", () => {
  expect(delayAfter(new Error("Connection is closed."))).toBe(1_000)
})
