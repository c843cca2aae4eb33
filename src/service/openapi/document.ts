// The OpenAPI 3.1 document of all served routes, made from the schemas that check requests (specification 9.1).
import { z } from "zod"
import { interfaceVersion } from "../instance/info-handlers.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"
import { models, namedLooseObject, namedObject } from "../wire/named-model.ts"
import type { RequestBody } from "../wire/read-request.ts"
import { answer, type ServiceReply } from "../wire/reply.ts"

const object = z.record(z.string(), z.unknown())
const title = "Agent Platform Service"

const route = routesOf("Core", { forAnybody: true })

/** `GET /openapi.json` and `GET /docs`, which describe `routes`. Both are made once, when somebody first asks. */
export function openApiRoutes(routes: () => readonly ServiceRoute[]): readonly ServiceRoute[] {
  const made = new Map<string, ServiceReply>()
  const once = (key: string, make: () => ServiceReply): ServiceReply => {
    const reply = made.get(key) ?? make()
    made.set(key, reply)
    return reply
  }
  return [
    route("GET /docs", "public", {
      id: "get_docs",
      summary: "This document for people",
      media: "text/html",
      handler: ({ settings: { a2aPrefix } }) =>
        once(`page ${a2aPrefix}`, () => ({ status: 200, text: docsPage(routes(), a2aPrefix), headers: pageHeaders })),
    }),
    route("GET /openapi.json", "public", {
      id: "get_openapi",
      summary: "This document",
      reply: namedLooseObject("Description", { openapi: z.string(), info: object, paths: object, components: object }),
      handler: ({ settings: { a2aPrefix } }) =>
        once(`json ${a2aPrefix}`, () => answer(openApiDocument(routes(), a2aPrefix))),
    }),
  ]
}

/** The document. The A2A routes stand under `a2aPrefix`. */
export function openApiDocument(routes: readonly ServiceRoute[], a2aPrefix: string): WireObject {
  const byPath = Map.groupBy(served(routes, a2aPrefix), ({ path }) => path)
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

/** A route where it is served. `ids` are the names of the parameters in its path. */
interface Served {
  readonly method: string
  readonly path: string
  readonly ids: readonly string[]
  readonly route: ServiceRoute
}

function singular(segment: string): string {
  return segment.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", "_")
}

/** Each `*` becomes a parameter, named after the segment before it: `/approvals/{approval_id}`. */
function served(routes: readonly ServiceRoute[], a2aPrefix: string): readonly Served[] {
  return routes.map((route) => {
    const [verb = "", place = ""] = route.pattern.split(" ")
    const ids: string[] = []
    const path = place.replace(/^\/a2a(?=\/)/, a2aPrefix).replaceAll(/([^/]*)\/\*/g, (_all, before: string) => {
      const id = before === "configs" ? "version" : `${singular(before)}_id`
      ids.push(id)
      return `${before}/{${id}}`
    })
    return { method: verb.toLowerCase(), path, ids, route }
  })
}

function toEntry({ route, ids }: Served): WireObject {
  const { id, tag, summary, query, body, refused = refusalModel } = route
  const inPath = ids.map((name) => ({ name, in: "path", required: true, schema: idSchema(name) }))
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(query))]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body) }),
    responses: {
      ...successes(route),
      ...Object.fromEntries(refusalStatuses({ route, ids }).map((status) => [status, refusalEntry(status, refused)])),
      default: { description: "Any other refusal, or a failure inside", content: json(refusalModel) },
    },
    ...(route.scopes === "public" ? { security: [] } : {}),
  }
}

function idSchema(id: string): WireObject {
  return id === "version" ? { type: "integer", minimum: 0, maximum: 999_999_999 } : { type: "string" }
}

function bodyOf({ media, schema, required }: RequestBody<unknown>): WireObject {
  return { required, content: { [media]: { schema: reference(schema) } } }
}

