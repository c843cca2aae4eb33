// All runs, a few at a time, so that other requests are answered in between.
import type { DatabaseSync } from "node:sqlite"
import { setImmediate as othersHadTheirTurn } from "node:timers/promises"
import { countOf } from "./columns.ts"

/** The rows of runs from `first` to `last`, by their number (`rowid`; in traces, `seq`). */
export interface RunSlice {
  readonly first: number
  readonly last: number
}

/** SQLite groups this many runs in about 7 ms. */
const sliceSize = 2_000

/** The slices of all runs that exist at the beginning, from `from` on. Ends early if the database is closed. */
export async function* runSlices(database: DatabaseSync, from = 1): AsyncGenerator<RunSlice> {
  const end = countOf(database.prepare("SELECT ifnull(max(rowid), 0) AS n FROM runs").get())
  for (let first = from; first <= end; first += sliceSize) {
    if (first > from) await othersHadTheirTurn()
    if (!database.isOpen) return
    yield { first, last: Math.min(end, first + sliceSize - 1) }
  }
}
