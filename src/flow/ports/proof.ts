// What signs decisions, and how checkpoints read the ledger.

import type { ReceiptClaims, ReceiptPurpose } from "../../domain/case/receipt.ts"
import type { JsonObject } from "../../domain/content/json.ts"

/** Signs what others verify without us: a compact JWS over the claims' canonical JSON. Redis never sees the key. */
export interface Receipts {
  sign(purpose: ReceiptPurpose | "checkpoint", claims: JsonObject): Promise<string>
}

/** A receipt beside the ledger. `gone`: there is none (any more). `broken`: its signature does not hold. */
export type KeptReceipt =
  | { readonly kind: "kept"; readonly receipt: string; readonly kid: string; readonly claims: ReceiptClaims }
  | { readonly kind: "gone" | "broken" }

/** The receipts that we keep. Each read verifies them. */
export interface KeptReceipts {
  read(decisionId: string): Promise<KeptReceipt>
}

/** The ledger up to an entry that no failover can take away, as a checkpoint states it. */
export interface SettledState {
  readonly size: number
  /** The MAC of the last entry. */
  readonly mac: string
  /** RFC 6962 root over the entries, 64 hex characters. */
  readonly root: string
  /** The full subtrees under the root, the largest first: how many leaves, and the hash as 64 hex characters. */
  readonly peaks: readonly (readonly [number, string])[]
  /** The name of the table of heads. */
  readonly heads: string
  /** The id of the last era. */
  readonly era: number
  /** Hashes of the entries after the last state, as far as this process has read them. */
  readonly leaves: readonly Buffer[]
}

/** The ledger for checkpoints. We read all its entries: they are ours, and follow one another. */
export interface LedgerFeed {
  /** How many entries there are, settled or not. */
  end(): number
  /** How many entries the newest checkpoint covered at our start; 0: we found no checkpoint. */
  from(): number
  /** How many entries are settled; 0 while we may not vouch for any. */
  size(): number
  /** The number of the last settled entry that a checkpoint should cover soon; 0: there is none. */
  rareAt(): number
  /** The settled ledger now. Keeps its heads for the next start. Null while nobody may vouch. Throws `StoreError`. */
  state(): Promise<SettledState | null>
  /** Notes that a place outside Redis keeps a checkpoint over this many entries. */
  covered(size: number): Promise<void>
}
