// What a receipt says, and whether a platform's record is what was decided.

import { expect, test } from "vitest"
import {
  type RecordMismatch,
  receiptClaims,
  recordMismatches,
  usualReceiptLifeMs,
} from "../../../src/domain/case/receipt.ts"
import { claimsSchema } from "../../../src/domain/case/record/claims-record.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { callDigests } from "../../../src/domain/content/call-digest.ts"
import { hashOf } from "../../../src/domain/content/canonical.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { aCase, anApproval, aRequirement, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const receipt = "head.claims.signature"
const values = { amount: 5 }
const decision = { id: "d1", verb: "approve" as const, votes: [aVote({ surface: "details" })], at: noon }
const said = { decision, filled: { values }, sandbox: false, lifeMs: usualReceiptLifeMs }
const claims = receiptClaims({ case: aCase(), ...said })

function aRecord(changes: Partial<Approval> = {}, data: JsonObject = {}): Approval {
  const resolutionData = { values, countersign: { decision_id: "d1", receipt }, ...data }
  return anApproval({ status: "approved", resolvedBy: "u1@example.com", resolutionData, ...changes })
}

test("a receipt says who decided what, when, where and under which rule", () => {
  const { revision } = aCase()

  expect(claims).toEqual({
    version: 2,
    installation: "test",
    instance: "main",
    approval: "a-1",
    revision: 1,
    digest: revision.digest,
    decision: "d1",
    verdict: "approve",
    at: noon,
    votes: [
      { person: "T1:U1", subject: "u1@example.com", verb: "approve", at: noon, surface: "details", rules: ["all"] },
    ],
    rules: [{ name: "all", hash: revision.quotas[0]?.hash, quorum: 1 }],
    filled: hashOf({ values }),
    sandbox: false,
    calls: [],
    expires: noon + 86_400_000,
  })
})

test("an approval names the calls that it lets run, with what was filled in, and until when", () => {
  const schema = [{ name: "amount", value: 1 }]
  const form = aRequirement("pay", { requires_user_input: true, user_input_schema: schema })
  const approval = anApproval({ requirements: [form] })

  const { calls, expires } = receiptClaims({ case: aCase({ approval }), ...said, lifeMs: 60_000 })

  expect(calls).toEqual(callDigests(approval, values))
  expect(calls).not.toEqual(callDigests(approval, {}))
  expect(expires).toBe(noon + 60_000)
})

test("a rejection names no calls, and no end", () => {
  const rejected = { ...decision, verb: "reject" as const }

  expect(receiptClaims({ case: aCase(), ...said, decision: rejected })).not.toHaveProperty("calls")
  expect(receiptClaims({ case: aCase(), ...said, decision: rejected })).not.toHaveProperty("expires")
})

test("R1: the receipt of a request that was called back says so, and its vote counts under no rule", () => {
  const vote = aVote({ verb: "reject", calledBack: true, rules: [] })
  const back = receiptClaims({ case: aCase(), ...said, decision: { ...said.decision, verb: "reject", votes: [vote] } })

  expect(back.votes).toMatchObject([{ verb: "reject", calledBack: true, rules: [] }])
  expect(claimsSchema.parse(back)).toEqual(back)
})

test("the record that was decided agrees, whatever moved by itself and whoever the platform says resolved it", () => {
  const moved = { runStatus: "COMPLETED", updatedAt: noon + 1, resolvedBy: "sa:countersign" }

  expect(recordMismatches({ claims, receipt }, aRecord(moved))).toEqual([])
})

test.each<[RecordMismatch, Approval]>([
  ["approval", aRecord({ id: "a-2" })],
  ["status", aRecord({ status: "rejected" })],
  ["digest", aRecord({ toolArgs: { table: "orders" } })],
  ["decision", aRecord({}, { countersign: { decision_id: "d2", receipt } })],
  ["receipt", aRecord({}, { countersign: { decision_id: "d1", receipt: "another" } })],
  ["filled", aRecord({}, { values: { amount: 6 } })],
  ["filled", aRecord({}, { result: "made up" })],
])("a record with another %s is told", (mismatch, record) => {
  expect(recordMismatches({ claims, receipt }, record)).toContain(mismatch)
})

test("a record whose calls are not those that were decided is told", () => {
  const approval = anApproval({ requirements: [aRequirement("pay")] })
  const about = receiptClaims({ case: aCase({ approval }), ...said })
  const none = { ...about, calls: [] } as typeof about

  expect(recordMismatches({ claims: about, receipt }, aRecord({ requirements: approval.requirements }))).toEqual([])
  expect(recordMismatches({ claims: none, receipt }, aRecord({ requirements: approval.requirements }))).toEqual([
    "calls",
  ])
})

test("a record without any resolution data agrees in its content only", () => {
  expect(recordMismatches({ claims, receipt }, aRecord({ resolutionData: null }))).toEqual([
    "decision",
    "receipt",
    "filled",
  ])
})

test("R2 a number that a double cannot hold is compared digit by digit", () => {
  const args = (text: string) => parseJson(text) as JsonObject
  const approval = anApproval({ toolArgs: args('{"id": 12345678901234567890}') })
  const exact = receiptClaims({ case: aCase({ approval }), ...said })
  const off = aRecord({ toolArgs: args('{"id": 12345678901234567891}') })

  expect(recordMismatches({ claims: exact, receipt }, aRecord({ toolArgs: approval.toolArgs }))).toEqual([])
  expect(recordMismatches({ claims: exact, receipt }, off)).toEqual(["digest"])
})
