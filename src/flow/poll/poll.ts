// Poll: reads what is pending at one instance, page by page, and opens a case for each new approval.
import { leaseCard } from "../../domain/case/card-steps.ts"
import { caseIdOf, type Step } from "../../domain/case/case.ts"
import { andThen, openCase } from "../../domain/case/steps.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { markOf, reportedEnd } from "../../domain/content/run-report.ts"
import type { PolicyNow } from "../../domain/policy/policy.ts"
import { slotToPost } from "../card/deliver.ts"
import { leaseMs } from "../card/lease.ts"
import { underOrders } from "../case/orders.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import { policyFor } from "../people/circumstances.ts"
import {
  type Commit,
  type Committed,
  FlowError,
  isCredentialRefused,
  isPortError,
  type Listed,
  type OpenedCase,
  type Page,
  type Platform,
  type Ports,
} from "../ports.ts"
import { type AdmissionPorts, type AdmissionState, admitWaiting } from "./admission.ts"
import { type AnsweringPorts, earlierProposals, withEarlier } from "./answering.ts"
import type { Round } from "./sessions.ts"

export type PollPorts = AdmissionPorts &
  AnsweringPorts &
  Pick<Ports, "installation" | "policy" | "people" | "seal" | "pace" | "newId" | "orders" | "platforms" | "log">

/** One poll asks by id for at most this many cases that the list no longer names; the next poll asks for others. */
const maxAsked = 100

/** What a caller of a poll may add. */
export interface PollAlong {
  /** Also looks at sessions, for the approvals that the list names. */
  readonly round?: Round | undefined
  /** Called after a page was read and its new approvals have cases. */
  readonly onPage?: () => Promise<void>
  /** True if it rejected the call by itself or left it undecided, so that nobody is asked (R22). Default: false. */
  readonly isRepeat?: (approval: Approval, policy: PolicyNow) => Promise<boolean>
}

/**
 * Polls one instance once. A bad item does no harm to the others. If the list lacks a known approval, the poll asks for
 * it by id: an empty list closes nothing.
 */
export async function poll(ports: PollPorts, instance: string, along: PollAlong = {}): Promise<void> {
  const platform = ports.platforms.get(instance)
  if (platform === undefined) throw new Error(`no instance "${instance}" in the config`)
  const intake = admitWaiting(ports, instance)
  const { round, onPage, isRepeat } = along
  const reading = { instance, intake, round, onPage, turn: { prompt: true, isRepeat } }
  const [seen] = await Promise.all([readPages(ports, platform, reading), intake])
  const gone = inTurn(await notOn(seen, ports.store.openApprovals(instance)), ports.clock())
  await Promise.all(gone.map((id) => ports.jobs.reconcile(caseIdOf(ports.installation, instance, id))))
  await round?.end()
}

async function notOn(seen: ReadonlySet<string>, open: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const missing = new Set<string>()
  for await (const ids of open) for (const id of ids) if (!seen.has(id)) missing.add(id)
  return [...missing]
}

/** A part of the ids, and a new part every second, so that ids that never answer do not block the others. */
function inTurn(ids: readonly string[], now: number): readonly string[] {
  const start = (Math.floor(now / 1_000) * maxAsked) % Math.max(1, ids.length)
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, maxAsked)
}

/** The instance that we read, and whether we take in new approvals. We know that once the backlog had its turn. */
interface PollReading {
  readonly instance: string
  readonly intake: Promise<AdmissionState>
  readonly round: Round | undefined
  readonly onPage: PollAlong["onPage"]
  readonly turn: PollTurn
}

async function readPages(ports: PollPorts, platform: Platform, reading: PollReading): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  for await (const page of platform.pending()) {
    await readPage(ports, reading, page)
    for (const approval of page.approvals) {
      seen.add(approval.id)
      reading.round?.see(approval)
    }
    await reading.onPage?.()
  }
  return seen
}

async function readPage(ports: PollPorts, { instance, intake, turn }: PollReading, page: Page): Promise<void> {
  for (const { id, why } of page.unreadable) ports.alarm({ code: "unreadable-approval", instance, approval: id, why })
  const known = await ports.store.known(
    instance,
    page.approvals.map((approval) => approval.id),
  )
  // A page begins with the newest. We go backwards, so an approval that has waited longer gets its card first.
  for (const approval of page.approvals.toReversed()) {
    const mark = known.get(approval.id)
    if (mark === undefined) await welcome(ports, approval, await intake, turn)
    // We do not wait where nothing changed: that is nearly all of a long list.
    else if (hasMoved(ports, approval, mark))
      await ports.jobs.reconcile(caseIdOf(ports.installation, instance, approval.id))
  }
}

