// Takes up tickets that are due, and carries them out: another process took them and did not finish (R11).

import type { Ticket } from "../flow/ports/inbound.ts"
import {
  type Alarm,
  type Clock,
  type DueTicket,
  type DueTickets,
  isPortError,
  type Log,
  type PortError,
} from "../flow/ports.ts"
import { backoffMs, type Closer, repeat, waitAgainMs } from "../repeat.ts"
import { within } from "./errors.ts"
import type { Steps } from "./steps.ts"

/** For how long we can answer a click, in ms: as long as Slack keeps its response_url. */
const answerableMs = 1_800_000
/** One look takes up at most this many tickets. */
const maxTaken = 100

/** How long we leave a due ticket to other replicas, in ms: each looks at least once. */
const othersMs = (lookMs: number) => 2 * lookMs

/** Codes of failures where another replica can help, or where this one can at once, under the new config (R16). */
const otherReplica: ReadonlySet<string> = new Set(["other-config", "instance-elsewhere"])

/** What the worker needs. */
export interface TicketWorkerOptions {
  readonly tickets: DueTickets
  /** Carries out one ticket. */
  readonly run: Steps["ticket"]
  /** How often the worker looks, in ms. */
  readonly lookMs: number
  /** How much time a process gets to carry out an interaction that it took, in ms. */
  readonly delayMs: number
  /** An interaction that is older than this, in ms, is late (R11). */
  readonly lateMs: number
  /** At most this many run at once in this process. */
  readonly concurrency: number
  /** How long runs may go on while we close, in ms. */
  readonly closeMs: number
  /** Epoch ms. */
  readonly clock: Clock
  /** A number from 0 to below 1, so that tickets that failed together wait for different times. */
  readonly random: () => number
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

/**
 * Looks for due tickets now and then, until somebody closes it. It holds on to the tickets that it carries out. If this
 * process dies, or Redis did not hear what became of a ticket, the hold ends and any process takes the ticket up. When
 * closed, it begins nothing more and waits for what runs.
 */
export function startTicketWorker(options: TicketWorkerOptions): Closer {
  const { tickets, lookMs, concurrency, closeMs, clock, log } = options
  const held = new Set<string>()
  // Tickets that another replica has to carry out, and when this one tries them again (epoch ms).
  const left = new Map<string, number>()
  const runs = new Set<Promise<void>>()
  let open = true
  const carry = async (due: DueTicket): Promise<void> => {
    const { waitMs, forOthers } = await carryOut(options, due)
    if (forOthers && waitMs !== null) left.set(due.id, clock() + waitMs + othersMs(lookMs))
    // From here on nothing renews the hold, so `letGo` has the last word.
    held.delete(due.id)
    await letGo(options, due.id, waitMs)
  }
  const begin = (due: DueTicket): void => {
    held.add(due.id)
    const run: Promise<void> = carry(due).finally(() => runs.delete(run))
    runs.add(run)
  }
  const look = async (): Promise<void> => {
    const limit = open ? Math.min(maxTaken, concurrency - held.size) : 0
    for (const [id, until] of left) if (until <= clock()) left.delete(id)
    const taken = await tickets.takeDue({ held: [...held], limit, leave: [...left.keys()] })
    // Somebody closed this worker meanwhile, so the tickets are for others.
    if (!open) await Promise.all(taken.map(({ id }) => letGo(options, id, 0)))
    else for (const due of taken) begin(due)
  }
  const endLooks = repeat(lookMs, look, (error) => log.warn("tickets-not-looked-for", { error }))
  return async () => {
    open = false
    // Until then it holds on to the tickets that still run.
    const ended = Promise.all(runs).then(endLooks)
    if (await within(ended, closeMs)) return
    log.warn("tickets-cut-off", { limitMs: closeMs })
    void endLooks()
  }
}

/** Tells Redis what becomes of a ticket. If Redis does not hear that, the end of the hold has the same effect. */
async function letGo({ tickets, log }: TicketWorkerOptions, id: string, waitMs: number | null): Promise<void> {
  try {
    await (waitMs === null ? tickets.remove(id) : tickets.putOff(id, waitMs))
  } catch (error) {
    log.warn(waitMs === null ? "ticket-not-removed" : "ticket-not-put-off", { ticket: id, error })
  }
}

/** What becomes of a ticket: in how many ms somebody carries it out again (null: it is over), and who that is. */
interface Next {
  readonly waitMs: number | null
  /** True if this replica cannot carry the ticket out and another may. */
  readonly forOthers: boolean
}

const over: Next = { waitMs: null, forOthers: false }

/** Carries out a ticket, and says what becomes of it. Never rejects. */
async function carryOut(options: TicketWorkerOptions, { id, ticket }: DueTicket): Promise<Next> {
  if (ticket === null) {
    options.alarm({ code: "ticket-tampered", ticket: id })
    options.log.error("job-failed", { job: "ticket", id, why: "ticket-tampered" })
    return over
  }
  // After that, we carry the ticket out once more, only to say that the press was late (R11).
  const left = ticket.interaction.at + options.lateMs - options.clock()
  try {
    const result = await options.run(ticket)
    return result ? { waitMs: result.againInMs, forOthers: false } : over
  } catch (error) {
    const told = { job: "ticket", id, caseId: ticket.interaction.target.caseId, error }
    const waitMs = isPortError(error) && error.retryable ? waitAfter(options, ticket, error, left) : null
    if (waitMs === null) options.log.error("job-failed", told)
    else options.log.warn("job-delayed", { ...told, waitMs })
    return { waitMs, forOthers: isPortError(error) && otherReplica.has(error.code) }
  }
}

/**
 * How long a ticket waits after a failure that may pass; null if it is over. We try until the press is late, then once
 * more, to tell the person. If only telling failed, we try for as long as we can. The wait grows with the time that we
 * have tried.
 */
function waitAfter(options: TicketWorkerOptions, ticket: Ticket, { code }: PortError, left: number): number | null {
  const { clock, random, delayMs, lateMs } = options
  const wait = waitAgainMs(clock() - ticket.takenAt - delayMs, random)
  // If another replica may carry it out (R16), one tries at once. At exactly `lateMs` a press is not late yet.
  if (left >= 0) return Math.min(otherReplica.has(code) ? backoffMs(1, random) : wait, left + 1)
  return code === "unanswered" && left > lateMs - answerableMs ? wait : null
}
