// The part of the interface description that is made from the descriptions of resources.
import { z } from "zod"
import { described } from "../resources/described.ts"
import type { Models, Operation, Operations } from "../resources/operation.ts"
import { pagingOf, type Resource, type RowListing } from "../resources/resource.ts"
import { wireModel } from "../resources/row-columns.ts"
import { pageOf } from "../wire/page-model.ts"

/** The operations of all described resources. */
export const describedOperations: Operations = Object.assign({}, ...described.map(operationsOf))

/** Their models. */
export const describedModels: Models = Object.assign({}, ...described.map(modelsOf))

type Row = Omit<Operation, "tag">

function operationsOf(resource: Resource): Operations {
  const { path, name, tag, others } = resource
  const { list, read, create, update, remove, removeMany } = resource
  const rows: readonly (readonly [string, Row | undefined])[] = [
    [`GET ${path}`, list && { ...told(list), query: listQuery(list), model: `${name}List` }],
    [`GET ${path}/*`, read && { ...told(read), ...narrowed(resource), model: name }],
    [`POST ${path}`, create && { ...told(create), json: `${name}Create`, ...made(resource), model: name }],
    [`PATCH ${path}/*`, update && { ...told(update), json: `${name}Update`, model: name, ...changed(resource) }],
    [`DELETE ${path}/*`, remove && { ...told(remove), ...narrowed(resource), status: 204 }],
    [`DELETE ${path}`, removeMany && { ...told(removeMany), json: `${name}Removal`, status: 204 }],
  ]
  const own = rows.flatMap(([pattern, row]) => (row === undefined ? [] : [[pattern, { ...row, tag }]]))
  return { ...Object.fromEntries(own), ...others }
}

function told({ id, summary }: { readonly id: string; readonly summary: string }) {
  return { id, summary }
}

function listQuery(list: RowListing): z.ZodObject {
  return z.object({ ...list.filters, ...pagingOf(list).shape })
}

function narrowed({ narrowing }: Resource): Pick<Row, "query"> {
  return Object.keys(narrowing).length === 0 ? {} : { query: z.object(narrowing) }
}

function made(resource: Resource): Pick<Row, "status" | "refusals"> {
  const { status = 200, refusals = [] } = resource.create ?? {}
  return { status, refusals: [...refusals, ...("taken" in resource ? [409] : [])] }
}

function changed({ unique }: Resource): Pick<Row, "refusals"> {
  return { refusals: unique.length === 0 ? [] : [409] }
}

function modelsOf({ name, row, hidden, list, create, update, removeMany, models, ...resource }: Resource): Models {
  const model = resource.model ?? wireModel(row, hidden)
  return {
    [name]: model,
    ...(list && { [`${name}List`]: pageOf(model) }),
    ...(create && { [`${name}Create`]: create.body }),
    ...(update && { [`${name}Update`]: update.body }),
    ...(removeMany && { [`${name}Removal`]: removeMany.body }),
    ...models,
  }
}
