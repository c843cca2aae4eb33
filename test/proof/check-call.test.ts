// The check of a gate for tools of any kind: the approved call passes, and nothing else.
import { expect, test } from "vitest"
import { type ReceiptClaims, receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../src/domain/case/receipt.ts"
import { type CallCheck, checkCall, parseJson, readKeySet } from "../../src/proof/check-call.ts"
import type * as Packed from "../../src/setup/check-call.mjs"
import { aCase, anApproval, aRequirement, aVote } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aSigner } from "../support/signer.ts"

/** What the package says that it hands on is what it hands on. */
const packed: typeof Packed = { checkCall, parseJson, readKeySet }

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
  return packed.checkCall({ call, receipt, keys, installation: "test", now: noon, ...changes })
}

test("the approved call may run, until a day later and by a clock that is a minute off", async () => {
  expect(await checked()).toMatchObject({ ok: true, claims: { decision: "d" }, kid: signer.publicKey.kid })
  expect(await checked(claimsOf(), { now: noon + dayMs + 60_000, instance: "main" })).toMatchObject({ ok: true })
  expect(await checked(claimsOf(), { now: noon - 60_000 })).toMatchObject({ ok: true })
})

test("a call that was approved by breaking glass may run, and whoever asks reads that it was", async () => {
  const decision = { id: "d", verb: "approve", votes: [aVote({ glass: true })], at: noon } as const
  const about = { case: aCase({ approval }), decision, filled: {}, sandbox: false, lifeMs: usualReceiptLifeMs }

  expect(await checked(receiptClaims(about))).toMatchObject({ ok: true, claims: { glass: true } })
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
  ["expired", { ...claimsOf(), expires: noon + 8 * dayMs } as ReceiptClaims, {}],
  ["not-yet", claimsOf(), { now: noon - 60_001 }],
  ["unknown-key", claimsOf(), { keys: { keys: [] } }],
  ["not-signed", claimsOf(), { receipt: "none" }],
])("a call is refused: %s", async (refusal, claims, changes) => {
  expect(await checked(claims, changes)).toEqual({ ok: false, refusal })
})

test("a call whose decision ended later or is stopped is refused, and so is one for which the list is of no use", async () => {
  const iat = noon / 1_000
  const list = { version: 1, installation: "test", sandbox: false, iat, exp: iat + 300, ended: ["d"] }
  const listed = async (changes: object, now = noon) =>
    checked(claimsOf(), { endedList: await signer.sign("ended", { ...list, ...changes }), now })

  expect(await listed({ ended: ["another"] })).toMatchObject({ ok: true })
  expect(await listed({})).toEqual({ ok: false, refusal: "ended" })
  expect(await listed({ ended: ["d", "stopped", "e"] })).toEqual({ ok: false, refusal: "ended" })
  expect(await listed({ ended: ["c", "stopped", "d"] })).toEqual({ ok: false, refusal: "stopped" })
  expect(await listed({ installation: "another", ended: [] })).toEqual({ ok: false, refusal: "list-unusable" })
  expect(await listed({ ended: [] }, noon + 360_001)).toEqual({ ok: false, refusal: "list-unusable" })
  expect(await checked(claimsOf(), { endedList: "a.b.c" })).toEqual({ ok: false, refusal: "not-signed" })
})

test("a key counts for what was signed between the moments that a gate's file names, both included", async () => {
  const pinned = (more: object) => ({
    keys: readKeySet(JSON.stringify({ keys: [{ ...signer.publicKey, ...more }] }), "x"),
  })
  const [before, then, after] = [-1, 0, 1].map((by) => new Date(noon + by).toISOString())
  const refused = { ok: false, refusal: "key-not-in-force" }

  expect(await checked(claimsOf(), pinned({ not_before: then, not_after: then }))).toMatchObject({ ok: true })
  expect(await checked(claimsOf(), pinned({ not_before: null, not_after: null }))).toMatchObject({ ok: true })
  expect(await checked(claimsOf(), pinned({ not_before: after }))).toEqual(refused)
  expect(await checked(claimsOf(), pinned({ not_after: before }))).toEqual(refused)
  expect(await checked(claimsOf(), pinned({ not_after: "one day" }))).toEqual(refused)
})
