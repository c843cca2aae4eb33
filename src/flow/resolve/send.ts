// Resolve: the frozen verdict goes to the platform, and only what comes back says how it ended (R9, R10).
import type { Case } from "../../domain/case/case.ts"
import { withReport } from "../../domain/case/notice.ts"
import {
  accountAttempt,
  allAccountedFor,
  attemptAgain,
  freeze,
  loseAnswer,
  type Refused,
  reopen,
  subjectOf,
} from "../../domain/case/verdict.ts"
import { isTallied } from "../../domain/case/vote.ts"
import { type Approval, isDecided } from "../../domain/content/approval.ts"
import { digestOf } from "../../domain/content/digest.ts"
import { reportedEnd } from "../../domain/content/run-report.ts"
import { advance, advanceCase, isTouched, readCase, renewed, underAnyConfig } from "../case/commit.ts"
import { isHeldBack, leaveOf } from "../case/orders.ts"
import { isPortError, type Platform, type Ports, type Principal, platformOf, type Resolved } from "../ports.ts"
import { holdBack, isSending, readOnly, reopened, waitForRecord } from "./hold-back.ts"
import { countMiss, readRecord } from "./record.ts"
import { settleByEnd, settleByRecord } from "./settle.ts"

/** The longest pause between two tries, in ms. */
const slowestMs = 60_000

/**
 * Sends a verdict that we have just committed, after we read its record for the vote. Returns the case as it is then:
 * settled, open again, or still sending; then a job goes on with it.
 */
export async function sendVerdict(ports: Ports, current: Case): Promise<Case> {
  if (current.state !== "sending" || current.sending === null) return current
  // By now Redis may have lost the ledger's end, or may be older than what this process knows.
  if (!maySend(ports, current)) {
    await later(ports, current)
    return current
  }
  if (!isTallied(ports.seal, current)) return freezeCase(ports, current, "the votes do not support the decision")
  if (isHeldBack(ports, current)) return holdBack(ports, current, attemptOf(current))
  const platform = platformOf(ports, current)
  const answer = await post(ports, platform, current, current.sending.body)
  return answer === null ? readBack(ports, platform, current) : afterAnswer(ports, platform, current, answer)
}

/** Goes on with a verdict: reads the record, and sends the same body again only if it is pending and unchanged. */
export async function resolve(ports: Ports, caseId: string): Promise<void> {
  const found = await readCase(ports, caseId)
  if (found === null || found === "frozen" || found.state !== "sending") return
  const current = await renewed(ports, found)
  if (current.state !== "sending") return
  const platform = platformOf(ports, current)
  const read = await readRecord(platform, current.approvalId)
  if (read.kind === "missing") return missingRecord(ports, current)
  if (read.kind === "ended") return void (await settleByEnd(ports, current, read))
  const { record } = read
  if (isDecided(record)) return void (await settleByRecord(ports, current, record))
  if (digestOf(record) !== current.revision.digest) return contentMoved(ports, current)
  if (current.sending?.doubtfulAt !== undefined) return waitForRecord(ports, current, current.sending.doubtfulAt)
  if (isHeldBack(ports, current)) return readOnly(ports, current)
  if (!maySend(ports, current)) return later(ports, current)
  const again = await advance(ports, current, (now) =>
    isSending(now, current) ? attemptAgain(asReported({ ...now, missing: null }, record), ports.clock()) : null,
  )
  if (again.kind === "committed") await sendVerdict(ports, again.case)
}

/** The case with the reported end of its run, so that a poll does not take the verdict up again each second. */
function asReported(current: Case, record: Approval): Case {
  const status = reportedEnd(record)
  return withReport(current, status === null ? null : { status, over: status !== "ERROR" })
}

/**
 * R17: false for a verdict that a lost second touched. While Redis is rolled back, true only for rejections that people
 * decided since then: any other verdict in Redis may have ended.
 */
