// Reads a case's record. We believe that an approval is gone only after several misses, and only if the list agrees.
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import { isGone } from "../../domain/case/renewal-steps.ts"
import { allAccountedFor, forgetMisses, miss, settle } from "../../domain/case/verdict.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isJsonObject } from "../../domain/content/json.ts"
import { advanceCase } from "../case/commit.ts"
import { type Alarm, isPortError, type Platform, type Ports, type Sighting } from "../ports.ts"

/** The record; or only its end, if we can read no more; or that it is missing, which we believe only if it repeats. */
export type RecordReading =
  | { readonly kind: "record"; readonly record: Approval }
  | { readonly kind: "ended"; readonly status: string; readonly resolvedBy: string | null }
  | { readonly kind: "missing" }

/**
 * Asks for the record. If the server fails (a row with half a character answers 500 for ever), asks for its status. If
 * that is pending, throws the first failure: we cannot compare what we cannot read.
 */
export async function readRecord(platform: Platform, approvalId: string): Promise<RecordReading> {
  try {
    const record = await platform.get(approvalId)
    return record === null ? { kind: "missing" } : { kind: "record", record }
  } catch (error) {
    if (!isPortError(error) || error.code !== "server") throw error
    const ended = await readEnd(platform, approvalId)
    if (ended === null) throw error
    return ended
  }
}

async function readEnd(platform: Platform, approvalId: string): Promise<RecordReading | null> {
  try {
    const short = await platform.status(approvalId)
    return short === null || short.status === "pending" ? null : { kind: "ended", ...short }
  } catch (error) {
    if (!isPortError(error)) throw error
    return null // the caller throws the failure of the record itself
  }
}

export type NotFoundPorts = CorroboratePorts & Pick<Ports, "alarm" | "jobs">

/** We believe that an approval is gone after this many answers of 404 … */
const missesToBelieve = 3
/** … over this many ms (`docs/platform-facts.md`, traps 1 and 2) while the list names others that we know, … */
const notFoundMs = 10_000
/** … or over this many if we know no other, or a POST of ours may be under way: a platform in trouble may lose all. */
const notFoundInDoubtMs = 600_000

/**
 * Counts a miss of an open or sending case if the platform's list agrees. Settles the case when we believe that the
 * approval is gone. Returns the newest case.
 */
export async function countMiss(ports: NotFoundPorts, current: Case): Promise<Case> {
  const at = ports.clock()
  const borneOut = await corroborate(ports, current)
  if (borneOut === "no") return advanceCase(ports, current, (now) => (waitsForRecord(now) ? forgetMisses(now) : null))
  const alone = borneOut === "alone"
  const missed = await advanceCase(ports, current, (now) => (isCounted(now, alone) ? null : miss(now, at, alone)))
  const { times = 0, since = at } = missed.missing ?? {}
  const underWay = missed.state === "sending" && !allAccountedFor(missed)
  const patience = underWay || alone ? notFoundInDoubtMs : notFoundMs
  if (!waitsForRecord(missed) || times < missesToBelieve || at - since < patience) return missed
  const { id: caseId, approvalId: approval } = current
  ports.alarm({ code: "approval-vanished", caseId, approval, hint: "its run is stranded" })
  const gone = await advanceCase(ports, missed, (now) =>
    waitsForRecord(now) ? settle(now, { kind: "vanished", at }, { kind: "vanished", at }) : null,
  )
  await ports.jobs.present(caseId)
  return gone
}

/** True if one more miss would change nothing: we have counted enough of them, and only time has to pass. */
function isCounted(current: Case, alone: boolean): boolean {
  const { missing } = current
  const same = missing !== null && (missing.alone === true) === alone
  return !waitsForRecord(current) || (same && missing.times >= missesToBelieve)
}

function waitsForRecord(current: Case): boolean {
  return current.state === "open" || current.state === "sending"
}

export type CorroboratePorts = Pick<Ports, "store" | "clock" | "platforms" | "polls" | "log">

/** `others`: the list names another approval that we know. `alone`: we know no other. `no`: it names none, or fails. */
export type BorneOut = "others" | "alone" | "no"

