// What all replicas remember from poll to poll: how polls went, runs that stand still, audit rows that we took in.
import type { z } from "zod"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import type {
  pausedRunSchema,
  pausesSchema,
  pollFailureSchema,
  sightingSchema,
  unreadSessionSchema,
} from "./record/port-records.ts"

/** A poll that failed: when, why (with host and cause, in words), and whether our credential was refused. */
export interface PollFailure extends Frozen<z.infer<typeof pollFailureSchema>> {}

/** Which of an instance's newest approvals we knew at a moment (epoch ms), at most two; null: no answer. */
export interface Sighting extends Frozen<z.infer<typeof sightingSchema>> {}

/** What we know of an instance's polls. Times are epoch ms by the clock that all replicas share. */
export interface PollHistory {
  /** When the last one went well; null: none did yet. */
  readonly polledAt: number | null
  /** The last one that failed, even if others went well since; null: none did yet. */
  readonly failure: PollFailure | null
  /** The last one; null: nobody had a reason to look yet. */
  readonly sighting: Sighting | null
}

/** What we know of all polls, and the troubles with them that the operator was told of and that have not ended. */
export interface PollsKnown {
  readonly of: (instance: string) => PollHistory
  readonly told: ReadonlySet<string>
}

/** What replicas tell each other of polls. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface Polls {
  read(): Promise<PollsKnown>
  /** Notes that a poll of an instance went well then. */
  succeeded(instance: string, at: number): Promise<void>
  failed(instance: string, failure: PollFailure): Promise<void>
  /** Notes that somebody looked at its newest approvals. */
  saw(instance: string, sighting: Sighting): Promise<void>
  /** Notes that the operator was told. */
  told(trouble: string): Promise<void>
  /** Notes that the trouble is over: the next one is told again. */
  over(trouble: string): Promise<void>
}

/** A run that we saw paused without an approval. Times are epoch ms by the clock that all replicas share. */
export interface PausedRun extends Frozen<z.infer<typeof pausedRunSchema>> {}

/** A session that we still have to read, and when it last changed. */
export interface UnreadSession extends Frozen<z.infer<typeof unreadSessionSchema>> {}

/** What is remembered of an instance's sessions. */
export interface Pauses extends Frozen<z.infer<typeof pausesSchema>> {}

/** The memory of an installation. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface PauseMemory {
  /** True for one asker in this many ms, over all replicas. */
  takeTurn(instance: string, everyMs: number): Promise<boolean>
  /** Null before the first look, or if nobody looked for 30 days. */
  read(instance: string): Promise<Pauses | null>
  save(instance: string, pauses: Pauses): Promise<void>
}

/** One audit row as the ledger tells it. */
export interface AuditRow {
  readonly approval: string
  readonly run: string
  readonly agent: string | null
  readonly team: string | null
  readonly tool: string | null
  /** How the call was confirmed, by the platform's word: approved or rejected. */
  readonly status: string
  /** The digest of its content (`digestOf`). */
  readonly digest: string
  /** By the platform's clock. */
  readonly madeAt: number
}

/** An audit row by its name. */
export type SeenRow = Pick<AuditRow, "approval" | "madeAt">

/** How far an instance's audit rows are in the ledger. */
export interface AuditMark {
  /** Counts up with each change, from 1. */
  readonly version: number
  /** When the newest of them was made. */
  readonly readTo: number
  /** Rows in the ledger, or from before the first look, that are so recent that we still look at them. */
  readonly seen: readonly SeenRow[]
}

/** The audit rows of an installation's instances. Throws `StoreError` (a `PortError`): `tampered`, or no answer. */
export interface AuditTrail {
  /** Null before the first look. */
  read(instance: string): Promise<AuditMark | null>
  /** Writes the next mark and an entry for each row, all or none; false if the mark before `next` is not the last. */
  enter(
    instance: string,
    next: AuditMark,
    entered: { readonly rows: readonly AuditRow[]; readonly at: number },
  ): Promise<boolean>
}
