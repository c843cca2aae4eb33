// Conditions held against known calls: what is misspelled or of another type is told, and nothing else.
import { expect, test } from "vitest"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { oddLooks } from "../../../src/domain/policy/known-calls.ts"
import { anApproval, aRequirement, aRule } from "../../support/builders.ts"

const times = (count: number, args: JsonObject, tool = "pay") =>
  Array.from({ length: count }, (_, index) =>
    anApproval({ id: `a-${index}`, requirements: [aRequirement(tool, { tool_args: args })] }),
  )

const args = { amount: 12, note: "x", urgent: true, items: [{ price: 1 }], to: { iban: "DE" }, none: null }
const odd = (when: string, calls = times(5, args)) =>
  oddLooks([aRule({ name: "large", match: { tool: ["pay"] }, when })], calls)

test("a name that no known call has is told, with the nearest one that they have", () => {
  const missing = (path: string, similar: string | null) => [
    { rule: "large", path, calls: 5, why: { kind: "missing", similar } },
  ]
  expect(odd("args.amuont > 1000")).toEqual(missing("args.amuont", "amount"))
  expect(odd("args.to.ibna == 'DE'")).toEqual(missing("args.to.ibna", "iban"))
  expect(odd("args.colour == 'red' || args.colour == 'blue'")).toEqual(missing("args.colour", null))
  expect(odd("args.none == 1")).toEqual(missing("args.none", "note"))
})

test.each([
  ["args.amount == '12'", "a text", "a number"],
  ["args.note > 5", "a number", "a text"],
  ["args.urgent in ['yes']", "a text", "true or false"],
  ["args.amount.startsWith('1')", "a text", "a number"],
  ["size(args.note) > 2", "a list", "a text"],
  ["args.to.exists(one, one == 'a')", "a list", "an object"],
])("%s wants %s and there is always %s", (when, wants, is) => {
  expect(odd(when)).toMatchObject([{ rule: "large", calls: 5, why: { kind: "other", wants, is } }])
})

test.each([
  "args.amount > 1000 && args.note == 'x' && args.urgent == true",
  "size(args.items) > 2 && args.items.exists(item, item.prize > 1)",
  "has(args.cc)",
  "call.tool == 'pay'",
])("nothing is told of %s", (when) => {
  expect(odd(when)).toEqual([])
})

test("nothing is told where few calls are known, where some fit, or of calls that the rule is not about", () => {
  expect(odd("args.amuont > 1", times(4, args))).toEqual([])
  expect(odd("args.amuont > 1", [...times(5, args), ...times(1, { amuont: 1 })])).toEqual([])
  expect(odd("args.amount == '12'", [...times(5, args), ...times(1, { amount: "12" })])).toEqual([])
  expect(odd("args.amuont > 1", times(9, args, "send"))).toEqual([])
})
