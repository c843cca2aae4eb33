// The platform's record: what we send to it (a frozen body, R9), who decided it (R10), and how the case settles by it.
import type { Case, Outcome, Step } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import { type Notice, notice } from "../../domain/case/notice.ts"
import { receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../domain/case/receipt.ts"
import { awaitRun, doubted, isResuming, withheldAtOnce } from "../../domain/case/resumption.ts"
import { andThen, joined } from "../../domain/case/steps.ts"
import { settle, subjectOf } from "../../domain/case/verdict.ts"
import { type Decision, forWhom, isBroken, isCalledBack, quotasFor, type Vote } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { hashOf } from "../../domain/content/canonical.ts"
import { digestOf } from "../../domain/content/digest.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { agentRunOf, leftToAgnoSlack, type Run } from "../../domain/content/run.ts"
import { personKey } from "../../domain/people/person.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import { advance, underAnyConfig } from "../case/commit.ts"
import { createTeacher } from "../people/fingerprints.ts"
import type { Ports } from "../ports.ts"
import { forgottenGlass } from "./record.ts"
import { withSums } from "./sums-after.ts"

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
  const good = expiresAt === undefined || decision.by === "expiry" ? {} : { expiresAt }
  return { decision: { ...decision, ...good }, body, receipt }
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

/**
 * The JSON text of the resolve. `resolved_by` names the person whose vote completed the decision; `approvers` names
 * all.
 */
function bodyOf(seal: Seal, { case: current, decision, filled, receipt }: Frozen): string {
  const reason = decision.by === "expiry" ? "nobody decided in time" : (decision.votes.at(-1)?.reason ?? null)
  const quotas = quotasFor(current.revision, decision.votes[0]?.values ?? null)
  const countersign = {
    decision_id: decision.id,
    installation: current.installation,
    approvers: decision.votes.map((vote) => {
      return { slack: personKey(vote.person), subject: vote.subject, ...forWhom(vote), at: vote.at }
    }),
    reason,
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

/** What we know besides the record. `told`: a notice to tell with it. `answered`: it is the answer to the resolve. */
interface Beside {
  readonly told?: Notice
  readonly answered?: true
}

/** Settles a case and its cards by the decided record. A settled case stays as it is. */
export async function settleByRecord(
  ports: Ports,
  current: Case,
  record: Approval,
  { told, answered }: Beside = {},
): Promise<Case> {
  const at = ports.clock()
  const run = answered === true ? runBehind(ports, current, record) : null
  // Before the commit: if we crash after it, nobody has a reason to look at the record again.
  const { status, resolvedBy } = record
  const origin = originOf(ports.seal, current, record).kind
  if (origin === "forged") ports.alarm({ code: "forged-resolution", caseId: current.id, status, resolvedBy })
  if (origin === "ended") ports.alarm({ code: "ended-verdict-sent", caseId: current.id, status, resolvedBy })
  const forgotten = origin === "lost" ? forgottenGlass(record, current.id) : null
  if (forgotten !== null) ports.alarm(forgotten)
  const teach = createTeacher(ports)
  // A proposal that was approved has made another config the active one. That it was rests on no rule.
  const committing = current.instance === builtInInstance ? { ...ports, ...underAnyConfig(ports) } : ports
  const done = await advance(committing, current, async (now) => {
    const step = settleStep(ports, now, record, at)
    const whole =
      step === null ? null : joined(now, [() => step, (next) => (told === undefined ? null : notice(next, told))])
    if (whole === null) return null
    await ports.foreseen?.(whole.next)
    return { ...(await withSums(ports, now, whole)), fingerprints: await teach(now, whole.next) }
  })
  const settled = done.kind === "duplicate" ? current : done.case
  if (isResuming(settled)) {
    const atOnce = done.kind === "committed" && run !== null ? { current: settled, record, run } : undefined
    await ports.jobs.resume(settled.id, 0, atOnce)
  }
  await ports.jobs.present(current.id)
  return settled
}

/**
 * The run of an agent whose approval the platform has just resolved, read while the case settles. We begin only after
 * the platform took the decision, so it shows what became of the run until then. Null if we continue nothing, or have
 * to look at more than this one run.
 */
function runBehind(ports: Ports, { instance, id }: Case, record: Approval): Promise<Run | null> | null {
  const [runs, address] = [ports.runs.get(instance), agentRunOf(record)]
  if (runs === undefined || address === null) return null
  return runs.read(address).catch((error: unknown) => {
    ports.log.debug("run-not-read-at-once", { caseId: id, error })
    return null
  })
}

/**
 * Settles a case by the short form of its record, if we cannot read all of it. Without the whole record we cannot tell
 * whether it is ours (R10).
 */
export async function settleByEnd(
  ports: Ports,
  current: Case,
  end: { readonly status: string; readonly resolvedBy: string | null },
): Promise<Case> {
  const at = ports.clock()
  const { status, resolvedBy } = end
  const event: CaseEvent = { kind: "elsewhere", at, status, resolvedBy, claimsToBeOurs: false }
  ports.alarm({ code: "unverified-resolution", caseId: current.id, status, resolvedBy })
  const done = await advance(ports, current, async (now) =>
    now.state === "open" || now.state === "sending"
      ? withSums(ports, now, settle(now, { kind: "elsewhere", status, resolvedBy, at }, event))
      : null,
  )
  const settled = done.kind === "duplicate" ? current : done.case
  await ports.jobs.present(current.id)
  return settled
}

function settleStep(ports: Ports, current: Case, record: Approval, at: number): Step | null {
  if (current.state !== "open" && current.state !== "sending") return null
  const origin = originOf(ports.seal, current, record)
  const settled = settle(current, outcomeOf(origin, record, at), settledEvent(ports, origin, record, at))
  const awaited = andThen(settled, (next) => resumeStep(ports, next, origin, at))
  return current.sending?.doubtfulAt === undefined ? awaited : { ...awaited, next: doubted(awaited.next) }
}

/**
 * Decides whether we continue the run: only after a decision of ours (R10). If Redis lost the decision, we may have
 * continued the run already, so we do not (R17).
 */
function resumeStep(ports: Ports, settled: Case, origin: RecordOrigin, at: number): Step {
  const { resume: mode = "off", besideAgnoSlack = false } = ports.conduct.get(settled.instance) ?? {}
  if (mode === "off" || !("decisionId" in origin)) return { next: settled, events: [] }
  if (origin.kind === "lost") return withheldAtOnce(settled, "nobody knows whether it was continued already", at)
  const left = leftToAgnoSlack(settled.approval?.sessionId ?? "", besideAgnoSlack)
  if (left !== null) return withheldAtOnce(settled, left, at)
  const rejected = settled.outcome?.kind === "ours" && settled.outcome.verb === "reject"
  if (mode === "approved" && rejected) return withheldAtOnce(settled, "only approved runs are continued here", at)
  return { next: awaitRun(settled, at), events: [] }
}

function outcomeOf(origin: RecordOrigin, record: Approval, at: number): Outcome {
  const { resolvedBy, status } = record
  if (origin.kind === "ours" || origin.kind === "lost") {
    return { kind: "ours", verb: verbOf(status), decisionId: origin.decisionId, resolvedBy, at }
  }
  return { kind: "elsewhere", status, resolvedBy, at: record.resolvedAt ?? at }
}

function settledEvent(ports: Ports, origin: RecordOrigin, record: Approval, at: number): CaseEvent {
  const { resolvedBy, status } = record
  switch (origin.kind) {
    case "ours":
      return {
        kind: "resolved",
        at,
        decision: origin.decisionId,
        verb: verbOf(status),
        resolvedBy,
        sandbox: ports.sandbox,
      }
    case "lost":
      return { kind: "recovered", at, decision: origin.decisionId, verb: verbOf(status), resolvedBy }
    case "ended":
    case "forged":
    case "foreign":
      return { kind: "elsewhere", at, status, resolvedBy, claimsToBeOurs: origin.kind !== "foreign" }
  }
}

function verbOf(status: string): Verb {
  return status === "approved" ? "approve" : "reject"
}
