// The OpenAPI 3.1 document of what programs may read, and of how they stop agents. It is made from the schemas that
// requests and answers have to meet.
import { z } from "zod"
import { readScopes } from "./gate.ts"
import { models, type ReadModelName } from "./models.ts"
import { casesQuery, entriesQuery, ledgerQuery, noQuery } from "./query.ts"

interface Operation {
  readonly id: string
  readonly summary: string
  readonly query: z.ZodObject
  readonly model: ReadModelName
}

const operations: Readonly<Record<string, Operation>> = {
  "GET /cases": { id: "list_cases", summary: "Cases, latest first", query: casesQuery, model: "CasePage" },
  "GET /cases/*": { id: "get_case", summary: "One case", query: noQuery, model: "Case" },
  "GET /cases/*/entries": {
    id: "list_case_entries",
    summary: "What the ledger says of one case",
    query: entriesQuery,
    model: "EntryPage",
  },
  "GET /receipts/*": { id: "get_receipt", summary: "The receipt of one decision", query: noQuery, model: "Receipt" },
  "GET /ledger": { id: "list_entries", summary: "The whole ledger, in order", query: ledgerQuery, model: "EntryPage" },
  "GET /stops": { id: "list_stops", summary: "The stops in force", query: noQuery, model: "StopList" },
}

/** The document. `post`: a `POST /stops` that is served, too. */
export function readDocument(post?: object) {
  const paths = Object.entries(operations).map(([pattern, operation]) => {
    const path = pattern
      .replace("GET ", "")
      .replace("/cases/*", "/cases/{case}")
      .replace("/receipts/*", "/receipts/{decision}")
    const more = pattern === "GET /stops" && post !== undefined ? { post } : {}
    return [path, { get: operationEntry(pattern, path, operation), ...more }] as const
  })
  return {
    openapi: "3.1.0",
    info: { title: "Countersign: cases, ledger and stops", version: "1" },
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(Object.entries(models).map(([name, schema]) => [name, schemaOf(schema, "output")])),
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    },
    security: [{ bearer: [] }],
  }
}

function operationEntry(pattern: string, path: string, { id, summary, query, model }: Operation) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }))
  const { properties = {} } = z.toJSONSchema(query, { io: "input", unrepresentable: "any" })
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }))
  return {
    operationId: id,
    summary,
    description: `Needs the scope ${readScopes[pattern]?.join(", ") ?? ""}.`,
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    responses: {
      200: contentOf("As asked for", model),
      401: contentOf("No token, or one that is not believed", "Refusal"),
      403: contentOf("The token lacks the scope, or the request comes from another machine", "Refusal"),
      404: contentOf("Not found", "Refusal"),
      422: contentOf("The query makes no sense", "ValidationError"),
      503: contentOf("It cannot be read now", "Refusal"),
    },
  }
}

/** An answer in the document. */
export function contentOf(description: string, model: ReadModelName) {
  return { description, content: { "application/json": { schema: { $ref: `#/components/schemas/${model}` } } } }
}

function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" })
  return rest
}
