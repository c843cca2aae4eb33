// Notes what this process knows outside Redis, as it learns it, and begins anew after each checkpoint.
import type { Mark, Marks } from "../../flow/ports.ts"
import type { Head } from "./head.ts"
import type { LedgerEnd } from "./known-ledger.ts"
import type { OpenEntry } from "./open-entry.ts"

/** What is noted of entries. */
export interface Noter {
  /** An entry was taken in. */
  moved(entry: OpenEntry): void
  /** Notes what moved since the last call; nothing if nothing did. */
  note(end: LedgerEnd, era: number): void
  /** What came after an entry is lost, and an era says so: it is noted no longer, and what its chains are now is. */
  lost(after: number, head: (chain: string) => Head | null): Promise<void>
  /** A checkpoint covers the first so many entries. */
  covered(size: number): Promise<void>
}

/** Makes it. `clock`: epoch ms. */
export function createNoter(marks: Marks, clock: () => number): Noter {
  let heads = new Map<string, readonly [number, string]>()
  let noted: Mark[] = []
  return {
    moved: ({ chain, n, mac }) => void heads.set(chain, [n, mac]),
    note: ({ number, mac }, era) => {
      if (heads.size === 0) return
      const mark: Mark = { number, mac, at: clock(), era, heads: Object.fromEntries(heads) }
      heads = new Map()
      noted.push(mark)
      marks.note(mark)
    },
    lost: async (after, head) => {
      const gone = noted.filter(({ number }) => number > after)
      noted = noted.filter(({ number }) => number <= after)
      for (const chain of gone.flatMap((mark) => Object.keys(mark.heads))) {
        const now = head(chain)
        if (now !== null) heads.set(chain, [now.count, now.mac])
      }
      await marks.begin(noted)
    },
    covered: async (size) => {
      noted = noted.filter(({ number }) => number > size)
      await marks.begin(noted)
    },
  }
}
