// The receipts of decisions: side records, written with the entry that names them by hash, readable long after the case is closed.
import type { Redis } from "ioredis"
import type { Case } from "../domain/case.ts"
import type { IndexWrite } from "./commit.ts"
import { attempt } from "./errors.ts"
import type { Keys } from "./keys.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/** The write that keeps a decision's receipt, in the commit that decides. What is public needs no seal: the receipt is signed. */
export function receiptWrites(keys: Keys, next: Case, events: readonly LedgerEvent[]): readonly IndexWrite[] {
  const receipt = next.sending?.receipt
  const decided = events.find((event) => event.kind === "decided")
  if (receipt === undefined || decided === undefined) return []
  return [{ command: "HSET", key: keys.receipt(decided.decision), args: ["jws", receipt] }]
}

/** The receipt of a decision, or null if there is none. It is as Redis has it: verify it. Throws `StoreError`. */
export async function readReceipt(redis: Redis, keys: Keys, decisionId: string): Promise<string | null> {
  return await attempt(`read the receipt of ${decisionId}`, () => redis.hget(keys.receipt(decisionId), "jws"))
}
