// Patterns: what RE2 takes, where it matches, and that no text makes it take long.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { matchesIn, patternProblem } from "../../../src/domain/text/pattern.ts"

const plenty = () => ({ left: 1e9 })

describe("R20 a pattern outside of what is matched in linear time is refused, with what to write instead:", () => {
  it.each([
    ["a(?=b)", /looks ahead.*match what follows too/],
    ["a(?!b)", /looks ahead.*match what follows too/],
    ["(?<=a)b", /looks behind.*match what stands before too/],
    ["(?<!a)b", /looks behind.*match what stands before too/],
    ["(a)\\k<n>", /repeat the part itself/],
    ["\\u00e9", /write the character itself/],
    ["(a)\\1", /is no pattern of RE2 \(see docs\/policy\.md\)/],
    ["(", /is no pattern of RE2/],
    ["a{2000}", /is no pattern of RE2/],
    ["(a{1,40}){1,25}", /too large: write \+ or \*/],
    ["x*", /where nothing stands: write \+ instead of \*/],
    ["(abc)?", /where nothing stands/],
  ])("a pattern that is not matched in linear time is refused, with what to write instead: %s", (source, problem) => {
    expect(patternProblem(source)).toMatch(problem)
  })

  it.each([
    "sk-[a-z0-9]{16,}",
    "(a+)+$",
    "\\b\\d{4}[ -]?\\d{4}\\b",
    "\\p{Lu}\\S+",
    "bearer\\s+\\S+",
    "[\\w.+-]+@[\\w.-]+",
    "(?<n>a)",
  ])("a pattern that is matched in linear time is taken: %s", (source) => {
    expect(patternProblem(source)).toBeNull()
  })
})

it("matches are found each time, without regard to capitals, and matches of nothing are none", () => {
  expect(matchesIn("A-a-b", "a", plenty())).toEqual([
    { start: 0, end: 1 },
    { start: 2, end: 3 },
  ])
  expect(matchesIn("xx-x", "x*", plenty())).toEqual([
    { start: 0, end: 2 },
    { start: 3, end: 4 },
  ])
  expect(matchesIn("😀é😀", "é", plenty())).toEqual([{ start: 2, end: 3 }])
})

it("R20 what is looked through is paid for, and nothing is found once the work is used up", () => {
  const work = { left: 1_200 }

  expect(matchesIn("ab", "b", work)).toEqual([{ start: 1, end: 2 }])
  expect(work.left).toBeLessThan(1_200)
  expect(matchesIn("a".repeat(100), "b", work)).toBeNull()
})

it("a pattern matches where JavaScript's own would", () => {
  const patterns = ["a+", "(a|b)+c", "\\bab?", "[^a]b", "a.b", "(?:ab)+$", "^a", "b{2,3}", "a*?b", "(a)|(b)c"]
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "A", " ", "😀", "é"), { maxLength: 12 })
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(fc.constantFrom(...patterns), text, (source, one) => {
      const wanted = [...one.matchAll(new RegExp(source, "giu"))].map(({ 0: { length }, index }) => ({
        start: index,
        end: index + length,
      }))

      expect(matchesIn(one, source, plenty())).toEqual(wanted.filter(({ start, end }) => end > start))
    }),
    { numRuns: 2_000 },
  )
})
