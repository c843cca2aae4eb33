// What signs decisions, and the ledger as its checkpoints read it.
import type { JsonObject } from "../../domain/json.ts"
import type { ReceiptClaims } from "../../domain/receipt.ts"

/** Signs what others can verify without us: a compact JWS over the canonical JSON of the claims, under a key that Redis never sees. */
export interface Receipts {
  sign(purpose: "receipt" | "checkpoint", claims: JsonObject): Promise<string>
}

/** A receipt as it lies beside the ledger. `gone`: there is none (any more). `broken`: its signature does not hold. */
export type KeptReceipt =
  | { readonly kind: "kept"; readonly receipt: string; readonly kid: string; readonly claims: ReceiptClaims }
  | { readonly kind: "gone" | "broken" }

/** The receipts that were kept, verified when they are read. */
export interface KeptReceipts {
  read(decisionId: string): Promise<KeptReceipt>
}

/** One entry of the ledger as a checkpoint sees it. `number` is null for a place that we would not give. */
export interface Leaf {
  readonly number: number | null
  readonly hash: Buffer
  /** True if its MAC holds. */
  readonly ours: boolean
}

/** The ledger, read for checkpoints. Throws `StoreError` (a `PortError`). */
export interface LedgerFeed {
  /** The last sequence number; NaN if Redis holds something else there. */
  length(): Promise<number>
  /** The entries after one number, up to another, in the ledger's order. */
  leaves(after: number, upTo: number): AsyncIterable<Leaf>
}
