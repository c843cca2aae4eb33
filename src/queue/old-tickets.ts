// Tickets of an older Countersign: delayed jobs of BullMQ. Those that wait there move to where we keep tickets now.
import type { Queue } from "bullmq"
import { z } from "zod"
import type { Alarm, Clock, DueTickets, Log } from "../flow/ports.ts"
import { attempt } from "./errors.ts"

/** The queue in which an older Countersign keeps them. */
export const oldTicketQueue = "ticket"

/** What such a job holds: the interaction, encrypted (R15). */
const oldTicket = z.object({ sealed: z.base64() })

/** So many of each state are looked at in one go. */
const maxLooked = 1_000

/** What bringing over takes. */
export interface OldTicketsOptions {
  readonly queue: Queue<unknown>
  readonly tickets: Pick<DueTickets, "adopt">
  /** Epoch ms. */
  readonly clock: Clock
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

/**
 * Moves those that are due, and those that a dead worker left. Leaves a job to an older replica while that holds it, or
 * may still carry it out. Safe to run again if it was cut off: a job goes after its ticket was written, and a ticket
 * counts once. Throws `QueueError` if Redis does not answer; logs what is wrong with a single job.
 */
export async function bringOver(options: OldTicketsOptions): Promise<void> {
  const { queue, log } = options
  await attempt("look for tickets of an older version", async () => {
    const ids = await queue.getRanges(["delayed", "wait", "active"], 0, maxLooked - 1)
    for (const id of ids)
      await bringOne(options, id).catch((error: unknown) => log.warn("ticket-not-brought-over", { ticket: id, error }))
  })
}

async function bringOne({ queue, tickets, clock, log, alarm }: OldTicketsOptions, id: string): Promise<void> {
  const redis = await queue.getBackend().connection.client
  if ((await redis.get(queue.toKey(`${id}:lock`))) !== null) return
  const job = await queue.getJob(id)
  if (job === undefined || job.timestamp + job.delay > clock()) return
  const { data: held } = oldTicket.safeParse(job.data)
  if (held === undefined) {
    alarm({ code: "ticket-tampered", ticket: id })
    log.error("job-failed", { job: "ticket", id, why: "ticket-tampered" })
  } else await tickets.adopt(id, Buffer.from(held.sealed, "base64"))
  await queue.remove(id)
}