/** How long all replicas believe one answer of the list, in ms. Three misses in ten seconds need more than one. */
const sightingMs = 5_000
/** The platform should list an approval until this long after it settled, in ms. */
const settledMs = 86_400_000
/** We look up at most this many of the listed approvals here, … */
const maxRead = 20
/** … and this many settled cases. If more settle in a day, we assume that we know another approval. */
const maxSettled = 1_000
const settledPage = 100

/**
 * Asks for the newest approvals in any status. While its database is away, AgentOS answers 404 for each approval, and
 * its list is empty or fails (`docs/platform-facts.md` 2.3). All cases of an instance, on all replicas, share one
 * answer.
 */
export async function corroborate(ports: CorroboratePorts, current: Case): Promise<BorneOut> {
  const platform = ports.platforms.get(current.instance)
  if (platform === undefined) return "no"
  const { named } = await sighting(ports, current, platform)
  if (named === null) return "no"
  if (named.some((id) => id !== current.approvalId)) return "others"
  return (await isAnotherKnown(ports, current)) ? "no" : "alone"
}

async function sighting(ports: CorroboratePorts, current: Case, platform: Platform): Promise<Sighting> {
  const { instance } = current
  const [known, sharedClock] = await Promise.all([ports.polls.read(), ports.store.sharedClock()])
  // We take this time before we ask for the list, so the answer is at least as new.
  const at = sharedClock()
  const last = known.of(instance).sighting
  if (last !== null && last.at <= at && at - last.at < sightingMs) return last
  const seen = { at, named: await namedBy(ports, current, platform) }
  await ports.polls.saw(instance, seen)
  return seen
}

async function namedBy(ports: CorroboratePorts, current: Case, platform: Platform): Promise<readonly string[] | null> {
  try {
    return await knownAmong(ports, current, await platform.newest())
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("list-unanswered", { instance: current.instance, error })
    return null
  }
}

/** Two of the listed approvals that we know, waiting or settled within a day: one may be the one that we ask about. */
async function knownAmong(
  ports: CorroboratePorts,
  { installation, instance }: Case,
  ids: readonly string[],
): Promise<readonly string[]> {
  const marks = await ports.store.known(instance, ids)
  const waiting = ids.filter((id) => (marks.get(id) ?? "") !== "")
  const settled = ids.filter((id) => marks.get(id) === "")
  const found: string[] = []
  for (const id of [...waiting, ...settled].slice(0, maxRead)) {
    if (found.length === 2) break
    if (await isKnown(ports, caseIdOf(installation, instance, id))) found.push(id)
  }
  return found
}

/** True if we know the approval. It reads the case itself, because lists in Redis have no authority (R14). */
async function isKnown(ports: CorroboratePorts, caseId: string): Promise<boolean> {
  const current = await ports.store.read(caseId)
  if (current === null || "kind" in current) return false
  if (current.outcome === null) return current.state !== "frozen"
  return !isGone(current) && ports.clock() - current.outcome.at < settledMs
}

/** True if the list should name another approval: one that waits, or that was settled within a day. */
async function isAnotherKnown(ports: CorroboratePorts, { instance, approvalId }: Case): Promise<boolean> {
  for await (const ids of ports.store.openApprovals(instance)) if (ids.some((id) => id !== approvalId)) return true
  for (let offset = 0; offset < maxSettled; offset += settledPage) {
    const { cases, total } = await ports.store.listSettled({ offset, limit: settledPage })
    const recent = cases.filter(({ outcome }) => outcome !== null && ports.clock() - outcome.at < settledMs)
    if (recent.some((one) => one.instance === instance && one.approvalId !== approvalId && !isGone(one))) return true
    if (recent.length < cases.length || offset + settledPage >= total) return false
  }
  return true
}

/** The alarm for a decision of ours by breaking glass that Redis lost: nobody is asked for a review. Else null. */
export function forgottenGlass({ resolutionData, resolvedBy }: Approval, caseId: string): Alarm | null {
  const mark = resolutionData?.["countersign"]
  if (!isJsonObject(mark) || mark["glass"] !== true) return null
  const hint = "Redis lost this decision by breaking glass, so no review is asked for: look at it yourself"
  return { code: "glass-forgotten", caseId, resolvedBy, hint }
}
