// Which classes of data a call is in. A call that cannot be read wholly is in every class.
import { describe, expect, test } from "vitest"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { classesOf } from "../../../src/domain/policy/classes.ts"
import { demandOf } from "../../../src/domain/policy/policy.ts"
import { readingIn } from "../../../src/domain/policy/when.ts"
import { type DataClass, type Rule, ruleHash } from "../../../src/domain/rule/rule.ts"
import { anApproval, aRequirement, aRule } from "../../support/builders.ts"

const card: DataClass = { name: "card", find: { kind: "checksum", checksum: "card_number" }, atLeast: 1 }
const iban: DataClass = { name: "iban", find: { kind: "checksum", checksum: "iban" }, atLeast: 1 }
const address: DataClass = {
  name: "addresses",
  find: { kind: "pattern", pattern: String.raw`[^\s@]+@[^\s@]+\.[a-z]{2,}` },
  atLeast: 2,
}
const all = [card, iban, address]
const names = all.map(({ name }) => name)

const of = (args: JsonObject | null) => classesOf(args, all)

test.each<[string, JsonObject, readonly string[]]>([
  ["nothing of the kind", { note: "call me", amount: 12, ok: true, none: null }, []],
  ["a text", { note: "charge 4111 1111 1111 1111" }, ["card"]],
  ["a number", { number: 4_111_111_111_111_111 }, ["card"]],
  ["a list in an object", { to: [{ account: "DE89 3704 0044 0532 0130 00" }] }, ["iban"]],
  ["a name", { "4111111111111111": "" }, ["card"]],
  ["digits of full width", { note: "４１１１１１１１１１１１１１１１" }, ["card"]],
  ["digits of another script", { note: "\u0664\u0661\u0661\u0661 1111 1111 1111" }, ["card"]],
  ["groups in a list", { number: ["4111", "1111", "1111", "1111"] }, ["card"]],
  ["groups in a list of numbers", { number: [4111, 1111, 1111, 1111] }, ["card"]],
  ["groups in neighbouring arguments", { a: "DE89 3704", b: "0044 0532", c: "0130 00", note: "rent" }, ["iban"]],
  ["groups below a name", { to: { one: "4111", two: "1111", three: "1111", four: "1111" } }, ["card"]],
  ["neighbours that are no groups", { amount: 4999, day: "2027-01-15 12:30:06", of: [10, 20, 30, 40, 50, 60, 70] }, []],
  ["fewer than a class needs", { to: "ann@corp.example, ANN@corp.example" }, []],
  ["as many as a class needs", { to: "ann@corp.example", cc: ["bob@corp.example"] }, ["addresses"]],
])("by %s", (_, args, found) => {
  expect(of(args)).toEqual(found)
})

test("by a number that no double holds", () => {
  expect(of(parseJson('{"n": 4111111111111111111}') as JsonObject)).toEqual([])
  expect(of(parseJson('{"n": 6304000000000000000}') as JsonObject)).toEqual(["card"])
})

describe("a call that cannot be read wholly is in every class:", () => {
  test.each<[string, JsonObject | null]>([
    ["whose arguments nobody knows", null],
    ["with characters that people don't see", { note: "4111 1111\u200b 1111 1111" }],
    ["with blanks that look like others", { note: "4111\u00a01111\u00a01111\u00a01111" }],
    ["whose text is in no normal form", { note: "e\u0301" }],
    ["with more text than is read", { note: "x".repeat(65_537) }],
    ["whose patterns take too long", { notes: Array.from({ length: 600 }, () => "a@".repeat(50)) }],
  ])("one %s", (_, args) => {
    expect(of(args)).toEqual(names)
  })
})

describe("rules with a condition on classes:", () => {
  const careful: Rule = aRule({ name: "careful", when: '"iban" in call.classes', classes: [iban] })
  const none: Rule = aRule({ name: "none", when: "size(call.classes) == 0", classes: all })
  const rest = aRule({ name: "rest" })

  const demanded = (rules: readonly Rule[], requirement: JsonObject, known = {}) =>
    demandOf(anApproval({ toolName: "send", requirements: [requirement] }), rules, known).rules.map(({ name }) => name)
  const sends = (note: string) => aRequirement("send", { tool_args: { note } })

  test("R1 a call in the class demands the rule, and others do not", () => {
    expect(demanded([careful, rest], sends("DE89370400440532013000"))).toEqual(["careful"])
    expect(demanded([careful, rest], sends("hello"))).toEqual(["rest"])
    expect(demanded([none, rest], sends("hello"))).toEqual(["none"])
    expect(demanded([none, rest], sends("4111111111111111"))).toEqual(["rest"])
  })

  test("R1 a call that cannot be read is in the class, and is never free of classes", () => {
    const unread = aRequirement("send", { tool_args: "note=hello" })
    expect(demanded([careful, rest], unread)).toEqual(["careful"])
    expect(demanded([none, rest], unread)).toEqual(["rest"])
  })

  test("nobody can tell the classes of a form until a vote fills it", () => {
    const form = aRequirement("send", {
      requires_confirmation: false,
      requires_user_input: true,
      user_input_schema: [{ name: "note", field_type: "str", value: null }],
    })
    const filled = (note: string) => ({ filled: { values: { note } } })
    const approval = anApproval({ toolName: "send", requirements: [form] })
    expect(readingIn(approval, careful, {})?.truth).toBe("unknown")
    expect(readingIn(approval, careful, filled("DE89370400440532013000"))?.truth).toBe("true")
    expect(readingIn(approval, careful, filled("hello"))?.truth).toBe("false")
  })

  test("R5 another description of a class makes another rule", () => {
    expect(ruleHash({ ...careful, classes: [{ ...iban, atLeast: 2 }] })).not.toBe(ruleHash(careful))
  })
})
