// The orders in force: what people ordered beside the rules, and each legal change of that. Pure.
import type { Case, Step, StopNote } from "../case/case.ts"
import { stepTo } from "../case/steps.ts"
import { hashOf } from "../content/canonical.ts"
import { coverOf, isSameMatch, maxStops, type Stop, type StopCover, type Stoppable } from "./stop.ts"

/** All orders in force. */
export interface Orders {
  /** Oldest first. */
  readonly stops: readonly Stop[]
}

/** No order is in force. */
export const noOrders: Orders = { stops: [] }

/** Names what the orders say; null if there are none, so that what holds none stays as it was. */
export function ordersHash({ stops }: Orders): string | null {
  return stops.length === 0 ? null : hashOf({ stops: stops.map((stop) => ({ ...stop, by: { ...stop.by } })) })
}

/** True if both say the same. */
export function isSameOrders(one: Orders, other: Orders): boolean {
  return one === other || ordersHash(one) === ordersHash(other)
}

/** What a new stop comes to. `again`: this older one stops the same for at least as long. */
export type StopChange =
  | { readonly kind: "stopped"; readonly orders: Orders }
  | { readonly kind: "again"; readonly stop: Stop }
  | { readonly kind: "too-many" }

/** Adds a stop. */
export function withStop(orders: Orders, stop: Stop): StopChange {
  const same = orders.stops.find((one) => isSameMatch(one.match, stop.match) && lastsUntil(one) >= lastsUntil(stop))
  if (same !== undefined) return { kind: "again", stop: same }
  if (orders.stops.length >= maxStops) return { kind: "too-many" }
  return { kind: "stopped", orders: { ...orders, stops: [...orders.stops, stop] } }
}

function lastsUntil({ until }: Stop): number {
  return until ?? Number.POSITIVE_INFINITY
}

/** The orders without one stop. */
export function withoutStop(orders: Orders, id: string): Orders {
  return { ...orders, stops: orders.stops.filter((stop) => stop.id !== id) }
}

/** Everything that stands in either: nobody knows which of two is the newer. */
export function joinedOrders(one: Orders, other: Orders): Orders {
  const added = other.stops.filter(({ id }) => one.stops.every((stop) => stop.id !== id))
  return { ...one, stops: [...one.stops, ...added] }
}

/** A stop that covers a case, and how. */
export interface CoveringStop {
  readonly stop: Stop
  readonly cover: StopCover
}

/** The stop that covers a case: the oldest that does for certain, else the oldest that may. Null if none does. */
export function stopOn({ stops }: Orders, subject: Stoppable): CoveringStop | null {
  const covering = stops.flatMap((stop) => {
    const cover = coverOf(stop, subject)
    return cover === null ? [] : [{ stop, cover }]
  })
  return covering.find(({ cover }) => cover === "certain") ?? covering[0] ?? null
}

/** Notes which stop covers an open case, for its cards; null: none does. Returns null if the case says so already. */
export function noteStop(current: Case, covering: CoveringStop | null): Step | null {
  const note = covering === null || current.state !== "open" ? null : noteOf(covering)
  const { stopped, ...rest } = current
  if (JSON.stringify(note) === JSON.stringify(stopped ?? null)) return null
  return stepTo(note === null ? rest : { ...rest, stopped: note }, [])
}

function noteOf({ stop: { id, by, reason, at }, cover }: CoveringStop): StopNote {
  return { stop: id, by, reason, at, ...(cover === "perhaps" ? { perhaps: true } : {}) }
}
