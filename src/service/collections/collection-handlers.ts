// The handlers of described resources: list, read, create, update, remove, remove many.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import type { Handler, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import { type Maker, pagingOf, type ReadBody, type Resource, type RowOf } from "../resources/resource.ts"
import { type RowSchema, toWire } from "../resources/row-columns.ts"
import { transact } from "../storage/database.ts"
import { deleteRows, findRow, insertRow, listRows, updateRow } from "../storage/resource-store.ts"
import { readJson, readQueries, readQuery } from "../wire/read-request.ts"
import { answer, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"

/** What a family checks by itself before a row is written: the refusal, or null. `before` is null for a new row. */
type Admit<S extends RowSchema> = (
  request: HandlerRequest,
  row: RowOf<S>,
  before: RowOf<S> | null,
) => ServiceReply | null

/** What a family does by itself where the description does not say it. */
interface Own<S extends RowSchema> {
  readonly admit?: Admit<S>
  /** Shows a row on the wire; default: its columns that are not hidden. */
  readonly show?: (row: RowOf<S>) => Readonly<Record<string, unknown>>
}

/** The handlers of the operations that a resource has. What its other routes do is not among them. */
export function collectionHandlers<S extends RowSchema>(
  parts: ServiceParts,
  resource: Resource<S>,
  { admit = () => null, show = (row) => rowView(resource, row) }: Own<S> = {},
): Handlers {
  const { path } = resource
  const made: readonly (readonly [string, Handler | null])[] = [
    [`GET ${path}`, listHandler(parts, resource, show)],
    [`GET ${path}/*`, readHandler(parts, resource, show)],
    [`POST ${path}`, createHandler(parts, resource, { admit, show })],
    [`PATCH ${path}/*`, updateHandler(parts, resource, { admit, show })],
    [`DELETE ${path}/*`, removeHandler(parts, resource)],
    [`DELETE ${path}`, removeManyHandler(parts, resource)],
  ]
  return Object.fromEntries(made.flatMap(([pattern, handler]) => (handler === null ? [] : [[pattern, handler]])))
}

/** A row as the wire shows it. */
export function rowView<S extends RowSchema>(resource: Pick<Resource<S>, "row" | "hidden">, row: RowOf<S>) {
  const values: Readonly<Record<string, unknown>> = row
  const shown = Object.entries(resource.row.shape).filter(([name]) => !resource.hidden.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, toWire(field, values[name])]))
}

function listHandler<S extends RowSchema>(
  { database, clock }: ServiceParts,
  resource: Resource<S>,
  show: NonNullable<Own<S>["show"]>,
): Handler | null {
  const { list } = resource
  if (list === undefined) return null
  const filters = z.object(list.filters)
  const paging = pagingOf(list)
  return ({ context, standing, ids }) => {
    const checked = readQueries([filters, paging], context)
    if (!checked.ok) return checked.reply
    const orphaned = parentGone(database, resource, ids, standing.owner)
    if (orphaned !== null) return orphaned
    const [wanted, { limit, page, sort_by: sortBy, sort_order: order }] = checked.value
    const begun = clock()
    const { owner } = standing
    const conditions = [...givenOf(resource, owner, wanted), ...under(resource, ids), ...seenBy(resource, owner)]
    const query = { conditions, sortBy, order: order === "asc" ? "ASC" : "DESC", limit, page } as const
    const { rows, total } = listRows(database, resource, query)
    return answer({ data: rows.map(show), meta: meta(page, limit, total, clock() - begun) })
  }
}

function readHandler<S extends RowSchema>(
  { database }: ServiceParts,
  resource: Resource<S>,
  show: NonNullable<Own<S>["show"]>,
): Handler | null {
  if (resource.read === undefined) return null
  return (request) => {
    const narrowed = narrowingOf(resource, request)
    if (!narrowed.ok) return narrowed.reply
    const { ids, standing } = request
    const id = lastOf(ids)
    const conditions = [...narrowed.value, ...under(resource, ids), ...seenBy(resource, standing.owner)]
    const row = findRow(database, resource, id, conditions)
    return row === null ? refuse(404, resource.notFound(id)) : answer(show(row))
  }
}

function createHandler<S extends RowSchema>(
  parts: ServiceParts,
  resource: Resource<S>,
  { admit, show }: Required<Own<S>>,
): Handler | null {
  const { create } = resource
  if (create === undefined) return null
  return async (request) => {
    const made = await create.make(bodyReader(parts, request), makerOf(parts, request))
    if (!made.ok) return made.reply
    const refusal = admit(request, made.value, null)
    if (refusal !== null) return refusal
    if (!insertRow(parts.database, resource, made.value)) return takenReply(resource, made.value)
    return answer(show(made.value), create.status)
  }
}

function updateHandler<S extends RowSchema>(
  parts: ServiceParts,
  resource: Resource<S>,
  { admit, show }: Required<Own<S>>,
): Handler | null {
  const { update } = resource
  if (update === undefined) return null
  return async (request) => {
    const prepared = await update.prepare(bodyReader(parts, request))
    if (!prepared.ok) return prepared.reply
    return transact(parts.database, () => {
      const found = rowToChange(parts, resource, request)
      if (!found.ok) return found.reply
      const changed = prepared.value(found.value, makerOf(parts, request))
      if (!changed.ok) return changed.reply
      const row = { ...found.value, ...changed.value }
      const refusal = admit(request, row, found.value)
      if (refusal !== null) return refusal
      const isFree = updateRow(parts.database, resource, lastOf(request.ids), changed.value)
      return isFree ? answer(show(row)) : takenReply(resource, row)
    })
  }
}

