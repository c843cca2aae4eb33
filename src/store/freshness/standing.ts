// Says how Redis compares with what we know of it, and how a record compares with the end of its chain.
import type { ChainHead } from "../ledger/entry.ts"
import type { Head } from "./head.ts"
import type { LedgerEnd } from "./known-ledger.ts"

/** A Redis that is older than what we know. */
export interface RolledBack {
  /** In words. */
  readonly why: string
  /** Where the ledger ended, as we knew it. */
  readonly known: LedgerEnd
  /** Where it ends now. */
  readonly found: LedgerEnd
  /** Since when, epoch ms. */
  readonly since: number
}

/** `unsettled`: we are finding out where the ledger ends; for some seconds no vote counts. */
export type Standing = { readonly kind: "fresh" | "unsettled" } | ({ readonly kind: "rolled-back" } & RolledBack)

/** Where a record says that its chain ends. `over`: nothing of the chain counts any more. Null: no record. */
export type RecordHead = (ChainHead & { readonly over: boolean }) | null

/** Compares a record with its chain's head, as we knew it before the read. `unknown`: read the ledger first. */
export function standingOf(record: RecordHead, head: Head | null): "fresh" | "behind" | "unknown" {
  if (head === null) return record === null || record.over ? "fresh" : "unknown"
  if (head.state === "frozen" || record === null || record.count < head.count) return "behind"
  return record.count > head.count || record.mac === head.mac ? "fresh" : "behind"
}
