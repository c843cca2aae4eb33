// Fields of several requests, which complain in the same words as the real service.
import { z } from "zod"
import { isJsonObject, isWireNumber, type WireObject } from "./exact-json.ts"
import { type Complaint, typeComplaint } from "./validation.ts"

/** A free-form object (specification 2.1). We pass it on unchanged, so no key and no digit is lost. */
export const freeFormObject = z
  .unknown()
  .superRefine((value, context) => {
    if (!isJsonObject(value)) complain(context, { type: "dict_type", msg: "Input should be a valid dictionary" })
  })
  .transform((value): WireObject => (isJsonObject(value) ? value : {}))
  .meta({ type: "object", additionalProperties: true })

/** A text of `least` to `longest` characters. Characters are code points, as people count, not UTF-16 units. */
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

/** An integer from `least` to `most` in a body: `60`, `60.0` or `"60"`, as in the real service. */
export function boundedInteger(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
  return z
    .unknown()
    .transform((value, context) => integerIn(value, context, least, most))
    .meta({ type: "integer", minimum: least, maximum: most })
}

/** An integer from `least` to `most` in a query string; `fallback` if it is absent. */
export function queryInteger(fallback: number, least: number, most = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .optional()
    .transform((text, context) => (text === undefined ? fallback : integerIn(text, context, least, most)))
    .meta({ type: "integer", default: fallback, minimum: least, maximum: most })
}

/** An integer in a query string, `least` or more. It may be left out. */
export function optionalInteger(least: number) {
  return z
    .string()
    .transform((text, context) => integerIn(text, context, least, Number.MAX_SAFE_INTEGER))
    .meta({ type: "integer", minimum: least, maximum: Number.MAX_SAFE_INTEGER })
    .optional()
}

/** An id that a client chooses and that paths contain later. `.` and `..` would mean folders there. */
export const chosenId = z.string().superRefine((id, context) => {
  if (/^\.{1,2}$/.test(id)) complain(context, { type: "value_error", msg: `Value error, an id must not be '${id}'` })
})

/** An object in a body; all its fields are optional. A number in its place is refused, also a wire number. */
export function openObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((value) => (isWireNumber(value) ? Number(value.rawJSON) : value), z.object(shape))
}

/** A boolean in a form or a query string; `fallback` if it is absent. */
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

function integerIn(given: unknown, context: z.core.$RefinementCtx, least: number, most: number): number {
  const value = typeof given === "string" && !digits.test(given) ? Number.NaN : Number(textIn(given))
  const complaint = integerComplaint(given, value) ?? boundComplaint(value, least, most)
  if (complaint !== null) complain(context, complaint)
  return value
}

const digits = /^\s*[+-]?\d+(?:\.0*)?\s*$/

function textIn(given: unknown): unknown {
  if (isWireNumber(given)) return given.rawJSON
  return typeof given === "string" || typeof given === "number" ? given : Number.NaN
}

function integerComplaint(given: unknown, value: number): Complaint | null {
  if (Number.isInteger(value)) return null
  if (typeof given === "string")
    return { type: "int_parsing", msg: "Input should be a valid integer, unable to parse string as an integer" }
  return Number.isNaN(value)
    ? typeComplaint("int")
    : { type: "int_from_float", msg: "Input should be a valid integer, got a number with a fractional part" }
}

function boundComplaint(value: number, least: number, most: number): Complaint | null {
  if (value < least) {
    return { type: "greater_than_equal", msg: `Input should be greater than or equal to ${least}`, ctx: { ge: least } }
  }
  if (value > most) {
    return { type: "less_than_equal", msg: `Input should be less than or equal to ${most}`, ctx: { le: most } }
  }
  return null
}

/** Adds a complaint to zod's issues, in the words of the wire. */
export function complain(context: z.core.$RefinementCtx, complaint: Complaint): void {
  context.addIssue({ code: "custom", params: complaint })
}
