// Reconcile: compares a case with the platform's record and repairs it: decided elsewhere, gone, changed, cut off by a crash.
import type { Approval } from "../domain/approval.ts"
import type { Case, Step } from "../domain/case.ts"
import { revise, revisionNeeded } from "../domain/steps.ts"
import { found, miss, reconciledUnder, settle } from "../domain/verdict.ts"
import { advanceCase, readCase } from "./access.ts"
import type { Ports } from "./ports.ts"
import { platformOf, type ResolvePorts, resolve } from "./resolve.ts"
import { isDecided, settleByRecord } from "./settle.ts"

export type ReconcilePorts = ResolvePorts & Pick<Ports, "policy">

/** A vanished approval is believed after so many answers of 404 … */
const missesToVanish = 3
/** … over so many ms (`facts/agentos.md`, traps 1 and 2). */
const vanishMs = 10_000
/** How long until a missing approval is asked for again, in ms. */
const askAgainMs = 5_000

/** Compares one case with its record. A verdict on its way is gone on with; a closed case is left alone. */
export async function reconcile(ports: ReconcilePorts, caseId: string): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return
  if (current.state === "sending") return resolve(ports, caseId)
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
  return current.epoch === epoch ? null : reconciledUnder(current, epoch)
}

async function missing(ports: ReconcilePorts, current: Case): Promise<Case> {
  const at = ports.clock()
  const missed = await advanceCase(ports, current, (now) => (now.state === "open" ? miss(now, at) : null))
  const { times = 0, since = at } = missed.missing ?? {}
  if (missed.state !== "open") return missed
  if (times < missesToVanish || at - since < vanishMs) {
    await ports.jobs.reconcile(current.id, askAgainMs)
    return missed
  }
  ports.alarm({
    code: "approval-vanished",
    caseId: current.id,
    approval: current.approvalId,
    hint: "its run is stranded",
  })
  const gone = await advanceCase(ports, missed, (now) =>
    now.state === "open" ? settle(now, { kind: "vanished", at }, { kind: "vanished", at }) : null,
  )
  await ports.jobs.present(current.id)
  return gone
}

/** Takes up every case with work left: what a crash cut off, and what could not be posted. */
export async function sweep(ports: Pick<Ports, "store" | "jobs" | "clock">): Promise<void> {
  for (const caseId of await ports.store.unfinished(500)) await takeUp(ports, caseId)
}

async function takeUp(ports: Pick<Ports, "store" | "jobs">, caseId: string): Promise<void> {
  const current = await ports.store.read(caseId)
  if (current === null || "kind" in current) return
  if (current.state === "sending") await ports.jobs.resolve(caseId, 0)
  await ports.jobs.present(caseId)
}
