// Hostile input on the card: Slack takes what we make of it, it stays within its budget, and nothing in it becomes
// active.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textUnits } from "../../../src/blockkit/totals.ts"
import { cardOf, safeCardOf } from "../../../src/slack/views/card.ts"
import { activeMarkup, model, onlyLiteral, patienceMs, runs } from "../hostile.ts"
import { labels, messageVerdict } from "../sight.ts"

describe("for any input", () => {
  it(
    "the card is one that Slack takes, within the budget, with nothing active in it",
    () => {
      fc.assert(
        fc.property(model, (one) => {
          const card = cardOf(one)

          expect(messageVerdict(card)).toBe("ok")
          expect(textUnits(card.blocks)).toBeLessThanOrEqual(10_000)
          expect(card.text.length).toBeLessThanOrEqual(3_900)
          expect(onlyLiteral(card.blocks)).toBe(true)
          expect(activeMarkup(card.text)).toBe("")
          expect(labels(card.blocks).includes("Approve")).toBe(one.status.kind === "open" && card.complete)
          expect(messageVerdict(safeCardOf(one))).toBe("ok")
        }),
        runs,
      )
    },
    patienceMs,
  )
})
