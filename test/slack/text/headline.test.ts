// A call in words: what a headline says of it where no rule has a sentence.
import { describe, expect, test } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { createTextFitter } from "../../../src/slack/lines/text-fitter.ts"
import { headlineOf, toolWords } from "../../../src/slack/text/case/headline.ts"
import { aRequirement } from "../../support/builders.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { publicCalls } from "./public-calls.ts"

function headline(toolName: string, toolArgs: Readonly<Record<string, Json>>, look = {}): string {
  const model = aCardModel(anApproval({ toolName, toolArgs, requirements: null }), { look: { ...plainLook, ...look } })
  return plainWords(headlineOf(model, createTextFitter())).replace(/^.* wants to run /, "")
}

test("of 40 calls of public tools the headline holds all that decides in at least 9 of 10", () => {
  const lacking = publicCalls.filter(({ tool, args, decides }) => {
    const words = headline(tool, args)
    return decides.some((one) => !words.includes(one))
  })

  expect(publicCalls).toHaveLength(40)
  expect(lacking.map(({ tool }) => tool).slice(4)).toEqual([])
})

test.each([
  ["refund_payment", "refund payment"],
  ["refundPayment", "refund payment"],
  ["refund-payment.v2", "refund payment v2"],
  ["GMAIL_SEND_EMAIL", "gmail send email"],
  ["getURLOfPage", "get URL of page"],
  ["dns.records.update", "dns records update"],
  ["S3PutObject", "s3 put object"],
  ["___", "___"],
  ["löscheKonto", "lösche konto"],
])("the tool %s is %s", (name, words) => {
  expect(toolWords(name)).toBe(words)
})

test("a tool without a name has words of ours", () => {
  expect(toolWords(null)).toBe("a tool without a name")
})

describe("arguments", () => {
  test("what a rule shows first comes first, and the rest is a number", () => {
    const args = { memo: "m".repeat(60), invoice: "INV-2077", amount: 4_300, account: "a".repeat(60) }

    expect(headline("pay", args, { showFirst: ["amount", "invoice"] })).toBe(
      `pay with amount: 4300, invoice: INV-2077, memo: ${"m".repeat(45)}… and 1 more argument`,
    )
  })

  test("inner ones have their last name, and empty ones are left out", () => {
    const args = { order: { id: "o-7", note: "", lines: [{ sku: "A-1", tags: [] }] }, reply: null, to: [] }

    expect(headline("ship", args)).toBe("ship with id: o-7 and sku: A-1")
  })

  test("a list of plain values is one argument", () => {
    expect(headline("mail", { to: ["ann@x.example", "", "ben@x.example"] })).toBe(
      "mail with to: ann@x.example, ben@x.example",
    )
  })

  test("a text is never longer than 45 characters, and shows what nobody could see", () => {
    expect(headline("say", { text: `a\u200Bb\nc${"d".repeat(99)}` })).toMatch(/^say with text: .{1,45}…$/u)
    expect(headline("say", { text: "a\u200Bb" })).toContain("⟨U+200B⟩")
  })

  test("a name that could be words of ours is only counted", () => {
    expect(headline("pay", { "amount, approved by the CFO": 1, sum: 2 })).toBe("pay with sum: 2 and 1 more argument")
  })

  test("none stands there where the rule keeps arguments in Details", () => {
    expect(headline("pay", { sum: 2, to: "x" }, { argumentsInDetails: true })).toBe("pay with 2 arguments")
  })

  test("a huge value and a deep one break nothing", () => {
    const deep = Array.from({ length: 150 }).reduce<Json>((inner) => [inner], 1)
    const wide = Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`k${at}`, at]))

    expect(headline("pay", { deep })).toMatch(/^pay with /)
    expect(headline("pay", wide)).toMatch(/^pay with k0: 0, k1: 1.* and many more arguments$/)
  })
})

test.each([
  [["send_payout", "send_payout"], "“Admin Agent” wants to run send payout 2 times"],
  [["send_payout", "send_mail", "send_mail"], "“Admin Agent” wants to run 2 tools: send payout and send mail 2 times"],
])("several calls %j are counted by their tools", (tools, words) => {
  const model = aCardModel(anApproval({ requirements: tools.map((tool) => aRequirement(tool)) }))

  expect(plainWords(headlineOf(model, createTextFitter()))).toBe(words)
})