/** Announces a new approval. While memory is short, leaves it at the platform for the next poll (R20). */
async function welcome(ports: PollPorts, approval: Listed, intake: AdmissionState, turn: PollTurn): Promise<void> {
  if (intake === "open") await announce(ports, approval.read(), turn)
}

/**
 * True if we have to compare the case: its content or rules changed, its reported end differs, or the approval is
 * pending although its case is settled.
 */
function hasMoved({ policy }: PollPorts, listed: Listed, mark: string): boolean {
  return mark !== markOf(listed.digest, policy.revision, reportedEnd(listed))
}

/** What holds for all new approvals of one poll. */
export interface PollTurn {
  /** True while we could post each card at once: then the commit that opens a case also leases its cards. */
  prompt: boolean
  readonly isRepeat?: PollAlong["isRepeat"]
}

/**
 * Opens the case of an approval and gets its cards posted. A case without admission waits, and lists show it (R20). If
 * another replica was faster, it opened the case. If people rejected the same call, and that rejection lasts, nobody is
 * asked (R22).
 */
export async function announce(ports: PollPorts, approval: Approval, turn: PollTurn = { prompt: true }): Promise<void> {
  const policy = await policyFor(ports, approval)
  if ((await turn.isRepeat?.(approval, policy)) === true) return
  const opened = await open(ports, { approval, policy }, turn)
  if (opened === null) return
  const { current } = opened
  await scheduleDeadline(ports, current)
  if (current.cards.length === 0)
    ports.alarm({ code: "no-rule", caseId: current.id, approval: approval.id, instance: approval.instance })
  else if (current.admission.given) await ports.jobs.present(current.id, 0, opened)
}

/** The case if we opened it now; null if it was open already. */
async function open(
  ports: PollPorts,
  asked: { readonly approval: Approval; readonly policy: PolicyNow },
  turn: PollTurn,
): Promise<OpenedCase | null> {
  const { installation } = ports
  const earlier = await earlierProposals(ports, asked.approval)
  const opening = { installation, ...asked, epoch: await ports.store.epoch(), at: ports.clock() }
  const by = ports.newId()
  const begun = (admitted: boolean) => underOrders(ports, openCase({ ...opening, admitted }))
  const admitted = await leased(ports, begun(true), by, turn)
  const opened = (step: Step) => withEarlier({ ...step, expectedVersion: 0 }, earlier, opening.at)
  const first = await ports.store.commit({ ...opened(admitted), within: ports.admission })
  const done = first.kind === "full" ? await openWaiting(ports, opened(begun(false)), turn) : first
  if (done.kind === "config") throw new FlowError("other-config", admitted.next.id)
  return done.kind === "committed" ? { current: done.case, by } : null
}

function openWaiting(ports: PollPorts, opened: Commit, turn: PollTurn): Promise<Committed> {
  turn.prompt = false
  return ports.store.commit(opened)
}

/** The opened case with leases of the cards that may be posted now, if this process is free to post them. */
async function leased(ports: PollPorts, opened: Step, by: string, turn: PollTurn): Promise<Step> {
  if (!turn.prompt || !ports.jobs.isFree()) return opened
  const { id, cards } = opened.next
  const waits = await Promise.all(cards.map(({ route }) => slotToPost(ports, id, route)))
  const ready = cards.filter((_, index) => waits[index] === 0)
  turn.prompt = ready.length === cards.length
  const shared = await ports.store.sharedClock()
  const lease = { by, until: shared() + leaseMs }
  return ready.reduce((step, { route }) => andThen(step, (next) => leaseCard(next, route, lease)), opened)
}

/** A poll that is about to run. */
export interface PollRun {
  readonly instance: string
  /** Does the poll. Calls the given function now and then while the poll gets on. */
  readonly run: (gettingOn: () => Promise<void>) => Promise<void>
  /** Host and cause of its failure, in words. */
  readonly wordsOf: (error: unknown) => string
}

/** How often a long poll notes that it gets on, in ms. So it counts as no trouble: it may open thousands of cases. */
const gettingOnMs = 10_000

/**
 * Runs a poll and notes how it went. During a long poll, also notes that the poll gets on. Throws what the poll throws.
 * If Redis does not accept a note, logs that.
 */
export async function notePoll(
  ports: Pick<Ports, "polls" | "store" | "log" | "clock">,
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
  const wentWell = () => note((at) => ports.polls.succeeded(instance, at))
  let notedAt = ports.clock()
  const gettingOn = async (): Promise<void> => {
    if (ports.clock() - notedAt < gettingOnMs) return
    notedAt = ports.clock()
    await wentWell()
  }
  try {
    await run(gettingOn)
  } catch (error) {
    const failure = { why: wordsOf(error), refused: isCredentialRefused(error) }
    await note((at) => ports.polls.failed(instance, { at, ...failure }))
    throw error
  }
  await wentWell()
}
