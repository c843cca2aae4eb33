// Reads the models of the interface description in tests.
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { openApiDocument } from "../../../src/service/openapi/document.ts"

/** A schema as far as tests look at it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly $ref?: string
  readonly maxLength?: number
  readonly pattern?: string
}

/** A model of the description by its name. */
export function theSchemaOf(model: string): Schema {
  const { schemas } = openApiDocument(serviceRoutes, "/a2a")["components"] as {
    readonly schemas: Readonly<Record<string, Schema>>
  }
  const found = schemas[model]
  if (found === undefined) throw new Error(`${model} is no model of the description`)
  return found
}
