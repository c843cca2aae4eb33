// How Redis stands to what is known of it, and how a record stands to the end of its chain.
import type { ChainHead } from "../ledger/entry.ts"
import type { Head } from "./head.ts"
import type { LedgerEnd } from "./known-ledger.ts"

/** A Redis that is older than what we know. */
export interface RolledBack {
  /** In words. */
  readonly why: string
  /** Where the ledger ended for us. */
  readonly known: LedgerEnd
  /** Where it ends now. */
  readonly found: LedgerEnd
  /** Since when, epoch ms. */
  readonly since: number
}

/** `unsettled`: the end of the ledger is being asked for; for some seconds no vote counts. */
export type Standing = { readonly kind: "fresh" | "unsettled" } | ({ readonly kind: "rolled-back" } & RolledBack)

/** A record's own word: where its chain ended, and whether nothing of it counts any more; null: no record. */
export type RecordHead = (ChainHead & { readonly over: boolean }) | null

/** How a record stands to its chain's head as known before it was read. `unknown`: it says more; read that first. */
export function standingOf(record: RecordHead, head: Head | null): "fresh" | "behind" | "unknown" {
  if (head === null) return record === null || record.over ? "fresh" : "unknown"
  if (head.state === "frozen" || record === null || record.count < head.count) return "behind"
  return record.count > head.count || record.mac === head.mac ? "fresh" : "behind"
}
