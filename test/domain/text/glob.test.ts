// Globs: what the words of rules and filters match, in time that no text can stretch.

import fc from "fast-check"
import { expect, it } from "vitest"
import { globMatches, isLike } from "../../../src/domain/text/glob.ts"
import { cpuMs } from "../../support/cpu-time.ts"

it.each([
  ["*", "", true],
  ["", "", true],
  ["", "a", false],
  ["send_*", "send_mail", true],
  ["send_*", "resend_mail", false],
  ["*pass*word*", "my_passed_words", true],
  ["*pass*word*", "word_pass", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["a?c", "a😀c", true],
  ["*?", "😀", true],
  ["??", "😀", false],
  ["a*b*c", "a-b-b-c", true],
  ["*a", "aab", false],
  ["***", "anything\nat all", true],
  ["a.c", "abc", false],
  ["[a]+", "a", false],
  ["Send", "send", false],
])("the pattern %s matches %j or does not: %s", (glob, text, matches) => {
  expect(globMatches(glob, text)).toBe(matches)
})

it("a glob matches what its regular expression would", () => {
  const part = fc.array(fc.constantFrom("a", "b", "*", "?", "😀", ".", "\n"), { maxLength: 8 })
  fc.assert(
    fc.property(part, fc.array(fc.constantFrom("a", "b", "😀", ".", "\n"), { maxLength: 10 }), (words, letters) => {
      const [glob, text] = [words.join(""), letters.join("")]
      const escaped = glob.replaceAll(".", String.raw`\.`).replaceAll("*", ".*").replaceAll("?", ".")

      expect(globMatches(glob, text)).toBe(new RegExp(`^${escaped}$`, "su").test(text))
    }),
    { numRuns: 3_000 },
  )
})

it.each([
  ["*pass*word*", "pass"],
  ["*a*a*a*b", "a"],
  ["*?*?*?b", "é"],
])("R20 %s against 1 MB of %j takes no time to speak of", (glob, text) => {
  const begun = cpuMs()

  expect(globMatches(glob, text.repeat(1_000_000 / text.length))).toBe(false)

  expect(cpuMs() - begun).toBeLessThan(2_000)
})

it("a filter's word is compared without regard to capitals; none fits all, and one that is longer than any name fits none", () => {
  expect(isLike("SEND_*", [null, undefined, "send_mail"])).toBe(true)
  expect(isLike("send_*", ["read"])).toBe(false)
  expect(isLike(undefined, [])).toBe(true)
  expect(isLike("*".repeat(201), ["send"])).toBe(false)
})
