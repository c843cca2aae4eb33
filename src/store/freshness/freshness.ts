// Freshness: how new each record must at least be, known from outside Redis. Older records do not count (R14, R17).
import type { Alarm, Bound, Bounds, LedgerFeed, Log, Marks } from "../../flow/ports.ts"
import { StoreError } from "../errors.ts"
import type { SealedEntry } from "../ledger/entry.ts"
import type { InstallationOptions } from "../ledger/installation.ts"
import type { NumberedEntry } from "../ledger/read-ledger.ts"
import type { Head } from "./head.ts"
import type { LedgerEnd } from "./known-ledger.ts"
import type { RecordHead, Standing } from "./standing.ts"
import { startWatching, type Watching } from "./watching.ts"

/** What freshness needs. It does not judge its own commits. */
export interface FreshnessOptions extends InstallationOptions {
  /** The epoch of the Redis that answers now. */
  readonly epoch: () => Promise<string>
  readonly log: Log
}

/** What a process brings to its start. */
export interface FreshnessStart {
  /** The id of this replica, new with each start. */
  readonly replica: string
  /** Epoch ms. */
  readonly clock: () => number
  /** Ms on a clock that nobody sets. */
  readonly now: () => number
  readonly alarm: (alarm: Alarm) => void
  readonly bounds: Bounds
  readonly marks: Marks
  /** True: nothing starts without a checkpoint, except a new installation. */
  readonly requireCheckpoint: boolean
  /** True for a command: it only looks, or makes one change. It is no replica, and begins no era by itself. */
  readonly visitor?: boolean
}

/** What a commit's reply says about the ledger. */
export interface CommitReply {
  /** Where the ledger ended, as the caller knew it; null: the caller did not say. */
  readonly asked: LedgerEnd | null
  /** The entry before our first entry; null: the commit had been made before. */
  readonly last: LedgerEnd | null
  /** The MAC of the entry that now stands where the ledger ended for the caller. */
  readonly mac: string
  /** What others committed after the end that the caller knew. */
  readonly others: readonly NumberedEntry[]
}

/** What a commit wrote, in which chains, and on which config it rests. */
export interface OwnCommit {
  readonly chains: readonly string[]
  readonly entries: readonly SealedEntry[]
  /** The last MAC of the config's chain when somebody judged by the config; null: no config was involved. */
  readonly configMac: string | null
}

/** Whether a commit counts. `behind`: it was made on a record that was not the newest. `touched`: it may be lost. */
export type CommitStanding = "fresh" | "behind" | "touched"

/** One process' freshness. Before `start` everything counts as fresh: up to then, call only what grants nothing. */
export interface LedgerFreshness {
  /** Reads the ledger, compares it with marks and checkpoint, and watches it. Throws `StoreError` (`no-checkpoint`). */
  start(start: FreshnessStart): Promise<void>
  /** Where a chain ends, as far as we know now. Ask before you read the chain's record. */
  head(chain: string): Head | null
  /** An object that is replaced whenever `head` changes for some chain. Null before `start`. */
  asOf(): object | null
  /**
   * Compares a record with `head`, which was asked for before the record was read. If they do not fit, first looks
   * whether Redis lost the ledger's end. `again`: read the record once more. Throws `StoreError`.
   */
  judge(chain: string, record: RecordHead, head: Head | null): Promise<"fresh" | "behind" | "again">
  /** Reads the ledger to its present end, so `head` knows what others committed. Throws `StoreError`. */
  catchUp(): Promise<void>
  /** Before a commit: if it counts a vote, waits for a settled end. Throws `StoreError` `unsettled`; then retry. */
  enter(counts: boolean): Promise<void>
  /** The ledger's end as we know it, so the script can say what came after; null if another commit asks already. */
  ask(): LedgerEnd | null
  /** Says that the commit that asked got no reply. */
  unasked(): void
  /** After a commit: takes in its reply, own entries last, and says whether the commit counts. Throws `StoreError`. */
  took(reply: CommitReply, own: OwnCommit): Promise<readonly CommitStanding[]>
  isTouched(chain: string): boolean
  /**
   * Where the config's chain ended before it lost its end, as MACs, until somebody puts that back. Empty: nobody knows.
   * Null: it lost nothing.
   */
  lostConfig(): readonly string[] | null
  /** Some chains of cases that an era touched and that have not begun anew. */
  touched(limit: number): readonly string[]
  /** The present era. */
  era(): number
  standing(): Standing
  /** Asks all replicas again where the ledger ends. Throws `StoreError` `unsettled`. */
  settle(): Promise<void>
  /** Accepts a roll-back, if `shown` is the ledger's end and root. Throws `StoreError` `not-as-shown`. */
  accept(shown: { readonly size: number; readonly root: string }): Promise<void>
  /** The end of the ledger as it is now, and the root over it. */
  shown(): { readonly size: number; readonly root: string }
  /** The newest checkpoint before a moment (epoch ms); null: none is in reach. Only the ledger's root proves it. */
  coveredBy(at: number): Promise<Pick<Bound, "size" | "peaks"> | null>
  /** Looks at the ledger's end, as we do each second. Throws `StoreError`. */
  look(): Promise<void>
  /** For checkpoints. */
  readonly feed: LedgerFeed
  /** Ends watching. Then all marks are on the disk. */
  close(): Promise<void>
}

