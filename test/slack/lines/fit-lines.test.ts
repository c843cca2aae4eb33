// Fitting lines: what a message has no room for is counted, or goes into the next one.
import { expect, it } from "vitest"
import { fitting, partsOf } from "../../../src/slack/lines/fit-lines.ts"
import { say } from "../../../src/slack/lines/spans.ts"

it("the text ends with how many lines it lacks, and holds no line after one that it lacks", () => {
  const lines = ["first", "x".repeat(3_900), "third"]

  expect(fitting(lines)).toBe("first\nand 2 more lines")
  expect(fitting(["first", "second"])).toBe("first\nsecond")
})

it("lines are parted without losing one, also one that is too long by itself", () => {
  const lines = Array.from({ length: 90 }, (_, at) => [say(at === 50 ? "x".repeat(9_500) : `line ${at}`)])

  expect(partsOf(lines).flat()).toEqual(lines)
  expect(partsOf(lines).every((part) => part.length <= 40)).toBe(true)
  expect(partsOf([])).toEqual([[]])
})
