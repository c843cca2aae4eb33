// Receipts of decisions: erasable records whose hash is in the entry, readable long after the case is closed.
import type { Case } from "../../domain/case/case.ts"
import { SealError } from "../../domain/proof/seal.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import type { IndexWrite } from "./commit.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/** The write that keeps a receipt, in the commit that decides. Sealed: it names people; values can be guessed (R15). */
export function receiptWrites(
  { keys, seal }: Pick<SealedPlace, "keys" | "seal">,
  next: Case,
  events: readonly LedgerEvent[],
): readonly IndexWrite[] {
  const receipt = next.sending?.receipt
  const decided = events.find((event) => event.kind === "decided")
  if (receipt === undefined || decided === undefined) return []
  const key = keys.receipt(decided.decision)
  return [{ command: "HSET", key, args: ["sealed", seal.encrypt("receipt", receipt, key)] }]
}

/** The write that takes a decision's receipt away. */
export function receiptErasure(keys: Keys, decision: string): IndexWrite {
  return { command: "HDEL", key: keys.receipt(decision), args: ["sealed", "jws"] }
}

/** The receipt of a decision, or null. Verify it: bytes that we did not seal come too. Throws `StoreError`. */
export async function readReceipt({ redis, keys, seal }: SealedPlace, decisionId: string): Promise<string | null> {
  const key = keys.receipt(decisionId)
  const [sealed, clear] = await attempt(`read the receipt of ${decisionId}`, () =>
    redis.hmgetBuffer(key, "sealed", "jws"),
  )
  // An earlier version kept them in clear.
  if (!sealed) return clear?.toString() ?? null
  try {
    return seal.decrypt("receipt", sealed, key).toString()
  } catch (error) {
    if (error instanceof SealError) return sealed.toString("base64url")
    throw error
  }
}
