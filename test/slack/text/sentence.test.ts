// A rule's sentence: only its own words and values of the call, which nobody can take for words.

import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { partsOfSentence } from "../../../src/domain/policy/sentence.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { aRequirement } from "../../support/builders.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"

const sentence = "Refund {amount} {currency} to {to}"
const card = (toolArgs: JsonObject, look: object = {}) =>
  cardOf(aCardModel(anApproval({ toolArgs, requirements: null }), { look: { ...plainLook, say: [sentence], ...look } }))
const headline = (shown: ReturnType<typeof cardOf>) => wordsOf(shown.blocks[0]).replaceAll("\n", "")

it("is the first line, its values marked as values, and the arguments stand below all the same", () => {
  const shown = card({ amount: JSON.rawJSON("129.90"), currency: "EUR", to: "*<@U0CTO>*" })

  expect(headline(shown)).toBe("“Admin Agent” asks: Refund 129.90 EUR to *<@U0CTO>*")
  expect(JSON.stringify(shown.blocks[0])).toContain('{"type":"text","text":"129.90","style":{"code":true}}')
  expect(shown.text).toContain("Refund 129.90 EUR to *&lt;@U0CTO&gt;*")
  expect(wordsOf(shown.blocks)).toContain("amount: 129.90\ncurrency: EUR")
  expect(labels(shown.blocks)).toEqual(["Approve", "Reject", "Details"])
})

it.each<readonly [string, JsonObject, string]>([
  ["lacks an argument", { amount: 1, currency: "EUR" }, "to\n is missing, empty or not one line."],
  ["has an empty one", { amount: 1, currency: "", to: "x" }, "currency\n is missing, empty or not one line."],
  ["has a list in it", { amount: [1], currency: "EUR", to: "x" }, "amount\n is missing, empty or not one line."],
  ["has one of several lines", { amount: 1, currency: "EUR", to: "x\ny" }, "to\n is missing, empty or not one line."],
  [
    "has one with what nobody sees",
    { amount: 1, currency: "EUR", to: "x\u202E" },
    "to\n is missing, empty or not one line.",
  ],
  ["does not fit on a line", { amount: 1, currency: "EUR", to: "x".repeat(130) }, "that would be too long."],
])("a sentence that %s is left out, and the card says so", (_what, args, why) => {
  const shown = card(args)

  expect(wordsOf(shown.blocks)).toContain(why)
  expect(headline(shown)).toContain("wants to run delete user data")
})

it("never shows what is masked", () => {
  const shown = card({ amount: 1, currency: "EUR", to: "sk-123" }, { mask: ["to"], showFirst: ["to"] })

  expect(JSON.stringify(shown)).not.toContain("sk-123")
  expect(headline(shown)).toContain("Refund 1 EUR to ▒▒▒▒ 6 characters masked ▒▒▒▒")
})

it("of one of several calls that lacks an argument says so beside that call", () => {
  const shown = cardOf(
    aCardModel(anApproval({ requirements: [aRequirement("mail"), aRequirement("pay")] }), {
      look: { ...plainLook, say: [null, "Pay {amount}"] },
    }),
  )

  expect(wordsOf(shown.blocks).replaceAll("\n", "")).toContain(
    "pay · It has no one-line summary here: amount is missing",
  )
})

it("of one of several calls stands beside that call alone", () => {
  const requirements = ["mail", "pay"].map((tool) => aRequirement(tool, { tool_args: { amount: 5 } }))
  const shown = cardOf(
    aCardModel(anApproval({ requirements }), { look: { ...plainLook, say: [null, "Pay {amount}"] } }),
  )

  expect(headline(shown)).toContain("wants to run 2 tools: mail and pay")
  expect(wordsOf(shown.blocks).replaceAll("\n", "")).toContain("2 of 2: pay · Pay 5")
})

describe("what stands in braces", () => {
  it.each([
    ["Pay {amount}", [{ words: "Pay " }, { argument: "amount" }]],
    ["Pay", [{ words: "Pay" }]],
    ["{a}{b c}", [{ argument: "a" }, { argument: "b c" }]],
  ])("%s is taken apart", (text, parts) => {
    expect(partsOfSentence(text)).toEqual(parts)
  })

  it.each(["Pay {amount", "Pay amount}", "Pay {}", "Pay { a }", "{{a}}"])("%s is refused", (text) => {
    expect(partsOfSentence(text)).toEqual(expect.stringContaining("{amount}"))
  })
})
