// How old the records in Redis may be, by what this process knows, and by marks and checkpoints outside Redis.
import type { SettledState } from "./proof.ts"

/**
 * How Redis compares with what we know from outside. `unsettled`: Redis may have lost its last second, and for some
 * seconds no vote counts. `rolled-back`: Redis is older than what we know; we approve, continue and resend nothing.
 */
export type StoreStanding =
  | { readonly kind: "fresh" | "unsettled" }
  | { readonly kind: "rolled-back"; readonly why: string; readonly since: number }

/** What this process knows about the age of what Redis holds. It answers at once, from memory. */
export interface Freshness {
  /** True if we may have lost the last acts on a case. Then no act on it counts until the case has begun anew (R17). */
  isTouched(caseId: string): boolean
  /** At most `limit` of these cases, by id. */
  touched(limit: number): readonly string[]
  /** True if one of these sums (by `sumName`) lost its end after an era. A verdict based on it may exceed the limit. */
  isShaken(sums: readonly string[], era: number): boolean
  standing(): StoreStanding
}

/** What a process knew of the ledger at one moment. Chains have the names that entries give them. */
export interface Mark {
  /** The sequence number of the last entry that the process knew, and the MAC of that entry. */
  readonly number: number
  readonly mac: string
  /** Epoch ms. */
  readonly at: number
  /** The id of the era. */
  readonly era: number
  /** The heads that changed: how many entries each chain had, and the MAC of its last entry. */
  readonly heads: Readonly<Record<string, readonly [number, string]>>
}

/** The marks of one process, oldest first. */
export interface MarksOfProcess {
  readonly replica: string
  readonly marks: readonly Mark[]
}

/** The marks of the processes of one machine, each in a file of its own. */
export interface Marks {
  /** Notes what we know. The note outlives this process, and may reach the disk later. A failure raises an alarm. */
  note(mark: Mark): void
  /** Begins this process' file anew with these marks: a checkpoint covers everything older. */
  begin(marks: readonly Mark[]): Promise<void>
  /** All files in the folder except this process' own. Skips lines that are not ours or were cut off. */
  read(): Promise<readonly MarksOfProcess[]>
  /** Removes the files of these replicas: their processes are dead, and a checkpoint covers their marks. */
  remove(replicas: readonly string[]): Promise<void>
  /** Writes all notes to the disk, and ends. */
  close(): Promise<void>
}

/** For a process without a folder for marks. */
export const noMarks: Marks = {
  note: () => undefined,
  begin: async () => undefined,
  read: async () => [],
  remove: async () => undefined,
  close: async () => undefined,
}

/** What a checkpoint says besides its root, under our MAC: enough to start from it. `at` is epoch ms. */
export type Bound = Omit<SettledState, "leaves"> & { readonly at: number }

/** The checkpoints that we can reach. */
export interface Bounds {
  /** The newest one of all or, with `by` (epoch ms), the newest up to then. Throws if a newer one is not ours. */
  newest(by?: number): Promise<Bound | null>
}
