// A receipt, verified: who signed it, and what it says.
import { z } from "zod"
import { type ReceiptClaims, receiptPurpose } from "../domain/case/receipt.ts"
import { ProofError } from "./errors.ts"
import { type SigningKeySet, verifySigned } from "./signed.ts"

const text = z.string()
const verb = z.enum(["approve", "reject"])

const common = {
  version: z.literal(2),
  installation: text,
  instance: text,
  approval: text,
  revision: z.number(),
  digest: text,
  decision: text,
  at: z.number(),
  votes: z.array(
    z.strictObject({
      person: text,
      subject: text,
      verb,
      at: z.number(),
      surface: z.enum(["card", "details", "form", "command", "home", "summary"]),
      rules: z.array(text),
    }),
  ),
  rules: z.array(z.strictObject({ name: text, hash: text, quorum: z.number() })),
  filled: text.nullable(),
  sandbox: z.boolean(),
}

const claimsSchema: z.ZodType<ReceiptClaims> = z.discriminatedUnion("verdict", [
  z.strictObject({ ...common, verdict: z.literal("approve"), calls: z.array(text), expires: z.number() }),
  z.strictObject({ ...common, verdict: z.literal("reject") }),
])

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
