// Watching: looks at the ledger's end each second, compares every commit with that end, and settles it after a break.
import { largest } from "../../domain/content/largest.ts"
import { repeat } from "../../repeat.ts"
import { StoreError } from "../errors.ts"
import type { SealedEntry } from "../ledger/entry.ts"
import { beginEra, lastEra } from "./era.ts"
import type {
  CommitReply,
  CommitStanding,
  FreshnessOptions,
  FreshnessStart,
  LedgerFreshness,
  OwnCommit,
} from "./freshness.ts"
import { createHeadMap } from "./head-map.ts"
import { mayLoseMs, type RecentEntry } from "./known-ledger.ts"
import type { Break } from "./reader.ts"
import { answerOf, createSettler, rollBack, settleStart } from "./settling.ts"
import { standingOf } from "./standing.ts"
import { knowAtStart } from "./start.ts"
import { createSettledFeed, createWatch, eraOptionsOf, type Watch, wholeLedger } from "./watch.ts"

/** How often we look at the ledger's end, in ms. */
const tickMs = 1_000

/** `LedgerFreshness` from its start on. */
export type Watching = Omit<LedgerFreshness, "start">

/** What watching works with. */
interface Parts {
  readonly watch: Watch
  readonly settler: ReturnType<typeof createSettler>
  readonly feed: ReturnType<typeof createSettledFeed>
}

/** Gets to know the ledger, and watches it. Throws `StoreError`. */
export async function startWatching(options: FreshnessOptions, start: FreshnessStart): Promise<Watching> {
  const { watch, from, settled } = await openWatch(options, start)
  const settler = createSettler(watch, await options.epoch())
  const sound = () => watch.standing().kind === "fresh" && !settler.running()
  const feed = createSettledFeed(watch, { from, sound })
  feed.add(settled)
  const parts = { watch, settler, feed }
  const tick = () => lookAtEnd(parts)
  const stop = repeat(tickMs, tick, (error) => options.log.warn("ledger-not-watched", { error }))
  return {
    ...knownNow(parts),
    ...judgingCommits(parts),
    feed,
    accept: (shown) => acceptShown(parts, shown),
    // A checkpoint only saves reading: without a checkpoint we read the whole ledger.
    coveredBy: (at) => start.bounds.newest(at).catch(() => null),
    look: tick,
    close: () => endWatching(parts, stop),
  }
}

/** One look at the ledger's end: what is new there, and what is settled by now. */
async function lookAtEnd({ watch, settler, feed }: Parts): Promise<void> {
  await settler.lookAtRun()
  if (settler.running()) return
  const questions = watch.start.visitor === true ? [] : await watch.vouching.beat()
  settler.mend(await watch.catchUp())
  if (settler.running()) return
  await watch.vouching.answer(questions, answerOf(watch, { chains: [], config: [] }))
  // The settler compares Redis with what was recent when it began: meanwhile the recent entries may not change.
  if (settler.running()) return
  watch.note()
  feed.add(watch.known().settle(watch.now() - mayLoseMs))
  watch.remind()
}

/** The functions that tell what we know at the moment. */
function knownNow({ watch, settler }: Parts) {
  const catchUp = async (): Promise<void> => {
    settler.mend(await watch.catchUp())
    await settler.settled()
  }
  return {
    head: (chain) => watch.known().head(chain),
    asOf: () => watch.known().asOf(),
    isTouched: (chain) => watch.known().isTouched(chain),
    touched: (limit) => watch.known().touched(limit),
    lostConfig: () => watch.known().lostConfig(),
    era: () => lastEra(watch.known().eras()),
    standing: () => (settler.running() ? { kind: "unsettled" } : watch.standing()),
    shown: () => wholeLedger(watch),
    settle: () => {
      settler.mend({ kind: "missing", why: "something is ahead of what Redis holds" })
      return settler.settled()
    },
    catchUp,
    judge: async (chain, record, head) => {
      const first = standingOf(record, head)
      if (first === "fresh") return first
      await catchUp()
      const now = watch.known().head(chain)
      if (now?.mac !== head?.mac) return first === "unknown" && standingOf(record, now) === "fresh" ? "fresh" : "again"
      return "behind"
    },
  } satisfies Partial<Watching>
}

/** The functions for a commit: to ask before it goes out, and to tell how it went. */
function judgingCommits(parts: Parts): Pick<Watching, "enter" | "ask" | "unasked" | "took"> {
  const { watch, settler } = parts
  let asking = false
  return {
    enter: async (counts) => {
      await settler.lookAtRun()
      if (counts) await settler.settled()
    },
    ask: () => {
      if (asking || settler.running()) return null
      asking = true
      return watch.known().end()
    },
    unasked: () => {
      asking = false
    },
    took: async (reply, own) => {
      if (reply.asked !== null) asking = false
      if (!settler.running()) settler.mend(await takeIn(watch, reply, own.entries))
      await settler.lookAtRun()
      const broken = settler.running()
      await settler.settled()
      if (broken) await readUpTo(parts, reply)
      watch.note()
      const lost = broken && isLost(watch, reply, own.entries)
      return own.chains.map((chain) => (lost ? "touched" : commitStanding(watch, reply, { ...own, chain })))
    },
  }
}

