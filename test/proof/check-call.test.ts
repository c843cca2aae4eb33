// The check of a gate for tools of any kind: the approved call passes, and nothing else.
import { expect, test } from "vitest"
import { type ReceiptClaims, receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../src/domain/case/receipt.ts"
import { type CallCheck, checkCall, readKeySet } from "../../src/proof/check-call.ts"
import { aCase, anApproval, aRequirement, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner()
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")
const approval = anApproval({ requirements: [aRequirement("pay", { tool_args: { amount: 5 } })] })
const call = { run: "run-1", call: "call-pay", agent: "agent-1", team: null, tool: "pay", args: { amount: 5 } }
const dayMs = 86_400_000

function claimsOf(verb: "approve" | "reject" = "approve", sandbox = false): ReceiptClaims {
  const decision = { id: "d", verb, votes: [aVote({ verb })], at: noon } as const
  return receiptClaims({ case: aCase({ approval }), decision, filled: {}, sandbox, lifeMs: usualReceiptLifeMs })
}

async function checked(claims: ReceiptClaims = claimsOf(), changes: Partial<CallCheck> = {}) {
  const receipt = await signer.sign(receiptPurpose(claims), claims)
  return checkCall({ call, receipt, keys, installation: "test", now: noon, ...changes })
}

test("the approved call may run, until a day later and by a clock that is a minute off", async () => {
  expect(await checked()).toMatchObject({ ok: true, claims: { decision: "d" }, kid: signer.publicKey.kid })
  expect(await checked(claimsOf(), { now: noon + dayMs + 60_000, instance: "main" })).toMatchObject({ ok: true })
  expect(await checked(claimsOf(), { now: noon - 60_000 })).toMatchObject({ ok: true })
})

test("a call of the sandbox may run in a sandbox alone", async () => {
  expect(await checked(claimsOf("approve", true), { sandbox: true })).toMatchObject({ ok: true })
  expect(await checked(claimsOf("approve", true))).toEqual({ ok: false, refusal: "sandbox" })
  expect(await checked(claimsOf(), { sandbox: true })).toEqual({ ok: false, refusal: "sandbox" })
})

test.each<[string, ReceiptClaims, Partial<CallCheck>]>([
  ["other-call", claimsOf(), { call: { ...call, args: { amount: 6 } } }],
  ["other-call", claimsOf(), { call: { ...call, run: "run-2" } }],
  ["not-approved", claimsOf("reject"), {}],
  ["other-installation", claimsOf(), { installation: "another" }],
  ["other-instance", claimsOf(), { instance: "another" }],
  ["expired", claimsOf(), { now: noon + dayMs + 60_001 }],
  ["expired", { ...claimsOf(), expires: noon + 8 * dayMs }, {}],
  ["not-yet", claimsOf(), { now: noon - 60_001 }],
  ["unknown-key", claimsOf(), { keys: { keys: [] } }],
  ["not-signed", claimsOf(), { receipt: "none" }],
])("a call is refused: %s", async (refusal, claims, changes) => {
  expect(await checked(claims, changes)).toEqual({ ok: false, refusal })
})

test("a receipt of version 1 lets nothing run", async () => {
  const { calls: _calls, expires: _expires, ...old } = claimsOf()

  expect(await checked({ ...old, version: 1 })).toEqual({ ok: false, refusal: "not-approved" })
})
