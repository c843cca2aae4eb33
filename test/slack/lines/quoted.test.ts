// Quoted: what agents and requesters wrote beside a decision is masked, literal, and cut between lines.
import { expect, test } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { quoted } from "../../../src/slack/lines/masking.ts"

const size = { units: 200, lines: 4 }
const shown = (value: Json, mask: readonly string[] = []) => quoted(value, mask, size)?.shown ?? null

test("a text stands as it is, and a value as arguments do", () => {
  expect(shown("Hello <!channel>\n*bold*")).toBe("Hello <!channel>\n*bold*")
  expect(shown({ status: "paid", lines: ["a", "b"] })).toBe("status: paid\nlines:\n  - a\n  - b")
  expect(shown(7)).toBe("7")
})

test.each([
  ["null", null],
  ["no text", ""],
  ["white space", " \n\t"],
])("%s is nothing to quote", (_, value) => {
  expect(quoted(value, [], size)).toBeNull()
})

test("what is long is cut between lines, and counted", () => {
  const lines = Array.from({ length: 9 }, (_, at) => `line ${at}`)

  expect(quoted(lines.join("\n"), [], size)).toEqual({ shown: lines.slice(0, 4).join("\n"), left: "5 more lines" })
  expect(quoted("x".repeat(1_000), [], size)).toEqual({ shown: "x".repeat(200), left: "800 more characters" })
})

test("what one does not see is made visible, and counts as it is shown", () => {
  expect(shown("a\u202eb")).toBe("a⟨U+202E⟩b")
  expect(quoted("\u202e".repeat(1_000), [], size)?.shown.length).toBeLessThanOrEqual(200)
})

test("patterns mask parts of it, and names mask members of a value, also of one that is written as text", () => {
  const masked = expect.stringMatching(/^user: bob\npassword: ▒▒▒▒ 7 characters masked ▒▒▒▒$/) as string

  expect(shown("Use sk-123abc now", ["/sk-[a-z0-9]+/"])).toBe("Use ▒▒▒▒ 9 characters masked ▒▒▒▒ now")
  expect(shown({ user: "bob", password: "hunter2" }, ["password"])).toEqual(masked)
  expect(shown('{"user": "bob", "password": "hunter2"}', ["password"])).toEqual(masked)
})

test("a text that only begins like JSON is quoted as it is", () => {
  expect(shown("[sic] all is well", ["password"])).toBe("[sic] all is well")
})
