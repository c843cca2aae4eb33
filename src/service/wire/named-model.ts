// The models of the interface description: schemas with a name.
import { z } from "zod"

/** All models with their names. */
export const models = z.registry<{ readonly id: string }>()

/** Adds a schema to the models, under this name. */
export function named<T extends z.ZodType>(id: string, schema: T): T {
  models.add(schema, { id })
  return schema
}

/** An object with these fields, as a model of this name. */
export function namedObject<T extends z.ZodRawShape>(id: string, fields: T) {
  return named(id, z.object(fields))
}

/** An object with at least these fields, as a model of this name. */
export function namedLooseObject<T extends z.ZodRawShape>(id: string, fields: T) {
  return named(id, z.looseObject(fields))
}
