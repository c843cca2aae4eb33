// The settled ledger as checkpoints see it (port `LedgerFeed`): entries that no honest failover takes away, under one root.
import type { LedgerFeed, SettledState } from "../../flow/ports.ts"
import { lastEra } from "./era.ts"
import type { HeadMap } from "./head-map.ts"
import type { KnownLedger, RecentEntry } from "./known-ledger.ts"

/** What is rare, and is to be covered as soon as it is settled: config, links, eras. */
const rare: ReadonlySet<string> = new Set(["activated", "linked", "unlinked", "era"])

/** The feed, and what fills it. */
export interface SettledFeed extends LedgerFeed {
  /** These entries are settled from now on. */
  add(entries: readonly RecentEntry[]): void
}

/** What a feed is made of. */
export interface FeedOptions {
  readonly known: () => KnownLedger
  readonly map: HeadMap
  /** How many entries a checkpoint covered at the start. */
  readonly from: number
  /** False while nothing may be vouched for. */
  readonly sound: () => boolean
  /** A checkpoint that covers the first so many entries is kept. */
  readonly covered: (size: number) => Promise<void>
}

/** Makes it. */
export function createSettledFeed({ known, map, from, sound, covered }: FeedOptions): SettledFeed {
  let leaves: Buffer[] = []
  let rareAt = 0
  return {
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
    covered,
  }
}
