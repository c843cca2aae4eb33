// Follow-ups and tickets, as the flow needs them.
import type { Case } from "../../domain/case/case.ts"
import type { Approval } from "../../domain/content/approval.ts"
import type { Run } from "../../domain/content/run.ts"
import type { Ticket } from "./inbound.ts"
import type { Interaction } from "./interaction.ts"

/** A case that this process just opened; the same commit leased its cards. */
export interface OpenedCase {
  readonly current: Case
  /** Who holds the leases. */
  readonly by: string
}

/** A case that this process just settled, whose run may be continued at once. */
export interface SettledCase {
  readonly current: Case
  /** The platform's record, from its answer to the resolve. */
  readonly record: Approval
  /** The run, read after the resolve; null if it cannot be read. Never rejects. */
  readonly run: Promise<Run | null>
}

/**
 * Follow-up jobs that another process may take over. If the same job waits already, a call that wants it now brings it
 * forward; a call that wants it later changes nothing.
 */
export interface Jobs {
  /**
   * Brings a case's cards and threads up to date. Without a delay, this process does it, if it can. Leases keep
   * processes apart; `opened` names the leases that are taken already.
   */
  present(caseId: string, delayMs?: number, opened?: OpenedCase): Promise<void>
  /** True while this process can take up another case at once: then a commit that opens a case may lease its cards. */
  isFree(): boolean
  /** Goes on with a verdict that is being sent. */
  resolve(caseId: string, delayMs: number): Promise<void>
  /**
   * Continues the run of a decided case, or looks how it ended. With `settled`, this process does it, if it can. If
   * that is cut off, the sweep asks for the job.
   */
  resume(caseId: string, delayMs: number, settled?: SettledCase): Promise<void>
  /** Compares a case with the platform's record. */
  reconcile(caseId: string, delayMs?: number): Promise<void>
  /** Sets the one clock of all deadlines: in this many ms we do what is due. The last call counts. */
  remind(delayMs: number): Promise<void>
  /** Brings the summary of a route up to date, or makes one. */
  summarise(route: string, delayMs?: number): Promise<void>
}

/** The jobs for an interaction on a case. A job to present that case at once waits until the person has an answer. */
export interface HeldJobs extends Jobs {
  /** The id of that case. */
  readonly heldFor: string
}

/** Tickets: presses that are safe in Redis, encrypted. If this process dies, another takes them up (R11, R15). */
export interface Tickets {
  write(interaction: Interaction): Promise<Ticket>
  /** Removes a ticket, after its interaction was carried out and answered. */
  remove(ticketId: string): Promise<void>
}

/** A ticket that a worker took up. `ticket` is null if we did not write what Redis has under that id (R14). */
export interface DueTicket {
  readonly id: string
  readonly ticket: Ticket | null
}

/** The tickets, for a worker that takes up those that are due. */
export interface DueTickets extends Tickets {
  /**
   * Takes up to `limit` due tickets, and holds on to those in `held`: no other process gets them for a while. Leaves
   * those in `leave` for other processes. Default: none.
   */
  takeDue(ask: {
    readonly held: readonly string[]
    readonly limit: number
    readonly leave?: readonly string[]
  }): Promise<readonly DueTicket[]>
  /** Lets go of a ticket: it is due in this many ms. Does nothing if the ticket is gone. */
  putOff(ticketId: string, ms: number): Promise<void>
}
