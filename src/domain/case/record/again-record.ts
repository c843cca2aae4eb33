// What a case's record keeps of a rejection that lasts, and of the calls that it rejected by itself (R22).
import { z } from "zod"
import { number, text, textOrNull } from "../../content/record/values.ts"

/** The schema of `Repeat`. */
export const repeatSchema = z.object({
  /** The case of the repeat. */
  case: text,
  /** The run that asked. */
  run: text,
  at: number,
  /** Set if it was left undecided, because its run asked too often. */
  undecided: z.literal(true).exactOptional(),
})

/** The schema of `Lasting`. */
export const lastingSchema = z.object({
  /** The MAC of what makes a call the same (`sameCall`). */
  key: text,
  /** Until when the same call is rejected by itself, epoch ms. */
  until: number,
  /** The calls that were, and those that were left undecided; the first comes first. */
  repeats: z.array(repeatSchema),
})

/** The schema of `Looped`. */
export const loopedSchema = z.object({
  /** The case whose rejection lasts. */
  case: text,
  /** When people are asked at the latest, epoch ms. */
  until: number,
})

/** The schema of `RepeatDecision`. */
export const repeatDecisionSchema = z.object({
  id: text,
  verb: z.literal("reject"),
  votes: z.array(z.never()),
  at: number,
  by: z.literal("again"),
  /** The lasting rejection: its case, its decision, and who made it (`team:user`). */
  as: z.object({ case: text, decision: text, person: text }),
  /** Its reason. */
  reason: textOrNull,
  /** When the call may be asked again, epoch ms. */
  until: number,
})
