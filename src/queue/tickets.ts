// Tickets: encrypted interactions in Redis that fire in another process if this one dies (R11, R15, port `Tickets`).
import type { Queue } from "bullmq"
import { z } from "zod"
import { isJsonObject, type JsonObject, parseJson } from "../domain/content/json.ts"
import { type Seal, SealError } from "../domain/proof/seal.ts"
import type { Ticket } from "../flow/ports/inbound.ts"
import type { Interaction } from "../flow/ports/interaction.ts"
import type { Clock, Tickets } from "../flow/ports.ts"
import { attempt } from "./errors.ts"
import { jobOptions, ticketQueue } from "./jobs.ts"

const text = z.string()
const verb = z.enum(["approve", "reject"])

const common = z.object({
  interaction: text,
  person: z.object({ team: text, user: text }),
  name: text,
  at: z.number(),
  target: z.object({
    installation: text,
    caseId: text,
    route: text,
    revision: z.number(),
    digest: text,
    bound: z.object({ era: z.number(), count: z.number() }).exactOptional(),
  }),
  on: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), place: z.object({ channel: text, ts: text }) }),
    z.object({ kind: z.literal("view"), viewId: text }),
  ]),
  surface: z.enum(["card", "details", "form", "command", "home", "summary"]),
  replyTo: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("response"), responseUrl: text, channel: text, user: text }),
    z.object({
      kind: z.literal("view"),
      viewId: text,
      user: text,
      walk: z.object({ route: text, at: text }).exactOptional(),
    }),
  ]),
})

const vote = common.extend({
  verb,
  reason: text.nullable(),
  values: z.custom<JsonObject>(isJsonObject, "must be a JSON object").nullable(),
})
const interaction: z.ZodType<Interaction> = z.union([vote, common.extend({ verb: z.literal("withdraw") })])

/** What is sealed into a ticket. */
const sealedTicket = z.object({ press: interaction, takenAt: z.number(), era: z.number().default(0) })

/** What the tickets are made of. */
export interface TicketsOptions {
  readonly queue: Pick<Queue<unknown>, "add" | "remove">
  readonly seal: Seal
  readonly clock: Clock
  /** How long the process that took an interaction has to carry it out, in ms, before another may. */
  readonly delayMs: number
  /** The era that is now. */
  readonly era: () => number
}

/** Makes the tickets: one for an interaction, however often Slack delivers it. Throws `QueueError` if Redis refuses. */
export function createTickets(options: TicketsOptions): Tickets {
  const { queue, seal, clock, delayMs, era } = options
  return {
    write: async (interaction) => {
      const ticket: Ticket = { id: `press-${interaction.interaction}`, interaction, takenAt: clock(), era: era() }
      const text = JSON.stringify({ press: interaction, takenAt: ticket.takenAt, era: ticket.era })
      const sealed = seal.encrypt("ticket", text, ticket.id).toString("base64")
      const held = { ...jobOptions, jobId: ticket.id, delay: delayMs }
      await attempt("write a ticket", () => queue.add(ticketQueue, { sealed }, held))
      return ticket
    },
    // Nothing is removed while a worker holds it: then it ends with the worker's run.
    remove: (ticketId) => attempt("remove a ticket", () => queue.remove(ticketId)),
  }
}

/** Opens a ticket; null if we did not write it under that id. */
export function openTicket(seal: Seal, id: string, sealed: string): Ticket | null {
  try {
    const text = seal.decrypt("ticket", Buffer.from(sealed, "base64"), id).toString("utf8")
    const { data } = sealedTicket.safeParse(parseJson(text))
    if (data === undefined) return null
    const { press: interaction, ...rest } = data
    return { id, interaction, ...rest }
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}
