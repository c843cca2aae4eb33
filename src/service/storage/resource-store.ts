// The rows of described resources in SQLite. All of them share this store.
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { ServiceError } from "../errors.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import type { Resource, RowOf } from "../resources/resource.ts"
import { fromStored, type RowSchema, sqlType, toStored } from "../resources/row-columns.ts"
import { countOf, offsetOf, type TableRow } from "./columns.ts"

/** What the store needs to know of a resource. */
type Stored<S extends RowSchema> = Pick<Resource<S>, "table" | "row" | "key">

/** Adds a row; false if there is a row with the same key or the same unique columns. */
export function insertRow<S extends RowSchema>(
  database: DatabaseSync,
  { table, row: schema }: Pick<Stored<S>, "table" | "row">,
  row: RowOf<S>,
): boolean {
  const { names, values } = toColumns(schema, row)
  const marks = names.map(() => "?").join(", ")
  const outcome = database
    .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks}) ON CONFLICT DO NOTHING`)
    .run(...values)
  return outcome.changes === 1
}

/** The row with this key, if it meets all conditions, or null. */
export function findRow<S extends RowSchema>(
  database: DatabaseSync,
  resource: Stored<S>,
  id: string,
  conditions: readonly SqlCondition[] = [],
): RowOf<S> | null {
  const [row] = selectRows(database, resource, [{ sql: `${resource.key} = ?`, values: [id] }, ...conditions])
  return row ?? null
}

/** All rows that meet the conditions, in the order in which they were added. */
export function selectRows<S extends RowSchema>(
  database: DatabaseSync,
  { table, row: schema }: Stored<S>,
  conditions: readonly SqlCondition[],
): readonly RowOf<S>[] {
  const { where, values } = toWhere(conditions)
  return database
    .prepare(`SELECT * FROM ${table} ${where} ORDER BY seq`)
    .all(...values)
    .map((found) => toRow(table, schema, found))
}

/** Which page of a list. `page` starts at 1; any smaller number counts as 1. */
export interface RowQuery {
  readonly conditions: readonly SqlCondition[]
  readonly sortBy: string
  readonly order: "ASC" | "DESC"
  readonly limit: number
  readonly page: number
}

/** A page of rows, and how many there are in all. Rows with equal values are ordered by when they were added. */
export function listRows<S extends RowSchema>(
  database: DatabaseSync,
  { table, row: schema }: Stored<S>,
  { conditions, sortBy, order, limit, page }: RowQuery,
): { readonly rows: readonly RowOf<S>[]; readonly total: number } {
  const { where, values } = toWhere(conditions)
  const count = database.prepare(`SELECT count(*) AS n FROM ${table} ${where}`).get(...values)
  const rows = database
    .prepare(`SELECT * FROM ${table} ${where} ORDER BY ${sortBy} ${order}, seq ${order} LIMIT ? OFFSET ?`)
    .all(...values, limit, offsetOf({ page, limit }))
    .map((found) => toRow(table, schema, found))
  return { rows, total: countOf(count) }
}

/** Changes columns of the row with this key; false if there is none, or another row has the same unique columns. */
export function updateRow<S extends RowSchema>(
  database: DatabaseSync,
  { table, row: schema, key }: Stored<S>,
  id: string,
  change: Partial<RowOf<S>>,
): boolean {
  const { names, values } = toColumns(schema, change)
  if (names.length === 0) return true
  const sets = names.map((name) => `${name} = ?`).join(", ")
  return database.prepare(`UPDATE OR IGNORE ${table} SET ${sets} WHERE ${key} = ?`).run(...values, id).changes === 1
}

/** Deletes the rows that meet all conditions, and returns how many there were. */
export function deleteRows(
  database: DatabaseSync,
  { table }: Pick<Resource, "table">,
  conditions: readonly SqlCondition[],
): number {
  const { where, values } = toWhere(conditions)
  return Number(database.prepare(`DELETE FROM ${table} ${where}`).run(...values).changes)
}

/** A WHERE clause that demands all conditions. */
export function toWhere(conditions: readonly SqlCondition[]): {
  readonly where: string
  readonly values: SQLInputValue[]
} {
  return {
    where: conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => `(${sql})`).join(" AND ")}`,
    values: conditions.flatMap(({ values }) => values),
  }
}

function toColumns(
  schema: RowSchema,
  row: Readonly<Record<string, unknown>>,
): { readonly names: readonly string[]; readonly values: readonly SQLInputValue[] } {
  const given = Object.entries(schema.shape).filter(([name]) => row[name] !== undefined)
  return {
    names: given.map(([name]) => name),
    values: given.map(([name, field]) => toStored(field, row[name])),
  }
}

function toRow<S extends RowSchema>(table: string, schema: S, found: TableRow): RowOf<S> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, fromStored(field, found[name])])
  const outcome = schema.safeParse(Object.fromEntries(fields))
  if (outcome.success) return outcome.data
  throw new ServiceError("database_corrupt", `a row of ${table} cannot be read`, { cause: outcome.error })
}

/** SQL for the table and its indexes. `seq` is the order of adding. Rows are deleted together with their parent row. */
export function createTable({ table, row, key, parent, unique, indexes }: Resource): string {
  const above = parent === undefined ? "" : ` REFERENCES ${parent.of.table} (${parent.of.key}) ON DELETE CASCADE`
  const once = (name: string): string => (name === key && !unique.includes(key) ? " UNIQUE" : "")
  const columns = Object.entries(row.shape).map(
    ([name, field]) => `  ${name} ${sqlType(field)}${once(name)}${name === parent?.column ? above : ""}`,
  )
  const lines = ["  seq INTEGER PRIMARY KEY AUTOINCREMENT", ...columns].join(",\n")
  const made = indexes.map((names) => `CREATE INDEX ${table}_${names.join("_")} ON ${table} (${names.join(", ")});`)
  const together = unique.length === 0 ? [] : [`CREATE UNIQUE INDEX ${table}_once ON ${table} (${unique.join(", ")});`]
  return [`CREATE TABLE ${table} (\n${lines}\n) STRICT;`, ...together, ...made, ""].join("\n")
}
