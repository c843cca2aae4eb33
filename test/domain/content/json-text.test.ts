// JSON as text: where a value ends, what it holds, its members; and so, whether a name stands in it twice.
import fc from "fast-check"
import { expect, test } from "vitest"
import { countValues, type Json, parseJson } from "../../../src/domain/content/json.ts"
import { extentOf, hasEscapedName, membersOf } from "../../../src/domain/content/json-text.ts"
import { anyJson } from "../arbitraries.ts"

/** True if some value of the text is not in what was parsed of it. */
function losesValues(text: string): boolean {
  return countValues(parseJson(text)) < extentOf(text).values
}

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
])("%s names a member twice: %s", (text, twice) => {
  expect(losesValues(text)).toBe(twice)
})

test.each([
  ["12 ,", { start: 0, end: 2, values: 1, depth: 0 }],
  [" true]", { start: 1, end: 5, values: 1, depth: 0 }],
  [String.raw`"a\\\"b" , 1`, { start: 0, end: 8, values: 1, depth: 0 }],
  [" [ ] ", { start: 1, end: 4, values: 1, depth: 1 }],
  ['[{"a":1},[[]]]', { start: 0, end: 14, values: 5, depth: 3 }],
  ['["], [", "{"]', { start: 0, end: 13, values: 3, depth: 1 }],
])("the extent of %s", (text, extent) => {
  expect(extentOf(text)).toEqual(extent)
})

test("for any JSON: its extent is all of it, and its members are its members", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const names = typeof value === "object" && value !== null && !JSON.isRawJSON(value) ? Object.keys(value) : []

      expect(extentOf(` ${text} `)).toMatchObject({ start: 1, end: text.length + 1, values: countValues(value) })
      if (names.length === 0) return
      const members = [...membersOf(text)]
      const read = members.map(({ start, end }) => parseJson(text.slice(start, end)))
      expect(JSON.stringify(read)).toBe(JSON.stringify(Object.values(value as object)))
      if (!Array.isArray(value)) expect(members.map(({ name }) => name)).toEqual(names)
    }),
  )
})

test.each(["[1 2]", "[1", '{"a" 1}', '{"a":1,}x', "{a:1}", '{"a":1 "b":2}', "[", '{"a":1]', '["a"}'])(
  "what stands between the members of %s is no JSON",
  (text) => {
    expect(() => [...membersOf(text)].map(({ start, end }) => parseJson(text.slice(start, end)))).toThrow(SyntaxError)
  },
)

test.each([
  ['{"a":"b\\n"}', false],
  ['{"a\\n":1}', true],
  [String.raw`{"a":"\"","b\\":1}`, true],
  [String.raw`["a\":1"]`, false],
  ['{"a":"\\\\"}', false],
  ['{"\\u0061" : 1}', true],
])("%s has a name that is written with a backslash: %s", (text, escaped) => {
  expect(hasEscapedName(text)).toBe(escaped)
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

  expect(losesValues("[".repeat(900) + objects + "]".repeat(900))).toBe(false)
})

test("names are read as they stand there, though V8 takes some for the name of an earlier object", () => {
  for (const text of [String.raw`{"a":1,"b\\":1}`, String.raw`{"a":1,"b\"":1}`, String.raw`{"a":1,"b\n":1}`]) {
    expect(JSON.stringify(parseJson(text))).toBe(text)
  }
})

test("for any JSON: it loses a value just when an object names a member twice, and names and values are right", () => {
  fc.assert(
    fc.property(written, fc.boolean(), (value, escaped) => {
      const text = textOf(value, escaped)

      expect(losesValues(text)).toBe(holdsRepeats(value))
      expect(parseJson(text)).toEqual(valueOf(value))
    }),
    { numRuns: 2_000 },
  )
})
