// How a case settles when the platform's record was decided: by us, by somebody else, or by a decision of ours that Redis lost.
import { leftToAgnoSlack } from "../domain/content/run.ts"
import type { Approval } from "../domain/content/approval.ts"
import type { Case, Outcome, Step } from "../domain/case/case.ts"
import type { CaseEvent } from "../domain/case/event.ts"
import type { Verb } from "../domain/policy/judge.ts"
import { type Notice, notice } from "../domain/case/notice.ts"
import { awaitRun, isResuming, withheldAtOnce } from "../domain/case/resumption.ts"
import { andThen, stepTo } from "../domain/case/steps.ts"
import { settle } from "../domain/case/verdict.ts"
import { advanceCase } from "./access.ts"
import { type Origin, originOf } from "./body.ts"
import type { Ports } from "./ports.ts"

/** `foreseen` hears of the settled case before it is committed: what the platform's record says is so, whether Redis takes it or not. */
export type SettlePorts = Pick<Ports, "store" | "seal" | "clock" | "alarm" | "jobs" | "sandbox" | "conduct"> & {
  readonly foreseen?: (next: Case) => void
}

/** True if the platform's record is no longer pending. */
export function isDecided(record: Approval): boolean {
  return record.status !== "pending"
}

/** Settles a case by the platform's decided record, with a notice of what else it says, and has its cards brought up to date. Does nothing to one that is settled. */
export async function settleByRecord(
  ports: SettlePorts,
  current: Case,
  record: Approval,
  told: Notice | null = null,
): Promise<Case> {
  const at = ports.clock()
  // Before the commit: once that is made, whoever comes after a cut has no reason to look at the record again.
  const { status, resolvedBy } = record
  const origin = originOf(ports.seal, current, record).kind
  if (origin === "forged") ports.alarm({ code: "forged-resolution", caseId: current.id, status, resolvedBy })
  if (origin === "ended") ports.alarm({ code: "ended-verdict-sent", caseId: current.id, status, resolvedBy })
  const settled = await advanceCase(ports, current, (now) => {
    const step = settleStep(ports, now, record, at)
    const whole =
      step === null || told === null ? step : andThen(step, (next) => notice(next, told) ?? stepTo(next, []))
    if (whole !== null) ports.foreseen?.(whole.next)
    return whole
  })
  if (isResuming(settled)) await ports.jobs.resume(settled.id, 0)
  await ports.jobs.present(current.id)
  return settled
}

/** Settles a case whose record can't be read any more by what its short form says. Without the record it can't be told as ours (R10). */
export async function settleByEnd(
  ports: SettlePorts,
  current: Case,
  end: { readonly status: string; readonly resolvedBy: string | null },
): Promise<Case> {
  const at = ports.clock()
  const { status, resolvedBy } = end
  const event: CaseEvent = { kind: "elsewhere", at, status, resolvedBy, claimsToBeOurs: false }
  ports.alarm({ code: "unverified-resolution", caseId: current.id, status, resolvedBy })
  const settled = await advanceCase(ports, current, (now) =>
    now.state === "open" || now.state === "sending"
      ? settle(now, { kind: "elsewhere", status, resolvedBy, at }, event)
      : null,
  )
  await ports.jobs.present(current.id)
  return settled
}

function settleStep(ports: SettlePorts, current: Case, record: Approval, at: number): Step | null {
  if (current.state !== "open" && current.state !== "sending") return null
  const origin = originOf(ports.seal, current, record)
  const settled = settle(current, outcomeOf(origin, record, at), eventOf(ports, origin, record, at))
  return andThen(settled, (next) => resumeStep(ports, next, origin, at))
}

/** Only after a decision of ours is a run ever continued (R10), and after one that Redis lost nobody knows whether it was already (R17). */
function resumeStep(ports: SettlePorts, settled: Case, origin: Origin, at: number): Step {
  const { resume: mode = "off", besideAgnoSlack = false } = ports.conduct.get(settled.instance) ?? {}
  if (mode === "off" || !("decisionId" in origin)) return { next: settled, events: [] }
  if (origin.kind === "lost") return withheldAtOnce(settled, "nobody knows whether it was continued already", at)
  const left = leftToAgnoSlack(settled.approval?.sessionId ?? "", besideAgnoSlack)
  if (left !== null) return withheldAtOnce(settled, left, at)
  const rejected = settled.outcome?.kind === "ours" && settled.outcome.verb === "reject"
  if (mode === "approved" && rejected) return withheldAtOnce(settled, "only approved runs are continued here", at)
  return { next: awaitRun(settled, at), events: [] }
}

function outcomeOf(origin: Origin, record: Approval, at: number): Outcome {
  const { resolvedBy, status } = record
  if (origin.kind === "ours" || origin.kind === "lost") {
    return { kind: "ours", verb: verbOf(status), decisionId: origin.decisionId, resolvedBy, at }
  }
  return { kind: "elsewhere", status, resolvedBy, at: record.resolvedAt ?? at }
}

function eventOf(ports: SettlePorts, origin: Origin, record: Approval, at: number): CaseEvent {
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
