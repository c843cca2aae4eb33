// Receipts verified: what one says is given back, and one that says something else is refused.
import { decodeProtectedHeader } from "jose"
import { expect, test } from "vitest"
import { type ReceiptClaims, receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../src/domain/case/receipt.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import { verifyReceipt } from "../../src/proof/receipt.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aCase, anApproval, aRequirement, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner()
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const surfaces = ["card", "details", "form", "command", "home", "summary"] as const

const approval = anApproval({ requirements: [aRequirement("pay", { tool_args: { amount: 5 } })] })

function theClaims(verb: "approve" | "reject" = "approve", sandbox = false): ReceiptClaims {
  const votes = surfaces.map((surface, at) => aVote({ user: `U${at}`, surface, verb }))
  const decision = { id: "d", verb, votes, at: noon } as const
  const filled = { values: { a: 1 } }
  return receiptClaims({ case: aCase({ approval }), decision, filled, sandbox, lifeMs: usualReceiptLifeMs })
}

const signedAs = (claims: ReceiptClaims) => signer.sign(receiptPurpose(claims), claims)

test("what a receipt says, and the key that vouches for it, are given back", async () => {
  const claims = theClaims()
  const receipt = await signedAs(claims)

  expect(await verifyReceipt(receipt, keys)).toEqual({ receipt, claims, kid: signer.publicKey.kid })
  expect(claims).toMatchObject({ calls: [expect.stringMatching(/^[0-9a-f]{64}$/)], expires: noon + 86_400_000 })
})

test("a receipt says for whom a voter stood in, and only where somebody did", async () => {
  const [own, ...others] = theClaims().votes
  const rules = [{ name: "all", hash: "h", for: "T1:U9" }]
  const decision = { id: "d", verb: "approve", votes: [aVote({ rules })], at: noon } as const
  const stood = receiptClaims({ case: aCase({ approval }), decision, filled: {}, sandbox: false, lifeMs: 1 })

  expect(stood.votes).toEqual([{ ...own, for: ["T1:U9"], person: "T1:U1", subject: "u1@example.com", at: noon }])
  expect((await verifyReceipt(await signedAs(stood), keys)).claims).toEqual(stood)
  for (const vote of others) expect(vote).not.toHaveProperty("for")
})

test("a receipt says that the glass was broken, at its version, and only where it was", async () => {
  const decision = { id: "d", verb: "approve", votes: [aVote({ glass: true })], at: noon } as const
  const broken = receiptClaims({ case: aCase({ approval }), decision, filled: {}, sandbox: false, lifeMs: 1 })

  expect(broken).toMatchObject({ version: 2, glass: true })
  expect((await verifyReceipt(await signedAs(broken), keys)).claims).toEqual(broken)
  expect(theClaims()).not.toHaveProperty("glass")
})

test("a rejection without anything filled in is one too, and lets no call run", async () => {
  const claims: ReceiptClaims = { ...theClaims("reject", true), filled: null }

  expect((await verifyReceipt(await signedAs(claims), keys)).claims).toEqual(claims)
  expect(claims).not.toHaveProperty("calls")
  expect(claims).not.toHaveProperty("expires")
})

test("an approval, one of a sandbox and a rejection are of three types", async () => {
  const all = [theClaims(), theClaims("approve", true), theClaims("reject"), theClaims("reject", true)]
  const types = (await Promise.all(all.map(signedAs))).map((receipt) => decodeProtectedHeader(receipt).typ)

  expect(types.map((type) => type?.replace(/^countersign-(.*)\+jws$/, "$1"))).toEqual([
    "approval",
    "sandbox-approval",
    "rejection",
    "rejection",
  ])
})

test("a receipt that says something else than its type is refused", async () => {
  const all = [theClaims(), theClaims("approve", true), theClaims("reject")]
  const purposes = ["approval", "sandbox-approval", "rejection"] as const
  const pairs = all.flatMap((claims) => purposes.map((purpose) => ({ claims, purpose })))

  for (const { claims, purpose } of pairs.filter((pair) => receiptPurpose(pair.claims) !== pair.purpose)) {
    const forged = await signer.sign(purpose, claims)
    await expect(verifyReceipt(forged, keys)).rejects.toMatchObject({ code: "bad-claims" })
  }
})

test.each<[string, JsonObject]>([
  ["version", { version: 3 }],
  ["life", { expires: null }],
  ["list of calls", { calls: [1] }],
  ["verdict", { verdict: "maybe" }],
  ["surface", { votes: [{ ...theClaims().votes[0], surface: "window" }] }],
  ["vote with more", { votes: [{ ...theClaims().votes[0], note: "x" }] }],
  ["rule with more", { rules: [{ ...theClaims().rules[0], note: "x" }] }],
  ["rule without a quorum", { rules: [{ name: "all", hash: "h" }] }],
  ["claim of its own", { note: "x" }],
])("a receipt with another %s than we would sign is refused", async (_what, changes) => {
  const receipt = await signer.sign("approval", { ...theClaims(), ...changes })

  await expect(verifyReceipt(receipt, keys)).rejects.toMatchObject({
    code: "bad-claims",
    message: "the receipt is signed, but says something that this version does not know",
  })
})
