// How a case settles by the platform's record, and whether we continue its run then.
import { type Case, caseIdOf, type Outcome, type ProposalOutcome, type Step } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import { type Notice, notice } from "../../domain/case/notice.ts"
import { awaitRun, doubted, isResuming, withheldAtOnce } from "../../domain/case/resumption.ts"
import { andThen, joined } from "../../domain/case/steps.ts"
import { settle } from "../../domain/case/verdict.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { agentRunOf, leftToAgnoSlack, type Run } from "../../domain/content/run.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import { readProposalOver } from "../../domain/rule/proposal.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import { advance, underAnyConfig } from "../case/commit.ts"
import { createTeacher } from "../people/fingerprints.ts"
import type { Ports } from "../ports.ts"
import { originOf, type RecordOrigin } from "./freeze.ts"
import { forgottenGlass } from "./record.ts"
import { withSums } from "./sums-after.ts"

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
  const over = overOf(current, record)
  const settled = settle(
    current,
    outcomeOf(origin, record, { at, over }),
    settledEvent(ports, origin, record, { at, over }),
  )
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

interface Ending {
  readonly at: number
  /** Set if the record is a proposal that nobody decided. */
  readonly over: ProposalOutcome | null
}

/** How a proposal of other rules ended that nobody decided. Only the built-in instance says so of its records. */
function overOf({ installation, instance }: Case, { resolutionData }: Approval): ProposalOutcome | null {
  const over = instance === builtInInstance ? readProposalOver(resolutionData) : null
  if (over === null) return null
  const { how, newer } = over
  return { how, ...(newer !== null && { newer: caseIdOf(installation, builtInInstance, newer) }) }
}

function outcomeOf(origin: RecordOrigin, record: Approval, { at, over }: Ending): Outcome {
  const { resolvedBy, status } = record
  if (origin.kind === "ours" || origin.kind === "lost") {
    return { kind: "ours", verb: verbOf(status), decisionId: origin.decisionId, resolvedBy, at }
  }
  return { kind: "elsewhere", status, resolvedBy, at: record.resolvedAt ?? at, ...(over && { proposal: over }) }
}

function settledEvent(ports: Ports, origin: RecordOrigin, record: Approval, { at, over }: Ending): CaseEvent {
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
    case "foreign": {
      const claimsToBeOurs = origin.kind !== "foreign"
      return { kind: "elsewhere", at, status, resolvedBy, claimsToBeOurs, ...(over && { proposal: over }) }
    }
  }
}

function verbOf(status: string): Verb {
  return status === "approved" ? "approve" : "reject"
}
