// The receipts beside the ledger, verified by all keys that ever signed: what Redis holds has no authority (R14).
import type { KeptReceipts } from "../flow/ports.ts"
import type { ReceiptVerdict } from "../http/reading/api.ts"
import { ProofError } from "../proof/errors.ts"
import { verifyReceipt } from "../proof/receipt.ts"
import { readKeySet } from "../proof/signed.ts"
import type { Store } from "../store/store.ts"

/** Makes the port from store and proof. */
export function createKeptReceipts(store: Pick<Store, "receipt" | "signingKeys">): KeptReceipts {
  return {
    read: async (decisionId) => {
      const receipt = await store.receipt(decisionId)
      if (receipt === null) return { kind: "gone" }
      const verified = await verify(store, receipt)
      if (verified instanceof ProofError || verified.claims.decision !== decisionId) return { kind: "broken" }
      return { kind: "kept", ...verified }
    },
  }
}

/** Verifies a receipt. If it holds, but for another decision, it proves nothing about this one. */
export async function judgeReceipt(store: Store, receipt: string, decision: string): Promise<ReceiptVerdict> {
  const verified = await verify(store, receipt)
  if (verified instanceof ProofError) return { ok: false, why: verified.message }
  const { kid, claims } = verified
  if (claims.decision !== decision) return { ok: false, why: "this is the receipt of another decision" }
  return { ok: true, kid, claims }
}

async function verify(store: Pick<Store, "signingKeys">, receipt: string) {
  const keys = readKeySet(JSON.stringify({ keys: await store.signingKeys.read() }), "the key set in Redis")
  return verifyReceipt(receipt, keys).catch((error: unknown) => {
    if (error instanceof ProofError) return error
    throw error
  })
}
