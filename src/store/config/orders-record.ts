// The record of the active config as the acts change it: its orders, and nothing else of it.
import type { AbsenceAct } from "../../domain/order/absence.ts"
import type { Orders } from "../../domain/order/orders.ts"
import { StoreError } from "../errors.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { demandKnown } from "../redis/data-schema.ts"
import type { ActivationOptions } from "./config-change.ts"
import { notRead, otherVersion, putConfig, readConfig, type StoredConfig } from "./config-record.ts"

/** The record of the active config. Throws `StoreError`: `behind`, `tampered`, `newer-data`, `no-config`. */
export async function readActive(options: ActivationOptions): Promise<StoredConfig> {
  const found = await readConfig(options)
  if (found === null) throw new StoreError("no-config", "no config is active here yet: start Countersign once")
  demandKnown(options.schema, "the data of this installation", found.data)
  return found
}

/** Other orders, and the entry that says so. `acts`: the acts of the last day, if this is one more of them. */
interface OrdersChange {
  readonly orders: Orders
  readonly event: LedgerEvent
  readonly acts?: readonly AbsenceAct[]
  /** What else is written in the same commit. */
  readonly writes?: readonly IndexWrite[]
}

/** Writes the orders anew, as `make` changes them, with an entry that says so. Throws as `readActive` does. */
export async function rewriteOrders(
  options: ActivationOptions,
  make: (orders: Orders) => Orders,
  besides: Pick<OrdersChange, "event" | "writes">,
): Promise<void> {
  const before = await readActive(options)
  const done = await writeOrders(options, before, { orders: make(before.orders), ...besides })
  if (!done) await rewriteOrders(options, make, besides)
}

/** Writes a version of the config with other orders. False: somebody was faster. */
export async function writeOrders(
  options: ActivationOptions,
  before: StoredConfig,
  { orders, event, acts, writes = [] }: OrdersChange,
): Promise<boolean> {
  const { shared } = before
  if (shared === null) throw new StoreError("config-unreadable", `${notRead(before.unread)}: ${otherVersion}`)
  const { acts: _old, ...rest } = before
  const kept = acts ?? before.acts ?? []
  const next = { ...rest, shared, orders, ...(kept.length === 0 ? {} : { acts: [...kept] }) }
  return putConfig(options, before, { next, events: [event], writes })
}
