// Arguments as people read them: text is text, and two that differ never read the same (R4).

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import type { Json, JsonObject } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { valueInLines } from "../../../src/slack/lines/value-lines.ts"
import { argumentPassages, callPassages } from "../../../src/slack/text/case/argument-text.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { surfaces } from "../../../src/slack/views/details-pages.ts"
import { runsOf } from "../../support/runs.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"

const passages = (args: JsonObject) =>
  argumentPassages(Object.entries(args)).map(({ words, literal }) => [plainWords(words), literal])
const card = (toolArgs: JsonObject) => cardOf(aCardModel(anApproval({ toolArgs, requirements: null })))

describe("a text", () => {
  it.each<readonly [string, Json, string]>([
    ["is text", "Jane Doe", "a: Jane Doe"],
    ["that is a JSON text keeps its shape", '{"a": [1]}', 'a: {"a": [1]}'],
    ["that reads as a number is quoted", "129.90", 'a: "129.90"'],
    ["that reads as a number in another way is quoted", "0x10", 'a: "0x10"'],
    ["that reads as true is quoted", "true", 'a: "true"'],
    ["that reads as null is quoted", "NULL", 'a: "NULL"'],
    ["that begins with white space is quoted", " x", 'a: " x"'],
    ["that ends with white space is quoted", "x\u00a0", 'a: "x\u00a0"'],
    ["that looks quoted is quoted", '"x"', String.raw`a: "\"x\""`],
    ["with a control character is quoted", "a\u0007", String.raw`a: "a\u0007"`],
    ["that reads as an empty list is quoted", "[]", 'a: "[]"'],
  ])("a text %s", (_what, value, shown) => {
    expect(passages({ a: value })).toEqual([["", shown]])
  })

  it.each<readonly [string, string, string, string]>([
    ["has a box of its own", "one\ntwo", "a", "one\ntwo"],
    ["that ends with a line break says so", "one\ntwo\n", "a · ends with a line break", "one\ntwo\n"],
    ["with CR LF says so", "one\r\ntwo", "a · its lines end the Windows way (CR LF)", "one\ntwo"],
    [
      "with hidden blanks says so",
      " one \ntwo",
      "a · begins with white space · white space at ends of lines",
      " one \ntwo",
    ],
  ])("a text of several lines %s", (_what, value, words, literal) => {
    expect(passages({ a: value })).toEqual([[words, literal]])
  })
})

describe("a number", () => {
  it.each(["12345678901234567890.5", "129.90", "1e400"])("a number keeps the digits it has: %s", (digits) => {
    expect(passages({ a: JSON.rawJSON(digits) })).toEqual([["", `a: ${digits}`]])
  })
})

it("lists and objects are indented lines", () => {
  const args = { items: [{ sku: "A", notes: ["x", "a: b"] }, "free", [], {}], to: { text: "one\ntwo" } }

  expect(passages(args)).toEqual([
    [
      "",
      'items:\n  - sku: A\n    notes:\n      - x\n      - "a: b"\n  - free\n  - []\n  - {}\nto:\n  text:\n    | one\n    | two',
    ],
  ])
})

it("what is empty and what null may mean is said outside the box, in words that no argument can write there", () => {
  expect(passages({ note: "", amount: null, fake: "empty" })).toEqual([
    ["", "amount: null\nfake: empty"],
    ["note: empty", null],
    ["null means no value here, or no number: the platform does not say which.", null],
  ])
})

it("a field of a form without a value says that nothing is filled in, and one that repeats an argument stands once", () => {
  const fields = [
    { name: "amount", field_type: "float", description: "How much.", value: 5 },
    { name: "to", field_type: "str", description: "", value: null },
    { name: "note", field_type: "Odd", description: "", value: "" },
  ]
  const call = { ...callOf({ amount: 5, hidden: 1 }), fields }

  const shown = callPassages(call).map(({ words, literal }) => [plainWords(words), literal])

  expect(shown).toEqual([
    ["", "hidden: 1"],
    ["To fill in · to: nothing filled in by the agent", null],
    ["Filled in by the agent", "amount: 5"],
    ["note: empty", null],
    ["What each is for", "amount: How much."],
    ["Also in the form", "note:\n  field_type: Odd"],
  ])
})

it.each([
  ["Literal", ""],
  ["Optional", ""],
  ["typing.Optional[str]", ""],
  ["typing.Literal['low', 'high']", "Also in the form\nto:\n  choices: 'low', 'high'"],
  ["typing.Optional[Odd]", "Also in the form\nto:\n  field_type: typing.Optional[Odd]"],
])("the type %s of a field stands there only as far as a person can use it", (type, said) => {
  const call = { ...callOf({}), fields: [{ name: "to", field_type: type, description: "", value: "low" }] }

  const [first, ...rest] = callPassages(call).map(({ words, literal }) => `${plainWords(words)}\n${literal}`)

  expect(first).toBe("To check in the form\nto: low")
  expect(rest.join("\n")).toBe(said)
})

