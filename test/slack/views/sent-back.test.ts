// What cards and Details say of a call that was sent back, and of one that answers it.
import { describe, expect, it } from "vitest"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { filledWith } from "../../../src/domain/send-back/counterproposal.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { AT, aCardModel, anApproval, aVote } from "../card-models.ts"
import { wordsOf } from "../sight.ts"

const hidden = { ...plainLook, argumentsInDetails: true } as const
const filled = filledWith({ calls: [{ call: "c-1", tool: "pay", choice: "changed", args: { amount: 4711 } }] })
const outcome = { kind: "ours", verb: "reject", decisionId: "d1", resolvedBy: "alice@example.com", at: AT } as const
const untold = {
  votes: [aVote({ verb: "reject", sentBack: true, values: filled })],
  status: { kind: "settled", outcome, run: { kind: "left" } },
} as const
const answers = {
  by: "T1:U0ALICE",
  rules: ["prod-data"],
  calls: [{ call: 0, masked: false, differences: [{ name: "amount", proposed: 4711 }] }],
}

function detailsOf(model: ReturnType<typeof aCardModel>): string {
  const may = { ok: true, rules: ["prod-data"] } as const
  const details = { model, approve: may, reject: may, own: null }
  const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })
  return wordsOf(view.blocks)
}

describe("where no agent is told", () => {
  it("the card has the text to pass on", () => {
    expect(wordsOf(cardOf(aCardModel(anApproval(), untold)).blocks)).toContain('{"proposed":{"amount":4711}}')
  })

  it("R15 it stands in Details alone if arguments do, and in no notification", () => {
    const model = aCardModel(anApproval(), { ...untold, look: hidden })

    expect(JSON.stringify(cardOf(model))).not.toContain("4711")
    expect(wordsOf(cardOf(model).blocks)).toContain("Details have the text to pass on")
    expect(detailsOf(model)).toContain('{"proposed":{"amount":4711}}')
  })
})

describe("a call that answers a counterproposal", () => {
  it("names on the card what differs, and in Details what was proposed", () => {
    const model = aCardModel(anApproval(), { answers })

    expect(wordsOf(cardOf(model).blocks)).toMatch(/proposed other arguments\. Not as proposed:\s*amount/)
    expect(JSON.stringify(cardOf(model))).not.toContain("4711")
    expect(detailsOf(model)).toMatch(/amount\s*: proposed\s*4711/)
  })

  it("only counts what differs if arguments stand in Details alone, and shows nothing that the rules mask", () => {
    expect(wordsOf(cardOf(aCardModel(anApproval(), { answers, look: hidden })).blocks)).toContain(
      "1 argument, named in Details",
    )
    expect(detailsOf(aCardModel(anApproval(), { answers, look: { ...plainLook, mask: ["amount"] } }))).not.toContain(
      "4711",
    )
  })
})
