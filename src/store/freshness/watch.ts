// What all parts of watching share: what we know of the ledger, and how Redis compares with it.

import { createMerkleTree } from "../../domain/proof/merkle.ts"
import type { LedgerFeed, Mark, Marks, SettledState } from "../../flow/ports.ts"
import { acceptedEra, type EraOptions, lastEra } from "./era.ts"
import type { FreshnessOptions, FreshnessStart } from "./freshness.ts"
import type { Head } from "./head.ts"
import { createHeadMap } from "./head-map.ts"
import type { EntryProblem, KnownLedger, LedgerEnd, RecentEntry } from "./known-ledger.ts"
import type { OpenEntry } from "./open-entry.ts"
import { type Break, createReader } from "./reader.ts"
import type { RolledBack, Standing } from "./standing.ts"
import { createVouching } from "./vouching.ts"

/** How often an alarm about a roll-back is repeated, in ms. */
const repeatMs = 60_000

/** Begins the watch over what is known. */
export function createWatch(options: FreshnessOptions, start: FreshnessStart, first: KnownLedger) {
  const { redis, keys, seal } = options
  const { replica, clock, now, alarm, marks, visitor = false } = start
  const noter = createNoter(marks, clock)
  let known = first
  let standing: Standing = { kind: "fresh" }
  let highestEra = 0
  let catching: Promise<Break | null> | null = null
  let remindedAt = Number.NEGATIVE_INFINITY
  const seen = (entry: OpenEntry): void => {
    noter.moved(entry)
    const { era } = entry
    if (standing.kind === "rolled-back" && era?.accepts === true && era.id > highestEra) standing = { kind: "fresh" }
    if (standing.kind !== "rolled-back") highestEra = Math.max(highestEra, era?.id ?? 0)
  }
  const wrong = ({ code, number, chain }: EntryProblem): void =>
    alarm({ code: "chain-behind", chain, number, why: code, hint: "an older record was put into Redis and acted on" })
  const readerOf = (next: KnownLedger) => createReader({ redis, keys, seal, now, seen, wrong }, next)
  let reader = readerOf(first)
  return {
    options,
    start,
    /** Ms on this process' own clock. */
    now,
    noter,
    map: createHeadMap({ redis, keys, seal, replica, clock }),
    vouching: createVouching({ redis, keys, seal, replica, clock, now, visitor }),
    known: () => known,
    reader: () => reader,
    standing: () => standing,
    /** The highest era that was known before Redis was rolled back. */
    highestEra: () => highestEra,
    /** Replaces what we know. */
    know: (next: KnownLedger) => {
      known = next
      reader = readerOf(next)
    },
    /** Notes an era that something outside Redis knows. */
    heardOfEra: (id: number) => {
      highestEra = Math.max(highestEra, id)
    },
    stand: (next: Standing) => {
      standing = next
    },
    /** Reads to the end of the ledger; all who ask meanwhile share one reading. */
    catchUp: () => {
      catching ??= reader.catchUp().finally(() => {
        catching = null
      })
      return catching
    },
    /** Notes outside Redis which entries were taken in. */
    note: () => {
      if (!visitor && standing.kind !== "rolled-back") noter.note(known.end(), lastEra(known.eras()))
    },
    /** Raises the alarm that Redis is rolled back, unless it was raised lately. */
    remind: () => {
      if (standing.kind !== "rolled-back" || now() - remindedAt < repeatMs) return
      remindedAt = now()
      alarm(alarmOf(standing))
    },
  }
}

/** One process' watch over the ledger. */
export type Watch = Readonly<ReturnType<typeof createWatch>>

function alarmOf({ why, known, found }: RolledBack) {
  const until = "nothing is approved, continued or sent again until `countersign ledger accept`"
  const hint = `${until}; docs/running.md says how to restore`
  return { code: "ledger-rolled-back", why, known: known.number, now: found.number, hint }
}

/** What `beginEra` needs. The commit does not wait for the era. */
export function eraOptionsOf(watch: Watch): EraOptions {
  return { ...watch.options, known: watch.known, catchUp: () => watch.catchUp() }
}

/** True if an operator accepted the ledger as we know it now, after the highest era that we had heard of. */
export function isAccepted(watch: Watch): boolean {
  return acceptedEra(watch.known().eras()) > watch.highestEra()
}

