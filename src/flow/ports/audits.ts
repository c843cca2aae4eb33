// Audit rows: what a platform wrote down of calls that it asked nobody of us about, and how far the ledger has them. Times are epoch ms.

/** One audit row as the ledger tells it. */
export interface AuditRow {
  readonly approval: string
  readonly run: string
  readonly agent: string | null
  readonly team: string | null
  readonly tool: string | null
  /** How the call was confirmed, by the platform's word: approved or rejected. */
  readonly status: string
  /** Of its content, see `digestOf`. */
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
  /** Those that are in the ledger, or were there before the first look, and were made so late that they are still looked at. */
  readonly seen: readonly SeenRow[]
}

/** The audit rows of an installation's instances. Throws `StoreError` (a `PortError`): `tampered`, or no answer. */
export interface AuditTrail {
  /** Null before the first look. */
  read(instance: string): Promise<AuditMark | null>
  /** Writes the next mark and an entry for each row, all of it or none; false if the mark is not any more the one before `next`. */
  enter(
    instance: string,
    next: AuditMark,
    entered: { readonly rows: readonly AuditRow[]; readonly at: number },
  ): Promise<boolean>
}
