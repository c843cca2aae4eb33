// A Merkle tree over a growing list (RFC 6962, section 2.1): one hash that stands for all entries and for their order.
import { createHash } from "node:crypto"

/** A hash of the tree: 32 bytes. */
export type Hash = Buffer

/** The hash of one entry (RFC 6962: with a zero byte before it, so that no entry passes for an inner node). */
export function leafHash(text: string): Hash {
  return createHash("sha256").update(Buffer.of(0)).update(text).digest()
}

function nodeHash(left: Hash, right: Hash): Hash {
  return createHash("sha256").update(Buffer.of(1)).update(left).update(right).digest()
}

/** A full subtree: how many leaves it has, and its hash. */
export interface Peak {
  readonly leaves: number
  readonly hash: Hash
}

/** A growing tree. It keeps one hash for each full subtree, and no leaves. */
export interface MerkleTree {
  append(leaf: Hash): void
  readonly size: () => number
  /** The hash over all leaves so far; without leaves, SHA-256 of nothing. */
  readonly root: () => Hash
  /** Its full subtrees from the largest to the smallest. A tree can go on from these alone. */
  readonly peaks: () => readonly Peak[]
}

/** Makes an empty tree, or one that goes on from peaks. */
export function createMerkleTree(start: readonly Peak[] = []): MerkleTree {
  const peaks: Peak[] = [...start]
  let size = start.reduce((sum, { leaves }) => sum + leaves, 0)
  return {
    peaks: () => [...peaks],
    append: (leaf) => {
      let made = { leaves: 1, hash: leaf }
      for (let last = peaks.at(-1); last !== undefined && last.leaves === made.leaves; last = peaks.at(-1)) {
        peaks.pop()
        made = { leaves: 2 * made.leaves, hash: nodeHash(last.hash, made.hash) }
      }
      peaks.push(made)
      size += 1
    },
    size: () => size,
    root: () =>
      peaks
        .map((peak) => peak.hash)
        .reduceRight<Hash | null>((right, left) => (right === null ? left : nodeHash(left, right)), null) ??
      createHash("sha256").digest(),
  }
}

/** The hashes from the leaf at `index` (from 0) to the root over `leaves` (RFC 6962, 2.1.1). Throws `RangeError`. */
export function inclusionPath(leaves: readonly Hash[], index: number): readonly Hash[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`there is no leaf ${index} among ${leaves.length}`)
  if (leaves.length === 1) return []
  const half = largestPowerBelow(leaves.length)
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
  return index < half
    ? [...inclusionPath(left, index), rootOf(right)]
    : [...inclusionPath(right, index - half), rootOf(left)]
}

function rootOf(leaves: readonly Hash[]): Hash {
  const tree = createMerkleTree()
  for (const leaf of leaves) tree.append(leaf)
  return tree.root()
}

function largestPowerBelow(count: number): number {
  let power = 1
  while (2 * power < count) power *= 2
  return power
}

/** What an inclusion proof says: this leaf stands at `index` of a tree of `size` leaves. */
export interface Inclusion {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly path: readonly Hash[]
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2), or null if its path does not fit its place. */
export function rootFromPath({ leaf, index, size, path }: Inclusion): Hash | null {
  if (index < 0 || index >= size) return null
  let [node, last, hash] = [index, size - 1, leaf]
  for (const beside of path) {
    if (last === 0) return null
    const fromLeft = node % 2 === 1 || node === last
    hash = fromLeft ? nodeHash(beside, hash) : nodeHash(hash, beside)
    while (fromLeft && node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return last === 0 ? hash : null
}

/** The hash of an entry's text and MAC. The text is canonical JSON, so the line feed between them is the only one. */
export function entryLeaf(entry: { readonly body: string; readonly mac: string }): Hash {
  return leafHash(`${entry.body}\n${entry.mac}`)
}
