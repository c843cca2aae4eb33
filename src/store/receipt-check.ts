// Holds the receipts in Redis against the hashes by which the ledger names them.
import type { Redis } from "ioredis"
import { receiptHash } from "../domain/receipt.ts"
import type { Entry } from "./entry.ts"
import type { Keys } from "./keys.ts"
import type { LedgerProblem } from "./ledger-walk.ts"
import { readReceipt } from "./receipts.ts"

/** A check that notes each entry which names a receipt, and looks at the receipts afterwards. */
export interface ReceiptCheck {
  note(entry: Entry, number: number): void
  /** The first receipt that is missing or not the one that was named, or null. Throws `StoreError`. */
  problem(): Promise<LedgerProblem | null>
}

interface Named {
  readonly number: number
  readonly chain: string
  readonly decision: string
  readonly hash: string
}

/** Makes the check. */
export function createReceiptCheck({ redis, keys }: { readonly redis: Redis; readonly keys: Keys }): ReceiptCheck {
  const named: Named[] = []
  return {
    note: ({ event, chain }, number) => {
      const { kind, decision, receipt: hash } = event
      if (kind === "decided" && typeof decision === "string" && typeof hash === "string")
        named.push({ number, chain, decision, hash })
    },
    problem: async () => {
      for (const one of named) {
        const receipt = await readReceipt(redis, keys, one.decision)
        if (receipt === null || receiptHash(receipt) !== one.hash) return problemOf(one, receipt === null)
      }
      return null
    },
  }
}

function problemOf({ number, chain, decision }: Named, missing: boolean): LedgerProblem {
  const what = missing ? "is gone" : "is not the one that entry names"
  const code = missing ? "receipt-missing" : "receipt-changed"
  return { code, number, chain, message: `the receipt of decision ${decision}, named by entry ${number}, ${what}` }
}
