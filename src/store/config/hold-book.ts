// What stays until somebody ends it: holds begun and ended by one act and one entry at a time, and whom they cover now.
import { type Hold, type HoldInForce, holdsInForce } from "../../domain/order/hold.ts"
import { type WaitingErasure, withHold, withoutHold } from "../../domain/order/orders.ts"
import { type Orderer, ordererEntry } from "../../domain/people/orderer.ts"
import type { HoldOf } from "../../domain/policy/shared-config.ts"
import { StoreError } from "../errors.ts"
import type { ConfigProof } from "../ledger/commit.ts"
import { demandKnown } from "../redis/data-schema.ts"
import type { ActivationOptions } from "./config-change.ts"
import { notRead, otherVersion, readConfig, tokenOf } from "./config-record.ts"
import { readActive, writeOrders } from "./orders-record.ts"
import { orderIdOf } from "./unknown-orders.ts"

/** What a new hold came to. `again`: this older one covers the same. */
export type HoldBegun = { readonly kind: "begun" | "again"; readonly hold: Hold } | { readonly kind: "too-many" }

/** All that is on hold, and who is to be erased when it ends. */
export interface HoldList {
  readonly config: readonly HoldOf[]
  readonly holds: readonly Hold[]
  readonly erasures: readonly Omit<WaitingErasure, "names" | "holds">[]
}

/** The holds in the record of the active config. Each act throws `StoreError` as those of the order book do. */
export interface HoldBook {
  /** What the config holds, what people ordered, and the erasures that wait for an end of that. */
  listHolds(): Promise<HoldList>
  /** Begins a hold. What was removed, forgotten or erased before does not come back. */
  beginHold(wanted: Omit<Hold, "id">): Promise<HoldBegun>
  /** Ends a hold, and returns it; null if there is none with this id. */
  endHold(id: string, how: { readonly by: Orderer; readonly at: number }): Promise<Hold | null>
}

/** Makes the book of holds. */
export function createHoldBook(options: ActivationOptions): HoldBook {
  return {
    listHolds: async () => {
      const { shared, orders } = await readActive(options)
      const { holds = [], erasures = [] } = orders
      const waiting = erasures.map(({ person, by, at }) => ({ person, by, at }))
      return { config: shared?.hold ?? [], holds, erasures: waiting }
    },
    beginHold: (wanted) => beginHold(options, wanted),
    endHold: (id, how) => endHold(options, id, how),
  }
}

async function beginHold(options: ActivationOptions, wanted: Omit<Hold, "id">): Promise<HoldBegun> {
  const before = await readActive(options)
  const { of, by, reason, at } = wanted
  const made: Hold = { id: orderIdOf({ ...wanted, of: { ...of }, by: { ...by } }, before.chain), ...wanted }
  const change = withHold(before.orders, made)
  if (change.kind !== "begun") return change
  const event = { kind: "hold-begun", at, hold: made.id, [of.kind]: of.value, ...ordererEntry(by), reason } as const
  const done = await writeOrders(options, before, { orders: change.orders, event })
  return done ? { kind: "begun", hold: made } : beginHold(options, wanted)
}

/** Ends a hold. If somebody was faster with another act, tries again. */
async function endHold(
  options: ActivationOptions,
  id: string,
  how: { readonly by: Orderer; readonly at: number },
): Promise<Hold | null> {
  const before = await readActive(options)
  const ended = (before.orders.holds ?? []).find((one) => one.id === id)
  if (ended === undefined) return null
  const event = { kind: "hold-ended", at: how.at, hold: id, ...ordererEntry(how.by) } as const
  const done = await writeOrders(options, before, { orders: withoutHold(before.orders, id), event })
  return done ? ended : endHold(options, id, how)
}

/** The holds that count now. What rests on them is committed with `proof`: so none that began meanwhile is missed. */
export interface HoldsNow {
  readonly holds: readonly HoldInForce[]
  /** Null before the first activation: then there are no holds. */
  readonly proof: ConfigProof | null
}

/** Reads the holds that count now. Throws `StoreError`: `behind`, `tampered`, `newer-data`, `config-unreadable`. */
export async function readHolds(options: ActivationOptions): Promise<HoldsNow> {
  const found = await readConfig(options)
  if (found === null) return { holds: [], proof: null }
  demandKnown(options.schema, "the data of this installation", found.data)
  if (found.shared === null) throw new StoreError("config-unreadable", `${notRead(found.unread)}: ${otherVersion}`)
  const proof = { token: tokenOf(options.seal, found), mac: found.chain.mac }
  return { holds: holdsInForce(found.shared.hold ?? [], found.orders), proof }
}
