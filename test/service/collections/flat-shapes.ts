// Reads an operation of an interface description as names and types: `data[].memory_id` is a string.

/** A schema as far as it is read. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Entry {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** An interface description as far as it is read. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Levels of fields that are compared: below, trees repeat themselves. */
const deepest = 2

/** Types by the paths of their fields. */
export type Fields = Readonly<Record<string, string>>

/** One operation. */
interface FlatOperation {
  readonly query: readonly string[]
  readonly json: Fields | undefined
  readonly form: Fields | undefined
  /** Fields of the body that have to be there. */
  readonly required: readonly string[]
  /** Statuses of success. */
  readonly status: readonly number[]
  readonly answer: Fields | undefined
}

/** Reads the operation of a pattern such as `GET /memories/*`, or undefined. */
export function readOperation(document: Document, pattern: string): FlatOperation | undefined {
  const [method = "", path = ""] = pattern.split(" ")
  const found = Object.entries(document.paths).find(([name]) => name.replaceAll(/\{\w+\}/g, "*") === path)
  const entry = found?.[1][method.toLowerCase()]
  if (entry === undefined) return undefined
  const body = entry.requestBody?.content ?? {}
  const json = body["application/json"]
  const form = body["multipart/form-data"] ?? body["application/x-www-form-urlencoded"]
  const statuses = Object.keys(entry.responses).filter((status) => status.startsWith("2"))
  const answer = entry.responses[statuses[0] ?? ""]?.content?.["application/json"]
  const fieldsOf = (part: { readonly schema?: Schema } | undefined) =>
    part?.schema === undefined ? undefined : flatten(document, part.schema)
  return {
    query: (entry.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name),
    json: fieldsOf(json),
    form: fieldsOf(form),
    required: resolve(document, (json ?? form)?.schema ?? {}).required ?? [],
    status: statuses.map(Number),
    answer: fieldsOf(answer),
  }
}

function resolve(document: Document, schema: Schema): Schema {
  const { $ref: reference, allOf } = schema
  if (allOf?.[0] !== undefined) return resolve(document, allOf[0])
  if (reference === undefined) return schema
  return resolve(document, document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {})
}

function flatten(document: Document, schema: Schema, path = "", depth = 0): Fields {
  const { anyOf, items, properties, ...plain } = resolve(document, schema)
  const type = [plain.type ?? "any"].flat().find((word) => word !== "null") ?? "null"
  if (anyOf !== undefined) {
    const kinds = anyOf.filter((one) => one.type !== "null")
    return Object.assign({}, ...kinds.map((one) => flatten(document, one, path, depth)))
  }
  const own = path === "" || path.endsWith("[]") ? {} : { [path]: type }
  if (type === "array") return { ...own, ...flatten(document, items ?? {}, `${path}[]`, depth) }
  if (properties === undefined || depth > deepest) return path === "" ? {} : { [path]: type }
  const below = Object.entries(properties).map(([name, field]) =>
    flatten(document, field, path === "" ? name : `${path}.${name}`, depth + 1),
  )
  return Object.assign(own, ...below)
}
