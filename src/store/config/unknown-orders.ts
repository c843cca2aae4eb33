// What is in force if nobody knows the orders: everything is stopped. And which config the ledger says was active last.
import { hashOf } from "../../domain/content/canonical.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import { type Orders, withAbsences } from "../../domain/order/orders.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { unknownOrderer } from "../../domain/people/orderer.ts"
import type { LedgerFreshness } from "../freshness/freshness.ts"
import { type ChainHead, type Entry, openEntry } from "../ledger/entry.ts"
import { readLedger } from "../ledger/read-ledger.ts"
import { chainOf } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"

/** The id of an order: no other order of the installation has it. `end`: where the config's chain ends before it. */
export function orderIdOf(order: JsonObject, end: ChainHead): string {
  return hashOf({ ...order, after: end.mac }).slice(0, 8)
}

/** The reason of a stop that Countersign makes itself. */
const unknownReason = "Redis lost what was ordered, so nobody knows what is stopped"

/**
 * A stop of everything, beside the stops that are known. No absence counts any more: it may have been ended. Whoever is
 * away says so again.
 */
export function everythingStopped(
  known: Orders,
  end: ChainHead,
  at: number,
): { readonly stop: Stop; readonly orders: Orders } {
  const content = { match: {}, by: unknownOrderer, reason: unknownReason, at, until: null }
  const stop = { id: orderIdOf({ ...content, by: { ...content.by } }, end), ...content }
  return { stop, orders: withAbsences({ ...known, stops: [...known.stops, stop] }, []) }
}

/**
 * The revision that the last `activated` of the config's chain names. Null if the chain in the ledger does not lead
 * there from the end that we know. Walks the whole ledger. Throws `StoreError`.
 */
export async function lastActivated(
  options: SealedPlace & { readonly freshness: Pick<LedgerFreshness, "head"> },
): Promise<string | null> {
  const { redis, keys, seal, freshness } = options
  const entries = new Map<string, Entry>()
  let last = ""
  for await (const page of readLedger(redis, keys, { after: "0-0", pageSize: 500 }))
    for (const sealed of page) {
      const entry = openEntry(seal, sealed)
      if (entry?.chain !== chainOf.config) continue
      entries.set(sealed.mac, entry)
      last = sealed.mac
    }
  const end = freshness.head(chainOf.config)?.mac ?? last
  for (let entry = entries.get(end); entry !== undefined; entry = entries.get(entry.prev)) {
    const { kind, revision } = entry.event
    if (kind === "activated" && typeof revision === "string") return revision
  }
  return null
}