function maySend(ports: Pick<Ports, "freshness">, current: Case): boolean {
  if (isTouched(ports, current)) return false
  const { decision } = current
  const standing = ports.freshness.standing()
  if (standing.kind !== "rolled-back") return true
  return decision?.by === undefined && decision?.verb === "reject" && decision.at >= standing.since
}

async function missingRecord(ports: Ports, current: Case): Promise<void> {
  const missed = await countMiss(ports, current)
  if (missed.state === "sending") await later(ports, missed)
}

/** The number of the last POST, by the case as it was read. */
function attemptOf(read: Case): number {
  return read.sending?.attempts.length ?? 0
}

/** The name under which all POSTs of a frozen verdict go. Without a vote, Countersign itself decided. */
function principalOf({ id, decision }: Case): Principal {
  const subject = (decision === null ? null : subjectOf(decision)) ?? "countersign:expiry"
  return { subject, decision: decision?.id ?? id }
}

/** Sends one POST; null if nobody knows how it ended. */
async function post(ports: Ports, platform: Platform, current: Case, body: string): Promise<Resolved | null> {
  try {
    return await platform.resolve(current.approvalId, body, principalOf(current), leaveOf(ports, current))
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("resolve-unaccounted", { caseId: current.id, error })
    return null
  }
}

async function afterAnswer(ports: Ports, platform: Platform, current: Case, answer: Resolved): Promise<Case> {
  switch (answer.kind) {
    case "row":
      return isDecided(answer.approval)
        ? settleByAnswer(ports, current, answer.approval)
        : readBack(ports, platform, current)
    case "conflict":
      return readBack(ports, platform, current)
    case "later": {
      const barred = answer.barred ? { barred: true as const } : {}
      return account(ports, current, { result: `${answer.status} ${answer.detail}`, ...barred })
    }
    case "held-back":
      return isHeldBack(ports, current) ? holdBack(ports, current, attemptOf(current)) : notSent(ports, current)
    case "unsigned":
      return account(ports, current, { result: `not sent: ${answer.why}` })
    case "refused":
      return answer.status === 404
        ? unknownThere(ports, platform, current, answer.detail)
        : refusedPost(ports, current, `${answer.status} ${answer.detail}`)
  }
}

/**
 * Settles a case by the row that came back. If the run had ended before that, nothing of what was decided happens
 * (`docs/platform-facts.md` 4, trap 40).
 */
async function settleByAnswer(ports: Ports, current: Case, record: Approval): Promise<Case> {
  const { runId: run, runStatus } = record
  if (runStatus !== "COMPLETED" && runStatus !== "CANCELLED")
    return settleByRecord(ports, current, record, { answered: true })
  ports.alarm({ code: "resolved-without-effect", caseId: current.id, run, runStatus })
  return settleByRecord(ports, current, record, { told: { kind: "without-effect", at: ports.clock(), runStatus } })
}

/** Something was ordered while a POST waited, so it did not leave (R21): the verdict is looked at once more. */
async function notSent(ports: Ports, current: Case): Promise<Case> {
  const accounted = await accountFor(ports, current, { result: "not sent: something was ordered meanwhile" })
  await later(ports, accounted)
  return accounted
}

/**
 * Notes what became of a POST, under any config: it rests on no rule, and nobody hears the answer again. A POST that is
 * not accounted for keeps the verdict from ending (R9).
 */
function accountFor(ports: Ports, current: Case, refused: Refused): Promise<Case> {
  return advanceCase(underAnyConfig(ports), current, (now) =>
    isSending(now, current) ? accountAttempt(now, attemptOf(current), refused, ports.clock()) : null,
  )
}

/** Notes that a POST certainly had no effect. A later POST may have one, so we try again later. */
async function account(ports: Ports, current: Case, refused: Refused): Promise<Case> {
  const accounted = await accountFor(ports, current, refused)
  ports.alarm({ code: "resolve-refused-for-now", caseId: current.id, result: refused.result })
  await later(ports, accounted)
  return accounted
}

