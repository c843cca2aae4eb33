// Brings interactions, commands and events to the bot, by socket or by HTTP, and tells whether the bot acknowledged.
import { setTimeout as later } from "node:timers/promises"
import type { Faults } from "./faults.ts"

/** What is delivered. */
export interface DeliveryEnvelope {
  readonly kind: "interactive" | "slash_commands" | "events_api"
  readonly payload: Readonly<Record<string, unknown>>
}

/** How the bot answered. `payload` is undefined if the ack carried nothing. */
export type DeliveryAck =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly reason: DeliveryFailure; readonly detail: string }

/** Why there is no ack: nobody listens, no answer came in time, the connection broke, or the answer was no ack. */
export type DeliveryFailure = "no_connection" | "timeout" | "dropped" | "refused"

/** One way to the bot. With `drop` the connection breaks right after sending. */
export interface DeliveryTransport {
  readonly deliver: (envelope: DeliveryEnvelope, options: { readonly drop: boolean }) => Promise<DeliveryAck>
}

/** Delivers, with the faults that tests ask for. */
export interface Delivery {
  readonly send: (envelope: DeliveryEnvelope) => Promise<DeliveryAck>
}

/** Makes the delivery. `wayNow` is called for each delivery, because the bot's address may become known late. */
export function createDelivery(faults: Faults, wayNow: () => DeliveryTransport): Delivery {
  return {
    send: async (envelope) => {
      const way = wayNow()
      const fault = faults.takeDelivery()
      if (fault?.kind === "slow") await later(fault.ms)
      const first = way.deliver(envelope, { drop: fault?.kind === "drop_before_ack" })
      if (fault?.kind === "ack_late") await first.then(() => later(fault.ms))
      if (fault?.kind !== "twice") return await first
      const [ack] = await Promise.all([first, way.deliver(envelope, { drop: false })])
      return ack
    },
  }
}
