// Reads the whole ledger for a report: each entry is verified, and the checkpoints are compared with it.

import { createMerkleTree, entryLeaf, type Peak } from "../../domain/proof/merkle.ts"
import type { TellingEntry } from "../../domain/report/report.ts"
import type { Anchor } from "../../proof/anchors.ts"
import type { Opened } from "../installation/opened-store.ts"
import { problemWords } from "../ledger/ledger.ts"
import { CommandError } from "../terminal.ts"
import { momentWords } from "./span.ts"

/** How the ledger was when it was read. */
export interface ReadLedger {
  /** How many entries it has. */
  readonly entries: number
  /** The root over all entries up to the last of the range, 64 hex characters; null if no entry lies in the range. */
  readonly root: string | null
  /** The newest checkpoint that agrees with the ledger; null: there is none. */
  readonly checkpoint: VouchingCheckpoint | null
}

/** A checkpoint that agrees with the ledger: it vouches for entries 1 to `size`. */
export interface VouchingCheckpoint {
  readonly size: number
  /** 64 hex characters. */
  readonly root: string
  /** When it was signed, ISO 8601. */
  readonly signedAt: string
  /** True if it vouches for the whole range. */
  readonly covers: boolean
}

/**
 * Hands each entry to `take`, which answers whether it lies in the range. Throws `CommandError` if an entry or a
 * checkpoint does not hold, `StoreError` if Redis does not answer, and what `take` throws.
 */
export async function readVerified(
  { store }: Pick<Opened, "store">,
  anchors: readonly Anchor[],
  take: (entry: TellingEntry) => boolean,
): Promise<ReadLedger> {
  const tree = createMerkleTree()
  const sizes = new Set(anchors.map(({ size }) => size))
  const roots = new Map<number, string>()
  let peaks: readonly Peak[] | null = null
  let last = 0
  let acceptedAt = Number.NEGATIVE_INFINITY
  const { entries, problem } = await store.verifyWhile((read, { chain, n, event, sandbox }, number) => {
    tree.append(entryLeaf(read))
    if (sizes.has(number)) roots.set(number, tree.root().toString("hex"))
    if (event["kind"] === "era" && event["why"] === "accepted") acceptedAt = Number(event["at"])
    if (take({ number, chain, n, event, sandbox })) {
      peaks = tree.peaks()
      last = number
    }
    return null
  })
  if (problem !== null) throw broken(problemWords(problem))
  const agreeing = anchors.filter(({ size, root }) => roots.get(size) === root)
  // An operator who accepts a restored Redis ends the checkpoints from before.
  const wrong = anchors.find((anchor) => !agreeing.includes(anchor) && anchor.at > acceptedAt)
  if (wrong !== undefined) throw broken(`its first ${wrong.size} entries are not those that a checkpoint vouches for`)
  return { entries, root: rootOver(peaks), checkpoint: newestOf(agreeing, last) }
}

function broken(what: string): CommandError {
  return new CommandError(
    `there is no report on a ledger that does not verify: ${what}. Run countersign ledger verify: it says what to do`,
  )
}

function rootOver(peaks: readonly Peak[] | null): string | null {
  return peaks === null ? null : createMerkleTree(peaks).root().toString("hex")
}

function newestOf(anchors: readonly Anchor[], last: number): VouchingCheckpoint | null {
  const newest = anchors.at(-1)
  if (newest === undefined) return null
  const { size, root, at } = newest
  return { size, root, signedAt: momentWords(at), covers: size >= last }
}