/** Accepts a roll-back for an operator, if the ledger is still what they were shown. */
async function acceptShown({ watch, settler }: Parts, shown: Parameters<Watching["accept"]>[0]): Promise<void> {
  const { size, root } = wholeLedger(watch)
  if (size !== shown.size || root !== shown.root)
    throw new StoreError("not-as-shown", `the ledger has ${size} entries with root ${root} by now`)
  const atLeast = watch.highestEra() + 1
  const begins = { touched: null, config: [], why: "accepted", accepted: shown } as const
  const era = { ...begins, at: watch.start.clock(), atLeast }
  if (!(await beginEra(eraOptionsOf(watch), era)))
    throw new StoreError("tampered", "the record of the installation in Redis is not the one that the ledger names")
  settler.mend(await watch.catchUp())
}

async function endWatching({ watch, settler }: Parts, stop: () => Promise<void>): Promise<void> {
  const { options, start, vouching } = watch
  settler.close()
  await stop()
  if (start.visitor !== true)
    await vouching.leave().catch((error: unknown) => options.log.warn("leaving-not-said", { error }))
  await start.marks.close()
}

/**
 * Reads on to the end that a commit's reply names. While the end was settled, nobody read what others wrote: without it
 * a commit under their newer config would look like one under an older config.
 */
async function readUpTo({ watch, settler }: Parts, { last }: CommitReply): Promise<void> {
  if (last === null || watch.known().end().number >= last.number) return
  settler.mend(await watch.catchUp())
  await settler.settled()
}

/** True if the last entry of a commit, or the one before it, is no longer in its place, or if nobody can tell. */
function isLost(watch: Watch, { last }: CommitReply, own: readonly SealedEntry[]): boolean {
  const known = watch.known()
  const mac = own.at(-1)?.mac
  if (last === null) return mac !== undefined
  if (known.end().number < last.number || (known.macAt(last.number) ?? last.mac) !== last.mac) return true
  return mac !== undefined && known.macAt(last.number + own.length) !== mac
}

/** What we know at the start, compared with everything outside Redis. */
async function openWatch(
  options: FreshnessOptions,
  start: FreshnessStart,
): Promise<{ readonly watch: Watch; readonly from: number; readonly settled: readonly RecentEntry[] }> {
  const { redis, keys, seal } = options
  const { replica, clock, now, bounds, marks } = start
  const evidence = { bound: await bounds.newest(), marks: await marks.read() }
  const map = createHeadMap({ redis, keys, seal, replica, clock })
  const found = await knowAtStart({ redis, keys, seal, map, clock, now }, evidence)
  if (start.requireCheckpoint && evidence.bound === null && found.known.end().number > 0)
    throw new StoreError("no-checkpoint", "no checkpoint of the ledger can be reached, and `require_checkpoint` is set")
  const watch = createWatch(options, start, found.known)
  // This comes first, so nobody takes this process for dead.
  if (start.visitor !== true) await watch.vouching.beat()
  const eras = [evidence.bound?.era ?? 0, ...evidence.marks.flatMap((one) => one.marks.map(({ era }) => era))]
  watch.heardOfEra(largest(lastEra(found.known.eras()), eras))
  if (found.kind === "rolled-back") {
    await rollBack(watch, found.why, found.number)
    return { watch, from: 0, settled: [] }
  }
  await settleStart(watch, found)
  return { watch, from: evidence.bound?.size ?? 0, settled: found.settled }
}

/** Takes in a commit's reply: first what others committed, then what the commit itself wrote. */
async function takeIn(watch: Watch, reply: CommitReply, own: readonly SealedEntry[]): Promise<Break | null> {
  const { asked, last, mac, others } = reply
  if (last === null) return watch.catchUp()
  if (asked !== null && asked.number > 0 && asked.mac !== mac)
    return { kind: "missing", why: `entry ${asked.number} is not what it was` }
  const wrong = asked === null ? null : watch.reader().takeIn(others)
  if (wrong !== null) return wrong
  const end = watch.known().end()
  if (end.number === last.number)
    return end.mac === last.mac
      ? watch.reader().takeInOwn(own)
      : { kind: "missing", why: `entry ${end.number} is not what it was` }
  // Others committed in between, and the reply does not say what. We read that, once for all who wait for it.
  while (watch.known().end().number < last.number + own.length) {
    const found = await watch.catchUp()
    if (found !== null) return found
  }
  return null
}

function commitStanding(
  watch: Watch,
  { last }: CommitReply,
  { chain, configMac }: Pick<OwnCommit, "configMac"> & { readonly chain: string },
): CommitStanding {
  const known = watch.known()
  if (known.head(chain)?.state === "frozen") return "behind"
  // If others activated a config before this commit, Redis should have refused the commit.
  const config = last === null ? null : known.configAt(last.number)
  if (configMac !== null && config !== null && config.mac !== configMac) return "behind"
  return known.isTouched(chain) ? "touched" : "fresh"
}
