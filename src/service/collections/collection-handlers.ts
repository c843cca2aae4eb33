// The routes of described resources: list, read, create, update, remove, remove many.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import {
  type Creating,
  type Maker,
  queryOf,
  type Removing,
  type RemovingMany,
  type Resource,
  type RowListing,
  type RowOf,
  type Told,
  type Updating,
} from "../resources/resource.ts"
import { type RowSchema, toWire } from "../resources/row-columns.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { transact } from "../storage/database.ts"
import { deleteRows, findRow, insertRow, listRows, updateRow } from "../storage/resource-store.ts"
import { named } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"

/** What a family adds to the description of its resource. */
interface Own<S extends RowSchema> {
  /** Checks a row before it is written. Returns the refusal, or null. `before` is null for a new row. */
  admit(parts: ServiceParts, request: HandlerRequest, row: RowOf<S>, before: RowOf<S> | null): ServiceReply | null
  /** Shows a row on the wire; default: all columns that are not hidden. */
  show(row: RowOf<S>, parts: ServiceParts): Readonly<Record<string, unknown>>
}

/** The routes of all operations that a resource has. */
export function collectionRoutes<S extends RowSchema>(
  resource: Resource<S>,
  own: Partial<Own<S>> = {},
): readonly ServiceRoute[] {
  const family: Family<S> = {
    resource,
    own: { admit: () => null, show: (row) => rowView(resource, row), ...own },
    route: routesOf(resource.tag),
  }
  const { list, read, create, update, remove, removeMany } = resource
  return [
    list && listRoute(family, list),
    read && readRoute(family, read),
    create && createRoute(family, create),
    update && updateRoute(family, update),
    remove && removeRoute(family, remove),
    removeMany && removeManyRoute(family, removeMany),
  ].filter((made) => made !== undefined)
}

/** What the routes of a resource are made from. */
interface Family<S extends RowSchema> {
  readonly resource: Resource<S>
  readonly own: Own<S>
  readonly route: ReturnType<typeof routesOf>
}

/** A row as the wire shows it. */
export function rowView<S extends RowSchema>(resource: Pick<Resource<S>, "row" | "hidden">, row: RowOf<S>) {
  const values: Readonly<Record<string, unknown>> = row
  const shown = Object.entries(resource.row.shape).filter(([name]) => !resource.hidden.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, toWire(field, values[name])]))
}

function listRoute<S extends RowSchema>({ resource, own, route }: Family<S>, list: RowListing): ServiceRoute {
  const { name, path, scopes, model } = resource
  const { id, summary } = list
  return route(`GET ${path}`, `${scopes}:read`, {
    id,
    summary,
    query: queryOf(list),
    reply: named(`${name}List`, pageOf(model)),
    handler: (parts, { query, standing: { owner }, ids }) => {
      const { database, clock } = parts
      const orphaned = parentGone(database, resource, ids, owner)
      if (orphaned !== null) return orphaned
      const { limit, page, sort_by: sortBy, sort_order: order } = query
      const begun = clock()
      const conditions = [...givenOf(resource, owner, query), ...under(resource, ids), ...seenBy(resource, owner)]
      const wanted = { conditions, sortBy, order: order === "asc" ? "ASC" : "DESC", limit, page } as const
      const { rows, total } = listRows(database, resource, wanted)
      return answer({
        data: rows.map((row) => own.show(row, parts)),
        meta: meta(page, limit, total, clock() - begun),
      })
    },
  })
}

function readRoute<S extends RowSchema>({ resource, own, route }: Family<S>, read: Told): ServiceRoute {
  const { path, scopes, model } = resource
  return route(`GET ${path}/*`, `${scopes}:read`, {
    ...read,
    ...narrowing(resource),
    reply: model,
    handler: (parts, { ids, standing: { owner }, query }) => {
      const id = lastOf(ids)
      const conditions = [...givenOf(resource, owner, query), ...under(resource, ids), ...seenBy(resource, owner)]
      const row = findRow(parts.database, resource, id, conditions)
      return row === null ? refuse(404, resource.notFound(id)) : answer(own.show(row, parts))
    },
  })
}

function createRoute<S extends RowSchema>({ resource, own, route }: Family<S>, create: Creating<S>): ServiceRoute {
  const { name, path, scopes, model } = resource
  const { id, summary, status, refusals = [] } = create
  return route(`POST ${path}`, `${scopes}:write`, {
    id,
    summary,
    body: jsonBody(named(`${name}Create`, create.body)),
    status,
    reply: model,
    refusals: [...refusals, ...(resource.taken === undefined ? [] : [409])],
    handler: (parts, request) => {
      const made = create.make(request.body, makerOf(parts, request))
      if (!made.ok) return made.reply
      const refusal = own.admit(parts, request, made.value, null)
      if (refusal !== null) return refusal
      if (!insertRow(parts.database, resource, made.value)) return takenReply(resource, made.value)
      return answer(own.show(made.value, parts), status)
    },
  })
}

function updateRoute<S extends RowSchema>({ resource, own, route }: Family<S>, update: Updating<S>): ServiceRoute {
  const { name, path, scopes, model, unique } = resource
  const { id, summary } = update
  return route(`PATCH ${path}/*`, `${scopes}:write`, {
    id,
    summary,
    body: jsonBody(named(`${name}Update`, update.body)),
    reply: model,
    refusals: unique.length === 0 ? [] : [409],
    handler: (parts, request) =>
      transact(parts.database, () => {
        const found = rowToChange(parts, resource, request)
        if (!found.ok) return found.reply
        const changed = update.change(request.body, found.value, makerOf(parts, request))
        if (!changed.ok) return changed.reply
        const row = { ...found.value, ...changed.value }
        const refusal = own.admit(parts, request, row, found.value)
        if (refusal !== null) return refusal
        const isFree = updateRow(parts.database, resource, lastOf(request.ids), changed.value)
        return isFree ? answer(own.show(row, parts)) : takenReply(resource, row)
      }),
  })
}

