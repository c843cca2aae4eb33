// A resource: one description, from which we make its table, its queries, its handlers and its part of the interface
// description.
//
// To add a resource:
// 1. Describe it in a file of this folder (`learnings.ts` is the plainest). It gets a route for each part that is
//    there: `list`, `read`, `create`, `update`, `remove`, `removeMany`.
// 2. Add its table as a step at the end of `storage/migrations.ts`. A later change of its columns is one more step.
// 3. Make its routes by `collectionRoutes` in the folder of its family, beside the other routes there. Add a new family
//    to `all-routes.ts`.
// 4. Compare its shapes with the real service's in `test/service/collections/shapes.test.ts`, test its behaviour in
//    `test/service/<family>`, and add its row to `docs/service.md`.
import { z } from "zod"
import { queryInteger } from "../wire/fields.ts"
import { named } from "../wire/named-model.ts"
import type { Checked } from "../wire/validation.ts"
import type { Filters } from "./conditions.ts"
import { type RowSchema, wireModel } from "./row-columns.ts"

/** A row of this schema. */
export type RowOf<S extends RowSchema> = z.output<S>

/**
 * Who changes something, when, and how it gets an id. `owner` is set under user isolation: the maker may change only
 * what belongs to this user.
 */
export interface Maker {
  readonly subject: string | null
  readonly owner: string | null
  /** Epoch milliseconds. */
  readonly now: number
  readonly newId: () => string
}

/** What every operation of a resource has. */
export interface Told {
  /** Its id in the interface description. */
  readonly id: string
  readonly summary: string
}

/** A list of rows, page by page. */
export interface RowListing extends Told {
  readonly filters: Filters
  /** How many rows a page has unless the caller says it; at most 1000. */
  readonly limit: number
  /** The columns that the list can be ordered by; the first is the default. */
  readonly sortBy: readonly [string, ...string[]]
}

/** How rows are made: `make` makes a row from the body, or refuses. */
export interface Creating<S extends RowSchema> extends Told {
  readonly status: 200 | 201
  /** Statuses of its own refusals. The 409 for a key that is taken need not be listed. */
  readonly refusals?: readonly number[]
  readonly body: z.ZodType
  make(wish: unknown, maker: Maker): Checked<RowOf<S>>
}

/** How rows are changed: `change` says what the body changes in the present row, or refuses. */
export interface Updating<S extends RowSchema> extends Told {
  readonly body: z.ZodType
  change(wish: unknown, row: RowOf<S>, maker: Maker): Checked<Partial<RowOf<S>>>
}

/** How one row is removed. `absent` is the status if there is no such row; 204: as if it had been removed. */
export interface Removing extends Told {
  readonly absent: 204 | 404
}

/** How several rows are removed in one request: the body lists their ids. */
export interface RemovingMany extends Told {
  readonly body: z.ZodType
  idsOf(wish: unknown): { readonly ids: readonly string[]; readonly userId?: string | null | undefined }
}

/** One kind of row, with its table and its routes. The head of this file says how to add one. */
export interface Resource<S extends RowSchema = RowSchema> {
  /** Its name among the models of the interface description, such as `Memory`. */
  readonly name: string
  /** Its tag in the interface description. */
  readonly tag: string
  /** The beginning of its scopes, such as `memories`. */
  readonly scopes: string
  /** The path of its routes: `/memories`, or under a row of another resource: `/schedules/*` + `/runs`. */
  readonly path: string
  /** For rows under a row of another resource: that resource, and the column that holds the id of its row. */
  readonly parent?: { readonly column: string; readonly of: Resource }
  readonly table: string
  readonly row: S
  /** What the wire shows; default: all columns that are not hidden. */
  readonly model: z.ZodType
  /** The column of its id. */
  readonly key: string
  /** Columns that the wire does not show. */
  readonly hidden: readonly string[]
  /** The column that names the user of a row, for user isolation; null: rows have no user. */
  readonly owner: string | null
  /** How rows without a user are treated under user isolation. `readable`: all read them, only admins change them. */
  readonly unowned: "hidden" | "readable"
  /** What is unique beside the key: columns, or expressions over columns. */
  readonly unique: readonly string[]
  /** Columns that are indexed together, in this order. */
  readonly indexes: readonly (readonly string[])[]
  /** What a 404 says. */
  readonly notFound: (id: string) => string
  /** What a 409 says if a row with the same key, or the same unique columns, exists. */
  taken?(row: RowOf<S>): string
  /** Conditions that a route for one row accepts beside its id. */
  readonly narrowing: Filters
  readonly list?: RowListing
  readonly read?: Told
  readonly create?: Creating<S>
  readonly update?: Updating<S>
  readonly remove?: Removing
  readonly removeMany?: RemovingMany
}

/** The fields that most resources leave out. */
type Defaulted = "model" | "hidden" | "unowned" | "unique" | "narrowing"

/** Makes a resource. By default it hides no column, but under user isolation it hides rows without a user. */
export function resourceOf<S extends RowSchema>(
  told: Omit<Resource<S>, Defaulted> & Partial<Pick<Resource<S>, Defaulted>>,
): Resource<S> {
  const { name, row, hidden = [], model = wireModel(row, hidden) } = told
  const usual = { unowned: "hidden", unique: [], narrowing: {} } as const
  return { ...usual, ...told, hidden, model: named(name, model) }
}

/** Makes a `create` from a body's schema and a function that makes a row of the body. */
export function creating<S extends RowSchema, T>(
  told: Omit<Creating<S>, "body" | "make">,
  body: z.ZodType<T>,
  make: (wish: T, maker: Maker) => Checked<RowOf<S>>,
): Creating<S> {
  return { ...told, body, make }
}

/** Makes an `update` from a body's schema and a function that says what the body changes. */
export function updating<S extends RowSchema, T>(
  told: Told,
  body: z.ZodType<T>,
  change: (wish: T, row: RowOf<S>, maker: Maker) => Checked<Partial<RowOf<S>>>,
): Updating<S> {
  return { ...told, body, change }
}

/** Makes a `removeMany`; `idsOf` finds the ids in the body. */
export function removingMany<T>(
  told: Told,
  body: z.ZodType<T>,
  idsOf: (wish: T) => ReturnType<RemovingMany["idsOf"]>,
): RemovingMany {
  return { ...told, body, idsOf }
}

const mostRows = 1000

/** The query of a list. Columns that `sortBy` does not list are refused: nobody gets another order than asked for. */
export function queryOf({ filters, limit, sortBy }: RowListing) {
  return z.object({
    ...filters,
    limit: queryInteger(limit, 1, mostRows),
    page: queryInteger(1, 0),
    sort_by: z.enum(sortBy).default(sortBy[0]),
    sort_order: z.enum(["asc", "desc"]).default("desc"),
  })
}
