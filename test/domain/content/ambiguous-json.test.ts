// Objects that name a member twice are noticed wherever they are, however the name is written.
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { expect, test } from "vitest"
import { isAmbiguous, parseForeignJson } from "../../../src/domain/content/ambiguous-json.ts"
import { type Json, parseJson } from "../../../src/domain/content/json.ts"

test.each([
  ['{"a":1,"a":1}', true],
  ['{"a":1,"b":2}', false],
  [String.raw`{"a":1,"\u0061":2}`, true],
  [String.raw`{"a\"":1,"a\\":2,"a\"":3}`, true],
  [String.raw`{"a":"\"a\":1","b":"\\"}`, false],
  ['[{"a":1},{"a":1}]', false],
  ['[0,{"x":[{"a":1,"a":{}}]}]', true],
  ['{"a":{"a":{"a":1}}}', false],
  ['{"a":{"b":1,"b":2},"a":{}}', true],
  ['{"a":1,"A":1}', false],
  ['{"":1,"":2}', true],
  ['{"__proto__":1,"__proto__":2}', true],
  ['"a"', false],
  [" [ ] ", false],
])("%s: %s", (text, twice) => {
  expect(isAmbiguous(parseForeignJson(text))).toBe(twice)
})

test("only the row that holds one is marked, and the values are those of any other reader here", () => {
  const text = '{"data":[{"id":"1","args":{"x":1,"x":2}},{"id":"2","args":{"x":1}}]}'
  const parsed = parseForeignJson(text) as { readonly data: readonly [object, object] }

  expect(parsed).toEqual(parseJson(text))
  expect(parsed.data.map((row) => isAmbiguous(row as never))).toEqual([true, false])
})

/** JSON as a list of members, so that a name may stand twice. */
type Written =
  | string
  | number
  | null
  | { readonly list: readonly Written[] }
  | { readonly members: [string, Written][] }

const written = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom("a", '"', "\\", "{", "},", "[1,", ""), fc.integer(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }).map((list) => ({ list })),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "c", "d", '"', "\\", ","), tie("value")), { maxLength: 4 })
      .map((members) => ({ members })),
  ),
})).value

function textOf(value: Written, escaped: boolean): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if ("list" in value) return `[${value.list.map((one) => textOf(one, escaped)).join(", ")}]`
  const name = (word: string, index: number) =>
    escaped && index % 2 === 1
      ? `"${Array.from(word, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`
      : JSON.stringify(word)
  return `{${value.members.map(([word, one], index) => `${name(word, index)} :${textOf(one, escaped)}`).join(",")}}`
}

/** What every program should read. */
function valueOf(value: Written): Json {
  if (value === null || typeof value !== "object") return value
  if ("list" in value) return value.list.map(valueOf)
  return Object.fromEntries(value.members.map(([word, one]) => [word, valueOf(one)]))
}

function holdsRepeats(value: Written): boolean {
  if (value === null || typeof value !== "object") return false
  if ("list" in value) return value.list.some(holdsRepeats)
  const names = value.members.map(([word]) => word)
  return new Set(names).size < names.length || value.members.some(([, one]) => holdsRepeats(one))
}

test("R20 a million objects 900 levels deep are read in linear time", () => {
  const objects = Array.from({ length: 1_000_000 }, () => "{}").join(",")

  expect(isAmbiguous(parseForeignJson("[".repeat(900) + objects + "]".repeat(900)))).toBe(false)
})

test("a name that V8 takes for another one is noticed", () => {
  for (const text of [String.raw`{"a":1,"b\\":1}`, String.raw`{"a":1,"b\"":1}`, String.raw`{"a":1,"b\n":1}`]) {
    const parsed = parseForeignJson(text)
    expect(isAmbiguous(parsed)).toBe(JSON.stringify(parsed) !== text)
  }
})

test("for any JSON: it is noticed just when an object names a member twice, or reads differently here", () => {
  fc.assert(
    fc.property(written, fc.boolean(), (value, escaped) => {
      const parsed = parseForeignJson(textOf(value, escaped))
      expect(isAmbiguous(parsed)).toBe(holdsRepeats(value) || !isDeepStrictEqual(parsed, valueOf(value)))
    }),
    { numRuns: 2_000 },
  )
})