it("R4 a masked field stands beside the argument of its name: what is hidden may differ", () => {
  const mask = "▒▒▒▒ 7 characters masked ▒▒▒▒"
  const call = { ...callOf({ secret: mask }), fields: [{ name: "secret", value: mask }] }

  expect(callPassages(call).filter(({ literal }) => literal?.includes(mask))).toHaveLength(2)
})

it("arguments that a rule shows first come first, and the others as the wire has them", () => {
  const members = Object.entries({ a: 1, b: 2, c: 3 })

  expect(argumentPassages(members, ["c", "x", "b"])[0]?.literal).toBe("c: 3\nb: 2\na: 1")
})

describe("R4 a text that is too long for a card", () => {
  const sql = Array.from({ length: 58 }, (_, at) => `DELETE FROM t WHERE id = ${at};`).join("\n")

  it("is cut between lines, says how many are left, and leaves room for short arguments behind it", () => {
    const words = wordsOf(card({ sql, dry_run: false }).blocks)

    expect(words).toContain("id = 19;\n38 more lines in Details")
    expect(words).toContain("dry_run: false")
  })

  it("carries no approval until Details was read to its end", () => {
    const model = aCardModel(anApproval({ toolArgs: { sql: sql.repeat(50) }, requirements: null }))

    expect(labels(cardOf(model).blocks)).toEqual(["Review Details", "Reject"])
    expect(surfaces.carries(model, { kind: "card" })).toBe(false)
    expect(surfaces.carries(model, { kind: "details", pages: 1, pageSize: "large", revealed: false })).toBe(false)
    expect(surfaces.carries(model, { kind: "details", pages: 2, pageSize: "large", revealed: false })).toBe(true)
  })

  it("of one line is cut within it, and the characters are counted", () => {
    const words = wordsOf(card({ token: "x".repeat(20_000) }).blocks)

    const [, shown = ""] = /(x{100,})/.exec(words) ?? []
    expect(words).toContain(
      `${new Intl.NumberFormat("en-US").format(20_000 - shown.length)} more characters in Details`,
    )
  })
})

const pieces = fc.constantFrom(
  ..."\"':-|[]{}1 \n\t\\ab#,".split(""),
  "null",
  "true",
  "- ",
  ": ",
  "| ",
  "\r\n",
  "a: ",
  "empty",
)
const text = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(""))
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom<Json>(null, true, 1, 12, [], {}, JSON.rawJSON("1.0")),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

it("R4 arguments that differ never read the same", () => {
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(fc.dictionary(text, json, { maxKeys: 3, noNullPrototype: true }), (args) => {
      const written = Object.entries(args).map(([name, value]) => JSON.stringify([name, canonicalJson(value)]))
      const shown = JSON.stringify(passages(args))
      const before = seen.get(shown) ?? written.toSorted((a, b) => a.localeCompare(b)).join()
      seen.set(shown, before)
      expect(written.toSorted((a, b) => a.localeCompare(b)).join()).toBe(before)
    }),
    { numRuns: runsOf(20_000) },
  )
})

it("a value by itself is written in the same way", () => {
  expect([valueInLines("x"), valueInLines("1"), valueInLines(""), valueInLines("a\nb")]).toEqual([
    "x",
    '"1"',
    '""',
    "a\nb",
  ])
  expect([valueInLines([1, { a: null }]), valueInLines([]), valueInLines(null)]).toEqual([
    "- 1\n- a: null",
    "[]",
    "null",
  ])
})

describe("R4 arguments that a rule keeps off the card", () => {
  const look = { ...plainLook, argumentsInDetails: true, say: ["Pay {iban}"] } as const
  const approval = anApproval({ toolArgs: { iban: "DE-SECRET" }, requirements: null })

  it("stand neither on it nor in its notification, and it carries no approval", () => {
    const shown = cardOf(aCardModel(approval, { look }))

    expect(JSON.stringify(shown)).not.toContain("DE-SECRET")
    expect(wordsOf(shown.blocks)).toContain("The arguments stand in Details.")
    expect(labels(shown.blocks)).toEqual(["Review Details", "Reject"])
  })

  it("stay off it once it is settled", () => {
    const outcome = { kind: "vanished", at: 0 } as const

    expect(JSON.stringify(cardOf(aCardModel(approval, { look, status: { kind: "settled", outcome } })))).not.toContain(
      "DE-S",
    )
  })
})

function callOf(args: JsonObject): Parameters<typeof callPassages>[0] {
  const named = { id: "c1", tool: "pay", pauseType: null, agentId: null, memberName: null }
  return { ...named, args, argsGiven: true, oversize: false, gated: true, open: true, fields: [], others: [] }
}
