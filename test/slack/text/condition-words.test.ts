// Conditions in words: simple ones read as sentences everywhere; others are quoted in Details and never on a card.
import { expect, test } from "vitest"
import { plainWords, say } from "../../../src/slack/lines/spans.ts"
import { conditionAhead, conditionWords } from "../../../src/slack/text/case/condition-words.ts"

const words = (text: string, where: "card" | "details" = "card", truth: "true" | "unknown" = "true") =>
  plainWords(conditionWords({ text, truth, doubts: ["args.to"] }, where))

test.each([
  ["args.amount > 1000", "amount is above 1000"],
  ["args.amount >= 0.5", "amount is at least 0.5"],
  ["args.amount < 1000", "amount is below 1000"],
  ['args.to != "DE"', "to is other than DE"],
  ['args.to in ["DE", "FR", "IT"]', "to is DE, FR or IT"],
  ["args.body.urgent == true", "body.urgent is true"],
  ['args.iban.startsWith("DE")', "iban begins with DE"],
  ["has(args.force)", "force is given"],
  ['"iban" in call.classes', "the call holds iban data"],
  ['args.amount > 5 && args.to == "DE"', "amount is above 5 and to is DE"],
  ['args.amount > 5 || args.to == "DE"', "amount is above 5 or to is DE"],
])("a simple condition reads as a sentence: %s", (text, expected) => {
  expect(words(text)).toBe(`, because ${expected}`)
})

test.each([
  "args.items.exists(item, item.price > 100)",
  '!(args.to == "DE")',
  "args.amount > 12345678901234567890",
  "args.a == 1 && (args.b == 2 || args.c == 3)",
  `args.note == "${"x".repeat(130)}"`,
])("any other condition stands in Details as the rule has it, and is only named on a card: %s", (text) => {
  expect(words(text)).toBe(", by its condition (see Details)")
  expect(words(text, "details")).toBe(`, because ${text} holds`)
  expect(words(text, "card", "unknown")).toBe(", because its condition may hold (see Details)")
  expect(words(text, "details", "unknown")).toBe(`, because nobody can tell whether ${text} holds (see args.to)`)
})

test("what nobody can tell is said in words, with the value in doubt in Details", () => {
  expect(words('args.to != "DE"', "card", "unknown")).toBe(", because to may be other than DE (not known)")
  expect(words('args.to != "DE"', "details", "unknown")).toMatch(/to may be other than DE \(see args\.to\)$/)
  expect(words('"iban" in call.classes', "card", "unknown")).toBe(", because the call may hold iban data (not known)")
  expect(words('args.a.startsWith(" is ") || has(args.b)', "card", "unknown")).toBe(
    ", because a may begin with  is  or b may be given (not known)",
  )
})

test("a form says it of what is filled in", () => {
  const ahead = (text: string) => plainWords(conditionAhead({ text, truth: "unknown", doubts: [] }, [say("Ann too")]))

  expect(ahead("args.amount > 5")).toBe("If amount is above 5 in what you fill in: Ann too")
  expect(ahead("!(args.amount > 5)")).toBe("If !(args.amount > 5) holds with what you fill in: Ann too")
})
