// The ledger's entries, opened one by one, for commands that show them.
import type { Redis } from "ioredis"
import type { Seal } from "../domain/seal.ts"
import { type Entry, openEntry } from "./entry.ts"
import type { Keys } from "./keys.ts"
import { readLedger } from "./ledger.ts"

/** How many entries are read at once. */
const pageSize = 500

/** An entry with its place. `entry` is null if it is not ours: its MAC does not hold. */
export interface OpenedEntry {
  readonly number: number
  readonly body: string
  readonly mac: string
  readonly entry: Entry | null
}

/** The entries after a sequence number, as far as they go now; those at places that we would not give are left out. Throws `StoreError`. */
export async function* openedEntries(
  { redis, keys, seal }: { readonly redis: Redis; readonly keys: Keys; readonly seal: Seal },
  after: number,
): AsyncGenerator<OpenedEntry> {
  for await (const page of readLedger(redis, keys, { after: `${after}-0`, pageSize })) {
    for (const { number, body, mac, whole } of page) {
      if (number !== null) yield { number, body, mac, entry: whole ? openEntry(seal, { body, mac }) : null }
    }
  }
}
