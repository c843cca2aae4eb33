// The kinds of single values that countersign.yaml knows, each with its words for people.
import { z } from "zod"
import { isSendable } from "../../domain/sendable.ts"
import { durationMs } from "./units.ts"

/** Any text that is not empty, without white space around it. */
export const text = z.string().trim().min(1, "must not be empty")

/** What goes into a header as it stands. */
export const credential = text.refine(
  isSendable,
  "holds a line break or another character that no header can carry (such as …): give the whole credential, on one line",
)

/** One of a few words. */
export function choice<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: (issue) => (issue.input === undefined ? undefined : `must be ${words.join(" or ")}`) })
}

/** A whole number; as text too, since `${NAME}` gives text. */
export function integer(bounds: { readonly min: number; readonly max: number }) {
  const words = `must be a whole number from ${bounds.min} to ${bounds.max}`
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
    z.int(words).min(bounds.min, words).max(bounds.max, words),
  )
}

/** true or false; as text too, since `${NAME}` gives text. YAML 1.2 has no yes and no. */
export const switched = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean("must be true or false"),
)

/** One text or a list of texts; read as a list. */
export const words = z
  .union([text, z.array(text).min(1, "must list at least one word")], {
    error: "must be a text or a list of texts, none of them empty",
  })
  .transform((value) => (typeof value === "string" ? [value] : value))

/** A duration as `durationMs` reads it, within bounds given in milliseconds. */
export function duration(bounds: { readonly min: number; readonly max: number; readonly words: string }) {
  return z.preprocess(
    durationMs,
    z
      .number({ error: "must be a duration such as 500ms, 1s or 2m" })
      .min(bounds.min, bounds.words)
      .max(bounds.max, bounds.words),
  )
}
