// A receipt, verified: who signed it, and what it says.
import { type ReceiptClaims, receiptPurpose } from "../domain/case/receipt.ts"
import { claimsSchema } from "../domain/case/record/claims-record.ts"
import { ProofError } from "./errors.ts"
import { type SigningKeySet, verifySigned } from "./signed.ts"

/** A receipt whose signature holds. */
export interface VerifiedReceipt {
  /** The compact JWS itself. */
  readonly receipt: string
  readonly claims: ReceiptClaims
  readonly kid: string
}

const purposes = ["approval", "sandbox-approval", "rejection"] as const

/** Verifies a receipt against a key set. Throws `ProofError` as `verifySigned` does; `bad-claims` for a wrong shape. */
export async function verifyReceipt(receipt: string, keys: SigningKeySet): Promise<VerifiedReceipt> {
  const { claims, kid, purpose } = await verifySigned(receipt, purposes, keys)
  const read = claimsSchema.safeParse(claims)
  if (read.success && receiptPurpose(read.data) === purpose) return { receipt, claims: read.data, kid }
  throw new ProofError("bad-claims", "the receipt is signed, but says something that this version does not know")
}
