// Reconcile: compares a case with the platform's record and repairs it: decided elsewhere, gone, changed, cut off.
import type { Case, Step } from "../../domain/case/case.ts"
import { comeBack, isGone } from "../../domain/case/renewal-steps.ts"
import { isResuming } from "../../domain/case/resumption.ts"
import { revise, revisionNeeded, takeUpAgain } from "../../domain/case/steps.ts"
import { comparedUnder, found } from "../../domain/case/verdict.ts"
import { isSound, isTallied } from "../../domain/case/vote.ts"
import { type Approval, isDecided } from "../../domain/content/approval.ts"
import type { PolicyNow } from "../../domain/policy/policy.ts"
import { advanceCase, type RenewPorts, readCase, renewAll, renewed } from "../case/commit.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import { type CircumstancesPorts, policyFor } from "../people/circumstances.ts"
import { type Ports, platformOf } from "../ports.ts"
import { countMiss, readRecord } from "./record.ts"
import { type ResolvePorts, resolve } from "./send.ts"
import { settleByEnd, settleByRecord } from "./settle.ts"

export type ReconcilePorts = ResolvePorts & CircumstancesPorts

/** How long until a missing approval is asked for again, in ms. */
const askAgainMs = 5_000

/** Compares one case with its record. Goes on with a verdict that is on its way. */
export async function reconcile(ports: ReconcilePorts, caseId: string): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return
  if (current.state === "sending") return resolve(ports, caseId)
  if (current.state === "closed") return lookAgain(ports, current)
  if (current.state !== "open") return
  const read = await readRecord(platformOf(ports, current), current.approvalId)
  if (read.kind === "ended") await settleByEnd(ports, current, read)
  else await reconcileWith(ports, current, read.kind === "record" ? read.record : null)
}

/** Brings an open case into line with a record that was just read. Returns the case as it is then. */
export async function reconcileWith(ports: ReconcilePorts, current: Case, record: Approval | null): Promise<Case> {
  if (record === null) return missing(ports, current)
  if (isDecided(record)) return settleByRecord(ports, current, record)
  const epoch = await ports.store.epoch()
  const policy = await policyFor(ports, record)
  const next = await advanceCase(ports, current, (now) => inLine(ports, now, { record, epoch, policy }))
  const revised = next.revision.number !== current.revision.number
  if (!revised && next.epoch === current.epoch) return next
  if (revised) await scheduleDeadline(ports, next)
  await ports.jobs.present(current.id)
  return next
}

/** One step for everything that a pending record can require; null if nothing has to change. */
function inLine(ports: ReconcilePorts, current: Case, { record, epoch, policy }: Compared): Step | null {
  if (current.state !== "open") return null
  const at = ports.clock()
  if (revisionNeeded(current, record, policy) !== null) {
    const step = revise(current, record, policy, at)
    return { next: { ...step.next, epoch, missing: null }, events: step.events }
  }
  if (current.missing !== null) return found(current, at)
  const { revision } = policy
  return current.epoch === epoch && current.revision.policy === revision
    ? null
    : comparedUnder(current, epoch, revision)
}

/** What an open case is compared with. */
interface Compared {
  readonly record: Approval
  readonly epoch: string
  readonly policy: PolicyNow
}

async function missing(ports: ReconcilePorts, current: Case): Promise<Case> {
  const missed = await countMiss(ports, current)
  if (missed.state === "open") await ports.jobs.reconcile(current.id, askAgainMs)
  return missed
}

/** A closed case whose approval is pending: it had only seemed gone, or the platform lost its record of the end. */
async function lookAgain(ports: ReconcilePorts, closed: Case): Promise<void> {
  const record = await platformOf(ports, closed).get(closed.approvalId)
  if (record === null || isDecided(record)) return
  ports.alarm({ code: "pending-again", caseId: closed.id, approval: closed.approvalId })
  const current = await renewed(ports, closed)
  const policy = await policyFor(ports, record)
  const back = await advanceCase(ports, current, (now) =>
    now.state === "closed" ? again(ports, now, record, policy) : null,
  )
  await scheduleDeadline(ports, back)
  await ports.jobs.present(back.id)
  if (back.state === "sending") await ports.jobs.resolve(back.id, 0)
}

/**
 * If an approval only seemed gone and is as it was, its case goes on with what people did, if that is sound. Else all
 * begins anew.
 */
function again(ports: ReconcilePorts, current: Case, record: Approval, policy: PolicyNow): Step {
  const at = ports.clock()
  const same = isGone(current) && revisionNeeded(current, record, policy) === null
  const sound = current.decision === null || (current.sending !== null && isTallied(ports.seal, current))
  if (!same || !sound) return takeUpAgain(current, record, policy, at)
  return comeBack(current, record, { votes: current.votes.filter((vote) => isSound(ports.seal, current, vote)), at })
}

/** How long a turn of the sweep lasts, in ms: each turn begins where the one before it ended. */
const turnMs = 5_000
/** A younger POST may still get its answer, in ms; the sweep sends no other beside it. */
const postMs = 12_000

/** Takes up every case with work left: cut off by a crash, not posted yet, or due while the clock was lost. */
export async function sweep(ports: RenewPorts & Pick<Ports, "summaries">): Promise<void> {
  await renewAll(ports)
  const turn = Math.floor(ports.clock() / turnMs)
  for (const caseId of await ports.store.unfinished(500, turn)) await takeUp(ports, caseId)
  for (const route of await ports.summaries.routes()) await ports.jobs.summarise(route)
  const [next] = await ports.store.deadlines(1)
  if (next !== undefined && next.at <= ports.clock()) await ports.jobs.remind(0)
}

async function takeUp(ports: Pick<Ports, "store" | "jobs" | "clock">, caseId: string): Promise<void> {
  const current = await ports.store.read(caseId)
  if (current === null || "kind" in current) return
  // With a delay, so that a retry that waits already keeps its own delay.
  const posted = current.sending?.attempts.at(-1)?.at ?? 0
  if (current.state === "sending" && ports.clock() - posted > postMs) await ports.jobs.resolve(caseId, 1)
  if (isResuming(current)) await ports.jobs.resume(caseId, 1)
  await ports.jobs.present(caseId)
}
