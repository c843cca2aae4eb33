// One line about a case: it says what is asked, fits a phone, and shows nothing that a rule masks.

import { describe, expect, it } from "vitest"
import { type CardModel, untimed } from "../../../src/domain/case/card-model.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { maskModel } from "../../../src/slack/lines/masking.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { homeView } from "../../../src/slack/lists/home-and-summary.ts"
import { markLines, pastLine, waitingLine } from "../../../src/slack/lists/list-line.ts"
import { listMessage } from "../../../src/slack/lists/list-messages.ts"
import { AT, aCardModel, anApproval, aVote, everyState } from "../card-models.ts"
import { publicCalls } from "../text/public-calls.ts"

const minute = 60_000
const refund = { invoice: "INV-2041", amount: JSON.rawJSON("129.90"), currency: "EUR", recipient: "Jane Doe" }
const say = ["Refund {amount} {currency} to invoice {invoice}"]

/** A case that is asked for now. */
function aWaiting(toolArgs: JsonObject, more: Partial<CardModel> = {}, tool = "refund_payment"): CardModel {
  return aCardModel(anApproval({ toolName: tool, toolArgs, requirements: null, createdAt: AT }), more)
}

function said(model: CardModel, after = 3 * 60 * minute): string {
  return plainWords(waitingLine(maskModel(model).model, AT + after))
}

describe("a case that waits", () => {
  it.each([
    [
      "its rule's sentence",
      aWaiting(refund, { look: { ...plainLook, say } }),
      "Refund 129.90 EUR to invoice INV-2041 · 3 h",
    ],
    ["tool and arguments", aWaiting({ amount: 5, to: "al" }), "refund payment with amount: 5 and to: al · 3 h"],
    [
      "short values whole",
      aWaiting({ note: "x".repeat(13), amount: 12_345 }),
      `refund payment with note: ${"x".repeat(13)}… · 3 h`,
    ],
    [
      "long ones cut",
      aWaiting({ sql: "DELETE FROM users WHERE id = 7" }, {}, "run"),
      "run with sql: DELETE FROM users WHERE i… · 3 h",
    ],
    [
      "a risk",
      aWaiting(refund, { look: { ...plainLook, say, risk: "high" } }),
      "⚠ Refund 129.90 EUR to invoice INV-2041 · 3 h",
    ],
    ["no less for danger", aWaiting({}, { look: { ...plainLook, danger: true } }), "⚠ refund payment · 3 h"],
  ])("the line says %s", (_what, model, line) => {
    expect(said(model)).toBe(line)
  })

  it.each([
    [0, "now"],
    [59 * minute, "59 min"],
    [47 * 60 * minute, "47 h"],
    [50 * 60 * minute, "2 d"],
  ])("the age is said once: %d ms", (after, age) => {
    expect(said(aWaiting({}), after)).toBe(`refund payment · ${age}`)
  })

  it("the time left is said once it is short, also if the platform sets it, and who was asked besides", () => {
    const by = (decideBy: number) => aWaiting({}, { time: { ...untimed, decideBy } })
    const platform = aCardModel(anApproval({ createdAt: AT, expiresAt: AT + 20 * minute }))

    expect(said(by(AT + 200 * minute), minute)).toBe("refund payment · 1 min")
    expect(said(by(AT + 41 * minute), minute)).toBe("refund payment · 1 min · 40 min left")
    expect(said(by(AT), minute)).toBe("refund payment · 1 min · time is up")
    expect(said(platform, minute)).toMatch(/ · 1 min · 19 min left$/)
    expect(said(aWaiting({}, { time: { ...untimed, escalatedAt: AT } }))).toBe("refund payment · 3 h · escalated")
  })

  it("the line of every public call fits a phone", () => {
    const lines = publicCalls.map(({ tool, args }) =>
      said(aWaiting(args, { look: { ...plainLook, risk: "high" } }, tool)),
    )

    expect(lines.filter((line) => line.length > 46)).toEqual([])
    expect(lines.filter((line) => /(?:with|and|,)…/.test(line))).toEqual([])
  })

  it("what ⚠ means is said below, if it stands anywhere", () => {
    expect(markLines([aWaiting({})])).toEqual([])
    expect(markLines([aWaiting({}), aWaiting({}, { look: { ...plainLook, danger: true } })])).toHaveLength(1)
  })

  it("R8 a masked argument stands in no line, whether or not a rule's sentence names it", () => {
    const masks = [
      { ...plainLook, mask: ["invoice"] },
      { ...plainLook, say, mask: ["invoice"] },
      { ...plainLook, mask: ["/INV-\\d+/"] },
    ]
    for (const look of masks) {
      const model = aWaiting(refund, { look })
      const listing = { models: [model], total: 1, more: false }
      const none = { models: [], total: 0, more: false }
      const home = { mine: listing, page: 1, waiting: 1, requests: listing, decided: none, found: null, at: AT }

      const seen = JSON.stringify([
        waitingLine(maskModel(model).model, AT),
        listMessage(listing, 1, { words: [], at: AT }),
        homeView(home, "/approvals"),
      ])

      expect(seen).not.toContain("INV-2041")
    }
  })
})

describe("a settled case", () => {
  const { approved = aCardModel(), rejected = aCardModel() } = everyState()
  const words = (model: CardModel) => plainWords(pastLine(maskModel(model).model))

  it("a rejection says why, on one line, and how much fits", () => {
    const votes = [aVote({ verb: "reject", reason: "Not our supplier:\nsee their letter" })]
    const long = [aVote({ verb: "reject", reason: "x".repeat(300) })]

    expect(words({ ...rejected, votes })).toMatch(/^✕ Rejected by .* · “Not our supplier: see their letter”$/)
    expect(words({ ...rejected, votes: long })).toMatch(/ · “x{80}…”$/)
  })

  it("nothing is said of a reason that nobody gave, nor of one of an approval", () => {
    expect(words({ ...rejected, votes: [aVote({ verb: "reject", reason: null })] })).not.toContain("“")
    expect(words({ ...approved, votes: [aVote({ reason: "fine" })] })).not.toContain("fine")
  })
})
