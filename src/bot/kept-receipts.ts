// The receipts beside the ledger, verified by the keys that ever signed: what Redis holds has no authority (R14).
import type { KeptReceipts } from "../flow/ports.ts"
import { ProofError } from "../proof/errors.ts"
import { verifyReceipt } from "../proof/receipt.ts"
import { readKeySet } from "../proof/signed.ts"
import type { Store } from "../store/store.ts"

/** Joins store and proof. */
export function createKeptReceipts(store: Pick<Store, "receipt" | "signingKeys">): KeptReceipts {
  return {
    read: async (decisionId) => {
      const receipt = await store.receipt(decisionId)
      if (receipt === null) return { kind: "gone" }
      const keys = readKeySet(JSON.stringify({ keys: await store.signingKeys.read() }), "the key set in Redis")
      const verified = await verifyReceipt(receipt, keys).catch(brokenIfUnproved)
      if (verified === null || verified.claims.decision !== decisionId) return { kind: "broken" }
      return { kind: "kept", ...verified }
    },
  }
}

function brokenIfUnproved(error: unknown): null {
  if (error instanceof ProofError) return null
  throw error
}
