// A receipt: what we sign of a decision, and how it compares with a platform's record. Pure; `proof` signs it.
import type { z } from "zod"
import type { Approval } from "../content/approval.ts"
import { callDigests } from "../content/call-digest.ts"
import { hashOf, sha256 } from "../content/canonical.ts"
import { digestOf } from "../content/digest.ts"
import { isJsonObject, type JsonObject } from "../content/json.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { personKey } from "../people/person.ts"
import type { Case } from "./case.ts"
import type { claimsSchema, receiptVoteSchema } from "./record/claims-record.ts"
import { type Decision, forWhom, isBroken, quotasFor, type Vote } from "./vote.ts"

/** One vote of a decision, as a receipt names it. */
export type ReceiptVote = Frozen<z.infer<typeof receiptVoteSchema>>

/** What a receipt says; it is JSON. */
export type ReceiptClaims = Frozen<z.infer<typeof claimsSchema>>

/** The longest time after the decision in which a gate lets approved calls begin. */
export const longestReceiptLifeMs = 7 * 24 * 3_600_000

/** The time after the decision in which a gate lets approved calls begin, unless the instance says otherwise. */
export const usualReceiptLifeMs = 24 * 3_600_000

/** What a receipt is for. A gate accepts no `rejection`, and accepts a `sandbox-approval` only in a sandbox. */
export type ReceiptPurpose = "approval" | "sandbox-approval" | "rejection"

/** The purpose of a receipt with these claims. */
export function receiptPurpose({ verdict, sandbox }: ReceiptClaims): ReceiptPurpose {
  if (verdict === "reject") return "rejection"
  return sandbox ? "sandbox-approval" : "approval"
}

/** What a receipt says about a decision. `filled` is what goes into `resolution_data` beside `countersign`. */
export function receiptClaims(options: {
  readonly case: Case
  readonly decision: Decision
  readonly filled: JsonObject
  readonly sandbox: boolean
  /** How long after the decision its calls may begin, in ms. */
  readonly lifeMs: number
}): ReceiptClaims {
  const { case: current, decision, filled, sandbox, lifeMs } = options
  const { installation, instance, approvalId: approval, revision } = current
  const claims = {
    version: 2,
    installation,
    instance,
    approval,
    revision: revision.number,
    digest: revision.digest,
    decision: decision.id,
    at: decision.at,
    votes: decision.votes.map(voteClaims),
    rules: quotasFor(revision, decision.votes[0]?.values ?? null).map(({ name, hash, quorum }) => ({
      name,
      hash,
      quorum,
    })),
    filled: filledHash(filled),
    sandbox,
  } as const
  if (decision.verb === "reject") return { ...claims, verdict: "reject" }
  const glass = isBroken(decision) ? { glass: true as const } : {}
  return { ...claims, ...glass, verdict: "approve", calls: callsOf(current, filled), expires: decision.at + lifeMs }
}

function callsOf({ approval }: Case, filled: JsonObject): readonly string[] {
  return approval === null ? [] : callDigests(approval, valuesIn(filled))
}

function valuesIn({ values }: JsonObject): JsonObject {
  return isJsonObject(values) ? values : {}
}

function voteClaims(vote: Vote): ReceiptVote {
  const { person, subject, verb, at, surface, rules, calledBack } = vote
  const under = { rules: rules.map((rule) => rule.name), ...forWhom(vote) }
  const said = { person: personKey(person), subject, verb, at, surface, ...under }
  return calledBack === undefined ? said : { ...said, calledBack }
}

function filledHash(filled: JsonObject): string | null {
  return Object.keys(filled).length === 0 ? null : hashOf(filled)
}

/** The name of a receipt in the ledger: SHA-256 of its compact text, as 64 hex characters. */
export function receiptHash(receipt: string): string {
  return sha256(receipt)
}

/** A point in which a platform's record can differ from a receipt. */
export type RecordMismatch = "approval" | "status" | "digest" | "decision" | "receipt" | "filled" | "calls"

/**
 * Everything in which a record differs from the decision in a receipt; empty if nothing does. This computes the digest
 * anew from the record's content. It does not compare `resolved_by`: a platform with authorization may put its token's
 * subject there.
 */
export function recordMismatches(
  { claims, receipt }: { readonly claims: ReceiptClaims; readonly receipt: string },
  record: Approval,
): readonly RecordMismatch[] {
  const { countersign, ...filled } = record.resolutionData ?? {}
  const mark = isJsonObject(countersign) ? countersign : {}
  const checks: Readonly<Record<RecordMismatch, boolean>> = {
    approval: record.id === claims.approval,
    status: record.status === (claims.verdict === "approve" ? "approved" : "rejected"),
    digest: digestOf({ ...record, instance: claims.instance }) === claims.digest,
    decision: mark["decision_id"] === claims.decision,
    receipt: mark["receipt"] === receipt,
    filled: filledHash(filled) === claims.filled,
    calls: claims.verdict === "reject" || hashOf(claims.calls) === hashOf(callDigests(record, valuesIn(filled))),
  }
  const codes: readonly RecordMismatch[] = ["approval", "status", "digest", "decision", "receipt", "filled", "calls"]
  return codes.filter((code) => !checks[code])
}
