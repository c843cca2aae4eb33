// Reads the ledger as it grows, and takes in what follows from what we know; anything else is a break.
import type { SealedEntry } from "../ledger/entry.ts"
import { type NumberedEntry, readLedger } from "../ledger/read-ledger.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import type { EntryProblem, KnownLedger } from "./known-ledger.ts"
import { type OpenEntry, openOwn, openRead } from "./open-entry.ts"

/** How many entries are read at once. */
const pageSize = 500

/** The ledger does not go on from what we know: its end is gone (`missing`), or we did not write it (`damaged`). */
export interface Break {
  readonly kind: "missing" | "damaged"
  readonly why: string
}

/** What a reader needs. */
export interface ReaderOptions extends SealedPlace {
  /** Ms on this process' own clock. */
  readonly now: () => number
  /** Called with each entry that the reader took in. */
  readonly seen: (entry: OpenEntry) => void
  /** Called with what is wrong with an entry: from now on its chain counts as frozen. */
  readonly wrong: (problem: EntryProblem) => void
}

/** Keeps what is known up to date. */
export interface LedgerReader {
  /** Takes in entries as they stand in Redis, in order; we may know the first one already. */
  takeIn(reads: readonly NumberedEntry[]): Break | null
  /** Takes in entries that this process just committed, right after the end that we know. */
  takeInOwn(entries: readonly SealedEntry[]): Break | null
  /** Reads to the end as it is now. Throws `StoreError`. */
  catchUp(): Promise<Break | null>
  /** When we last found that the ledger ends where we know, or goes on from there; by this process' own clock. */
  goodAt(): number
}

/** Makes the reader of what is known. */
export function createReader(options: ReaderOptions, known: KnownLedger): LedgerReader {
  const { redis, keys, seal, now, seen, wrong } = options
  let goodAt = now()
  const add = (entry: OpenEntry): void => {
    const problem = known.see(entry, now())
    seen(entry)
    if (problem !== null) wrong(problem)
  }
  const takeInOne = (read: NumberedEntry): Break | null => {
    const { number, mac } = read
    const end = known.end().number
    if (number === null || number > end + 1) return damaged(`entry ${end + 1} is not there`)
    if (number <= end) {
      const own = known.macAt(number)
      return own === null || own === mac ? null : missing(`entry ${number} is another than it was`)
    }
    const entry = openRead(seal, read)
    if (entry === null) return damaged(`entry ${number} was not written by us`)
    add(entry)
    return null
  }
  const takeIn: LedgerReader["takeIn"] = (reads) => {
    for (const read of reads) {
      const found = takeInOne(read)
      if (found !== null) return found
    }
    goodAt = now()
    return null
  }
  return {
    takeIn,
    goodAt: () => goodAt,
    takeInOwn: (entries) => {
      const first = known.end().number + 1
      for (const [index, own] of entries.entries()) {
        const entry = openOwn(own, first + index)
        if (entry === null) return damaged(`entry ${first + index} cannot be read`)
        add(entry)
      }
      goodAt = now()
      return null
    },
    catchUp: async () => {
      // We read from the end that we know, to see whether this entry is still there.
      const from = known.end().number
      let first = true
      for await (const page of readLedger(redis, keys, { after: `${Math.max(0, from - 1)}-0`, pageSize })) {
        if (first && from > 0 && page[0]?.number !== from) return missing(`the ledger ends before entry ${from}`)
        first = false
        const found = takeIn(page)
        if (found !== null) return found
        if (page.length < pageSize) return null
      }
      return first && from > 0 ? missing(`the ledger ends before entry ${from}`) : null
    },
  }
}

function missing(why: string): Break {
  return { kind: "missing", why }
}

function damaged(why: string): Break {
  return { kind: "damaged", why }
}
