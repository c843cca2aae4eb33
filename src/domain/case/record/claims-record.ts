// What a receipt says, declared once: `receipt.ts` makes it, `proof` reads it. A receipt that says more is refused.
import { z } from "zod"
import { number, text, textOrNull, verb } from "../../content/record/values.ts"
import { surfaceSchema } from "./vote-record.ts"

/** The schema of `ReceiptVote`. */
export const receiptVoteSchema = z.strictObject({
  /** `team:user`. */
  person: text,
  subject: text,
  verb,
  /** Epoch milliseconds. */
  at: number,
  surface: surfaceSchema,
  /** The rules under which the vote counted; none if the requester called the request back. */
  rules: z.array(text),
  /** For whom the voter stood in, each as `team:user`; absent if for nobody. */
  for: z.array(text).exactOptional(),
  /** Set for a rejection by the requester (R1). */
  calledBack: z.literal(true).exactOptional(),
})

const anyClaims = z.strictObject({
  version: z.literal(2),
  installation: text,
  instance: text,
  approval: text,
  revision: number,
  /** `digestOf` the approval that was decided. */
  digest: text,
  decision: text,
  /** When the votes reached the verdict, epoch ms. */
  at: number,
  votes: z.array(receiptVoteSchema),
  /** The rules that the decision had to satisfy, each with the hash of all that it says. */
  rules: z.array(z.strictObject({ name: text, hash: text, quorum: number })),
  /** SHA-256 of the canonical JSON of what was filled in: `resolution_data` without `countersign`. Null if nothing. */
  filled: textOrNull,
  /** Set if one person approved by breaking glass: no quorum was met (R1). */
  glass: z.literal(true).exactOptional(),
  /** True if Slack was the local sandbox (R19). */
  sandbox: z.boolean(),
})

/** The schema of `ReceiptClaims`. */
export const claimsSchema = z.discriminatedUnion("verdict", [
  anyClaims.extend({
    verdict: z.literal("approve"),
    /** The `callDigests` of the calls that the approval lets run. */
    calls: z.array(text),
    /** Until when a gate before the tool lets these calls begin, epoch ms. */
    expires: number,
  }),
  anyClaims.extend({
    verdict: z.literal("reject"),
    calls: z.never().exactOptional(),
    expires: z.never().exactOptional(),
  }),
])