function takenReply<S extends RowSchema>(resource: Resource<S>, row: RowOf<S>): ServiceReply {
  return refuse(409, resource.taken?.(row) ?? "It exists already")
}

function removeRoute<S extends RowSchema>({ resource, route }: Family<S>, remove: Removing): ServiceRoute {
  const { path, scopes } = resource
  const { id, summary, absent } = remove
  return route(`DELETE ${path}/*`, `${scopes}:delete`, {
    id,
    summary,
    ...narrowing(resource),
    handler: ({ database }, { query, ...request }) =>
      transact(database, () => {
        const found = rowToChange({ database }, resource, request, givenOf(resource, request.standing.owner, query))
        if (!found.ok) return found.reply.status === 404 && absent === 204 ? noContent : found.reply
        deleteRows(database, resource, [{ sql: `${resource.key} = ?`, values: [lastOf(request.ids)] }])
        return noContent
      }),
  })
}

function removeManyRoute<S extends RowSchema>({ resource, route }: Family<S>, removeMany: RemovingMany): ServiceRoute {
  const { name, path, scopes, key } = resource
  const { id, summary } = removeMany
  return route(`DELETE ${path}`, `${scopes}:delete`, {
    id,
    summary,
    body: jsonBody(named(`${name}Removal`, removeMany.body)),
    handler: ({ database }, { body, standing: { owner } }) => {
      const { ids, userId = null } = removeMany.idsOf(body)
      deleteRows(database, resource, [
        { sql: `${key} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(ids)] },
        ...changedBy(resource, owner ?? userId),
      ])
      return noContent
    },
  })
}

/** The row that a request names, if the caller may change it. */
export function rowToChange<S extends RowSchema>(
  { database }: Pick<ServiceParts, "database">,
  resource: Resource<S>,
  { ids, standing: { owner } }: Pick<HandlerRequest, "ids" | "standing">,
  narrowing: readonly SqlCondition[] = [],
): Checked<RowOf<S>> {
  const id = lastOf(ids)
  const row = findRow(database, resource, id, [...narrowing, ...under(resource, ids), ...seenBy(resource, owner)])
  if (row === null) return { ok: false, reply: refuse(404, resource.notFound(id)) }
  const refusal = refuseChange(resource, row, owner)
  return refusal === null ? { ok: true, value: row } : { ok: false, reply: refusal }
}

/** The id that a request is about: if its path names several rows, the last. */
function lastOf(ids: readonly string[]): string {
  return ids.at(-1) ?? ""
}

/** The condition for rows below another row, which the path names first. */
function under({ parent }: Pick<Resource, "parent">, [id = ""]: readonly string[]): readonly SqlCondition[] {
  return parent === undefined ? [] : [{ sql: `${parent.column} = ?`, values: [id] }]
}

/** Refuses with 404 if the caller cannot see the parent row that the path names. */
function parentGone(
  database: DatabaseSync,
  { parent }: Pick<Resource, "parent">,
  [id = ""]: readonly string[],
  owner: string | null,
): ServiceReply | null {
  if (parent === undefined || findRow(database, parent.of, id, seenBy(parent.of, owner)) !== null) return null
  return refuse(404, parent.of.notFound(id))
}

function narrowing({ narrowing: filters }: Pick<Resource, "narrowing">): { readonly query?: z.ZodType } {
  return Object.keys(filters).length === 0 ? {} : { query: z.object(filters) }
}

/** The conditions that a query names. Under user isolation a condition on the owner is left out: `seenBy` decides. */
function givenOf({ owner: column }: Pick<Resource, "owner">, owner: string | null, query: unknown) {
  return Object.entries(query ?? {}).flatMap(([name, value]) =>
    isCondition(value) && (owner === null || name !== column) ? [value] : [],
  )
}

/** True for a filter's condition. No other value in a query is an object. */
function isCondition(value: unknown): value is SqlCondition {
  return typeof value === "object" && value !== null && "sql" in value
}

/** The maker of the change that a request asks for, with the time and a source of new ids. */
export function makerOf({ clock, random }: ServiceParts, { standing }: HandlerRequest): Maker {
  return {
    subject: standing.caller.subject,
    owner: standing.owner,
    now: clock(),
    newId: () => randomId(random),
  }
}

/** The fields of a resource that say who owns its rows. */
type Owned = Pick<Resource, "owner" | "unowned">

/** The conditions on rows that somebody may see. Without user isolation `owner` is null, and nothing is demanded. */
export function seenBy({ owner: column, unowned }: Owned, owner: string | null): readonly SqlCondition[] {
  if (column === null || owner === null) return []
  const nobodys = unowned === "readable" ? ` OR ${column} IS NULL` : ""
  return [{ sql: `${column} = ?${nobodys}`, values: [owner] }]
}

/** The conditions that select the rows that `owner` may change. */
export function changedBy({ owner: column }: Owned, owner: string | null): readonly SqlCondition[] {
  return column === null || owner === null ? [] : [{ sql: `${column} = ?`, values: [owner] }]
}

/** Refuses to change a row that somebody may only see; else null. */
function refuseChange(
  { owner: column, name }: Pick<Resource, "owner" | "name">,
  row: Readonly<Record<string, unknown>>,
  owner: string | null,
): ServiceReply | null {
  if (column === null || owner === null || row[column] === owner) return null
  return refuse(403, `Only admins can modify a ${name.toLowerCase()} that has no owner`)
}
