// A receipt in words: who decided, or that nobody did.

import { expect, test } from "vitest"
import { receiptWords } from "../../../src/cli/ledger/receipt.ts"
import { receiptClaims, usualReceiptLifeMs } from "../../../src/domain/case/receipt.ts"
import type { Vote } from "../../../src/domain/case/vote.ts"
import { aCase, anApproval, aRequirement, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

function wordsOf(votes: readonly Vote[], verb: "approve" | "reject" = "reject"): readonly string[] {
  const decision = { id: "d-1", verb, votes, at: noon } as const
  const approval = anApproval({ requirements: [aRequirement("pay")] })
  const about = { case: aCase({ approval }), decision, filled: {}, sandbox: false, lifeMs: usualReceiptLifeMs }
  const claims = receiptClaims(about)
  return receiptWords({ claims, kid: "k", receipt: "" })
}

test("the votes of a decision are told one by one", () => {
  expect(wordsOf([aVote({ verb: "reject" })])).toContain(
    "  rejected by T1:U1 (u1@example.com) on card at 2026-11-21T12:00:00.000Z",
  )
})

test("an approval says for how many calls it is good at a gate, and until when", () => {
  const line = "  good for 1 call at a gate until 2026-11-22T12:00:00.000Z"

  expect(wordsOf([aVote()], "approve")).toContain(line)
  expect(wordsOf([aVote({ verb: "reject" })]).join("\n")).not.toContain("at a gate")
})

test("an approval by breaking glass says so", () => {
  const line = "  BY BREAKING GLASS: this one person approved it, and nobody met the quorum of its rules"

  expect(wordsOf([aVote({ glass: true })], "approve")).toContain(line)
  expect(wordsOf([aVote()], "approve")).not.toContain(line)
})

test("R13 a rejection without votes says that nobody decided in time", () => {
  expect(wordsOf([])).toContain("  by nobody: the time to decide was over, and the rules reject then")
})
