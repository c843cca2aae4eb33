// 9.1: the interface description, held against the specification's models field by field.

import { beforeEach, describe, expect, test } from "vitest"
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { createRouteTable, publicRoutes } from "../../../src/service/gate/route-table.ts"
import { opened } from "../../support/opened.ts"
import { anApproval, aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import type { Schema } from "./a-description.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

type Entry = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
  readonly security?: readonly unknown[]
}

type Document = {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

async function theDocument(at: TestService = service): Promise<Document> {
  return (await call(at, "GET /openapi.json")).body as Document
}

/** What a schema allows: its types, sorted; an enumeration by its name. */
function typesOf(schema: Schema | undefined): readonly string[] {
  if (schema === undefined) return []
  const own = schema.type === undefined ? [] : [schema.type].flat()
  const named = schema.$ref === undefined ? [] : [schema.$ref.replace("#/components/schemas/", "")]
  return [...own, ...named, ...(schema.anyOf ?? []).flatMap(typesOf)].toSorted()
}

/** Specification 2.1: field, types, required. */
const approvalFields: readonly (readonly [string, readonly string[], boolean])[] = [
  ...["id", "run_id", "session_id", "status", "source_type"].map((name) => [name, ["string"], true] as const),
  ...["approval_type", "pause_type", "tool_name"].map((name) => [name, ["null", "string"], false] as const),
  ["tool_args", ["null", "object"], false],
  ["expires_at", ["integer", "null"], false],
  ...["agent_id", "team_id", "workflow_id", "user_id", "schedule_id", "schedule_run_id", "source_name"].map(
    (name) => [name, ["null", "string"], false] as const,
  ),
  ["requirements", ["array", "null"], false],
  ["context", ["null", "object"], false],
  ["resolution_data", ["null", "object"], false],
  ["resolved_by", ["null", "string"], false],
  ...["resolved_at", "created_at", "updated_at"].map((name) => [name, ["integer", "null"], false] as const),
  ["run_status", ["RunStatus", "null"], false],
]

describe("the specification's models", () => {
  test("9.1: the description is at version 2.7.2, OpenAPI 3.1.0", async () => {
    expect(await theDocument()).toMatchObject({ openapi: "3.1.0", info: { version: "2.7.2" } })
  })

  test("2.1: ApprovalResponse has exactly these fields", async () => {
    const { ApprovalResponse } = (await theDocument()).components.schemas

    expect(Object.keys(ApprovalResponse?.properties ?? {})).toEqual(approvalFields.map(([name]) => name))
  })

  test.each(approvalFields)("2.1: ApprovalResponse.%s is %j, required: %s", async (name, types, required) => {
    const { ApprovalResponse } = (await theDocument()).components.schemas

    expect(typesOf(ApprovalResponse?.properties?.[name])).toEqual(types)
    expect(ApprovalResponse?.required?.includes(name) ?? false).toBe(required)
  })

  test("2.1: requirements are free-form objects", async () => {
    const { ApprovalResponse } = (await theDocument()).components.schemas

    const list = ApprovalResponse?.properties?.["requirements"]?.anyOf?.find(({ type }) => type === "array")
    expect(list?.items?.type).toBe("object")
  })

  test("2.1: an approval as it is answered has these fields, all of them and no other", async () => {
    const { id } = await anApproval(service)
    const { body } = await call(service, `GET /approvals/${id}`, { token: await aToken(["approvals:read"]) })

    expect(Object.keys(body as object)).toEqual(approvalFields.map(([name]) => name))
  })

  test("2.2: RunStatus", async () => {
    expect((await theDocument()).components.schemas["RunStatus"]?.enum).toEqual([
      "PENDING",
      "RUNNING",
      "COMPLETED",
      "PAUSED",
      "CANCELLED",
      "ERROR",
      "REGENERATED",
    ])
  })

  test("2.3: HTTPValidationError and ValidationError", async () => {
    const { HTTPValidationError, ValidationError } = (await theDocument()).components.schemas

    expect(HTTPValidationError?.properties?.["detail"]?.items?.$ref).toBe("#/components/schemas/ValidationError")
    expect(HTTPValidationError?.required ?? []).toEqual([])
    expect(Object.keys(ValidationError?.properties ?? {})).toEqual(["loc", "msg", "type", "input", "ctx"])
    expect(ValidationError?.required).toEqual(["loc", "msg", "type"])
    expect(typesOf(ValidationError?.properties?.["loc"]?.items)).toEqual(["integer", "string"])
    expect(ValidationError?.properties).toMatchObject({
      loc: { type: "array" },
      msg: { type: "string" },
      type: { type: "string" },
      ctx: { type: "object" },
    })
  })

  test("4.1: ApprovalResolve", async () => {
    const { ApprovalResolve } = (await theDocument()).components.schemas

    expect(Object.keys(ApprovalResolve?.properties ?? {})).toEqual(["status", "resolved_by", "resolution_data"])
    expect(ApprovalResolve?.required).toEqual(["status"])
    expect(ApprovalResolve?.properties?.["status"]).toMatchObject({ type: "string", pattern: "^(approved|rejected)$" })
    const text = ApprovalResolve?.properties?.["resolved_by"]?.anyOf?.find(({ type }) => type === "string")
    expect(text?.maxLength).toBe(255)
    expect(typesOf(ApprovalResolve?.properties?.["resolved_by"])).toEqual(["null", "string"])
    expect(typesOf(ApprovalResolve?.properties?.["resolution_data"])).toEqual(["null", "object"])
  })

  test("4.1: the resolve operation", async () => {
    const entry = (await theDocument()).paths["/approvals/{approval_id}/resolve"]?.["post"]

    expect(entry).toMatchObject({
      operationId: "resolve_approval_approvals__approval_id__resolve_post",
      tags: ["Approvals"],
      parameters: [{ name: "approval_id", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/ApprovalResolve" } } },
      },
      responses: {
        200: { content: { "application/json": { schema: { $ref: "#/components/schemas/ApprovalResponse" } } } },
        422: { content: { "application/json": { schema: { $ref: "#/components/schemas/HTTPValidationError" } } } },
      },
    })
  })
})

describe("the whole document", () => {
  test("describes every served route once, and no other", async () => {
    const rows = new Set([...publicRoutes, ...Object.keys(createRouteTable())])

    const described = serviceRoutes.map(({ pattern }) => pattern)

    expect(described.filter((pattern) => !rows.has(pattern))).toEqual([])
    const token = await aToken(["service:admin"])
    const unserved = []
    for (const pattern of rows) {
      if (described.includes(pattern)) continue
      const { status } = await call(service, pattern.replaceAll("*", "x"), { token })
      if (status !== 501) unserved.push(pattern)
    }
    expect(unserved).toEqual([])
  })

  test("has operation ids that are unique, and refers to models that exist", async () => {
    const document = await theDocument()

    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((entry) => entry.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    const text = JSON.stringify(document)
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name)
    }
    expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull()
    expect(text).not.toContain("$schema")
  })

  test("names every parameter of a path, in its order", async () => {
    for (const [path, methods] of Object.entries((await theDocument()).paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const entry of Object.values(methods)) {
        const named = (entry.parameters ?? []).filter((parameter) => parameter.in === "path").map(({ name }) => name)
        expect(named).toEqual(names)
      }
    }
  })

  test("1: everything but what answers without a credential asks for a bearer", async () => {
    const { paths } = await theDocument()

    const open = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, entry]) => (entry.security?.length === 0 ? [`${method} ${path}`] : [])),
    )
    expect(open.toSorted()).toEqual(["get /docs", "get /health", "get /info", "get /openapi.json"])
    expect(await theDocument()).toMatchObject({ security: [{ bearer: [] }] })
  })

  test("tells the limits and defaults that the checks have", async () => {
    const { parameters = [] } = (await theDocument()).paths["/approvals"]?.["get"] ?? {}

    expect(parameters.find(({ name }) => name === "limit")).toMatchObject({
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
    })
  })

  test("has the A2A routes under the prefix that is served", async () => {
    const custom = await aFullService({ a2aPrefix: "/talk" })

    const { paths } = await theDocument(custom)

    expect(paths).toHaveProperty(["/talk/agents/{agent_id}/v1/message:send"])
    expect(Object.keys(paths).filter((path) => path.startsWith("/a2a"))).toEqual([])
    await custom.close()
  })

  test("is shown to people without scripts and without anything from elsewhere", async () => {
    const answer = await call(service, "GET /docs")

    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(answer.text).toContain("/approvals/{approval_id}/resolve")
    expect(answer.text).not.toMatch(/<script|https?:/)
  })
})
