// Receipts verified: what one says is given back, and one that says something else is refused.
import { expect, test } from "vitest"
import { receiptClaims } from "../../src/domain/case/receipt.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import { verifyReceipt } from "../../src/proof/receipt.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aCase, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner()
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const surfaces = ["card", "details", "form", "command", "home", "summary"] as const

function theClaims() {
  const votes = surfaces.map((surface, at) => aVote({ user: `U${at}`, surface }))
  const decision = { id: "d", verb: "approve", votes, at: noon } as const
  return receiptClaims({ case: aCase(), decision, filled: { values: { a: 1 } }, sandbox: false })
}

test("what a receipt says, and the key that vouches for it, are given back", async () => {
  const claims = theClaims()
  const receipt = await signer.sign("receipt", claims)

  expect(await verifyReceipt(receipt, keys)).toEqual({ receipt, claims, kid: signer.publicKey.kid })
})

test("a rejection without anything filled in is one too", async () => {
  const claims = { ...theClaims(), verdict: "reject", filled: null, sandbox: true }

  expect((await verifyReceipt(await signer.sign("receipt", claims), keys)).claims).toEqual(claims)
})

test.each<[string, JsonObject]>([
  ["version", { version: 2 }],
  ["verdict", { verdict: "maybe" }],
  ["surface", { votes: [{ ...theClaims().votes[0], surface: "window" }] }],
  ["vote with more", { votes: [{ ...theClaims().votes[0], note: "x" }] }],
  ["rule with more", { rules: [{ ...theClaims().rules[0], note: "x" }] }],
  ["rule without a quorum", { rules: [{ name: "all", hash: "h" }] }],
  ["claim of its own", { note: "x" }],
])("a receipt with another %s than we would sign is refused", async (_what, changes) => {
  const receipt = await signer.sign("receipt", { ...theClaims(), ...changes })

  await expect(verifyReceipt(receipt, keys)).rejects.toMatchObject({
    code: "bad-claims",
    message: "the receipt is signed, but says something that this version does not know",
  })
})
