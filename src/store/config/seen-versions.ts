// The versions of the config that a process saw, and what Redis lost of them (R17).
import { isSameOrders } from "../../domain/order/orders.ts"
import { isSameProposals } from "../../domain/rule/proposal.ts"
import type { ActivationOptions } from "./config-change.ts"
import type { StoredConfig } from "./config-record.ts"

/** For how long replicas may put back what they know, in ms; then everything is stopped. Each looks once a second. */
const awaitMs = 5_000
/** The most versions that a process remembers. */
const maxKept = 50

/** What Redis lost of the config, as this process knows it. */
export interface LostConfig {
  /** The newest version that this process saw. */
  readonly seen: StoredConfig
  /** True if what Redis holds was there before that version: then the orders of that version count alone. */
  readonly follows: boolean
  /** True if an era says so: then one entry has to end the doubt, even if nothing differs. */
  readonly named: boolean
}

/** What Redis lost. `unknown`: nobody puts it back. `at`: the time that all replicas agree on, epoch ms. */
export type Loss =
  | { readonly kind: "none" }
  | { readonly kind: "awaited" }
  | ({ readonly kind: "known" } & LostConfig)
  | { readonly kind: "unknown"; readonly at: number }

/** What a process remembers of the config. */
export interface SeenVersions {
  see(config: StoredConfig): void
  /** Compares what Redis holds with what this process knows. `seen`: the last version that it may put back. */
  lossOf(found: StoredConfig, seen: StoredConfig | null): Promise<Loss>
}

/** Makes the memory of a process. */
export function createSeenVersions({ freshness, clock }: Pick<ActivationOptions, "freshness" | "clock">): SeenVersions {
  let kept: readonly StoredConfig[] = []
  let since: number | null = null
  const placeOf = (mac: string) => kept.findIndex(({ chain }) => chain.mac === mac)
  const follows = (found: StoredConfig, seen: StoredConfig) => {
    const place = placeOf(found.chain.mac)
    return place >= 0 && place < placeOf(seen.chain.mac)
  }
  return {
    see: (config) => {
      const place = placeOf(config.chain.mac)
      kept = place >= 0 ? kept.with(place, config) : [...kept, config].slice(-maxKept)
    },
    lossOf: async (found, seen) => {
      const ends = freshness.lostConfig()
      if (ends === null) {
        since = null
        const forgot = seen !== null && found.version < seen.version && !isSameConfig(found, seen)
        return forgot ? { kind: "known", seen, follows: follows(found, seen), named: false } : { kind: "none" }
      }
      const held = kept.filter(({ chain }) => ends.includes(chain.mac))
      const newest = held.toSorted((one, other) => other.version - one.version)[0]
      if (seen !== null && newest !== undefined && held.length === ends.length)
        return { kind: "known", seen: newest, follows: follows(found, newest), named: true }
      const at = (await clock())()
      since ??= at
      return ends.length === 0 || at - since >= awaitMs ? { kind: "unknown", at } : { kind: "awaited" }
    },
  }
}

function isSameConfig(one: StoredConfig, other: StoredConfig): boolean {
  if (one.revision !== other.revision || !isSameOrders(one.orders, other.orders)) return false
  return isSameProposals(one.proposals, other.proposals)
}
