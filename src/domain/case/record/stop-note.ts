// What a case keeps of the stop that covers it, or that kept its run from going on.
import { z } from "zod"
import { number, text } from "../../content/record/values.ts"
import { ordererSchema } from "../../people/record/orderer-record.ts"

/** The schema of `StopNote`. */
export const stopNoteSchema = z.object({
  /** The id of the stop. */
  stop: text,
  by: ordererSchema,
  reason: text,
  at: number,
  /** True if it covers the case only because the platform left a field null. */
  perhaps: z.literal(true).exactOptional(),
})
