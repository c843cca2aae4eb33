// Limits in words: what masks and `arguments: details` hide is not told by a sum either, and numbers stay readable.
import { expect, test } from "vitest"
import type { CardModel } from "../../../src/domain/case/card-model.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { maskModel } from "../../../src/slack/lines/masking.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { limitLines, limitLinesInDetails } from "../../../src/slack/text/case/limit-words.ts"
import { aCardModel, anApproval, limitRead } from "../card-models.ts"

const payment = anApproval({ toolName: "pay", toolArgs: { amount: 999, recipient: "Acme" }, requirements: null })

function said(more: Partial<CardModel>): string {
  return limitLines(aCardModel(payment, { limits: [limitRead({})], ...more }))
    .map(plainWords)
    .join("\n")
}

test("a limit says what the sum is and whose", () => {
  expect(said({})).toMatch(
    /^Above the limit of rule payments \(5,000 in 24 hours\): 3,996 approved for Acme as of .*, this adds 999$/,
  )
})

test("limits in doubt share one line on a card, and each has its own in Details", () => {
  const limits = (["amount", "unknown"] as const).map((doubt) => limitRead({ rule: doubt, doubt }))

  expect(said({ limits })).toBe("2 limits could not be checked, so they count as exceeded (see Details)")
  expect(said({ limits: [limitRead({}), ...limits] })).toMatch(/\n2 more limits could not be checked, [^\n]*$/)
  expect(limitLinesInDetails(aCardModel(payment, { limits })).map(plainWords)).toEqual([
    "Above the limit of rule amount (5,000 in 24 hours): amount of a call is no amount, so it counts as too much",
    expect.stringMatching(/how much was approved so far is not known, so it counts as too much$/),
  ])
})

test("a limit is not told of a case that has ended", () => {
  const outcome = { kind: "vanished", at: 0 } as const

  expect(said({ status: { kind: "settled", outcome } })).toBe("")
})

test("a sum tells no amount that a mask hides, and no owner", () => {
  const { model } = maskModel(
    aCardModel(payment, { limits: [limitRead({})], look: { ...plainLook, mask: ["amount", "recipient"] } }),
  )
  const words = limitLines(model).map(plainWords).join("")

  expect(words).toMatch(/^Above the limit of rule payments \(5,000 in 24 hours\) for .*masked/)
  expect(words).not.toMatch(/3,996|999|Acme/)
})

test("a card without arguments names neither owner nor amounts of a limit, and Details do", () => {
  const look = { ...plainLook, argumentsInDetails: true } as const

  expect(said({ look })).toBe("Above the limit of rule payments (5,000 in 24 hours)")
  expect(limitLinesInDetails(aCardModel(payment, { limits: [limitRead({})], look })).map(plainWords)[0]).toContain(
    "Acme",
  )
})

test("a limit with many owners names three, and a huge number by its length", () => {
  const sums = Array.from({ length: 5 }, () => ({ call: 0, before: "1".padEnd(60, "0"), adds: "0.25", at: 0 }))
  const lines = said({ limits: [limitRead({ sums })] }).split("\n")

  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/a number of 60 characters approved for Acme as of .*, this adds 0\.25$/)
  expect(lines[3]).toBe("… and for 2 more")
})

test.each([
  ["60 seconds", 60_000, "1 minute"],
  ["an hour", 3_600_000, "1 hour"],
  ["a day", 86_400_000, "24 hours"],
  ["two days", 2 * 86_400_000, "2 days"],
  ["an hour and a half", 5_400_000, "90 minutes"],
])("a window of %s is said in the largest unit that fits", (_what, windowMs, words) => {
  const limit = { sum: "args.amount", windowMs, above: "1000000.5" }

  expect(said({ limits: [limitRead({ limit })] })).toContain(`(1,000,000.5 in ${words})`)
})
