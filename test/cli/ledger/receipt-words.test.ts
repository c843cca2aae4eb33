// A receipt in words: who decided, or that nobody did.

import { expect, test } from "vitest"
import { receiptWords } from "../../../src/cli/ledger/receipt.ts"
import { receiptClaims } from "../../../src/domain/case/receipt.ts"
import type { Vote } from "../../../src/domain/case/vote.ts"
import { aCase, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

function wordsOf(votes: readonly Vote[]): readonly string[] {
  const decision = { id: "d-1", verb: "reject", votes, at: noon } as const
  const claims = receiptClaims({ case: aCase(), decision, filled: {}, sandbox: false })
  return receiptWords({ claims, kid: "k", receipt: "" })
}

test("the votes of a decision are told one by one", () => {
  expect(wordsOf([aVote({ verb: "reject" })])).toContain(
    "  rejected by T1:U1 (u1@example.com) on card at 2026-11-21T12:00:00.000Z",
  )
})

test("R13 a rejection without votes says that nobody decided in time", () => {
  expect(wordsOf([])).toContain("  by nobody: the time to decide was over, and the rules reject then")
})
