// What a process knows of the ledger: where each chain that counts ends, and what Redis may still lose. No I/O.
import { createMerkleTree, type Hash, type MerkleTree, type Peak } from "../../domain/proof/merkle.ts"
import { chainOf, isCaseChain } from "../redis/keys.ts"
import { type Era, isTouchedBy, lastEra, lostConfigIn, withEntry } from "./era.ts"
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
  /** When this process read or wrote the entry, ms on its own clock. */
  readonly readAt: number
  readonly leaf: Hash
  /** The chain's head after this entry; null if nothing of the chain counts any more. */
  readonly after: Head | null
}

/** Where our knowledge begins: before the first entry, or at a checkpoint. */
export interface KnownStart {
  readonly end: LedgerEnd
  readonly heads: HeadTable
  readonly eras: readonly Era[]
  readonly peaks: readonly Peak[]
}

/** The start before the first entry. */
export function theBeginning(): KnownStart {
  return { end: { number: 0, mac: "" }, heads: createHeadTable(), eras: [], peaks: [] }
}

/** What is known so far: what is settled, and the entries after that. */
interface Known {
  readonly heads: HeadTable
  readonly tree: MerkleTree
  settledEnd: LedgerEnd
  recent: RecentEntry[]
  /** The last recent entry of each chain. */
  readonly latest: Map<string, RecentEntry>
  eras: readonly Era[]
  /** The head of the config's chain at the start and after each of its entries: these are few. */
  configs: Pick<RecentEntry, "number" | "after">[]
  asOf: object
}

/** Makes the knowledge of a process, from its start on. */
export function knowFrom({ end, heads, eras, peaks }: KnownStart) {
  const configs = [{ number: end.number, after: heads.get(chainOf.config) }]
  const settled = { heads, tree: createMerkleTree(peaks), settledEnd: end }
  const known: Known = { ...settled, eras, configs, recent: [], latest: new Map(), asOf: {} }
  return {
    /** The last entry that is known. */
    end: () => known.recent.at(-1) ?? known.settledEnd,
    /** An object that is replaced whenever the end of a chain moves. */
    asOf: () => known.asOf,
    /** Where a chain ends; null if nothing of it counts. */
    head: (chain: string) => headIn(known, chain),
    /** The config's head after an entry since the start. A commit may ask for it long after that entry. */
    configAt: (number: number) => known.configs.findLast((one) => one.number <= number)?.after ?? null,
    eras: () => known.eras,
    /** Entries that Redis may still lose, oldest first. */
    recent: (): readonly RecentEntry[] => known.recent,
    /** True if the last acts in a chain may have been lost, and nobody has begun it anew since. */
    isTouched: (chain: string) => isTouchedBy(known.eras, chain, headIn(known, chain)),
    /** Where the config's chain ended before it lost its end, until that is put back; empty: nobody knows; or null. */
    lostConfig: () => lostConfigIn(known.eras, headIn(known, chainOf.config)),
    /** Takes in the next entry, numbered after the end. If something is wrong with it, its chain counts as frozen. */
    see: (entry: OpenEntry, readAt: number) => takeInEntry(known, entry, readAt),
    /** The MAC of an entry, if it is recent or the last settled one; else null. */
    macAt: (number: number) => {
      const { number: settled, mac } = known.settledEnd
      return number === settled ? mac : (known.recent[number - settled - 1]?.mac ?? null)
    },
    /** From now on, entries that we had read at `readAt` are safe. Returns these entries, oldest first. */
    settle: (readAt: number) => settleUntil(known, readAt),
    /** Forgets and returns the entries after a number, oldest first. Do not give a number before the settled end. */
    cut: (number: number) => cutAfter(known, number),
    /** Chains of touched cases, no more than the limit. */
    touched: (limit: number) => touchedCases(known).take(limit).toArray(),
    /** The part of the ledger that no honest failover takes away: checkpoints vouch for this part. */
    settled: {
      end: () => known.settledEnd,
      eras: () => known.eras.filter((era) => era.number <= known.settledEnd.number),
      heads,
      tree: known.tree,
    },
  }
}

/** What a process knows of the ledger. */
export type KnownLedger = Readonly<ReturnType<typeof knowFrom>>

function headIn({ latest, heads }: Known, chain: string): Head | null {
  const last = latest.get(chain)
  return last === undefined ? heads.get(chain) : last.after
}

function takeInEntry(known: Known, entry: OpenEntry, readAt: number): EntryProblem | null {
  const { number, mac, chain, kind, n, leaf } = entry
  const before = headIn(known, chain)
  const problem = orderProblem(before, entry)
  known.eras = withEntry(known.eras, entry)
  const next = headAfter(before, entry, lastEra(known.eras))
  const after = problem === null || next === null ? next : ({ ...next, state: "frozen" } as const)
  const seen: RecentEntry = { number, mac, chain, kind, n, readAt, leaf, after }
  // We append in place: a burst must not copy all entries again and again.
  known.recent.push(seen)
  known.latest.set(chain, seen)
  if (chain === chainOf.config) known.configs.push(seen)
  known.asOf = {}
  return problem
}

function orderProblem(before: Head | null, entry: OpenEntry): EntryProblem | null {
  const { number, chain } = entry
  if (!follows(before, entry)) return { code: "behind", number, chain }
  return votesTwice(before, entry) ? { code: "twice", number, chain } : null
}

function settleUntil(known: Known, readAt: number): readonly RecentEntry[] {
  const young = known.recent.findIndex((one) => one.readAt > readAt)
  const old = young === -1 ? known.recent : known.recent.slice(0, young)
  const last = old.at(-1)
  if (last === undefined) return []
  for (const { leaf, chain, after } of old) {
    known.tree.append(leaf)
    known.heads.set(chain, after)
  }
  known.settledEnd = { number: last.number, mac: last.mac }
  keep(known, young === -1 ? [] : known.recent.slice(young))
  return old
}

function cutAfter(known: Known, number: number): readonly RecentEntry[] {
  const lost = known.recent.filter((one) => one.number > number)
  keep(
    known,
    known.recent.filter((one) => one.number <= number),
  )
  known.configs = known.configs.filter((one) => one.number <= number)
  known.eras = known.eras.filter((era) => era.number <= number)
  known.asOf = {}
  return lost
}

function keep(known: Known, recent: RecentEntry[]): void {
  known.recent = recent
  known.latest.clear()
  for (const one of recent) known.latest.set(one.chain, one)
}

function* touchedCases(known: Known): Generator<string, undefined> {
  const { eras, latest, heads } = known
  if (eras.length === 0) return
  const isTouched = (chain: string) => isCaseChain(chain) && isTouchedBy(eras, chain, headIn(known, chain))
  for (const chain of latest.keys()) if (isTouched(chain)) yield chain
  for (const chain of heads.begunBefore(lastEra(eras))) if (!latest.has(chain) && isTouched(chain)) yield chain
}
