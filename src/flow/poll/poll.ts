// Poll: reads what is pending at one instance, page by page, and opens a case for each approval that is not known.
import { type Case, caseIdOf, markOf } from "../../domain/case/case.ts"
import { openCase } from "../../domain/case/steps.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import {
  type Committed,
  FlowError,
  isCredentialRefused,
  isPortError,
  type Listed,
  type Page,
  type Platform,
  type Ports,
} from "../ports.ts"
import { type AdmissionPorts, type AdmissionState, admitWaiting } from "./admission.ts"
import type { Round } from "./sessions.ts"

export type PollPorts = AnnouncePorts & AdmissionPorts & Pick<Ports, "platforms" | "log">

/** How many cases that the list no longer names are asked for by id in one poll; the rest has its turn in the next. */
const maxAsked = 100

/**
 * One poll of one instance. A bad item never costs its neighbours. An approval that is known but not listed any more is
 * asked for by id: an empty list closes nothing. `round` looks around what the list names, where there is one.
 */
export async function poll(ports: PollPorts, instance: string, round?: Round): Promise<void> {
  const platform = ports.platforms.get(instance)
  if (platform === undefined) throw new Error(`no instance "${instance}" in the config`)
  const intake = admitWaiting(ports, instance)
  const [seen] = await Promise.all([readPages(ports, platform, { instance, intake, round }), intake])
  const gone = inTurn(await notOn(seen, ports.store.openApprovals(instance)), ports.clock())
  await Promise.all(gone.map((id) => ports.jobs.reconcile(caseIdOf(ports.installation, instance, id))))
  await round?.end()
}

async function notOn(seen: ReadonlySet<string>, open: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const missing = new Set<string>()
  for await (const ids of open) for (const id of ids) if (!seen.has(id)) missing.add(id)
  return [...missing]
}

/** So many of them, others each second, so that none is starved by those that never answer. */
function inTurn(ids: readonly string[], now: number): readonly string[] {
  const start = (Math.floor(now / 1_000) * maxAsked) % Math.max(1, ids.length)
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, maxAsked)
}

/** The instance that is read, and whether new approvals are taken in: known once the backlog had its turn. */
interface PollReading {
  readonly instance: string
  readonly intake: Promise<AdmissionState>
  readonly round: Round | undefined
}

async function readPages(ports: PollPorts, platform: Platform, reading: PollReading): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  for await (const page of platform.pending()) {
    await readPage(ports, reading, page)
    for (const approval of page.approvals) {
      seen.add(approval.id)
      reading.round?.see(approval)
    }
  }
  return seen
}

async function readPage(ports: PollPorts, { instance, intake }: PollReading, page: Page): Promise<void> {
  for (const { id, why } of page.unreadable) ports.alarm({ code: "unreadable-approval", instance, approval: id, why })
  const known = await ports.store.known(
    instance,
    page.approvals.map((approval) => approval.id),
  )
  // A page begins with the newest: who waits longer is met, and gets a card, before.
  for (const approval of page.approvals.toReversed()) {
    const mark = known.get(approval.id)
    if (mark === undefined) await welcome(ports, approval, await intake)
    // Without a wait: of a long list nearly all pass here.
    else if (hasMoved(ports, approval, mark))
      await ports.jobs.reconcile(caseIdOf(ports.installation, instance, approval.id))
  }
}

/** A new one is announced. While memory is short it stays at the platform, and the next poll finds it again (R20). */
async function welcome(ports: PollPorts, approval: Listed, intake: AdmissionState): Promise<void> {
  if (intake === "open") await announce(ports, approval.read())
}

/** True for one whose content or rules moved, or that is pending again though its case is settled: it is compared. */
function hasMoved({ policy }: PollPorts, { digest }: Listed, mark: string): boolean {
  return mark !== markOf(digest, policy.revision)
}

export type AnnouncePorts = Pick<Ports, "installation" | "store" | "admission" | "jobs" | "policy" | "clock" | "alarm">

/**
 * Opens the case of an approval and has its cards posted. Without admission for them it waits, and is listed (R20). If
 * another replica was faster, it was opened there.
 */
export async function announce(ports: AnnouncePorts, approval: Approval): Promise<void> {
  const done = await open(ports, approval)
  if (done === null) return
  await scheduleDeadline(ports, done)
  if (done.cards.length === 0)
    ports.alarm({ code: "no-rule", caseId: done.id, approval: approval.id, instance: approval.instance })
  else if (done.room.given) await ports.jobs.present(done.id)
}

/** The case as it was opened now; null if it was open already. */
async function open(ports: AnnouncePorts, approval: Approval): Promise<Case | null> {
  const { installation, policy } = ports
  const opening = { installation, approval, policy, epoch: await ports.store.epoch(), at: ports.clock() }
  const attempt = (admitted: boolean): Promise<Committed> => {
    const { next, events } = openCase({ ...opening, room: admitted })
    const commit = { next, expectedVersion: 0, events }
    return ports.store.commit(admitted ? { ...commit, within: ports.admission } : commit)
  }
  const first = await attempt(true)
  const done = first.kind === "full" ? await attempt(false) : first
  if (done.kind === "config") throw new FlowError("other-config", openCase(opening).next.id)
  return done.kind === "committed" ? done.case : null
}

/** A poll that is about to run. */
export interface PollRun {
  readonly instance: string
  readonly run: () => Promise<void>
  /** Host and cause of what it failed with, in words. */
  readonly wordsOf: (error: unknown) => string
}

/** Runs a poll and notes how it went. Throws what the poll throws; a note that Redis does not take is logged. */
export async function notePoll(
  ports: Pick<Ports, "polls" | "store" | "log">,
  { instance, run, wordsOf }: PollRun,
): Promise<void> {
  const note = async (write: (at: number) => Promise<void>): Promise<void> => {
    try {
      const clock = await ports.store.sharedClock()
      await write(clock())
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("poll-not-noted", { instance, error })
    }
  }
  try {
    await run()
  } catch (error) {
    const failure = { why: wordsOf(error), refused: isCredentialRefused(error) }
    await note((at) => ports.polls.failed(instance, { at, ...failure }))
    throw error
  }
  await note((at) => ports.polls.succeeded(instance, at))
}
