// Reconcile: compares a case with the platform's record and repairs it: decided elsewhere, gone, changed, cut off by a crash.
import type { Approval } from "../domain/approval.ts"
import type { Case, Step } from "../domain/case.ts"
import { revise, revisionNeeded, takeUpAgain } from "../domain/steps.ts"
import { comparedUnder, found } from "../domain/verdict.ts"
import { advanceCase, readCase } from "./access.ts"
import type { Ports } from "./ports.ts"
import { platformOf, type ResolvePorts, resolve } from "./resolve.ts"
import { isDecided, settleByRecord } from "./settle.ts"
import { countMiss } from "./vanish.ts"

export type ReconcilePorts = ResolvePorts & Pick<Ports, "policy">

/** How long until a missing approval is asked for again, in ms. */
const askAgainMs = 5_000

/** Compares one case with its record. A verdict on its way is gone on with. */
export async function reconcile(ports: ReconcilePorts, caseId: string): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return
  if (current.state === "sending") return resolve(ports, caseId)
  if (current.state === "closed") return lookAgain(ports, current)
  if (current.state !== "open") return
  const record = await platformOf(ports, current).get(current.approvalId)
  await reconcileWith(ports, current, record)
}

/** Brings an open case into line with a record that was read just now. Returns the case as it is then. */
export async function reconcileWith(ports: ReconcilePorts, current: Case, record: Approval | null): Promise<Case> {
  if (record === null) return missing(ports, current)
  if (isDecided(record)) return settleByRecord(ports, current, record)
  const epoch = await ports.store.epoch()
  const next = await advanceCase(ports, current, (now) => inLine(ports, now, record, epoch))
  if (next.revision.number !== current.revision.number) await ports.jobs.present(current.id)
  return next
}

/** One step that covers all that a pending record can ask for; null if nothing has to change. */
function inLine(ports: ReconcilePorts, current: Case, record: Approval, epoch: string): Step | null {
  if (current.state !== "open") return null
  const at = ports.clock()
  if (revisionNeeded(current, record, ports.policy) !== null) {
    const step = revise(current, record, ports.policy, at)
    return { next: { ...step.next, epoch, missing: null }, events: step.events }
  }
  if (current.missing !== null) return found(current, at)
  const policy = ports.policy.revision
  return current.epoch === epoch && current.revision.policy === policy ? null : comparedUnder(current, epoch, policy)
}

async function missing(ports: ReconcilePorts, current: Case): Promise<Case> {
  const missed = await countMiss(ports, current)
  if (missed.state === "open") await ports.jobs.reconcile(current.id, askAgainMs)
  return missed
}

/** A closed case whose approval is pending all the same: it had only seemed to be gone, or the platform lost its record of the end. */
async function lookAgain(ports: ReconcilePorts, current: Case): Promise<void> {
  const record = await platformOf(ports, current).get(current.approvalId)
  if (record === null || isDecided(record)) return
  ports.alarm({ code: "pending-again", caseId: current.id, approval: current.approvalId })
  await advanceCase(ports, current, (now) =>
    now.state === "closed" ? takeUpAgain(now, record, ports.policy, ports.clock()) : null,
  )
  await ports.jobs.present(current.id)
}

/** Takes up every case with work left: what a crash cut off, and what could not be posted. */
export async function sweep(ports: Pick<Ports, "store" | "jobs" | "clock">): Promise<void> {
  for (const caseId of await ports.store.unfinished(500)) await takeUp(ports, caseId)
}

async function takeUp(ports: Pick<Ports, "store" | "jobs">, caseId: string): Promise<void> {
  const current = await ports.store.read(caseId)
  if (current === null || "kind" in current) return
  // With a delay, so that a try that waits already keeps its own.
  if (current.state === "sending") await ports.jobs.resolve(caseId, 1)
  await ports.jobs.present(caseId)
}
