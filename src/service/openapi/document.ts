// The OpenAPI 3.1 document of what is served, made from the schemas that requests are checked with (specification 9.1).
import { z } from "zod"
import { interfaceVersion } from "../instance/info-handlers.ts"
import { isJsonObject, type JsonObject } from "../wire/exact-json.ts"
import { a2aOperations } from "./a2a-operations.ts"
import { approvalOperations } from "./approval-operations.ts"
import { componentOperations } from "./component-operations.ts"
import { type ModelName, models } from "./models.ts"
import type { Operation, Operations, Success } from "./operation.ts"
import { instanceOperations, sessionOperations } from "./session-operations.ts"

/** Every served operation by the key of its row in the route table, A2A under the default prefix. */
export const operations: Operations = {
  ...approvalOperations,
  ...componentOperations,
  ...sessionOperations,
  ...instanceOperations,
  ...a2aOperations,
}

const open: ReadonlySet<string> = new Set(["GET /health", "GET /info", "GET /openapi.json", "GET /docs"])

/** The document. `a2aPrefix` is where the A2A routes stand. */
export function openApiDocument(a2aPrefix: string): JsonObject {
  const paths = new Map<string, Record<string, unknown>>()
  for (const [pattern, operation] of Object.entries(operations)) {
    const [method = "", route = ""] = pattern.split(" ")
    const { path, parameters } = templateOf(route.replace(/^\/a2a(?=\/)/, a2aPrefix))
    const entry = toEntry(operation, parameters, open.has(pattern))
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: entry })
  }
  return {
    openapi: "3.1.0",
    info: { title: "Agent Platform Service", version: interfaceVersion },
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas(),
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
    security: [{ bearer: [] }],
  }
}

/** Each `*` becomes a parameter that is named after the segment before it: `/approvals/{approval_id}`. */
function templateOf(route: string): { readonly path: string; readonly parameters: readonly JsonObject[] } {
  const segments = route.split("/")
  const names = segments.flatMap((segment, at) => (segment === "*" ? [nameAfter(segments[at - 1] ?? "")] : []))
  const waiting = [...names]
  const path = segments.map((segment) => (segment === "*" ? `{${waiting.shift() ?? ""}}` : segment)).join("/")
  return { path, parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })) }
}

function nameAfter(segment: string): string {
  return `${segment.replace(/s$/, "").replaceAll("-", "_")}_id`
}

function toEntry(operation: Operation, path: readonly JsonObject[], isOpen: boolean): JsonObject {
  const parameters = [...path, ...(operation.query === undefined ? [] : queryParameters(operation.query))]
  const content = bodyOf(operation)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === null ? {} : { requestBody: { required: true, content } }),
    responses: Object.fromEntries([...operation.answers.map(toAnswer), ...refusalsOf(operation, parameters, isOpen)]),
    ...(isOpen ? { security: [] } : {}),
  }
}

function bodyOf({ json, form }: Operation): JsonObject | null {
  if (json !== undefined) return { "application/json": { schema: reference(json) } }
  return form === undefined ? null : { "application/x-www-form-urlencoded": { schema: reference(form) } }
}

function toAnswer({ status, model, stream, text }: Success): readonly [string, JsonObject] {
  const content = {
    ...(model === undefined ? {} : { "application/json": { schema: reference(model) } }),
    ...(stream === undefined ? {} : { "text/event-stream": { schema: { type: "string" } } }),
    ...(text === undefined ? {} : { "text/html": { schema: { type: "string" } } }),
  }
  const description = status === 202 ? "Accepted" : "Successful Response"
  return [String(status), Object.keys(content).length === 0 ? { description } : { description, content }]
}

const refusalTexts: Readonly<Record<number, string>> = {
  400: "The request makes no sense as the run stands",
  401: "No credential, or one that is not believed",
  403: "Insufficient scopes, or a decision is pending",
  404: "Not found",
  409: "Too late: something else happened before",
  422: "Validation Error",
}

function refusalsOf(
  operation: Operation,
  parameters: readonly JsonObject[],
  isOpen: boolean,
): readonly (readonly [string, JsonObject])[] {
  const validated = parameters.length > 0 || operation.json !== undefined || operation.form !== undefined
  const statuses = [...(isOpen ? [] : [401, 403]), ...(operation.refusals ?? []), ...(validated ? [422] : [])]
  return statuses.map((status) => {
    const schema = reference(status === 422 ? "HTTPValidationError" : "Refusal")
    return [String(status), { description: refusalTexts[status], content: { "application/json": { schema } } }]
  })
}

function queryParameters(query: z.ZodObject): readonly JsonObject[] {
  const { properties, required } = z.toJSONSchema(query, settings)
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: (required ?? []).includes(name),
    schema,
  }))
}

function reference(name: ModelName): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** How schemas are written: as what is accepted. Zod drops the default of a field that is transformed; it is put back. */
const settings: Pick<z.core.ToJSONSchemaParams, "io" | "target" | "unrepresentable" | "override"> = {
  io: "input",
  target: "draft-2020-12",
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    const known = z.globalRegistry.get(zodSchema)?.["default"]
    if (known !== undefined) jsonSchema.default = known
  },
}

function schemas(): JsonObject {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(models)) registry.add(schema, { id })
  const { schemas: made } = z.toJSONSchema(registry, {
    ...settings,
    uri: (id) => `#/components/schemas/${id}`,
  })
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, { title: id, ...withoutIds(schema) }]))
}

function withoutIds(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return {}
  const { $schema: _dialect, $id: _id, id: _own, ...rest } = schema
  return rest
}
