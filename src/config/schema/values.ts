// The kinds of single values that countersign.yaml knows, each with its words for people.
import { z } from "zod"
import { placedFlawWords, readCondition } from "../../domain/condition/condition.ts"
import { hasVisibleText } from "../../domain/content/visible-text.ts"
import { flawOfCredential } from "../../domain/text/sendable.ts"
import { readRedisAddress } from "../../redis-address.ts"

declare module "zod" {
  /** What we know of a key besides its check, for messages, countersign.example.yaml and docs/configuration.md. */
  interface GlobalMeta {
    /** A value that would be right, as YAML. */
    readonly example?: string
    /** The value in countersign.example.yaml, if it is not `example`. */
    readonly sample?: string
    /** More members of the list in countersign.example.yaml, as YAML. */
    readonly more?: string
    /** True: the key is commented out in countersign.example.yaml. */
    readonly off?: true
    /** The environment variable that gives the value when the file does not. */
    readonly env?: string
    /** A secret may stand in the file only as `${NAME}`. */
    readonly secret?: true
    /** What kind of value the key takes, if the check alone does not tell. */
    readonly kind?: string
  }
}

/** Milliseconds. */
export const secondMs = 1_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Any text in which somebody sees something, without white space around it. */
export const text = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .refine(hasVisibleText, "holds nothing that can be seen")

/** A condition. If it has flaws, the problem tells the first, with its place. */
export const condition = text.superRefine((words, context) => {
  const read = readCondition(words)
  const [flaw] = read.ok ? [] : read.flaws
  if (flaw === undefined) return
  context.addIssue({ code: "custom", message: placedFlawWords(words, flaw) })
})

/** A bearer credential that can go into a header as it stands. */
export const credential = text.superRefine((value, context) => {
  const flaw = flawOfCredential(value)
  if (flaw !== null) context.addIssue({ code: "custom", message: flaw })
})

/** An address with one of these schemes. */
export function url(words: string, protocols: RegExp) {
  return text.refine((value) => URL.canParse(value) && protocols.test(value), words).meta({ kind: "address" })
}

/** The address of a service, with a path if it has one, and without a credential. */
export const address = url("must be an http or https address", /^https?:\/\//).refine(
  isPlainAddress,
  "must hold no user, password, query or fragment; the credential belongs to its own key",
)

function isPlainAddress(value: string): boolean {
  const found = URL.parse(value)
  return found === null || found.username + found.password + found.search + found.hash === ""
}

/** The address of a Redis, a Redis Cluster or Sentinels. */
export const redisUrl = text
  .superRefine((value, context) => {
    const read = readRedisAddress(value)
    const problem =
      read.ok && value.startsWith("/") ? "must be an address, and this is a path" : read.ok ? null : read.problem
    if (problem !== null) context.addIssue({ code: "custom", message: problem })
  })
  .meta({ kind: "address" })

/** One of a few words. */
export function choice<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: (issue) => (issue.input === undefined ? undefined : `must be ${words.join(" or ")}`) })
}

/** A whole number. It may be a text, because `${NAME}` gives text. */
export function integer(bounds: { readonly min: number; readonly max: number }) {
  const words = `must be a whole number from ${bounds.min} to ${bounds.max}`
  return z
    .preprocess(
      (value) => (typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
      z.int(words).min(bounds.min, words).max(bounds.max, words),
    )
    .meta({ kind: `whole number, ${bounds.min} to ${bounds.max}` })
}

/** true or false. It may be a text, because `${NAME}` gives text. YAML 1.2 has no yes and no. */
export const switched = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean("must be true or false"),
)

/** One text or a list of texts; read as a list. */
export const words = z
  .union([text, z.array(text).min(1, "must list at least one word")], {
    error: "must be a text or a list of texts, none of them empty",
  })
  .transform((value) => [value].flat())

/** Like `words`, but a problem is about one text of the list, not about the whole list. */
export const texts = z
  .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(text).min(1, "is empty"))
  .meta({ kind: "text or list" })

/** A duration as `durationMs` reads it, within bounds given in milliseconds. */
export function duration(bounds: { readonly min: number; readonly max: number; readonly words: string }) {
  return z
    .preprocess(
      durationMs,
      z
        .number({ error: "must be a duration such as 500ms, 1s or 2m" })
        .min(bounds.min, bounds.words)
        .max(bounds.max, bounds.words),
    )
    .meta({ kind: `duration, ${bounds.words.replace("must be ", "")}` })
}

const units: ReadonlyMap<string | undefined, number> = new Map([
  ["s", secondMs],
  ["m", 60_000],
  ["h", hourMs],
  ["d", dayMs],
])

/** Milliseconds of `"500ms"`, `"1s"`, `"1.5s"`, `"2m"`, `"1h"` or `"30d"`, or of a bare number. Else undefined. */
function durationMs(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  const found = typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(value.trim()) : null
  if (!found) return undefined
  const [, amount, unit] = found
  return Number(amount) * (units.get(unit) ?? 1)
}
