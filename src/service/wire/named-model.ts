// The models of the interface description: schemas that have a name there, wherever they stand.
import { z } from "zod"

/** Every model with its name. */
export const models = z.registry<{ readonly id: string }>()

/** Gives a schema its name among the models. */
export function named<T extends z.ZodType>(id: string, schema: T): T {
  models.add(schema, { id })
  return schema
}

/** Makes an object of these fields, with its name. */
export function namedObject<T extends z.ZodRawShape>(id: string, fields: T) {
  return named(id, z.object(fields))
}

/** The same for an object that may have more fields than these. */
export function namedLooseObject<T extends z.ZodRawShape>(id: string, fields: T) {
  return named(id, z.looseObject(fields))
}
