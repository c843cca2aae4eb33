// Watches decided runs. Finds those that did not do what was decided, and decisions of ours that Redis forgot (R17).
import { caseIdOf } from "../../domain/case/case.ts"
import { deviationsFromRecord } from "../../domain/case/notice.ts"
import { openCase } from "../../domain/case/steps.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { gateRefusal, memberRunsIn } from "../../domain/content/run.ts"
import { reportedEnd } from "../../domain/content/run-report.ts"
import { forgetfulMs } from "../case/commit.ts"
import { tellNotice } from "../case/notice.ts"
import { isPausedAgain, pausesIn, unnamedCalls } from "../poll/unasked.ts"
import { isPortError, type Platform, type Ports, type SessionRun } from "../ports.ts"
import { originOf } from "../resolve/freeze.ts"
import { settleByRecord } from "../resolve/settle.ts"
import { capabilitiesOf, isSince } from "./find-run.ts"

/** One look reads this many ended runs; the others have their turn in the next look. */
const maxRead = 5

/**
 * Makes a function that looks at every instance, to be called again and again. It raises one alarm for an approval if
 * two looks in a row see a sign of a pause: the platform may write a row between the two. An instance that does not
 * answer waits for the next look. `current` gives the ports of the active config.
 */
export function createWatch(current: () => Ports): () => Promise<void> {
  const memories = new Map<string, Memory>()
  const lookSafely = async (ports: Ports, instance: string, platform: Platform): Promise<void> => {
    const memory = memories.get(instance) ?? {
      suspected: new Set(),
      told: new Set(),
      cleared: new Set(),
      compared: new Set(),
    }
    memories.set(instance, memory)
    try {
      const approved = await platform.approved()
      await lookForPauses(ports, { instance, platform, memory }, approved)
      const decided = [...approved, ...(await platform.rejected())]
      await recall(ports, decided)
      await lookAtEnds(ports, { instance, platform, memory }, decided)
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("watch-failed", { instance, error })
    }
  }
  return async () => {
    const ports = current()
    await Promise.all([...ports.platforms].map(([instance, platform]) => lookSafely(ports, instance, platform)))
  }
}

/** What we remember of an instance from look to look: approvals by their ids. */
interface Memory {
  suspected: ReadonlySet<string>
  readonly told: Set<string>
  /** Records (by `momentOf`) that had the sign, but whose runs wait for nothing else. */
  cleared: Set<string>
  compared: Set<string>
}

interface Place {
  readonly instance: string
  readonly platform: Platform
  readonly memory: Memory
}

/** Looks for runs that paused again (`docs/platform-facts.md` 5.5, trap 61). */
async function lookForPauses(
  ports: Ports,
  { instance, platform, memory }: Place,
  approved: readonly Approval[],
): Promise<void> {
  const moved = await pausedAgain({ platform, memory }, approved)
  const before = memory.suspected
  memory.suspected = new Set(moved.map(({ id }) => id))
  for (const { id, runId: run } of moved.filter((one) => before.has(one.id) && !memory.told.has(one.id))) {
    memory.told.add(id)
    const caseId = caseIdOf(ports.installation, instance, id)
    if (!(await tellNotice(ports, caseId, { kind: "paused-again", at: ports.clock() }))) continue
    const hint = "the run was continued and paused again without an approval: its next call asks nobody"
    ports.alarm({ code: "paused-again-unasked", caseId, instance, approval: id, run, hint })
  }
}

/**
 * The approvals whose run is paused and has moved since the decision. No approval of the run or of its members' runs is
 * pending, and the run waits for more than was decided.
 */
async function pausedAgain(
  { platform, memory }: Pick<Place, "platform" | "memory">,
  approved: readonly Approval[],
): Promise<readonly Approval[]> {
  const all = approved.filter(isPausedAgain)
  memory.cleared = new Set(all.map(momentOf).filter((moment) => memory.cleared.has(moment)))
  const moved = all.filter((one) => !memory.told.has(one.id) && !memory.cleared.has(momentOf(one)))
  if (moved.length === 0) return []
  const waiting = new Set<string>()
  for await (const { approvals } of platform.pending()) for (const { runId } of approvals) waiting.add(runId)
  const alone = moved.filter((one) => [one.runId, ...memberRunsIn(one)].every((run) => !waiting.has(run)))
  const found: Approval[] = []
  for (const one of alone.slice(0, maxRead)) {
    if (await waitsForMore(platform, one)) found.push(one)
    else memory.cleared.add(momentOf(one))
  }
  return found
}

/** Stands for a record as it was when a look cleared it. */
function momentOf({ id, updatedAt }: Approval): string {
  return `${id} ${updatedAt}`
}

/** The platform's times are whole seconds: the decision may have one second, and its `updated_at` the next. */
const toleranceMs = 1_000

