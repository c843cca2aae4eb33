// Walks the ledger from its first entry and recomputes what only we could have written: MACs, chains, numbers.
import { isVoteKind } from "../../domain/case/event.ts"
import type { Seal } from "../../domain/proof/seal.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { type Entry, openEntry } from "./entry.ts"
import { type NumberedEntry, readLedger } from "./read-ledger.ts"

/** The first thing that is wrong, and in which chain. `number`: that of the entry; null if no entry is wrong. */
export interface LedgerProblem {
  readonly code:
    | "gap"
    | "bad-seal"
    | "broken-chain"
    | "voted-twice"
    | "cut-off"
    | "not-as-signed"
    | "rolled-back"
    | `${"erasable" | "receipt"}-${"missing" | "changed" | "returned"}`
    | "numbers-changed"
    | "unknown-subject"
    | "record-missing"
    | "record-tampered"
    | "record-behind"
    | "record-ahead"
    | "record-differs"
    | "record-without-entries"
  readonly number: number | null
  readonly chain: string | null
  readonly message: string
}

/** What the reading has seen of one chain. */
interface SeenChain {
  readonly count: number
  readonly mac: string
  /** The sequence numbers of its entries. */
  readonly numbers: number[]
  /** The interactions that voted, by their ids: none may vote twice (R11). */
  readonly votes: Set<string>
}

/** A reading of the ledger that can go on where it stopped. */
export interface LedgerWalk {
  /** Goes on to the end of the ledger as it is now; gives the first problem, or null. */
  go(): Promise<LedgerProblem | null>
  readonly entries: () => number
  readonly chains: ReadonlyMap<string, SeenChain>
}

/** Looks at each entry whose MAC, number and chain hold. */
export type EntryLook = (read: NumberedEntry, entry: Entry, number: number) => LedgerProblem | null

/** Makes a reading that starts with the first entry. */
export function createLedgerWalk(
  options: SealedPlace & { readonly pageSize: number; readonly look: EntryLook },
): LedgerWalk {
  const { redis, keys, seal, pageSize, look } = options
  const chains = new Map<string, SeenChain>()
  let last = 0
  const see = (read: NumberedEntry): LedgerProblem | null => {
    const problem = problemOf({ seal, look }, read, last, chains)
    if (problem === null) last += 1
    return problem
  }
  return {
    chains,
    entries: () => last,
    go: async () => {
      for await (const page of readLedger(redis, keys, { after: `${last}-0`, pageSize })) {
        for (const read of page) {
          const problem = see(read)
          if (problem !== null) return problem
        }
      }
      return null
    },
  }
}

/** Checks one entry and, if it is right, adds it to its chain. */
function problemOf(
  { seal, look }: { readonly seal: Seal; readonly look: EntryLook },
  read: NumberedEntry,
  last: number,
  chains: Map<string, SeenChain>,
): LedgerProblem | null {
  const number = read.number ?? last + 1
  if (read.number !== last + 1)
    return { code: "gap", number, chain: null, message: `entry ${last + 1} is not there: ${read.id} follows ${last}` }
  const entry = read.whole ? openEntry(seal, read) : null
  if (entry === null) return { code: "bad-seal", number, chain: null, message: `entry ${number} was not sealed by us` }
  const { chain } = entry
  const before = chains.get(chain)
  if (!continuesChain(entry, before))
    return { code: "broken-chain", number, chain, message: `entry ${number} ${brokenBy(entry, before?.count ?? 0)}` }
  const { numbers = [], votes = new Set<string>() } = before ?? {}
  const vote = voteOf(entry)
  if (vote !== null && votes.has(vote))
    return {
      code: "voted-twice",
      number,
      chain,
      message: `entry ${number} is a vote by a press that voted on ${chain} before`,
    }
  if (vote !== null) votes.add(vote)
  numbers.push(number)
  chains.set(chain, { count: entry.n, mac: read.mac, numbers, votes })
  return look(read, entry, number)
}

/** How an entry breaks its chain, which has this many entries before it. */
function brokenBy({ chain, n }: Entry, count: number): string {
  if (n > count + 1)
    return `is number ${n} of ${chain}, after number ${count}: ${n - count - 1} of its entries are missing`
  if (n <= count) return `is number ${n} of ${chain}, which has ${count} by then: it was written on an older record`
  return `does not follow the last entry of ${chain}`
}

function voteOf({ event }: Entry): string | null {
  const { kind, interaction } = event
  return isVoteKind(kind) && typeof interaction === "string" ? interaction : null
}

function continuesChain(entry: Entry, before: SeenChain | undefined): boolean {
  return entry.n === (before?.count ?? 0) + 1 && entry.prev === (before?.mac ?? "")
}
