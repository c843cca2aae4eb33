// Reads a call to compare it with a fingerprint: takes its numbers, and hashes the values at its paths.
import { decimalOf } from "../condition/decimal.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json } from "../content/json.ts"
import type { CallField } from "./call-fields.ts"

/** We compare a longer text only together with all of its field, and only with the last call. */
const shortUnits = 200
/** A longer number, in characters, counts as outside every range. */
const numberUnits = 60
/** We compare at most this many values of one field by themselves. */
const maxValues = 500

/** Makes a keyed hash of a value at a path, for one fingerprint; 12 characters. */
export type PrintHash = (path: string, value: Json) => string

/** A field of a call, read for the comparison. */
export interface FieldReading extends CallField {
  /** The hash of the whole field. */
  readonly all: string
  /** Its short values by their hash, each with its place among the values; without the numbers in `numbers`. */
  readonly hashes: ReadonlyMap<string, number>
  /** Its numbers, each with its place among the values; the text is null if the number cannot be compared. */
  readonly numbers: readonly { readonly text: string | null; readonly at: number }[]
  /** True if the field has more values than we compare. We do not know what the rest are. */
  readonly over: boolean
}

/** A call, read for the comparison. We read a field only if somebody asks for it, so unknown fields cost nothing. */
export interface CallReading {
  /** The fields, in the order of the arguments. */
  readonly fields: ReadonlyMap<string, CallField>
  /** Null if there is no such field. */
  of(path: string): FieldReading | null
}

/** Reads a call. */
export function readFields(fields: readonly CallField[], hash: PrintHash): CallReading {
  const byPath = new Map(fields.map((field) => [field.path, field]))
  const known = new Map<string, FieldReading>()
  return {
    fields: byPath,
    of: (path) => {
      const field = byPath.get(path)
      if (field === undefined) return null
      const reading = known.get(path) ?? readField(field, hash)
      known.set(path, reading)
      return reading
    },
  }
}

function readField(field: CallField, hash: PrintHash): FieldReading {
  const { path, values } = field
  const all = hash(path, ["all", ...values.map(({ value }) => value)])
  const over = values.length > maxValues
  return { ...field, all, over, ...(over ? nothingRead : valuesOf(field, hash)) }
}

const nothingRead = { hashes: new Map<string, number>(), numbers: [] }

function valuesOf({ path, values, masked }: CallField, hash: PrintHash): Pick<FieldReading, "hashes" | "numbers"> {
  const hashes = new Map<string, number>()
  const numbers: { text: string | null; at: number }[] = []
  for (const [at, { value }] of values.entries()) {
    const text = masked ? undefined : numberText(value)
    if (text !== undefined) numbers.push({ text, at })
    else if (isShort(value)) hashes.set(hash(path, value), at)
  }
  return { hashes, numbers }
}

function numberText(value: Json): string | null | undefined {
  const text = typeof value === "number" ? String(value) : isWireNumber(value) ? value.rawJSON : undefined
  if (text === undefined) return undefined
  return text.length > numberUnits || decimalOf(text) === null ? null : text
}

function isShort(value: Json): boolean {
  if (typeof value === "string") return value.length <= shortUnits
  if (isJsonArray(value)) return value.length === 0
  return !isJsonObject(value) || Object.keys(value).length === 0
}