/** Writes marks of what this process learns. After each checkpoint the marks begin anew. */
function createNoter(marks: Marks, clock: () => number) {
  let heads = new Map<string, readonly [number, string]>()
  let noted: Mark[] = []
  return {
    /** Remembers where an entry moved its chain's head. */
    moved: ({ chain, n, mac }: OpenEntry) => void heads.set(chain, [n, mac]),
    /** Notes which heads moved since the last call, if any did. */
    note: ({ number, mac }: LedgerEnd, era: number) => {
      if (heads.size === 0) return
      const mark: Mark = { number, mac, at: clock(), era, heads: Object.fromEntries(heads) }
      heads = new Map()
      noted.push(mark)
      marks.note(mark)
    },
    /** Handles what an era calls lost: removes the marks after a number, and notes their chains as they are now. */
    lost: async (after: number, head: (chain: string) => Head | null) => {
      const gone = noted.filter(({ number }) => number > after)
      noted = noted.filter(({ number }) => number <= after)
      for (const chain of gone.flatMap((mark) => Object.keys(mark.heads))) {
        const now = head(chain)
        if (now !== null) heads.set(chain, [now.count, now.mac])
      }
      await marks.begin(noted)
    },
    /** Removes the marks of the first `size` entries: a checkpoint covers these. */
    covered: async (size: number) => {
      noted = noted.filter(({ number }) => number > size)
      await marks.begin(noted)
    },
  }
}

/** Rare entries that should be covered as soon as they are settled: config, orders, links, eras. */
const rare: ReadonlySet<string> = new Set([
  "activated",
  "proposed",
  "proposal-ended",
  "stopped",
  "stopped-again",
  "stop-ended",
  "absence-begun",
  "absence-ended",
  "hold-begun",
  "hold-ended",
  "erasure-waits",
  "orders-restored",
  "orders-unknown",
  "linked",
  "unlinked",
  "era",
])

/**
 * The settled ledger for checkpoints: entries that no honest failover takes, under one root. `from`: how many the
 * checkpoint at the start covered. `sound`: false while we may vouch for nothing.
 */
export function createSettledFeed(
  watch: Watch,
  { from, sound }: { readonly from: number; readonly sound: () => boolean },
): LedgerFeed & { readonly add: (entries: readonly RecentEntry[]) => void } {
  const { known, map } = watch
  let leaves: Buffer[] = []
  let rareAt = 0
  return {
    /** Adds entries that are settled from now on. */
    add: (entries) => {
      for (const { leaf, kind, number } of entries) {
        leaves.push(leaf)
        if (rare.has(kind)) rareAt = number
      }
    },
    from: () => from,
    end: () => known().end().number,
    size: () => (sound() ? known().settled.end().number : 0),
    rareAt: () => rareAt,
    state: async () => {
      let state: Omit<SettledState, "heads"> | undefined
      const heads = await map.write(() => {
        const { heads: table, tree, end, eras } = known().settled
        const peaks = tree.peaks().map(({ leaves: count, hash }) => [count, hash.toString("hex")] as const)
        const root = tree.root().toString("hex")
        state = { size: tree.size(), root, peaks, mac: end().mac, era: lastEra(eras()), leaves: [...leaves] }
        return { table, eras: eras() }
      })
      if (state === undefined || !sound()) return null
      leaves = leaves.slice(state.leaves.length)
      return { ...state, heads }
    },
    covered: (size) => coverMarks(watch, size),
  }
}

/** Removes the marks of the first `size` entries, and the files of dead processes that hold only such marks. */
async function coverMarks({ noter, start, vouching }: Watch, size: number): Promise<void> {
  await noter.covered(size)
  const running = new Set(vouching.running())
  const files = (await start.marks.read()).filter(({ replica }) => !running.has(replica))
  const covered = files.filter(({ marks }) => marks.length > 0 && marks.every(({ number }) => number <= size))
  await start.marks.remove(covered.map(({ replica }) => replica))
}

/** The end of the ledger and the root over all of it, settled or not. */
export function wholeLedger(watch: Watch): { readonly size: number; readonly root: string } {
  const known = watch.known()
  const tree = createMerkleTree(known.settled.tree.peaks())
  for (const { leaf } of known.recent()) tree.append(leaf)
  return { size: known.end().number, root: tree.root().toString("hex") }
}
