// What signs decisions, and how checkpoints read the ledger.

import type { ReceiptClaims, ReceiptPurpose } from "../../domain/case/receipt.ts"
import type { JsonObject } from "../../domain/content/json.ts"

/** Signs what others verify without us: a compact JWS over the claims' canonical JSON. Redis never sees the key. */
export interface Receipts {
  sign(purpose: ReceiptPurpose | "checkpoint", claims: JsonObject): Promise<string>
}

/** A receipt as it lies beside the ledger. `gone`: there is none (any more). `broken`: its signature does not hold. */
export type KeptReceipt =
  | { readonly kind: "kept"; readonly receipt: string; readonly kid: string; readonly claims: ReceiptClaims }
  | { readonly kind: "gone" | "broken" }

/** The receipts that were kept, verified when they are read. */
export interface KeptReceipts {
  read(decisionId: string): Promise<KeptReceipt>
}

/** The ledger up to an entry that no honest failover takes away, as a checkpoint states it. */
export interface SettledState {
  readonly size: number
  /** The MAC of the last of these entries. */
  readonly mac: string
  /** RFC 6962 root over them, 64 hex characters. */
  readonly root: string
  /** The full subtrees under it, the largest first: leaves, and 64 hex characters. */
  readonly peaks: readonly (readonly [number, string])[]
  /** The name of the table of heads. */
  readonly heads: string
  /** The id of the last era. */
  readonly era: number
  /** Hashes of the entries since the last state, as far as this process read them. */
  readonly leaves: readonly Buffer[]
}

/** The ledger for checkpoints: every entry was read, is ours, and follows its chain. */
export interface LedgerFeed {
  /** How many entries there are, settled or not. */
  end(): number
  /** How many entries the newest checkpoint covered that the start found; 0: there was none. */
  from(): number
  /** How many entries are settled; 0 while we may vouch for nothing. */
  size(): number
  /** The number of the last settled entry that should be covered soon; 0: none. */
  rareAt(): number
  /**
   * The settled ledger now, with its heads kept for the next start. Null while nobody may vouch. Throws `StoreError`.
   */
  state(): Promise<SettledState | null>
  /** A checkpoint over this many entries is kept outside Redis. */
  covered(size: number): Promise<void>
}
