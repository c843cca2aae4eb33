// A settled ledger in memory, as checkpoints see it.
import { createMerkleTree, type Hash, leafHash } from "../../src/domain/proof/merkle.ts"
import type { LedgerFeed } from "../../src/flow/ports.ts"

export interface TestFeed extends LedgerFeed {
  /** So many entries more are settled. `rare`: the last of them is to be covered soon. */
  grow(count: number, rare?: "rare"): void
  /** From now on nothing may be vouched for. */
  spoil(): void
  /** How often was asked how much is settled. */
  looks(): number
  /** What was said to be covered, in order. */
  readonly kept: readonly number[]
}

export function aFeed(count = 0): TestFeed {
  const tree = createMerkleTree()
  let leaves: Hash[] = []
  let [sound, rareAt, looks] = [true, 0, 0]
  const kept: number[] = []
  const grow: TestFeed["grow"] = (more, rare) => {
    for (let one = 0; one < more; one += 1) {
      const leaf = leafHash(`entry ${tree.size() + 1}`)
      tree.append(leaf)
      leaves.push(leaf)
    }
    if (rare) rareAt = tree.size()
  }
  grow(count)
  return {
    grow,
    kept,
    spoil: () => {
      sound = false
    },
    end: () => tree.size(),
    from: () => count,
    looks: () => looks,
    size: () => {
      looks += 1
      return sound ? tree.size() : 0
    },
    rareAt: () => rareAt,
    state: async () => {
      if (!sound) return null
      const brought = leaves
      leaves = []
      const peaks = tree.peaks().map(({ leaves: size, hash }) => [size, hash.toString("hex")] as const)
      const root = tree.root().toString("hex")
      return { size: tree.size(), mac: `mac-${tree.size()}`, root, peaks, heads: "list.0", era: 0, leaves: brought }
    },
    covered: async (size) => void kept.push(size),
  }
}
