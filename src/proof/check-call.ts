// The check of a gate, for tools of any kind: whether a receipt lets a call run now. It needs neither Redis nor
// network, and marks nothing: whoever calls it sees to it that a call runs once (docs/tool-gate.md).
import { callDigest, type GatedCall } from "../domain/content/call-digest.ts"
import { ProofError } from "./errors.ts"
import { type VerifiedReceipt, verifyReceipt } from "./receipt.ts"
import type { SigningKeySet } from "./signed.ts"

export type { GatedCall } from "../domain/content/call-digest.ts"
export { readKeySet } from "./signed.ts"

/** What is checked, and against what. */
export interface CallCheck {
  /** The call as it is about to run. */
  readonly call: GatedCall
  /** The text of the receipt. */
  readonly receipt: string
  /** The public keys that count, as `readKeySet` reads them; never fetched from whoever brings the receipt. */
  readonly keys: SigningKeySet
  /** Whose approvals count. */
  readonly installation: string
  /** Of which instance. Default: any. */
  readonly instance?: string
  /** True where only approvals of the sandbox count, in tests. Default: they do not count. */
  readonly sandbox?: boolean
  /** Epoch ms. */
  readonly now: number
}

/** Why a call may not run. */
export type CallRefusal =
  | "not-approved"
  | "sandbox"
  | "other-installation"
  | "other-instance"
  | "not-yet"
  | "expired"
  | "other-call"

/** The receipt that lets the call run; or why none does. */
export type CheckedCall =
  | ({ readonly ok: true } & VerifiedReceipt)
  | { readonly ok: false; readonly refusal: CallRefusal | ProofError["code"] }

/** Clocks of two hosts may differ by so much, in ms. */
const skewMs = 60_000
/** No receipt lives longer, in ms. */
const longestLifeMs = 7 * 86_400_000

/** Checks a call. A receipt that does not hold is a refusal, too; what else fails is thrown. */
export async function checkCall(check: CallCheck): Promise<CheckedCall> {
  try {
    const verified = await verifyReceipt(check.receipt, check.keys)
    const refusal = refusalOf(check, verified)
    return refusal === null ? { ok: true, ...verified } : { ok: false, refusal }
  } catch (error) {
    if (error instanceof ProofError) return { ok: false, refusal: error.code }
    throw error
  }
}

function refusalOf(check: CallCheck, { claims }: VerifiedReceipt): CallRefusal | null {
  const { call, installation, instance = claims.instance, sandbox = false, now } = check
  const { calls, expires, at } = claims
  if (claims.verdict !== "approve" || calls === undefined || expires === undefined) return "not-approved"
  if (claims.sandbox !== sandbox) return "sandbox"
  if (claims.installation !== installation) return "other-installation"
  if (claims.instance !== instance) return "other-instance"
  if (at > now + skewMs) return "not-yet"
  if (now > expires + skewMs || expires - at > longestLifeMs) return "expired"
  return calls.includes(callDigest(call)) ? null : "other-call"
}
