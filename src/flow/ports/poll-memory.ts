// What all replicas remember from poll to poll: how polls went, runs that stand still, and audit rows that we know.
import type { z } from "zod"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import type { pausedRunSchema, pausesSchema, pollFailureSchema, sightingSchema } from "./record/port-records.ts"

/** A poll that failed: when, why (with host and cause, in words), and whether our credential was refused. */
export interface PollFailure extends Frozen<z.infer<typeof pollFailureSchema>> {}

/** Up to two of an instance's newest approvals that we knew, and when (epoch ms); null: the instance did not answer. */
export interface Sighting extends Frozen<z.infer<typeof sightingSchema>> {}

/** What we know of an instance's polls. Times are epoch ms by the clock that all replicas share. */
export interface PollHistory {
  /** When a poll last went well; null: never yet. */
  readonly polledAt: number | null
  /** The last poll that failed, even if later polls went well; null: none has failed yet. */
  readonly failure: PollFailure | null
  /** The last sighting; null: nobody had a reason to look yet. */
  readonly sighting: Sighting | null
}

/** What we know of all polls, and the troubles that have not ended since we told the operator of them. */
export interface PollsKnown {
  readonly of: (instance: string) => PollHistory
  readonly told: ReadonlySet<string>
}

/** What replicas tell each other of polls. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface Polls {
  read(): Promise<PollsKnown>
  /** Notes that a poll of an instance went well at that moment. */
  succeeded(instance: string, at: number): Promise<void>
  failed(instance: string, failure: PollFailure): Promise<void>
  /** Notes that somebody looked at an instance's newest approvals. */
  saw(instance: string, sighting: Sighting): Promise<void>
  /** Notes that we told the operator of a trouble. */
  told(trouble: string): Promise<void>
  /** Notes that the trouble is over. If it comes back, we tell the operator again. */
  over(trouble: string): Promise<void>
}

/** A paused run that no approval asks about. Times are epoch ms by the clock that all replicas share. */
export interface PausedRun extends Frozen<z.infer<typeof pausedRunSchema>> {}

/** What we remember of an instance's sessions. */
export interface Pauses extends Frozen<z.infer<typeof pausesSchema>> {}

/** The memory of an installation. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface PauseMemory {
  /** True for one caller in this many ms, over all replicas. */
  takeTurn(instance: string, everyMs: number): Promise<boolean>
  /** What we remember; null before the first look, or if nobody looked for 30 days. */
  read(instance: string): Promise<Pauses | null>
  save(instance: string, pauses: Pauses): Promise<void>
}

/** One audit row as the ledger has it. */
export interface AuditRow {
  readonly approval: string
  readonly run: string
  readonly agent: string | null
  readonly team: string | null
  readonly tool: string | null
  /** How somebody confirmed the call, in the platform's word: approved or rejected. */
  readonly status: string
  /** The digest of its content (`digestOf`). */
  readonly digest: string
  /** When the platform made the row, by its own clock. */
  readonly madeAt: number
}

/** An audit row, by its approval's id and time. */
export type SeenRow = Pick<AuditRow, "approval" | "madeAt">

/** How far an instance's audit rows are in the ledger. */
export interface AuditMark {
  /** Counts up with each change, from 1. */
  readonly version: number
  /** When the newest of the rows was made. */
  readonly readTo: number
  /** The recent rows that we know and may meet again: those in the ledger, and those from before the first look. */
  readonly seen: readonly SeenRow[]
}

/** What we know of audit rows. Throws `StoreError` (a `PortError`): `tampered`, or if Redis does not answer. */
export interface AuditTrail {
  /** The mark; null before the first look. */
  read(instance: string): Promise<AuditMark | null>
  /** Writes the next mark and an entry for each row, all or none. False if the mark before `next` is not the last. */
  enter(
    instance: string,
    next: AuditMark,
    entered: { readonly rows: readonly AuditRow[]; readonly at: number },
  ): Promise<boolean>
}
