// The receipt of a decision, for the page of its case: its signature, and whether the ledger names this very receipt.
import { receiptHash } from "../../domain/case/receipt.ts"
import type { Reading, ShownEntry } from "../../flow/ports.ts"
import type { HandlerOptions, ReceiptVerdict } from "../reading/api.ts"

/** A receipt from Redis, and what we know about it. */
export interface ShownReceipt {
  readonly jws: string
  /** SHA-256 of the text: its name in the ledger. */
  readonly hash: string
  readonly verdict: ReceiptVerdict
  /** The entry of the decision, and whether it names this receipt. Null if the ledger has no such entry by us. */
  readonly entry: { readonly number: number; readonly names: boolean } | null
}

type ReceiptReading = Pick<Reading, "receipt" | "entriesOf">

/** How many entries are read at once. */
const pageSize = 200

/** The receipt of a case's decision; null if there is none. Throws what `Reading` throws. */
export async function receiptOf(
  { reading, verifyReceipt }: Pick<HandlerOptions, "verifyReceipt"> & { readonly reading: ReceiptReading },
  caseId: string,
  decision: string,
): Promise<ShownReceipt | null> {
  const jws = await reading.receipt(decision)
  if (jws === null) return null
  const entry = await decisionEntry(reading, caseId, decision)
  const hash = receiptHash(jws)
  const names = entry?.said?.event["receipt"] === hash
  return {
    jws,
    hash,
    verdict: await verifyReceipt(jws, decision),
    entry: entry === null ? null : { number: entry.number, names },
  }
}

async function decisionEntry(reading: ReceiptReading, caseId: string, decision: string): Promise<ShownEntry | null> {
  for (let after = 0; ; after += pageSize) {
    const entries = await reading.entriesOf(caseId, { after, limit: pageSize })
    const found = entries.find(({ said }) => said?.event["kind"] === "decided" && said.event["decision"] === decision)
    if (found !== undefined || entries.length < pageSize) return found ?? null
  }
}
