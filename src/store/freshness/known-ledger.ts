// What a process knows of the ledger: where each chain that counts ends, and what Redis may still lose. No I/O.
import { createMerkleTree, type Hash, type Peak } from "../../domain/proof/merkle.ts"
import { chainOf, isCaseChain } from "../redis/keys.ts"
import { type Era, isTouchedBy, lastEra, withEntry } from "./era.ts"
import { follows, type Head, headAfter, votesTwice } from "./head.ts"
import { createHeadTable, type HeadTable } from "./head-table.ts"
import type { OpenEntry } from "./open-entry.ts"

/** An honest failover loses only what is younger than this, in ms (`appendfsync everysec`, asynchronous replicas). */
export const mayLoseMs = 5_000

/** A place in the ledger: an entry's sequence number and its MAC; 0 and "" before the first. */
export interface LedgerEnd {
  readonly number: number
  readonly mac: string
}

/** What is wrong with an entry. `behind`: its chain went on differently. `twice`: its interaction voted before. */
export interface EntryProblem {
  readonly code: "behind" | "twice"
  readonly number: number
  readonly chain: string
}

/** An entry that is not yet old enough to be safe from a lost second. */
export interface RecentEntry extends LedgerEnd {
  readonly chain: string
  readonly kind: string
  readonly n: number
  /** When this process read it or wrote it, ms on its own clock. */
  readonly readAt: number
  readonly leaf: Hash
  /** Where the chain ends with it; null if nothing of the chain counts any more. */
  readonly after: Head | null
}

/** Where our knowledge begins: before the first entry, or at a checkpoint. */
export interface KnownStart {
  readonly end: LedgerEnd
  readonly heads: HeadTable
  readonly eras: readonly Era[]
  readonly peaks: readonly Peak[]
}

/** Before the first entry. */
export function theBeginning(): KnownStart {
  return { end: { number: 0, mac: "" }, heads: createHeadTable(), eras: [], peaks: [] }
}

/** Begins to know. */
export function knowFrom(start: KnownStart) {
  const { heads } = start
  const tree = createMerkleTree(start.peaks)
  const latest = new Map<string, RecentEntry>()
  const configAtStart = heads.get(chainOf.config)
  // The config hardly ever changes, so all of its entries since the start are kept.
  let configs: RecentEntry[] = []
  let recent: RecentEntry[] = []
  let asOf = {}
  let { eras, end: settledEnd } = start
  const end = (): LedgerEnd => recent.at(-1) ?? settledEnd
  const head = (chain: string): Head | null => {
    const last = latest.get(chain)
    return last === undefined ? heads.get(chain) : last.after
  }
  const keep = (next: RecentEntry[]) => {
    recent = next
    latest.clear()
    for (const one of next) latest.set(one.chain, one)
  }
  return {
    /** The last entry that it knows. */
    end,
    /** The same object as long as every chain ends where it did. */
    asOf: () => asOf,
    /** Where a chain ends; null if nothing of it counts. */
    head,
    /**
     * Where the config's chain ended with an entry of that number, which must not be before the start. A commit asks
     * for it, perhaps long after it was made.
     */
    configAt: (number: number) => {
      const last = configs.findLast((one) => one.number <= number)
      return last === undefined ? configAtStart : last.after
    },
    eras: () => eras,
    /** Entries that Redis may still lose, oldest first. */
    recent: () => recent,
    /** True if the last acts in a chain may have been lost, and nobody has begun it anew since. */
    isTouched: (chain: string) => isTouchedBy(eras, chain, head(chain)),
    /** Takes in the next entry, numbered after the end. If something is wrong with it, its chain counts as frozen. */
    see: (entry: OpenEntry, readAt: number) => {
      const { number, mac, chain, kind, n, leaf } = entry
      const before = head(chain)
      const problem = orderProblem(before, entry)
      eras = withEntry(eras, entry)
      const next = headAfter(before, entry, lastEra(eras))
      const after = problem === null || next === null ? next : ({ ...next, state: "frozen" } as const)
      const seen: RecentEntry = { number, mac, chain, kind, n, readAt, leaf, after }
      // In place: a burst must not copy everything before it again and again.
      recent.push(seen)
      latest.set(chain, seen)
      if (chain === chainOf.config) configs.push(seen)
      asOf = {}
      return problem
    },
    /** The MAC of an entry, if it is recent or the last settled one; else null. */
    macAt: (number: number) => {
      if (number === settledEnd.number) return settledEnd.mac
      return recent[number - settledEnd.number - 1]?.mac ?? null
    },
    /** Entries that were read by that moment are safe from now on. Returns them, oldest first. */
    settle: (readAt: number) => {
      const young = recent.findIndex((one) => one.readAt > readAt)
      const old = young === -1 ? recent : recent.slice(0, young)
      const last = old.at(-1)
      if (last === undefined) return []
      for (const { leaf, chain, after } of old) {
        tree.append(leaf)
        heads.set(chain, after)
      }
      settledEnd = { number: last.number, mac: last.mac }
      keep(young === -1 ? [] : recent.slice(young))
      return old
    },
    /** Forgets the entries after a number that is not before the settled end. Returns them, oldest first. */
    cut: (number: number) => {
      const lost = recent.filter((one) => one.number > number)
      keep(recent.filter((one) => one.number <= number))
      configs = configs.filter((one) => one.number <= number)
      asOf = {}
      eras = eras.filter((era) => era.number <= number)
      return lost
    },
    /** Chains of cases that are touched, at most so many. */
    touched: (limit: number) => {
      const found: string[] = []
      if (eras.length === 0) return found
      const see = (chain: string) => {
        if (isCaseChain(chain) && isTouchedBy(eras, chain, head(chain))) found.push(chain)
      }
      for (const chain of latest.keys()) if (found.length < limit) see(chain)
      for (const chain of heads.begunBefore(lastEra(eras))) {
        if (found.length >= limit) break
        if (!latest.has(chain)) see(chain)
      }
      return found
    },
    /** The ledger up to a place that no honest failover takes away: a checkpoint vouches for this. */
    settled: { end: () => settledEnd, eras: () => eras.filter((era) => era.number <= settledEnd.number), heads, tree },
  }
}

/** What a process knows of the ledger. */
export type KnownLedger = Readonly<ReturnType<typeof knowFrom>>

function orderProblem(before: Head | null, entry: OpenEntry): EntryProblem | null {
  const { number, chain } = entry
  if (!follows(before, entry)) return { code: "behind", number, chain }
  return votesTwice(before, entry) ? { code: "twice", number, chain } : null
}
