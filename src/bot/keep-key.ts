// Keeps the key that signs here in the set that receipts are verified by, whatever Redis forgets of that (R17).
import type { Log } from "../flow/ports.ts"
import { type Closer, repeat } from "../repeat.ts"
import type { StoredKey } from "../store/ledger/signing-keys.ts"
import { chainOf } from "../store/redis/keys.ts"
import type { Store } from "../store/store.ts"

/** What it takes. */
export interface KeepKeyOptions {
  readonly store: Pick<Store, "freshness" | "signingKeys">
  /** The public part. */
  readonly key: StoredKey
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Log
  /** How often is looked whether the set changed, ms. Default 1000. */
  readonly lookMs?: number
}

/**
 * Adds the key, and looks again when the set's chain ends elsewhere: after a lost second or a roll-back it may lack the
 * key. Throws `StoreError` if it cannot be added now; later that is logged and retried.
 */
export async function keepKey({ store, key, clock, log, lookMs = 1_000 }: KeepKeyOptions): Promise<Closer> {
  const end = () => store.freshness.head(chainOf.signingKeys)?.mac ?? ""
  let lookedAt: string | null = null
  const look = async (): Promise<void> => {
    // What moves the end meanwhile, ours too, may be lost already: only a look during which it stood still counts.
    for (let before = end(); before !== lookedAt; before = end()) {
      await store.signingKeys.add(key, clock())
      lookedAt = before
    }
  }
  await look()
  return repeat(lookMs, look, (error) => log.warn("signing-key-not-kept", { error }))
}