/**
 * Judges a 404. If the record is there and pending, the credential may see it and not resolve it
 * (`docs/platform-facts.md` 2.4, traps 34 and 43). If we cannot get the record either, the platform's database may be
 * away: then the verdict waits.
 */
async function unknownThere(ports: Ports, platform: Platform, current: Case, detail: string): Promise<Case> {
  const said = `404 ${detail}`
  const read = await readRecord(platform, current.approvalId).catch((error: unknown) =>
    ignorePortError(ports, current, error),
  )
  if (read === null || read.kind === "missing") return account(ports, current, { result: said })
  if (read.kind !== "record" || isDecided(read.record)) return refusedPost(ports, current, said)
  const { id: caseId, instance } = current
  const hint =
    "a service account, or a token with a subject under user isolation; docs/agentos.md names credentials that work"
  ports.alarm({ code: "credential-may-not-resolve", caseId, instance, hint })
  return refusedPost(ports, current, `${said}, although it is pending: the credential may see it and not resolve it`)
}

/** Ends the verdict after a definite refusal, but only if no earlier POST is unaccounted for (R9). */
async function refusedPost(ports: Ports, current: Case, result: string): Promise<Case> {
  const accounted = await accountFor(ports, current, { result })
  ports.alarm({ code: "resolve-refused", caseId: current.id, result })
  return isSending(accounted, current) ? endVerdict(ports, accounted, `the platform refused: ${result}`) : accounted
}

/** Ends the verdict if none of its POSTs can still arrive (R9). Else it waits until the record says more. */
async function endVerdict(ports: Ports, current: Case, why: string): Promise<Case> {
  const open = await reopened(ports, current, (now) =>
    isSending(now, current) && allAccountedFor(now) ? reopen(now, why, ports.clock()) : null,
  )
  if (isSending(open, current)) {
    await later(ports, open)
    return open
  }
  await ports.jobs.present(current.id)
  await ports.jobs.reconcile(current.id)
  return open
}

/** Reads the record, because nobody knows whether the POST took effect. */
async function readBack(ports: Ports, platform: Platform, current: Case): Promise<Case> {
  const read = await readRecord(platform, current.approvalId).catch((error: unknown) =>
    ignorePortError(ports, current, error),
  )
  if (read?.kind === "ended") return settleByEnd(ports, current, read)
  if (read?.kind === "record" && isDecided(read.record)) return settleByRecord(ports, current, read.record)
  const unheard = await advanceCase(underAnyConfig(ports), current, (now) =>
    isSending(now, current) ? loseAnswer(now, attemptOf(current), ports.clock()) : null,
  )
  await later(ports, unheard)
  await ports.jobs.present(current.id)
  return unheard
}

function ignorePortError(ports: Ports, current: Case, error: unknown): null {
  if (!isPortError(error)) throw error
  ports.log.warn("read-back-failed", { caseId: current.id, error })
  return null
}

/** Ends the verdict, because the record's content is not what people decided. */
async function contentMoved(ports: Ports, current: Case): Promise<void> {
  ports.alarm({ code: "content-changed-while-sending", caseId: current.id })
  await endVerdict(ports, current, "the content changed before the verdict arrived")
}

async function later(ports: Pick<Ports, "jobs">, current: Case): Promise<void> {
  const tries = current.sending?.attempts.length ?? 1
  await ports.jobs.resolve(current.id, Math.min(slowestMs, 500 * 2 ** tries))
}

async function freezeCase(ports: Ports, current: Case, why: string): Promise<Case> {
  ports.alarm({ code: "frozen-case", caseId: current.id, why })
  const frozen = await advanceCase(ports, current, (now) =>
    now.state === "frozen" ? null : freeze(now, why, ports.clock()),
  )
  await ports.jobs.present(current.id)
  return frozen
}
