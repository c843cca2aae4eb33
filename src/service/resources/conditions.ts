// The filters of lists. Each is a parameter of the query that becomes a condition in SQL.
import type { SQLInputValue } from "node:sqlite"
import { z } from "zod"
import { complain } from "../wire/fields.ts"

/** A condition on rows, with the values of its question marks. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** The condition for a value; none if the value is undefined. */
export function given(sql: string, value: string | undefined): readonly SqlCondition[] {
  return value === undefined ? [] : [{ sql, values: [value] }]
}

/** Filters by the names of their parameters. The condition is undefined if the parameter is not given. */
export type Filters = Readonly<Record<string, z.ZodType<SqlCondition | undefined>>>

/** A filter by any text. */
export function byText(condition: (text: string) => SqlCondition) {
  return z.string().transform(condition).optional()
}

/** Makes a filter: the column is exactly the given text. */
export function equals(column: string) {
  return byText((text) => ({ sql: `${column} = ?`, values: [text] }))
}

/** Makes a filter: the column contains the given text. For ASCII letters upper and lower case are the same. */
export function contains(column: string) {
  return byText((text) => ({ sql: `instr(lower(${column}), lower(?)) > 0`, values: [text] }))
}

/** Makes a filter: the list in the column contains all given words; commas separate the words. */
export function hasAll(column: string) {
  return z
    .string()
    .transform((text, context): SqlCondition => {
      const words = wordsIn(text)
      // SQLite allows expressions a thousand levels deep.
      if (words.length > 100) complain(context, { type: "value_error", msg: "Value error, 100 words at most" })
      const each = words.map(() => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?)`)
      return { sql: each.length === 0 ? "TRUE" : each.join(" AND "), values: words }
    })
    .optional()
}

/** Makes a filter: the column is a time at or after the given time. */
export function notBefore(column: string) {
  return moment((at) => ({ sql: `${column} >= ?`, values: [at] }))
}

/** Makes a filter: the column is a time at or before the given time. */
export function notAfter(column: string) {
  return moment((at) => ({ sql: `${column} <= ?`, values: [at] }))
}

function moment(condition: (at: number) => SqlCondition) {
  return z
    .string()
    .transform((text, context): SqlCondition => {
      const at = parseMoment(text)
      if (at === null) complain(context, { type: "datetime_parsing", msg: "Input should be a valid datetime" })
      return condition(at ?? 0)
    })
    .meta({ type: "string", format: "date-time" })
    .optional()
}

/** A time in ISO 8601 with a time zone, as epoch milliseconds; null for any other text. */
export function parseMoment(text: string): number | null {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  const at = isWhole ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : at
}

/** Makes a filter: the column is true or false, as given. */
export function isFlag(column: string) {
  return z
    .enum(["true", "false"])
    .transform((word): SqlCondition => ({ sql: `${column} = ?`, values: [word === "true" ? 1 : 0] }))
    .optional()
}

/** Makes a filter: the column is the given word, which must be one of `words`. */
export function isWord(column: string, words: readonly [string, ...string[]]) {
  return z
    .enum(words)
    .transform((word): SqlCondition => ({ sql: `${column} = ?`, values: [word] }))
    .optional()
}

/** Makes a filter: the column is one of the given words, which commas separate. Each must be one of `known`. */
export function isOneOf(column: string, known: readonly string[]) {
  const one = known.join("|")
  return z
    .string()
    .transform((text, context): SqlCondition => {
      const words = wordsIn(text)
      const stranger = words.find((word) => !known.includes(word))
      if (stranger !== undefined) {
        complain(context, { type: "value_error", msg: `Value error, '${stranger}' is none of ${known.join(", ")}` })
      }
      return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(words)] }
    })
    .meta({ type: "string", pattern: `^\\s*(?:${one})?\\s*(?:,\\s*(?:${one})?\\s*)*$` })
    .optional()
}

/** Makes a filter: the column of the given word is not null. */
export function isSet(columns: Readonly<Record<string, string>>) {
  return z
    .enum(Object.keys(columns))
    .transform((word): SqlCondition => ({ sql: `${columns[word] ?? "NULL"} IS NOT NULL`, values: [] }))
    .optional()
}

function wordsIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
}
