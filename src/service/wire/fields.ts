// Fields that several requests share, with the same complaints as the real service.
import { z } from "zod"
import { isJsonObject, type WireObject } from "./exact-json.ts"
import type { Complaint } from "./validation.ts"

/** A free-form object (specification 2.1). We pass it on as it is, so no key and no digit is lost. */
export const freeFormObject = z
  .unknown()
  .superRefine((value, context) => {
    if (!isJsonObject(value)) complain(context, { type: "dict_type", msg: "Input should be a valid dictionary" })
  })
  .transform((value): WireObject => (isJsonObject(value) ? value : {}))
  .meta({ type: "object", additionalProperties: true })

/** A text of `least` to `longest` characters, counted as people do (code points), not in UTF-16 units. */
export function boundedText(longest: number, least = 0) {
  return z
    .string()
    .superRefine((value, context) => {
      if (value.length < least) {
        complain(context, {
          type: "string_too_short",
          msg: `String should have at least ${least} character${least === 1 ? "" : "s"}`,
          ctx: { min_length: least },
        })
      }
      if (value.length > longest && Array.from(value).length > longest) {
        complain(context, {
          type: "string_too_long",
          msg: `String should have at most ${longest} characters`,
          ctx: { max_length: longest },
        })
      }
    })
    .meta({ maxLength: longest, ...(least === 0 ? {} : { minLength: least }) })
}

/** An integer from `least` to `most`, in a body. */
export function boundedInteger(least: number, most: number) {
  return z
    .int()
    .superRefine((value, context) => {
      const complaint = boundComplaint(value, least, most)
      if (complaint !== null) complain(context, complaint)
    })
    .meta({ minimum: least, maximum: most })
}

/** An integer in a query string, from `least` to `most` (default: no bound), `fallback` when it is absent. */
export function queryInteger(fallback: number, least: number, most?: number) {
  return z
    .string()
    .optional()
    .transform((text, context) => (text === undefined ? fallback : integerIn(text, context, least, most)))
    .meta({ type: "integer", default: fallback, minimum: least, ...(most === undefined ? {} : { maximum: most }) })
}

/** An integer in a query string, `least` or more, that may be left out. */
export function optionalInteger(least: number) {
  return z
    .string()
    .transform((text, context) => integerIn(text, context, least))
    .meta({ type: "integer", minimum: least })
    .optional()
}

/** A truth value in a form or a query string, `fallback` when it is absent. */
export function textBoolean(fallback: boolean) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined) return fallback
      const word = text.toLowerCase()
      if (["true", "1", "yes", "on", "t", "y"].includes(word)) return true
      if (["false", "0", "no", "off", "f", "n"].includes(word)) return false
      complain(context, { type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input" })
      return fallback
    })
    .meta({ type: "boolean", default: fallback })
}

function integerIn(text: string, context: z.core.$RefinementCtx, least: number, most?: number): number {
  const value = Number(text)
  const complaint = integerComplaint(text, value, least, most)
  if (complaint !== null) complain(context, complaint)
  return value
}

function integerComplaint(text: string, value: number, least: number, most: number | undefined): Complaint | null {
  if (!/^[+-]?\d+$/.test(text)) {
    return { type: "int_parsing", msg: "Input should be a valid integer, unable to parse string as an integer" }
  }
  return boundComplaint(value, least, most)
}

function boundComplaint(value: number, least: number, most: number | undefined): Complaint | null {
  if (value < least) {
    return { type: "greater_than_equal", msg: `Input should be greater than or equal to ${least}`, ctx: { ge: least } }
  }
  if (most !== undefined && value > most) {
    return { type: "less_than_equal", msg: `Input should be less than or equal to ${most}`, ctx: { le: most } }
  }
  return null
}

/** Adds a complaint in the words of the wire to zod's issues. */
export function complain(context: z.core.$RefinementCtx, complaint: Complaint): void {
  context.addIssue({ code: "custom", params: complaint })
}
