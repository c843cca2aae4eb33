// The verdict as we send it: one frozen body (R9), and the mark in it by which a record proves that it is ours (R10).
import type { Case } from "../../domain/case/case.ts"
import { receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../domain/case/receipt.ts"
import { reasonOf, subjectOf } from "../../domain/case/verdict.ts"
import { type Decision, forWhom, isBroken, isCalledBack, quotasFor, type Vote } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { hashOf } from "../../domain/content/canonical.ts"
import { digestOf } from "../../domain/content/digest.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { personKey } from "../../domain/people/person.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import type { Ports } from "../ports.ts"

/** The ports that freezing a verdict needs. */
export type SigningPorts = Pick<Ports, "seal" | "receipts" | "sandbox" | "conduct">

/** The platform's word for a verdict (specification 4.1). */
export function statusOf(verb: Verb): "approved" | "rejected" {
  return verb === "approve" ? "approved" : "rejected"
}

/** The decision that these votes make. Its id follows from them, so every process makes the same decision. */
export function decisionOf(current: Case, verb: Verb, votes: readonly Vote[], at: number): Decision {
  const id = hashOf({
    case: current.id,
    revision: current.revision.number,
    verb,
    votes: votes.map((vote) => vote.mac).toSorted(),
  })
  return { id: id.slice(0, 32), verb, votes, at }
}

/** A verdict as it is sent, its receipt, and its decision. The decision says until when a gate lets the calls run. */
export interface FrozenVerdict {
  readonly decision: Decision
  readonly body: string
  readonly receipt: string
}

/** The body of a decision with its signed receipt. After the commit of this body, we send no other (R9). */
export async function freezeVerdict(ports: SigningPorts, current: Case, decision: Decision): Promise<FrozenVerdict> {
  const filled = filledOf(decision)
  const lifeMs = ports.conduct.get(current.instance)?.receiptLifeMs ?? usualReceiptLifeMs
  const claims = receiptClaims({ case: current, decision, filled, sandbox: ports.sandbox, lifeMs })
  const receipt = await ports.receipts.sign(receiptPurpose(claims), claims)
  const body = bodyOf(ports.seal, { case: current, decision, filled, receipt })
  const { expires: expiresAt } = claims
  const good = expiresAt === undefined || decision.by !== undefined ? {} : { expiresAt }
  return { decision: { ...decision, ...good }, body, receipt }
}

/**
 * What the platform reads beside `countersign`: `values` for user input, `result` for external execution
 * (`docs/platform-facts.md` 4); of a rejection, the `proposal`.
 */
function filledOf({ verb, votes }: Decision): JsonObject {
  const { values, result, proposal } = votes.at(-1)?.values ?? {}
  if (verb === "reject") return proposal === undefined ? {} : { proposal }
  return { ...(values === undefined ? {} : { values }), ...(result === undefined ? {} : { result }) }
}

interface Frozen {
  readonly case: Case
  readonly decision: Decision
  readonly filled: JsonObject
  readonly receipt: string
}

/**
 * The JSON text of the resolve. `resolved_by` names the person whose vote completed the decision; `approvers` names
 * all. Of a repeat, `again` names the decision that it repeats, and `until` when the call may be asked again.
 */
function bodyOf(seal: Seal, { case: current, decision, filled, receipt }: Frozen): string {
  const quotas = quotasFor(current.revision, decision.votes[0]?.values ?? null)
  const countersign = {
    decision_id: decision.id,
    installation: current.installation,
    approvers: decision.votes.map((vote) => {
      return { slack: personKey(vote.person), subject: vote.subject, ...forWhom(vote), at: vote.at }
    }),
    reason: decision.by === "expiry" ? "nobody decided in time" : reasonOf(decision),
    ...(decision.by === "again" ? { again: decision.as.decision, until: decision.until } : {}),
    ...(isCalledBack(decision) ? { called_back: true } : {}),
    ...(isBroken(decision) ? { glass: true } : {}),
    digest: current.revision.digest,
    rules: quotas.map(({ name, hash }) => ({ name, hash })),
    mac: macOfMark(seal, current, {
      decisionId: decision.id,
      status: statusOf(decision.verb),
      digest: current.revision.digest,
    }),
    receipt,
  }
  const data = { ...filled, countersign }
  return JSON.stringify({ status: statusOf(decision.verb), resolved_by: subjectOf(decision), resolution_data: data })
}

interface Marked {
  readonly decisionId: string
  readonly status: string
  readonly digest: string
}

function macOfMark(
  seal: Seal,
  current: Pick<Case, "installation" | "instance" | "approvalId">,
  marked: Marked,
): string {
  return seal.mac("resolution", markedContent(current, marked))
}

function markedContent(current: Pick<Case, "installation" | "instance" | "approvalId">, marked: Marked): JsonObject {
  const { installation, instance, approvalId } = current
  return {
    installation,
    instance,
    approval: approvalId,
    decision: marked.decisionId,
    status: marked.status,
    digest: marked.digest,
  }
}

/**
 * Who made a decided record. `ours`: it has our decision's id, status, digest and MAC, and the digest's content.
 * `lost`: it has our valid MAC, but the case does not know the decision (R17). `ended`: it has our valid MAC, but the
 * decision had ended: somebody else sent it (R9). `forged`: it claims to be ours and is not. `foreign`: anybody else
 * made it.
 */
export type RecordOrigin =
  | { readonly kind: "ours"; readonly decisionId: string }
  | { readonly kind: "lost"; readonly decisionId: string }
  | { readonly kind: "ended" | "forged" | "foreign" }

/** Says who made a decided record (R10). */
export function originOf(seal: Seal, current: Case, record: Approval): RecordOrigin {
  const mark = record.resolutionData?.["countersign"]
  if (!isJsonObject(mark)) return { kind: "foreign" }
  const { decision_id: decisionId, digest, mac } = mark
  if (mark["installation"] !== current.installation && decisionId !== current.decision?.id) return { kind: "foreign" }
  if (typeof decisionId !== "string" || typeof digest !== "string" || typeof mac !== "string") return { kind: "forged" }
  if (!seal.verify("resolution", markedContent(current, { decisionId, status: record.status, digest }), mac))
    return { kind: "forged" }
  if (digestOf(record) !== digest) return { kind: "forged" }
  if (current.ended.includes(decisionId)) return { kind: "ended" }
  const known = current.decision
  if (known === null) return { kind: "lost", decisionId }
  const same = known.id === decisionId && statusOf(known.verb) === record.status && digest === current.revision.digest
  return same ? { kind: "ours", decisionId } : { kind: "lost", decisionId }
}