/**
 * True if the run itself says that it waits for a call that no approval names. If we cannot read the run, the record's
 * times decide, but only before 3.1.2: since then each gated call has an approval (`docs/platform-facts.md` 5.5).
 */
async function waitsForMore(platform: Platform, record: Approval): Promise<boolean> {
  const runs = await runsInSession(platform, record)
  const own = runs.find(({ runId }) => runId === record.runId)
  if (own !== undefined && own.status !== "PAUSED") return false
  const pause = pausesIn(runs).find(({ family }) => family.includes(record.runId))
  if (pause === undefined || pause.calls.length === 0) return hasMovedOn(platform, record)
  return (await unnamedCalls(platform, pause)).length > 0
}

async function hasMovedOn(platform: Platform, { resolvedAt, updatedAt }: Approval): Promise<boolean> {
  if ((updatedAt ?? 0) - (resolvedAt ?? 0) <= toleranceMs) return false
  return !isSince(await capabilitiesOf(platform), [3, 1, 2])
}

/** The runs of the approval's session; none if we may not or cannot read them now. */
async function runsInSession(platform: Platform, { sessionId }: Approval): Promise<readonly SessionRun[]> {
  try {
    return (await platform.session(sessionId)) ?? []
  } catch (error) {
    if (!isPortError(error)) throw error
    return [] // the record's times say what can be said
  }
}

/**
 * Reads each ended run of a case once: the record stops nobody from running something else (`docs/platform-facts.md`
 * 5.4).
 */
async function lookAtEnds(ports: Ports, place: Place, decided: readonly Approval[]): Promise<void> {
  const { instance, memory } = place
  const ended = decided.filter((record) => reportedEnd(record) !== null)
  const listed = new Set(ended.map(({ id }) => id))
  memory.compared = new Set([...memory.compared].filter((id) => listed.has(id)))
  let reads = 0
  for (const record of ended.filter(({ id }) => !memory.compared.has(id))) {
    if (reads >= maxRead) return
    const known = await ports.store.read(caseIdOf(ports.installation, instance, record.id))
    // If we continue a run ourselves, we compare its end when we read that.
    const own = known !== null && "resumption" in known && known.resumption !== null
    const may = known === null || own || (await compareRun(ports, place, record))
    // If we could not read a run now, we read it at the next look.
    memory.compared.add(record.id)
    if (!may) return
    if (known !== null && !own) reads += 1
  }
}

/** Compares one run with its record. False if the credential may read no runs. */
async function compareRun(ports: Ports, { instance, platform }: Place, record: Approval): Promise<boolean> {
  const runs = await platform.session(record.sessionId)
  if (runs === null) return false
  const tools = runs
    .filter((run) => [record.runId, ...memberRunsIn(record)].includes(run.runId))
    .flatMap((run) => run.tools)
  const caseId = caseIdOf(ports.installation, instance, record.id)
  const refused = tools.flatMap((tool) => gateRefusal(tool) ?? [])
  if (refused.length > 0) ports.log.warn("gate-refused", { caseId, said: refused })
  const deviations = deviationsFromRecord(record, tools)
  if (deviations.length === 0) return true
  if (await tellNotice(ports, caseId, { kind: "ran-otherwise", at: ports.clock(), deviations }))
    ports.alarm({ code: "ran-otherwise", caseId, instance, approval: record.id, run: record.runId, deviations })
  return true
}

/**
 * A missing case whose approval was resolved longer ago than this, in ms, was removed by `retention`, not forgotten.
 */
const recentMs = 600_000

/**
 * Looks through decided records while Redis may have forgotten something. Without the votes we cannot tell who decided:
 * the case and an alarm say that we recovered it. A record without our mark belongs to no case.
 */
export async function recall(ports: Ports, decided: readonly Approval[]): Promise<void> {
  if ((await ports.store.upForMs()) >= forgetfulMs) return
  for (const record of decided.filter((one) => isRecent(one, ports.clock()))) await recallOne(ports, record)
}

function isRecent({ resolvedAt }: Approval, now: number): boolean {
  return resolvedAt !== null && Math.abs(now - resolvedAt) < recentMs
}

async function recallOne(ports: Ports, approval: Approval): Promise<void> {
  const { installation, policy, store } = ports
  const { instance, id } = approval
  const caseId = caseIdOf(installation, instance, id)
  if ((await store.read(caseId)) !== null) return
  const { next, events } = openCase({ installation, approval, policy, epoch: await store.epoch(), at: ports.clock() })
  if (originOf(ports.seal, next, approval).kind !== "lost") return
  const done = await store.commit({ next, expectedVersion: 0, events })
  if (done.kind !== "committed") return
  ports.alarm({ code: "decision-recalled", caseId, instance, approval: id, hint: "Redis lost who decided it" })
  await settleByRecord(ports, done.case, approval)
}
