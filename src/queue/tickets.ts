// Tickets: presses that are safe in Redis, encrypted, and fire in another process if this one dies (R11, R15, port `Tickets`).
import type { Queue } from "bullmq"
import { parseJson } from "../domain/content/json.ts"
import type { Seal } from "../domain/proof/seal.ts"
import type { Ticket } from "../flow/ports/inbound.ts"
import type { Clock, Tickets } from "../flow/ports.ts"
import { attempt } from "./errors.ts"
import { jobOptions, ticketQueue } from "./names.ts"
import { sealedTicket } from "./press-schema.ts"

/** What the tickets are made of. */
export interface TicketsOptions {
  readonly queue: Pick<Queue<unknown>, "add" | "remove">
  readonly seal: Seal
  readonly clock: Clock
  /** How long the process that took a press has to carry it out, in ms, before another may. */
  readonly delayMs: number
  /** The era that is now. */
  readonly era: () => number
}

/** Makes the tickets. One press has one ticket, however often Slack delivers it. Throws `QueueError` if Redis does not take it. */
export function createTickets(options: TicketsOptions): Tickets {
  const { queue, seal, clock, delayMs, era } = options
  return {
    write: async (press) => {
      const ticket: Ticket = { id: `press-${press.interaction}`, press, takenAt: clock(), era: era() }
      const text = JSON.stringify({ press, takenAt: ticket.takenAt, era: ticket.era })
      const sealed = seal.encrypt("ticket", text, ticket.id).toString("base64")
      const held = { ...jobOptions, jobId: ticket.id, delay: delayMs }
      await attempt("write a ticket", () => queue.add(ticketQueue, { sealed }, held))
      return ticket
    },
    remove: async (ticketId) => {
      // Nothing is removed while a worker holds it: then it ends with the worker's run.
      await attempt("remove a ticket", () => queue.remove(ticketId))
    },
  }
}

/** Opens a ticket; null if we did not write it under that id. */
export function openTicket(seal: Seal, id: string, sealed: string): Ticket | null {
  try {
    const text = seal.decrypt("ticket", Buffer.from(sealed, "base64"), id).toString("utf8")
    const read = sealedTicket.safeParse(parseJson(text))
    return read.success ? { id, ...read.data } : null
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "bad-seal") return null
    throw error
  }
}
