// The ledger as the checkpoints see it: how long it is, and each entry's hash (port `LedgerFeed`).
import type { Redis } from "ioredis"
import { entryLeaf } from "../domain/merkle.ts"
import type { Seal } from "../domain/seal.ts"
import type { LedgerFeed } from "../flow/ports.ts"
import { openEntry } from "./entry.ts"
import { attempt } from "./errors.ts"
import type { Keys } from "./keys.ts"
import { readLedger } from "./ledger.ts"

/** How many entries are read at once. */
const pageSize = 500

/** Makes the feed of an installation's ledger. Throws `StoreError`. */
export function createLedgerFeed(options: {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
}): LedgerFeed {
  const { redis, keys, seal } = options
  return {
    length: () => readSequence(redis, keys),
    leaves: async function* (after, upTo) {
      for await (const page of readLedger(redis, keys, { after: `${after}-0`, pageSize })) {
        for (const entry of page) {
          if (entry.number !== null && entry.number > upTo) return
          yield { number: entry.number, hash: entryLeaf(entry), ours: entry.whole && openEntry(seal, entry) !== null }
        }
      }
    },
  }
}

/** The last sequence number; NaN for what is no number. Throws `StoreError`. */
export async function readSequence(redis: Redis, keys: Keys): Promise<number> {
  const text = await attempt("read the sequence", () => redis.get(keys.sequence))
  return /^\d+$/.test(text ?? "0") ? Number(text ?? "0") : Number.NaN
}
