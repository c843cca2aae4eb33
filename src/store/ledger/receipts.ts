// Receipts of decisions: erasable records whose hash is in the entry. People can read them long after the case closed.
import type { Case } from "../../domain/case/case.ts"
import { SealError } from "../../domain/proof/seal.ts"
import { attempt } from "../errors.ts"
import { condense, expandAny, phrasesOf } from "../redis/condense.ts"
import type { Keys } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import type { IndexWrite } from "./commit.ts"
import type { LedgerEvent } from "./ledger-event.ts"

/** The write of a receipt, for the commit that decides. Sealed: it names people, and helps to guess values (R15). */
export function receiptWrites(
  { keys, seal }: Pick<SealedPlace, "keys" | "seal">,
  next: Case,
  events: readonly LedgerEvent[],
): readonly IndexWrite[] {
  const receipt = next.sending?.receipt
  const decided = events.find((event) => event.kind === "decided")
  if (receipt === undefined || decided === undefined) return []
  const key = keys.receipt(decided.decision)
  return [{ command: "HSET", key, args: ["sealed", seal.encrypt("receipt", packed(receipt), key)] }]
}

/** The write that removes a decision's receipt. */
export function receiptErasure(keys: Keys, decision: string): IndexWrite {
  return { command: "HDEL", key: keys.receipt(decision), args: ["sealed"] }
}

/** The receipt of a decision, or null. Verify it: this also returns bytes that we did not seal. Throws `StoreError`. */
export async function readReceipt({ redis, keys, seal }: SealedPlace, decisionId: string): Promise<string | null> {
  const key = keys.receipt(decisionId)
  const sealed = await attempt(`read the receipt of ${decisionId}`, () => redis.hgetBuffer(key, "sealed"))
  if (sealed === null) return null
  try {
    return unpacked(seal.decrypt("receipt", sealed, key))
  } catch (error) {
    if (error instanceof SealError) return sealed.toString("base64url")
    throw error
  }
}

/** A packed receipt begins with this; a receipt that is kept whole begins as a JWS does. */
const packedMark = 1

/** The phrases of header and claims, in canonical JSON. New phrases go to the end. */
const phrases = phrasesOf([
  '{"alg":"EdDSA","kid":"',
  '","at":',
  ',"decision":"',
  '","digest":"',
  '","filled":null,"installation":"',
  '","instance":"',
  '","revision":1,"rules":[{"hash":"',
  '","name":"',
  ',"person":"',
  '","rules":["',
  '"],"subject":"',
  '","surface":"card","verb":"approve"}]}',
  '","surface":"card","verb":"approve"},{"at":',
  '","surface":"card","verb":"reject"}]}',
  '","surface":"',
  '","verb":"approve"}]}',
  '","verb":"',
  '{"alg":"ES256","kid":"',
  '","filled":"',
  '","installation":"',
  '","revision":',
  '"rules":[{"hash":"',
  '","quorum":',
  '"},{"at":',
  '],"sandbox":false,"verdict":"',
  '],"sandbox":true,"verdict":"',
  '","typ":"countersign-approval+jws"}{"approval":"',
  ',"calls":["',
  '"],"decision":"',
  '","expires":',
  ',"filled":null,"installation":"',
  '","quorum":1}],"sandbox":false,"verdict":"approve","version":2,"votes":[{"at":',
  ',"filled":"',
  '","typ":"countersign-rejection+jws"}{"approval":"',
  '","quorum":1}],"sandbox":false,"verdict":"reject","version":2,"votes":[{"at":',
  '","typ":"countersign-sandbox-approval+jws"}{"approval":"',
  '],"sandbox":true,"verdict":"approve","version":2,"votes":[{"at":',
  '","version":2,"votes":[{"at":',
])

/** A receipt without base64: signature as bytes, the rest condensed. Unchanged if it would not come back the same. */
function packed(receipt: string): Buffer {
  const parts = receipt.split(".").map((part) => Buffer.from(part, "base64url"))
  const [header, claims, signature = Buffer.of()] = parts
  const text = condense(`${header?.toString()}${claims?.toString()}`, phrases)
  const whole = Buffer.from(receipt)
  if (text === null || signature.length > 255) return whole
  const bytes = Buffer.concat([Buffer.of(packedMark, signature.length), signature, text])
  return unpacked(bytes) === receipt ? bytes : whole
}

/** Gives back the receipt. Our header is an object of texts, so it ends where the next object begins. */
function unpacked(bytes: Buffer): string {
  if (bytes[0] !== packedMark) return bytes.toString()
  const from = 2 + (bytes[1] ?? 0)
  const text = expandAny(bytes.subarray(from), phrases)
  const end = text.indexOf("}{") + 1
  const parts = [text.slice(0, end), text.slice(end), bytes.subarray(2, from)]
  return parts.map((part) => Buffer.from(part).toString("base64url")).join(".")
}
