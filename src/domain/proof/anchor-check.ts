// Compares a ledger, entry by entry, with the anchors signed over it. It finds what MACs cannot find: a wrong order or
// length.
import { largest } from "../content/largest.ts"
import { createMerkleTree, type Hash } from "./merkle.ts"

/** What an anchor says about the ledger: the root over its first `size` entries. */
export interface Anchored {
  readonly size: number
  /** 64 hex characters. */
  readonly root: string
  /** Hashes of the last of these entries, if we know them. They count only if they lead to signed roots. */
  readonly leaves: readonly Hash[]
}

/** The first entry that is not the one that was signed. */
export interface AnchorProblem {
  readonly number: number
  readonly message: string
}

/** Starts a check before the first entry. The check has to see each entry's hash in order. */
export function createAnchorCheck(anchors: readonly Anchored[]) {
  const bySize = Map.groupBy(anchors, (anchor) => anchor.size)
  const anchored = largest(
    0,
    anchors.map((anchor) => anchor.size),
  )
  const known = provenLeaves(anchors)
  const tree = createMerkleTree()
  let good = 0
  return {
    /** How many entries the last anchor vouches for; 0 without one. */
    anchored,
    tree,
    /** How many entries, from the first on, are those that were signed. */
    agreed: () => good,
    see: (leaf: Hash): AnchorProblem | null => {
      tree.append(leaf)
      const number = tree.size()
      const signed = known[number - 1]
      if (signed !== undefined && !signed.equals(leaf))
        return { number, message: `entry ${number} is not the one that was signed` }
      if (signed !== undefined) good = number
      const here = bySize.get(number) ?? []
      if (here.length === 0) return null
      const root = tree.root().toString("hex")
      if (here.some((anchor) => anchor.root !== root)) {
        const first = known.length >= number ? number : Math.max(good, known.length) + 1
        return { number: first, message: `entries ${first} to ${number} are not the ones that were signed` }
      }
      good = number
      return null
    },
    /** After the last entry: whether entries are missing that anchors cover. */
    end: (): AnchorProblem | null => {
      const size = tree.size()
      if (size >= anchored) return null
      return { number: size + 1, message: `the ledger ends at entry ${size}, but ${anchored} were signed` }
    },
  }
}

/** The leaves from the first entry on, as long as anchors list them without a gap and their roots confirm them. */
function provenLeaves(anchors: readonly Anchored[]): readonly Hash[] {
  const tree = createMerkleTree()
  const leaves: Hash[] = []
  let proven = 0
  for (const { size, root, leaves: brought } of anchors.toSorted((a, b) => a.size - b.size)) {
    const missing = size - leaves.length
    if (missing > brought.length || missing <= 0) continue
    for (const leaf of brought.slice(brought.length - missing)) {
      tree.append(leaf)
      leaves.push(leaf)
    }
    if (tree.root().toString("hex") !== root) break
    proven = size
  }
  return leaves.slice(0, proven)
}
