// 9.1: what the interface description says of each route, so that a client can be made of it.
import { expect, test } from "vitest"
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { openApiDocument } from "../../../src/service/openapi/document.ts"
import { type Schema, theSchemaOf } from "./a-description.ts"

interface Entry {
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, unknown>>
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[]
}

const paths = openApiDocument(serviceRoutes, "/a2a")["paths"] as Readonly<
  Record<string, Readonly<Record<string, Entry>>>
>
const all = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
)

function entryOf(method: string, path: string): Entry {
  const found = paths[path]?.[method]
  if (found === undefined) throw new Error(`${method} ${path} is not described`)
  return found
}

test("every route whose path has an id names 404 and 422, and every route with a form names 400", () => {
  const lacking = all.filter(({ path, entry: { requestBody, responses } }) => {
    const isForm = Object.keys(requestBody?.content ?? {}).some((type) => type !== "application/json")
    const wanted = [...(path.includes("{") ? ["404", "422"] : []), ...(isForm ? ["400"] : [])]
    return wanted.some((status) => responses[status] === undefined)
  })

  expect(lacking).toEqual([])
})

test("what can happen at any route is one answer by default", () => {
  expect(all.filter(({ entry }) => entry.responses["default"] === undefined)).toEqual([])
})

test("an upload is a multipart form with a file", () => {
  const { requestBody } = entryOf("post", "/knowledge/content")

  expect(Object.keys(requestBody?.content ?? {})).toEqual(["multipart/form-data"])
  expect(theSchemaOf("KnowledgeContentCreate").properties?.["file"]).toEqual({ type: "string", format: "binary" })
})

test.each([
  ["CatalogComponent", ["component_id", "component_type", "created_at"]],
  ["ComponentConfig", ["component_id", "version", "stage", "config", "created_at"]],
])("%s requires what AgentOS requires, since nulls are left out", (model, keys) => {
  expect(theSchemaOf(model).required).toEqual(keys)
})

test.each([
  ["ScheduleCreate", "name", ["daily report", "a.b_c-1"], ["", " x", "a/b"]],
  ["ScheduleCreate", "cron_expr", ["", "0 3 * * *", "@daily", " */5 9-17 * * 1-5 "], ["nonsense", "* * * *", "@never"]],
  ["ScheduleCreate", "endpoint", ["/agents/a/runs", "/workflows/w/runs/"], ["/health", "/agents/a/b/runs"]],
  ["ScheduleCreate", "method", ["POST", "post"], ["GET"]],
  ["ServiceAccountCreate", "name", ["countersign-1"], ["Upper", "-x", "a".repeat(64)]],
])("%s.%s says its rule as a pattern", (model, field, right, wrong) => {
  const pattern = new RegExp(theSchemaOf(model).properties?.[field]?.pattern ?? "no pattern")

  expect(right.filter((text) => !pattern.test(text))).toEqual([])
  expect(wrong.filter((text) => pattern.test(text))).toEqual([])
})

test("the id of a component says its rule as a pattern, wherever one is made", () => {
  for (const model of ["CatalogComponentCreate", "OwnComponentCreate"]) {
    const [text] = theSchemaOf(model).properties?.["component_id"]?.anyOf ?? []
    expect(text?.pattern).toBe("^[^/:*\\s]+$")
  }
})

test("a body that may be left out is not required", () => {
  expect(entryOf("delete", "/components/{component_id}").requestBody?.required).toBe(false)
  expect(entryOf("post", "/components/{component_id}/configs/{version}/set-current").requestBody?.required).toBe(false)
  expect(entryOf("patch", "/components/{component_id}").requestBody?.required).toBe(true)
})

test("an id in a path is named in the singular, and a version is a number", () => {
  const { parameters = [] } = entryOf("get", "/components/{component_id}/configs/{version}")

  expect(parameters.map(({ name, schema }) => [name, schema.type])).toEqual([
    ["component_id", "string"],
    ["version", "integer"],
  ])
  expect(Object.keys(paths)).toContain("/memories/{memory_id}")
})
