// The columns of a described row. The zod type of a field says how SQLite keeps it and how the wire shows it.
import type { SQLInputValue, SQLOutputValue } from "node:sqlite"
import { z } from "zod"
import { ServiceError } from "../errors.ts"
import { parseExact, writeExact } from "../wire/exact-json.ts"
import { wireTime } from "../wire/wire-time.ts"

/** A zod object whose fields are the columns of a row. */
export type RowSchema = z.ZodObject

/** How the wire writes a time: as ISO 8601, or in epoch seconds. */
type ShownTime = "iso" | "seconds"

const times = z.registry<{ readonly shown: ShownTime }>()

/** A field that is a time: epoch milliseconds in the row, and on the wire as `shown` says. */
export function timeField(shown: ShownTime) {
  return z.int().register(times, { shown })
}

/** A text, or null. */
export const nullableText = z.string().nullable()

/** A free-form object. Its numbers keep their digits. */
export const objectField = z.record(z.string(), z.unknown())

/** How SQLite keeps a column; `flag` is 0 or 1, `json` is text. */
type Storage = "text" | "integer" | "real" | "flag" | "json"

/** The SQL type of a column. It is NOT NULL unless the field may be null. */
export function sqlType(field: z.core.$ZodType): string {
  const type = { text: "TEXT", integer: "INTEGER", real: "REAL", flag: "INTEGER", json: "TEXT" }[storageOf(field)]
  return field instanceof z.ZodNullable ? type : `${type} NOT NULL`
}

function storageOf(field: z.core.$ZodType): Storage {
  const inner = bare(field)
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return "text"
  if (inner instanceof z.ZodNumberFormat) return "integer"
  if (inner instanceof z.ZodNumber) return "real"
  return inner instanceof z.ZodBoolean ? "flag" : "json"
}

function bare(field: z.core.$ZodType): unknown {
  return field instanceof z.ZodNullable || field instanceof z.ZodOptional ? bare(field.unwrap()) : field
}

/** A value as SQLite keeps it. Throws `ServiceError` if the column cannot hold it. */
export function toStored(field: z.core.$ZodType, value: unknown): SQLInputValue {
  if (value === null || value === undefined) return null
  const storage = storageOf(field)
  if (storage === "json") return writeExact(value)
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value === "string" || typeof value === "number") return value
  throw new ServiceError("database_corrupt", `a ${storage} column cannot hold a value of type ${typeof value}`)
}

/** A value as SQLite kept it, in its own type again. */
export function fromStored(field: z.core.$ZodType, value: SQLOutputValue | undefined): unknown {
  if (value === null || value === undefined) return null
  const storage = storageOf(field)
  if (storage === "flag") return value === 1
  return storage === "json" && typeof value === "string" ? parseExact(value) : value
}

/** A value as the wire shows it. */
export function toWire(field: z.core.$ZodType, value: unknown): unknown {
  const shown = shownTime(field)
  if (shown === undefined || typeof value !== "number") return value
  return shown === "iso" ? wireTime(value) : Math.floor(value / 1000)
}

/** The model of a row on the wire, without the hidden columns. */
export function wireModel(row: RowSchema, hidden: readonly string[]) {
  const shown = Object.entries(row.shape).filter(([name]) => !hidden.includes(name))
  return z.object(Object.fromEntries(shown.map(([name, field]) => [name, wireField(field)])))
}

/** The model of a row on the wire that leaves out nulls. */
export function sparseModel<S extends z.core.$ZodLooseShape>(row: z.ZodObject<S>) {
  const present = (field: z.core.$ZodType) => (field instanceof z.ZodNullable ? z.optional(field.unwrap()) : field)
  const fields = Object.entries(row.shape).map(([name, field]) => [name, present(wireField(field))])
  return z.object(Object.fromEntries(fields))
}

function wireField(field: z.core.$ZodType): z.core.$ZodType {
  if (shownTime(field) !== "iso") return field
  return field instanceof z.ZodNullable ? z.iso.datetime().nullable() : z.iso.datetime()
}

function shownTime(field: z.core.$ZodType): ShownTime | undefined {
  const inner = bare(field)
  return inner instanceof z.ZodNumberFormat ? times.get(inner)?.shown : undefined
}
