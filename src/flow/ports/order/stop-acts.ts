// Orders, as people give and end them: what is asked, what it comes to, and where the store keeps them (R21).
import type { Orders } from "../../../domain/order/orders.ts"
import type { TypedStop } from "../../../domain/order/read-stop.ts"
import type { Stop, StopMatch } from "../../../domain/order/stop.ts"
import type { Orderer } from "../../../domain/people/orderer.ts"
import type { SlackId } from "../../../domain/people/person.ts"

export type { Stop, StopMatch, TypedStop }

/** What a stop came to. `again`: the older stop that covers the same. */
export type StopDone = { readonly kind: "stopped" | "again"; readonly stop: Stop } | { readonly kind: "too-many" }

/** Who ends a stop, and when (epoch ms). */
export interface StopEnd {
  readonly by: Orderer
  readonly at: number
  /** The config's revision under which they were judged; absent where nobody is judged, as at a shell. */
  readonly revision?: string
}

/** The orders in the record of the active config. Throws a `PortError` if Redis does not answer or is not believed. */
export interface OrderBook {
  /** What is in force now. */
  list(): Promise<Orders>
  /** Makes a stop. From its entry on, no commit counts that was judged without it. */
  stop(wanted: Omit<Stop, "id">): Promise<StopDone>
  /**
   * Ends a stop, and returns it; null if there is none with this id. The entry names the revision that is active then.
   * `other-config`: it is not the one under which they were judged, and nothing ends. First notes of each verdict that
   * was made before the stop and may be on its way that from now on it is only read: nothing is sent that nobody
   * presses again (R9).
   */
  end(id: string, how: StopEnd): Promise<Stop | "other-config" | null>
}

/** What gates at tools are told of stops. Throws a `PortError` if Redis does not answer. */
export interface ToldGates {
  /** How many approvals gates refuse under these orders: their receipts could still be taken at `at` (epoch ms). */
  count(at: number, orders: Orders): Promise<number>
}

/** Why somebody may not stop or end a stop. `own`: they made it. `requester`: they asked for a run under it. */
export type NotAllowed = "bot" | "deactivated" | "guest" | "external" | "not-listed" | "own" | "requester"

/** An approval in one line: what it is about. */
export interface NamedCase {
  readonly caseId: string
  readonly tool: string | null
  readonly agent: string | null
}

/** What is under a stop. */
export interface UnderStop {
  /** Open approvals. */
  readonly waiting: number
  /** How many of these it covers only because the platform left a field null. */
  readonly perhaps: number
  /** Decided runs that we do not continue meanwhile. */
  readonly runs: readonly NamedCase[]
  /** Approvals that were on their way. `at`: when they were decided, epoch ms. Nobody knows whether they arrived. */
  readonly onWay: readonly (NamedCase & { readonly at: number })[]
  /** How many approvals that count already gates at tools refuse meanwhile. */
  readonly gates: number
}

/** A value of a stop that no case of the last 30 days had, and the nearest ones that one had. */
export interface UnknownValue {
  readonly word: keyof StopMatch
  readonly value: string
  readonly nearest: readonly string[]
}

/** Somebody in Slack stops something. */
export interface StopAsk {
  readonly person: SlackId
  readonly stop: TypedStop
}

/** What that comes to. `under` is null if it could not be counted; the stop holds all the same. */
export type StopOutcome =
  | {
      readonly kind: "stopped" | "again"
      readonly stop: Stop
      readonly under: UnderStop | null
      readonly unknown: readonly UnknownValue[]
    }
  | { readonly kind: "too-many" }
  | { readonly kind: "not-allowed"; readonly why: NotAllowed }

/** Somebody in Slack ends a stop, or asks what would go on. */
export interface EndAsk {
  readonly person: SlackId
  readonly stop: string
}

/** What goes on once a stop ends: what no other stop covers. */
export type StopEnding =
  | {
      readonly kind: "may"
      readonly stop: Stop
      readonly waiting: number
      /** Runs that we then continue. */
      readonly runs: readonly NamedCase[]
      /** Runs that we do not continue any more: their decision is too old by now. */
      readonly late: readonly NamedCase[]
    }
  | { readonly kind: "not-allowed"; readonly why: NotAllowed; readonly stop: Stop }
  /** There is no such stop, or no longer. */
  | { readonly kind: "gone" }
  /** Redis is older than what we know: nobody may end anything before an operator has looked (R17). */
  | { readonly kind: "rolled-back" }

/** What an end comes to. `other-config`: other rules came into force just now, and nothing ended. */
export type EndOutcome =
  | { readonly kind: "ended"; readonly stop: Stop }
  | { readonly kind: "other-config" }
  | Exclude<StopEnding, { kind: "may" }>

/** Whoever stopped something wants to reject what waits under it. */
export interface RejectAsk {
  readonly person: SlackId
  /** The id of the stop. */
  readonly stop: string
}

/** How many cases would be rejected. `at`: when we counted them, epoch ms. `gone`: the stop has ended. */
export type RejectOffer =
  | { readonly kind: "may"; readonly stop: Stop; readonly waiting: number; readonly at: number }
  | { readonly kind: "gone" | "not-yours" }

/** The same, confirmed. */
export interface RejectOrder extends RejectAsk {
  /** SHA-256 of Slack's `trigger_id`. */
  readonly interaction: string
  /** When the number was counted that they saw, and when they confirmed it; epoch ms. */
  readonly shownAt: number
  readonly pressedAt: number
}

/**
 * What became of the cases. `held`: rejected, but not told the platform (R12). `others`: not theirs to reject, as far
 * as they may see them; `hidden`: how many more of these. `left`: failed, to be tried again. `gone`: decided meanwhile.
 */
export type RejectOutcome =
  | {
      readonly kind: "done"
      readonly stop: Stop
      readonly rejected: readonly NamedCase[]
      readonly held: readonly NamedCase[]
      readonly others: readonly NamedCase[]
      readonly left: readonly NamedCase[]
      readonly hidden: number
      readonly gone: number
    }
  | { readonly kind: "gone" | "not-yours" | "late" }

/** What people may ask about orders. Each throws a `PortError` if Slack or Redis does not answer. */
export interface OrderActs {
  /** Stops what was typed, without a question. */
  stop(ask: StopAsk): Promise<StopOutcome>
  /** The stops in force, oldest first, as this person may see them. */
  stops(person: SlackId): Promise<readonly Stop[]>
  /** What goes on if this stop ends, if this person may end it. */
  ending(ask: EndAsk): Promise<StopEnding>
  /** Ends a stop. Judges the person anew. */
  endStop(ask: EndAsk): Promise<EndOutcome>
  /** How many cases wait under a stop of this person. */
  rejecting(ask: RejectAsk): Promise<RejectOffer>
  /** Rejects them, one by one. */
  rejectWaiting(order: RejectOrder): Promise<RejectOutcome>
}
