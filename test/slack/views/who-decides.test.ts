// What a card says of who decided, of their reasons, and of rules that ask the same people.
import { expect, it } from "vitest"
import type { CardVote } from "../../../src/domain/case/card-model.ts"
import { cardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { AT, aCardModel, anApproval, aVote, everyState, recorded } from "../card-models.ts"
import { wordsOf } from "../sight.ts"

/** All words of blocks in one line, with one blank between them. */
function inOneLine(blocks: unknown): string {
  return wordsOf(blocks)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[,:])/g, "")
}

it.each<readonly [string, Partial<CardVote>[], string]>([
  ["one person", [{ user: "U0ALICE" }], "✓ Done by U0ALICE ·"],
  ["several people", [{ user: "U0ALICE" }, { user: "U0BOB" }], "✓ Done by U0ALICE, confirmed by U0BOB ·"],
])("a call that %s ran is done, not approved", (_, votes, words) => {
  const outcome = { kind: "ours", verb: "approve", decisionId: "d", resolvedBy: null, at: AT } as const
  const asked = aCardModel(recorded("get-pending-external-execution"))
  const by = { name: "", verb: "approve", reason: null, values: { result: "done" }, at: AT } as const
  const model = {
    ...asked,
    status: { kind: "settled", outcome } as const,
    votes: votes.map((one) => aVote({ ...by, ...one })),
  }

  expect(inOneLine(cardOf(model).blocks)).toContain(words)
})

it("the reason of a rejection stands below its first line", () => {
  const [first, second] = cardOf(everyState()["rejected"] ?? aCardModel()).blocks

  expect(inOneLine([first, second])).toMatch(/^✕ Rejected by .*Reason: “Not on a \*Friday\*/)
})

it("of two rules that ask the same people only the one that asks for more is named, and Details name both", () => {
  const rules = [
    { name: "credits", quorum: 1, approvers: ["S0FINANCE"] },
    { name: "credits, above its limit", quorum: 2, approvers: ["S0FINANCE"] },
  ]
  const progress = rules.map(({ name, quorum }) => ({ rule: name, have: 0, need: quorum }))
  const model = aCardModel(anApproval(), { rules, status: { kind: "open", progress } })
  const may = { ok: true, rules: ["credits"] } as const
  const details = { model, approve: may, reject: may, own: null }
  const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })

  const card = wordsOf(cardOf(model).blocks)

  expect(card).toContain("must approve, because of a limit; nobody has yet")
  expect(card.match(/must approve/g)).toHaveLength(1)
  expect(wordsOf(view.blocks).match(/must approve/g)).toHaveLength(2)
})
