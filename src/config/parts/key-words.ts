// The words of a value of countersign.yaml, as the file would have them, by its key's schema.
import { z } from "zod"
import { isJsonArray, isJsonObject, type Json } from "../../domain/content/json.ts"
import { withInvisibleAsNumbers } from "../../domain/content/visible-text.ts"
import { isWrapped, shapeOf } from "../schema/keys.ts"

/** A key's value in one line: `24h`, `[U1, U2]`, `args.amount > 5`. Never a secret; what nobody sees is its number. */
export function valueWords(type: z.core.$ZodType, value: Json): string {
  if (isSecret(type)) return "(a secret)"
  if (typeof value === "string") return isPlain(value) ? value : quoted(value)
  return wordsOf(value, type)
}

/** What counts if the key is left out, in the same words; null if its schema has no default. */
export function usualWords(type: z.core.$ZodType): string | null {
  if (!(type instanceof z.ZodDefault || type instanceof z.ZodPrefault)) return null
  const usual = type.def.defaultValue
  return Array.isArray(usual) || typeof usual !== "object" ? valueWords(type, toJson(usual)) : null
}

/** A duration as the config writes it: 90m, 72h; from a week on in days: 90d. */
export function spanWords(ms: number): string {
  const [days, hours, minutes, seconds] = [ms / 86_400_000, ms / 3_600_000, ms / 60_000, ms / 1_000]
  if (Number.isInteger(days) && days >= 7) return `${days}d`
  if (Number.isInteger(hours)) return `${hours}h`
  return Number.isInteger(minutes) ? `${minutes}m` : `${seconds}s`
}

/** Texts as a list in one line: `[payments, refunds]`. */
export function listWords(texts: readonly string[]): string {
  return wordsOf(texts, z.array(z.string()))
}

function wordsOf(value: Json, type: z.core.$ZodType): string {
  if (isJsonArray(value)) return `[${value.map((one) => wordsOf(one, type)).join(", ")}]`
  if (isJsonObject(value)) {
    const below = shapeOf(type)
    const members = Object.entries(value).map(([name, one]) => `${name}: ${wordsOf(one, below[name] ?? z.unknown())}`)
    return `{${members.join(", ")}}`
  }
  if (typeof value === "string") return isPlain(value) && !/[,[\]{}"':#]/.test(value) ? value : quoted(value)
  return typeof value === "number" && isDuration(type) ? spanWords(value) : JSON.stringify(value)
}

/** A text that needs no quotes: nobody takes it for a list, a map or words of ours, and all of it is seen. */
function isPlain(text: string): boolean {
  return text !== "" && text.trim() === text && !/^["'([{]|[\n\t]/.test(text) && withInvisibleAsNumbers(text) === text
}

function quoted(text: string): string {
  return withInvisibleAsNumbers(JSON.stringify(text))
}

function isSecret(type: z.core.$ZodType): boolean {
  return z.globalRegistry.get(type)?.secret === true
}

/** True if the key takes a duration or a list of durations, which we keep as milliseconds. */
function isDuration(type: z.core.$ZodType): boolean {
  const kind = z.globalRegistry.get(type)?.kind
  if (kind !== undefined) return kind.startsWith("duration")
  return isWrapped(type) && isDuration(type.def.innerType)
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
