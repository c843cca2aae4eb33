// Reconcile: compares a case with the platform's record and repairs it: decided elsewhere, gone, changed, cut off.
import type { Case, Step } from "../../domain/case/case.ts"
import { deviationsFromRecord, noteReport } from "../../domain/case/notice.ts"
import { comeBack, isGone } from "../../domain/case/renewal-steps.ts"
import { isResuming } from "../../domain/case/resumption.ts"
import { joined, revise, revisionNeeded, takeUpAgain } from "../../domain/case/steps.ts"
import { comparedUnder, found } from "../../domain/case/verdict.ts"
import { isSound, isTallied } from "../../domain/case/vote.ts"
import { type Approval, isDecided } from "../../domain/content/approval.ts"
import { gateRefusal } from "../../domain/content/run.ts"
import { isReported, overReport, type RunReport, reportedEnd } from "../../domain/content/run-report.ts"
import type { PolicyNow } from "../../domain/policy/policy.ts"
import { advance, advanceCase, type RenewPorts, readCase, renewAll, renewed } from "../case/commit.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import { policyFor } from "../people/circumstances.ts"
import { isPortError, type Ports, platformOf, type SessionRun } from "../ports.ts"
import { countMiss, readRecord } from "./record.ts"
import { resolve } from "./send.ts"
import { settleByEnd, settleByRecord } from "./settle.ts"

/** When we ask again for a missing approval, in ms. */
const askAgainMs = 5_000

/** Compares one case with its record. Goes on with a verdict that we are still sending. */
export async function reconcile(ports: Ports, caseId: string): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return
  if (current.state === "sending") return resolve(ports, caseId)
  if (current.state === "closed") return lookAgain(ports, current)
  if (current.state !== "open") return
  const read = await readRecord(platformOf(ports, current), current.approvalId)
  if (read.kind === "ended") await settleByEnd(ports, current, read)
  else await reconcileWith(ports, current, read.kind === "record" ? read.record : null)
}

/** Brings an open case into line with a record that we have just read. Returns the newest case. */
export async function reconcileWith(ports: Ports, current: Case, record: Approval | null): Promise<Case> {
  if (record === null) return afterMissing(ports, current)
  if (isDecided(record)) return settleByRecord(ports, current, record)
  const epoch = await ports.store.epoch()
  const [policy, look] = await Promise.all([policyFor(ports, record), lookAtRun(ports, current, record)])
  const compared = { record, epoch, policy, report: look.report }
  const done = await advance(ports, current, (now) => inLine(ports, now, compared))
  const next = done.kind === "duplicate" ? current : done.case
  if (done.kind === "committed") alarmIfOver(ports, current, next, look)
  const revised = next.revision.number !== current.revision.number
  if (!revised && next.epoch === current.epoch && next.reported === current.reported) return next
  if (revised) await scheduleDeadline(ports, next)
  await ports.jobs.present(current.id)
  return next
}

/** One step for all changes that a pending record requires; null if nothing has to change. */
function inLine(ports: Ports, current: Case, compared: Compared): Step | null {
  if (current.state !== "open") return null
  const noted = (now: Case) => noteReport(now, compared.report, ports.clock())
  return joined(current, [(now) => contentInLine(ports, now, compared), noted])
}

function contentInLine(ports: Ports, current: Case, { record, epoch, policy }: Compared): Step | null {
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

/** What we compare an open case with. */
interface Compared {
  readonly record: Approval
  readonly epoch: string
  readonly policy: PolicyNow
  readonly report: RunReport | null
}

/** What a pending record reports about its run, and what a gate at the tool said about it. */
interface RunLook {
  readonly report: RunReport | null
  readonly refused: readonly string[]
}

/**
 * Looks at the run of a pending record that reports its end. We believe COMPLETED and CANCELLED, but ERROR only if the
 * run says that it is over (`docs/platform-facts.md`, trap 25). If the session does not answer, ERROR counts as before.
 */
async function lookAtRun(ports: Ports, current: Case, record: Approval): Promise<RunLook> {
  const status = reportedEnd(record)
  if (status === null) return { report: null, refused: [] }
  const known = current.reported
  if (known?.over === true && isReported(current, record)) return { report: known, refused: [] }
  const runs = await sessionsAround(ports, current, record)
  if (runs === "unanswered" && status === "ERROR") return { report: known ?? null, refused: [] }
  const own = runs === "unanswered" ? undefined : runs?.find(({ runId }) => runId === record.runId)
  const over = status !== "ERROR" || (own !== undefined && reportedEnd({ runStatus: own.status }) !== null)
  const tools = over ? (own?.tools ?? []) : []
  const ran = deviationsFromRecord(record, tools)
  return {
    report: { status, over, ...(ran.length === 0 ? {} : { ran }) },
    refused: tools.flatMap((tool) => gateRefusal(tool) ?? []),
  }
}

async function sessionsAround(
  ports: Ports,
  current: Case,
  { sessionId }: Approval,
): Promise<readonly SessionRun[] | "unanswered" | null> {
  try {
    return await platformOf(ports, current).session(sessionId)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("run-unread", { caseId: current.id, error })
    return "unanswered"
  }
}

/** Raises the alarms for a run if we just found that it is over. */
function alarmIfOver(ports: Ports, before: Case, now: Case, { refused }: RunLook): void {
  const report = overReport(now)
  if (report === null || overReport(before) !== null) return
  const { id: caseId, instance, approvalId: approval } = now
  const about = { caseId, instance, approval, run: now.approval?.runId ?? null }
  const { status: runStatus, ran = [] } = report
  ports.alarm({ code: "run-ended-without-waiting", ...about, runStatus, refused })
  if (refused.length > 0) ports.log.warn("gate-refused", { caseId, said: refused })
  if (ran.length > 0) ports.alarm({ code: "ran-otherwise", ...about, deviations: ran })
}

async function afterMissing(ports: Ports, current: Case): Promise<Case> {
  const missed = await countMiss(ports, current)
  if (missed.state === "open") await ports.jobs.reconcile(current.id, askAgainMs)
  return missed
}

/** Opens a closed case again if its approval is pending: it only seemed gone, or the platform forgot how it ended. */
async function lookAgain(ports: Ports, closed: Case): Promise<void> {
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
 * The step for an approval that is pending again. If it only seemed gone and has not changed, the case goes on with the
 * votes and the verdict that are sound. Else all begins anew.
 */
function again(ports: Ports, current: Case, record: Approval, policy: PolicyNow): Step {
  const at = ports.clock()
  const same = isGone(current) && revisionNeeded(current, record, policy) === null
  const sound = current.decision === null || (current.sending !== null && isTallied(ports.seal, current))
  if (!same || !sound) return takeUpAgain(current, record, policy, at)
  return comeBack(current, record, { votes: current.votes.filter((vote) => isSound(ports.seal, current, vote)), at })
}

/** How long a turn of the sweep lasts, in ms. Each turn begins where the last one ended. */
const turnMs = 5_000
/** A POST that is younger than this may still get its answer, in ms; the sweep sends no other beside it. */
const postMs = 12_000

/** Takes up every case with work left: cut off by a crash, not posted yet, or due while no clock was set. */
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
