// Reads columns of a SQLite row in the types that the schema promises.
import type { SQLOutputValue } from "node:sqlite"
import { ServiceError } from "../errors.ts"

/** A row as node:sqlite gives it. */
export type TableRow = Readonly<Record<string, SQLOutputValue>>

/** A text column. Throws `ServiceError` if it holds something else. */
export function textOf(row: TableRow, column: string): string {
  const value = textOrNull(row, column)
  if (value === null) throw unexpected(column)
  return value
}

/** A text column that may be null. */
export function textOrNull(row: TableRow, column: string): string | null {
  const value = row[column]
  if (value === null || typeof value === "string") return value
  throw unexpected(column)
}

/** An integer column. */
export function integerOf(row: TableRow, column: string): number {
  const value = integerOrNull(row, column)
  if (value === null) throw unexpected(column)
  return value
}

/** An integer column that may be null. */
export function integerOrNull(row: TableRow, column: string): number | null {
  const value = row[column]
  if (value === null || typeof value === "number") return value
  throw unexpected(column)
}

/** The count in the column `n`; 0 without a row. */
export function countOf(row: TableRow | undefined): number {
  return row === undefined ? 0 : integerOf(row, "n")
}

/** How many rows come before a page. The first page is 1; any smaller number counts as 1. */
export function offsetOf({ page, limit }: { readonly page: number; readonly limit: number }): number {
  return Math.min(Math.max(page - 1, 0) * limit, Number.MAX_SAFE_INTEGER)
}

function unexpected(column: string): ServiceError {
  return new ServiceError("database_corrupt", `database: column ${column} holds a value of another type than it should`)
}
