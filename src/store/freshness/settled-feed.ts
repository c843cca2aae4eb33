// The settled ledger for checkpoints (port `LedgerFeed`): entries that no honest failover takes, under one root.
import { createMerkleTree } from "../../domain/proof/merkle.ts"
import type { LedgerFeed, SettledState } from "../../flow/ports.ts"
import { lastEra } from "./era.ts"
import type { RecentEntry } from "./known-ledger.ts"
import type { Watch } from "./watch.ts"

/** What is rare, and is to be covered as soon as it is settled: config, links, eras. */
const rare: ReadonlySet<string> = new Set(["activated", "linked", "unlinked", "era"])

/** The feed, and what fills it. */
export interface SettledFeed extends LedgerFeed {
  /** These entries are settled from now on. */
  add(entries: readonly RecentEntry[]): void
}

/** Makes it. `from`: entries covered by the checkpoint at start. `sound`: false while nothing may be vouched for. */
export function createSettledFeed(
  watch: Watch,
  { from, sound }: { readonly from: number; readonly sound: () => boolean },
): SettledFeed {
  const { known, map } = watch
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
    covered: (size) => coverMarks(watch, size),
  }
}

/** A checkpoint covers the first so many entries: notes of them go, and the files of dead, covered processes. */
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
