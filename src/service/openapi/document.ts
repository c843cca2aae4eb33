// The OpenAPI 3.1 document of what is served, made from the schemas that check requests (specification 9.1).
import { z } from "zod"
import type { Handlers, ServiceParts } from "../handler.ts"
import { interfaceVersion } from "../instance/info-handlers.ts"
import type { Operation } from "../resources/operation.ts"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"
import { answer, type ServiceReply } from "../wire/reply.ts"
import { models } from "./models.ts"
import { operations } from "./operations.ts"

const title = "Agent Platform Service"
const open: ReadonlySet<string> = new Set(["GET /health", "GET /info", "GET /openapi.json", "GET /docs"])

/** Handlers of `GET /openapi.json` and `GET /docs`. Both are made once, when somebody first asks. */
export function openApiHandlers({ settings: { a2aPrefix } }: ServiceParts): Handlers {
  let json: ServiceReply | undefined
  let page: ServiceReply | undefined
  return {
    "GET /openapi.json": () => (json ??= answer(openApiDocument(a2aPrefix))),
    "GET /docs": () => (page ??= { status: 200, text: docsPage(a2aPrefix), headers: pageHeaders }),
  }
}

/** The document. `a2aPrefix` is where the A2A routes stand. */
export function openApiDocument(a2aPrefix: string): WireObject {
  const byPath = Map.groupBy(served(a2aPrefix), ({ path }) => path)
  const paths = [...byPath].map(([path, all]) => [
    path,
    Object.fromEntries(all.map((one) => [one.method, toEntry(one)])),
  ])
  return {
    openapi: "3.1.0",
    info: { title, version: interfaceVersion },
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas(),
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
    security: [{ bearer: [] }],
  }
}

/** An operation where it is served. `ids` are the names of the parameters in its path. */
interface Served {
  readonly method: string
  readonly path: string
  readonly ids: readonly string[]
  readonly isOpen: boolean
  readonly operation: Operation
}

function singular(segment: string): string {
  return segment.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_")
}

/** Each `*` becomes a parameter that is named after the segment before it: `/approvals/{approval_id}`. */
function served(a2aPrefix: string): readonly Served[] {
  return Object.entries(operations).map(([pattern, operation]) => {
    const [verb = "", route = ""] = pattern.split(" ")
    const ids: string[] = []
    const path = route.replace(/^\/a2a(?=\/)/, a2aPrefix).replaceAll(/([^/]*)\/\*/g, (_all, before: string) => {
      const id = before === "configs" ? "version" : `${singular(before)}_id`
      ids.push(id)
      return `${before}/{${id}}`
    })
    return { method: verb.toLowerCase(), path, ids, isOpen: open.has(pattern), operation }
  })
}

function toEntry({ operation, ids, isOpen }: Served): WireObject {
  const { id, tag, summary, query, refused = "Refusal" } = operation
  const inPath = ids.map((name) => ({ name, in: "path", required: true, schema: idSchema(name) }))
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(query))]
  const requestBody = bodyOf(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      ...successes(operation),
      ...Object.fromEntries(refusalsOf(operation, { ids, isOpen }).map((status) => [status, refusal(status, refused)])),
      default: { description: "Any other refusal, or a failure inside", content: json("Refusal") },
    },
    ...(isOpen ? { security: [] } : {}),
  }
}

function idSchema(id: string): WireObject {
  return id === "version" ? { type: "integer", minimum: 0, maximum: 999_999_999 } : { type: "string" }
}

function bodyOf({ json: body, form, upload, mayBeEmpty }: Operation): WireObject | null {
  const content = {
    ...(body === undefined ? {} : json(body)),
    ...(form === undefined ? {} : { "application/x-www-form-urlencoded": { schema: reference(form) } }),
    ...(upload === undefined ? {} : { "multipart/form-data": { schema: reference(upload) } }),
  }
  return Object.keys(content).length === 0 ? null : { required: mayBeEmpty === undefined, content }
}

/** Statuses of refusals, each once. A path with ids may name what there is not; a form may be broken. */
function refusalsOf({ query, json: body, form, upload, refusals = [] }: Operation, at: Pick<Served, "ids" | "isOpen">) {
  const isForm = form !== undefined || upload !== undefined
  const validated = at.ids.length > 0 || query !== undefined || body !== undefined || isForm
  const always = [isForm ? 400 : [], at.isOpen ? [] : [401, 403], at.ids.length === 0 ? [] : 404, validated ? 422 : []]
  return [...new Set([...always.flat(), ...refusals])]
}

function successes({ status = 200, model, media, accepted }: Operation): WireObject {
  const content = {
    ...(model === undefined ? {} : json(model)),
    ...(media === undefined ? {} : { [media]: { schema: { type: "string" } } }),
  }
  const description = "Successful Response"
  const later = { description: "Accepted", content: json(accepted ?? "Run") }
  return {
    [status]: Object.keys(content).length === 0 ? { description } : { description, content },
    ...(accepted === undefined ? {} : { 202: later }),
  }
}

const refusalTexts: Readonly<Record<number, string>> = {
  400: "The request makes no sense as things stand",
  401: "No credential, or one that is not believed",
  403: "Insufficient scopes, or a decision is pending",
  404: "Not found",
  409: "Too late: something else happened before",
  422: "Validation Error",
}

function refusal(status: number, refused: string): WireObject {
  return { description: refusalTexts[status], content: json(status === 422 ? "HTTPValidationError" : refused) }
}

function json(model: string): WireObject {
  return { "application/json": { schema: reference(model) } }
}

function queryParameters(query: z.ZodObject): readonly WireObject[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, writing)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }))
}

function reference(name: string): WireObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** How to write schemas: as what is accepted. Zod drops the default of a transformed field; this puts it back. */
const writing: Pick<z.core.ToJSONSchemaParams, "io" | "target" | "unrepresentable" | "override"> = {
  io: "input",
  target: "draft-2020-12",
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    const known = z.globalRegistry.get(zodSchema)?.["default"]
    if (known !== undefined) jsonSchema.default = known
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern // the format says it, in 400 characters less
  },
}

function schemas(): WireObject {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(models)) registry.add(schema, { id })
  const { schemas: made } = z.toJSONSchema(registry, { ...writing, uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, { title: id, ...withoutIds(schema) }]))
}

function withoutIds(schema: unknown): WireObject {
  if (!isJsonObject(schema)) return {}
  const { $schema: _dialect, $id: _id, id: _own, ...rest } = schema
  return rest
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
}

const style =
  "body{font:16px/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}" +
  "code{font-family:ui-monospace,monospace}" +
  "li{margin:.3rem 0}.method{display:inline-block;min-width:4.5rem;font-weight:600}"

/** The operations as a page for people: no scripts. All its texts are our own and need no escaping. */
function docsPage(a2aPrefix: string): string {
  const line = ({ method, path, operation }: Served) =>
    `<li><code><span class="method">${method.toUpperCase()}</span> ${path}</code> ${operation.summary}</li>`
  const byTag = Map.groupBy(served(a2aPrefix), ({ operation }) => operation.tag)
  const groups = [...byTag].map(([tag, all]) => `<h2>${tag}</h2><ul>${all.map(line).join("")}</ul>`)
  const head = `${title} ${interfaceVersion}`
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${head}</title><style>${style}</style></head><body><h1>${head}</h1>` +
    '<p>The whole description with all models: <a href="openapi.json">openapi.json</a></p>' +
    `${groups.join("")}</body></html>`
  )
}