function takenReply<S extends RowSchema>(resource: Resource<S>, row: RowOf<S>): ServiceReply {
  return refuse(409, resource.taken?.(row) ?? "It exists already")
}

function removeHandler<S extends RowSchema>(parts: ServiceParts, resource: Resource<S>): Handler | null {
  const { remove } = resource
  if (remove === undefined) return null
  return (request) => {
    const narrowed = narrowingOf(resource, request)
    if (!narrowed.ok) return narrowed.reply
    return transact(parts.database, () => {
      const found = rowToChange(parts, resource, request, narrowed.value)
      if (!found.ok) return found.reply.status === 404 && remove.absent === 204 ? noContent : found.reply
      deleteRows(parts.database, resource, [{ sql: `${resource.key} = ?`, values: [lastOf(request.ids)] }])
      return noContent
    })
  }
}

function removeManyHandler<S extends RowSchema>(parts: ServiceParts, resource: Resource<S>): Handler | null {
  const { removeMany, key } = resource
  if (removeMany === undefined) return null
  return async (request) => {
    const checked = await removeMany.ids(bodyReader(parts, request))
    if (!checked.ok) return checked.reply
    const { ids, userId } = checked.value
    deleteRows(parts.database, resource, [
      { sql: `${key} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(ids)] },
      ...changedBy(resource, request.standing.owner ?? userId),
    ])
    return noContent
  }
}

/** The row that a request names, if the caller may change it. */
export function rowToChange<S extends RowSchema>(
  { database }: ServiceParts,
  resource: Resource<S>,
  { ids, standing: { owner } }: HandlerRequest,
  narrowing: readonly SqlCondition[] = [],
): Checked<RowOf<S>> {
  const id = lastOf(ids)
  const row = findRow(database, resource, id, [...narrowing, ...under(resource, ids), ...seenBy(resource, owner)])
  if (row === null) return { ok: false, reply: refuse(404, resource.notFound(id)) }
  const refusal = refuseChange(resource, row, owner)
  return refusal === null ? { ok: true, value: row } : { ok: false, reply: refusal }
}

/** The row that a request is about is the last one that its path names. */
function lastOf(ids: readonly string[]): string {
  return ids.at(-1) ?? ""
}

/** The condition that a row belongs to the one that the path names before it. */
function under({ parent }: Pick<Resource, "parent">, [id = ""]: readonly string[]): readonly SqlCondition[] {
  return parent === undefined ? [] : [{ sql: `${parent.column} = ?`, values: [id] }]
}

/** 404 if the row that rows stand under is not there for the caller. */
function parentGone(
  database: DatabaseSync,
  { parent }: Pick<Resource, "parent">,
  [id = ""]: readonly string[],
  owner: string | null,
): ServiceReply | null {
  if (parent === undefined || findRow(database, parent.of, id, seenBy(parent.of, owner)) !== null) return null
  return refuse(404, parent.of.notFound(id))
}

function narrowingOf<S extends RowSchema>(
  resource: Resource<S>,
  { context, standing }: HandlerRequest,
): Checked<readonly SqlCondition[]> {
  const checked = readQuery(z.object(resource.narrowing), context)
  return checked.ok ? { ok: true, value: givenOf(resource, standing.owner, checked.value) } : checked
}

/** The conditions that a query names. Under user isolation the one on the owner is replaced by the caller. */
function givenOf(
  { owner: column }: Pick<Resource, "owner">,
  owner: string | null,
  wanted: Readonly<Record<string, SqlCondition | undefined>>,
): readonly SqlCondition[] {
  return Object.entries(wanted).flatMap(([name, condition]) =>
    condition === undefined || (owner !== null && name === column) ? [] : [condition],
  )
}

function bodyReader({ settings }: ServiceParts, { context }: HandlerRequest): ReadBody {
  return (schema) => readJson(schema, context, settings)
}

/** Who a request comes from, when, and how it makes ids. */
export function makerOf({ clock, random }: ServiceParts, { standing }: HandlerRequest): Maker {
  return {
    subject: standing.caller.subject,
    owner: standing.owner,
    now: clock(),
    newId: () => randomId(random),
  }
}

/** What of a resource says whose its rows are. */
type Owned = Pick<Resource, "owner" | "unowned">

/** The conditions on the rows that somebody may see; none without user isolation, where `owner` is null. */
export function seenBy({ owner: column, unowned }: Owned, owner: string | null): readonly SqlCondition[] {
  if (column === null || owner === null) return []
  const nobodys = unowned === "readable" ? ` OR ${column} IS NULL` : ""
  return [{ sql: `${column} = ?${nobodys}`, values: [owner] }]
}

/** The conditions on the rows that somebody may change. */
export function changedBy({ owner: column }: Owned, owner: string | null): readonly SqlCondition[] {
  return column === null || owner === null ? [] : [{ sql: `${column} = ?`, values: [owner] }]
}

/** The refusal to change a row that they may see, or null. */
function refuseChange(
  { owner: column, name }: Pick<Resource, "owner" | "name">,
  row: Readonly<Record<string, unknown>>,
  owner: string | null,
): ServiceReply | null {
  if (column === null || owner === null || row[column] === owner) return null
  return refuse(403, `Only admins can modify a ${name.toLowerCase()} that has no owner`)
}