/** The part of freshness that judges commits and reads. */
export type Bounding = Pick<
  LedgerFreshness,
  "enter" | "ask" | "unasked" | "took" | "head" | "judge" | "catchUp" | "isTouched"
>

/** Judges nothing: for looks that grant nothing, and for the commits of freshness itself. */
export const unbounded: Bounding = {
  enter: async () => undefined,
  ask: () => null,
  unasked: () => undefined,
  took: async (_, { chains }) => allFresh(chains),
  head: () => null,
  judge: async () => "fresh",
  catchUp: async () => undefined,
  isTouched: () => false,
}

function allFresh(chains: readonly string[]): readonly CommitStanding[] {
  return chains.map(() => "fresh")
}

/** Makes the freshness of a process. */
export function createFreshness(options: FreshnessOptions): LedgerFreshness {
  let watching: Watching | null = null
  const watched = (): Watching => {
    if (watching !== null) return watching
    throw new StoreError("unsettled", "the ledger is not watched yet")
  }
  return {
    start: async (start) => {
      watching = await startWatching(options, start)
    },
    head: (chain) => watching?.head(chain) ?? null,
    asOf: () => watching?.asOf() ?? null,
    judge: async (chain, record, head) => (watching === null ? "fresh" : watching.judge(chain, record, head)),
    catchUp: async () => watching?.catchUp(),
    enter: async (counts) => watching?.enter(counts),
    ask: () => watching?.ask() ?? null,
    unasked: () => watching?.unasked(),
    took: async (reply, own) => (watching === null ? allFresh(own.chains) : watching.took(reply, own)),
    isTouched: (chain) => watching?.isTouched(chain) ?? false,
    lostConfig: () => watching?.lostConfig() ?? null,
    touched: (limit) => watching?.touched(limit) ?? [],
    era: () => watching?.era() ?? 0,
    standing: () => watching?.standing() ?? { kind: "fresh" },
    settle: async () => watching?.settle(),
    accept: (shown) => watched().accept(shown),
    shown: () => watched().shown(),
    coveredBy: async (at) => watching?.coveredBy(at) ?? null,
    feed: {
      from: () => watching?.feed.from() ?? 0,
      end: () => watching?.feed.end() ?? 0,
      size: () => watching?.feed.size() ?? 0,
      rareAt: () => watching?.feed.rareAt() ?? 0,
      state: async () => (watching === null ? null : watching.feed.state()),
      covered: async (size) => watching?.feed.covered(size),
    },
    look: async () => watching?.look(),
    close: async () => watching?.close(),
  }
}