/** Statuses of refusals, each once: 404 because ids may name nothing, 400 because a form may be broken. */
function refusalStatuses({ route, ids }: Pick<Served, "route" | "ids">): readonly number[] {
  const { query, body, scopes, refusals = [] } = route
  const isForm = body !== undefined && body.media !== "application/json"
  const validated = ids.length > 0 || query !== undefined || body !== undefined
  const gate = scopes === "public" ? [] : [401, 403]
  const always = [isForm ? 400 : [], gate, ids.length === 0 ? [] : 404, validated ? 422 : []]
  return [...new Set([...always.flat(), ...refusals])]
}

function successes({ status, reply, media, accepted }: Served["route"]): WireObject {
  const content = {
    ...(reply === undefined ? {} : json(reply)),
    ...(media === undefined ? {} : { [media]: { schema: { type: "string" } } }),
  }
  const isEmpty = Object.keys(content).length === 0
  const description = "Successful Response"
  return {
    [status ?? (isEmpty ? 204 : 200)]: isEmpty ? { description } : { description, content },
    ...(accepted === undefined ? {} : { 202: { description: "Accepted", content: json(accepted) } }),
  }
}

/** The body of every refusal but 422. */
const refusalModel = namedObject("Refusal", { detail: z.string() })

const problem = namedObject("ValidationError", {
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
  input: z.unknown().optional(),
  ctx: object.optional(),
})

/** The body of a 422. */
const validationModel = namedObject("HTTPValidationError", { detail: z.array(problem).optional() })

const refusalTexts: Readonly<Record<number, string>> = {
  400: "The request makes no sense as things stand",
  401: "No credential, or one that is not believed",
  403: "Insufficient scopes, or a decision is pending",
  404: "Not found",
  409: "Too late: something else happened before",
  422: "Validation Error",
}

function refusalEntry(status: number, refused: z.ZodType): WireObject {
  return { description: refusalTexts[status], content: json(status === 422 ? validationModel : refused) }
}

function json(model: z.ZodType): WireObject {
  return { "application/json": { schema: reference(model) } }
}

function queryParameters(query: z.ZodType): readonly WireObject[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, writing)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }))
}

function reference(model: z.ZodType): WireObject {
  return { $ref: `#/components/schemas/${modelName(model)}` }
}

/** The name of a model. Throws if a schema has none: the route that uses it is wrong. */
function modelName(model: z.ZodType): string {
  const name = models.get(model)?.id
  if (name === undefined) throw new Error("a model of the interface description has no name")
  return name
}

/** Writes schemas as they accept input. Zod drops the default of a transformed field; this puts it back. */
const writing: Pick<z.core.ToJSONSchemaParams, "io" | "target" | "unrepresentable" | "override"> = {
  io: "input",
  target: "draft-2020-12",
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    const known = z.globalRegistry.get(zodSchema)?.["default"]
    if (known !== undefined) jsonSchema.default = known
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern // the format says the same, in 400 characters less
  },
}

function schemas(): WireObject {
  const { schemas: made } = z.toJSONSchema(models, { ...writing, uri: (id) => `#/components/schemas/${id}` })
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

/** The operations as a page for people, without scripts. All its texts are our own and need no escaping. */
function docsPage(routes: readonly ServiceRoute[], a2aPrefix: string): string {
  const line = ({ method, path, route }: Served) =>
    `<li><code><span class="method">${method.toUpperCase()}</span> ${path}</code> ${route.summary}</li>`
  const byTag = Map.groupBy(served(routes, a2aPrefix), ({ route }) => route.tag)
  const groups = [...byTag].map(([tag, all]) => `<h2>${tag}</h2><ul>${all.map(line).join("")}</ul>`)
  const head = `${title} ${interfaceVersion}`
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${head}</title><style>${style}</style></head><body><h1>${head}</h1>` +
    '<p>The whole description with all models: <a href="openapi.json">openapi.json</a></p>' +
    `${groups.join("")}</body></html>`
  )
}
