// A resource: one description from which its table, its queries, its handlers and its part of the interface description
// are made.
//
// To add a resource:
// 1. Describe it in a file of this folder (`learnings.ts` is the plainest). Which routes
//    it has follows from the parts that are there: `list`, `read`, `create`, `update`, `remove`, `removeMany`.
// 2. Add its table as a step at the end of `storage/migrations.ts`; a later change of its columns is one more step.
// 3. Its routes are made by `collectionRoutes` in the family's folder, beside those that are not create, read, update,
//    delete; a new family joins `all-routes.ts`.
// 4. Its shapes are compared with the real service's in `test/service/collections/shapes.test.ts`; its behaviour in
//    `test/service/<family>`; its row stands in `docs/service.md`.
import { z } from "zod"
import { queryInteger } from "../wire/fields.ts"
import { named } from "../wire/named-model.ts"
import type { Checked } from "../wire/validation.ts"
import type { Filters } from "./conditions.ts"
import { type RowSchema, wireModel } from "./row-columns.ts"

/** Rows as a schema says. */
export type RowOf<S extends RowSchema> = z.output<S>

/** Who changes something, when, and how it gets an id. `owner` is set under user isolation: the only user they are. */
export interface Maker {
  readonly subject: string | null
  readonly owner: string | null
  /** Epoch milliseconds. */
  readonly now: number
  readonly newId: () => string
}

/** What every described operation has. */
export interface Told {
  /** Its id in the interface description. */
  readonly id: string
  readonly summary: string
}

/** A list of rows, page by page. */
export interface RowListing extends Told {
  readonly filters: Filters
  /** Rows on a page unless the caller says how many; up to 1000 may be asked for. */
  readonly limit: number
  /** The columns that it can be ordered by; the first is the default. */
  readonly sortBy: readonly [string, ...string[]]
}

/** How rows are made: a row of the body, or a refusal. */
export interface Creating<S extends RowSchema> extends Told {
  readonly status: 200 | 201
  /** Statuses of its own refusals; a key that is taken is 409 without being named. */
  readonly refusals?: readonly number[]
  readonly body: z.ZodType
  make(wish: unknown, maker: Maker): Checked<RowOf<S>>
}

/** How rows are changed: what the body changes of the row as it stands when it is written, or a refusal. */
export interface Updating<S extends RowSchema> extends Told {
  readonly body: z.ZodType
  change(wish: unknown, row: RowOf<S>, maker: Maker): Checked<Partial<RowOf<S>>>
}

/** How one row is removed; one that is not there is 404, or 204 as if it had been. */
export interface Removing extends Told {
  readonly absent: 204 | 404
}

/** How many rows are removed at once: by a list of their ids in the body. */
export interface RemovingMany extends Told {
  readonly body: z.ZodType
  idsOf(wish: unknown): { readonly ids: readonly string[]; readonly userId?: string | null | undefined }
}

/** See the head of this file. */
export interface Resource<S extends RowSchema = RowSchema> {
  /** Its name among the models of the interface description, such as `Memory`. */
  readonly name: string
  /** Its tag there. */
  readonly tag: string
  /** What its scopes begin with, such as `memories`. */
  readonly scopes: string
  /** Where its routes stand: `/memories`, or under a row of another resource: `/schedules/*` + `/runs`. */
  readonly path: string
  /** For rows under a row of another resource: the column of that one's id. */
  readonly parent?: { readonly column: string; readonly of: Resource }
  readonly table: string
  readonly row: S
  /** What the wire shows; default: the columns that are not hidden. */
  readonly model: z.ZodType
  /** The column of its id. */
  readonly key: string
  /** Columns that the wire does not show. */
  readonly hidden: readonly string[]
  /** The column that says whose a row is, under user isolation; null: rows are nobody's. */
  readonly owner: string | null
  /** Under user isolation rows of nobody are hidden, or everybody may read them and only admins change them. */
  readonly unowned: "hidden" | "readable"
  /** What is unique beside the key: columns, or expressions of them. */
  readonly unique: readonly string[]
  /** Columns that are indexed together, in their order. */
  readonly indexes: readonly (readonly string[])[]
  /** What a 404 says. */
  readonly notFound: (id: string) => string
  /** What a 409 says where a row of the same key, or of the same unique columns, exists. */
  taken?(row: RowOf<S>): string
  /** Conditions by which a route that names one row can be narrowed. */
  readonly narrowing: Filters
  readonly list?: RowListing
  readonly read?: Told
  readonly create?: Creating<S>
  readonly update?: Updating<S>
  readonly remove?: Removing
  readonly removeMany?: RemovingMany
}

/** What most resources leave out. */
type Defaulted = "model" | "hidden" | "unowned" | "unique" | "narrowing"

/** Makes a resource. Unless it says otherwise, it hides nothing, and rows of nobody. */
export function resourceOf<S extends RowSchema>(
  told: Omit<Resource<S>, Defaulted> & Partial<Pick<Resource<S>, Defaulted>>,
): Resource<S> {
  const { name, row, hidden = [], model = wireModel(row, hidden) } = told
  const usual = { unowned: "hidden", unique: [], narrowing: {} } as const
  return { ...usual, ...told, hidden, model: named(name, model) }
}

/** Makes a `create` of a body's schema and what a row is made of it. */
export function creating<S extends RowSchema, T>(
  told: Omit<Creating<S>, "body" | "make">,
  body: z.ZodType<T>,
  make: (wish: T, maker: Maker) => Checked<RowOf<S>>,
): Creating<S> {
  return { ...told, body, make }
}

/** Makes an `update` of a body's schema and what it changes. */
export function updating<S extends RowSchema, T>(
  told: Told,
  body: z.ZodType<T>,
  change: (wish: T, row: RowOf<S>, maker: Maker) => Checked<Partial<RowOf<S>>>,
): Updating<S> {
  return { ...told, body, change }
}

/** Makes a `removeMany` whose body names the ids as `idsOf` finds them. */
export function removingMany<T>(
  told: Told,
  body: z.ZodType<T>,
  idsOf: (wish: T) => ReturnType<RemovingMany["idsOf"]>,
): RemovingMany {
  return { ...told, body, idsOf }
}

/** The most rows that a page can have. */
const mostRows = 1000

/** The query of a list. A column that it cannot be ordered by is refused: no order is other than asked for. */
export function queryOf({ filters, limit, sortBy }: RowListing) {
  return z.object({
    ...filters,
    limit: queryInteger(limit, 1, mostRows),
    page: queryInteger(1, 0),
    sort_by: z.enum(sortBy).default(sortBy[0]),
    sort_order: z.enum(["asc", "desc"]).default("desc"),
  })
}
