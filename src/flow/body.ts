// The body of a resolve: built once, frozen with the verdict, recognised when the platform's record comes back (R9, R10).
import type { Approval } from "../domain/content/approval.ts"
import { hashOf } from "../domain/content/canonical.ts"
import type { Case, Decision } from "../domain/case/case.ts"
import { digestOf } from "../domain/content/digest.ts"
import { isJsonObject, type JsonObject } from "../domain/content/json.ts"
import type { Verb } from "../domain/policy/judge.ts"
import { personKey } from "../domain/people/person.ts"
import { receiptClaims } from "../domain/case/receipt.ts"
import type { Seal } from "../domain/proof/seal.ts"
import { subjectOf } from "../domain/case/verdict.ts"
import type { Vote } from "../domain/case/vote.ts"
import type { Ports } from "./ports.ts"

/** What freezing a verdict takes. */
export type SigningPorts = Pick<Ports, "seal" | "receipts" | "sandbox">

/** The words of the platform for a verdict (specification 4.1). */
export function statusOf(verb: Verb): "approved" | "rejected" {
  return verb === "approve" ? "approved" : "rejected"
}

/** The decision that these votes make: its id is theirs, so that it is made once whoever makes it. */
export function decisionOf(current: Case, verb: Verb, votes: readonly Vote[], at: number): Decision {
  const id = hashOf({
    case: current.id,
    revision: current.revision.number,
    verb,
    votes: votes.map((vote) => vote.mac).toSorted(),
  })
  return { id: id.slice(0, 32), verb, votes, at }
}

/** The body of a decision and the receipt in it, signed over what the body says. From its commit on only this body is sent (R9). */
export async function freezeVerdict(
  ports: SigningPorts,
  current: Case,
  decision: Decision,
): Promise<{ readonly body: string; readonly receipt: string }> {
  const filled = filledOf(decision)
  const claims = receiptClaims({ case: current, decision, filled, sandbox: ports.sandbox })
  const receipt = await ports.receipts.sign("receipt", claims)
  return { body: bodyOf(ports.seal, { case: current, decision, filled, receipt }), receipt }
}

/**
 * What the platform reads beside `countersign`: `values` for user input, `result` for external execution
 * (`docs/platform-facts.md` 4).
 */
function filledOf(decision: Decision): JsonObject {
  const { values, result } = decision.votes.at(-1)?.values ?? {}
  return { ...(values === undefined ? {} : { values }), ...(result === undefined ? {} : { result }) }
}

interface Frozen {
  readonly case: Case
  readonly decision: Decision
  readonly filled: JsonObject
  readonly receipt: string
}

/** The exact JSON text of the resolve. `resolved_by` names the person whose vote completed the decision; `approvers` names all. */
function bodyOf(seal: Seal, { case: current, decision, filled, receipt }: Frozen): string {
  const reason = decision.by === "expiry" ? "nobody decided in time" : (decision.votes.at(-1)?.reason ?? null)
  const countersign = {
    decision_id: decision.id,
    installation: current.installation,
    approvers: decision.votes.map((vote) => ({ slack: personKey(vote.person), subject: vote.subject, at: vote.at })),
    reason,
    digest: current.revision.digest,
    rules: current.revision.quotas.map(({ name, hash }) => ({ name, hash })),
    mac: markOf(seal, current, {
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

function markOf(seal: Seal, current: Pick<Case, "installation" | "instance" | "approvalId">, marked: Marked): string {
  return seal.mac("resolution", contentOf(current, marked))
}

function contentOf(current: Pick<Case, "installation" | "instance" | "approvalId">, marked: Marked): JsonObject {
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
 * Whose a decided record is. `ours`: our decision's id, status, digest and MAC, on the content that the digest is of. `lost`: our valid MAC
 * on a decision that the case does not know (R17). `ended`: our valid MAC on a decision that had ended: somebody else sent it (R9). `forged`: it
 * claims to be ours and is not. `foreign`: anybody else's.
 */
export type Origin =
  | { readonly kind: "ours"; readonly decisionId: string }
  | { readonly kind: "lost"; readonly decisionId: string }
  | { readonly kind: "ended" | "forged" | "foreign" }

/** Tells whose a decided record is (R10). */
export function originOf(seal: Seal, current: Case, record: Approval): Origin {
  const mark = record.resolutionData?.["countersign"]
  if (!isJsonObject(mark)) return { kind: "foreign" }
  const { decision_id: decisionId, digest, mac } = mark
  if (mark["installation"] !== current.installation && decisionId !== current.decision?.id) return { kind: "foreign" }
  if (typeof decisionId !== "string" || typeof digest !== "string" || typeof mac !== "string") return { kind: "forged" }
  if (!seal.verify("resolution", contentOf(current, { decisionId, status: record.status, digest }), mac))
    return { kind: "forged" }
  if (digestOf(record) !== digest) return { kind: "forged" }
  if (current.ended.includes(decisionId)) return { kind: "ended" }
  const known = current.decision
  if (known === null) return { kind: "lost", decisionId }
  const same = known.id === decisionId && statusOf(known.verb) === record.status && digest === current.revision.digest
  return same ? { kind: "ours", decisionId } : { kind: "lost", decisionId }
}
