// What an instance says of itself: configuration, models, registry, and its components to those who may see them.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

async function got(path: string, ...scopes: string[]) {
  return call(service, `GET ${path}`, { token: await aToken(scopes) })
}

describe("4.3: GET /config", () => {
  test("names databases, models and interfaces, and components only to those who may read them", async () => {
    const { body } = await got("/config", "config:read")

    expect(body).toMatchObject({
      os_id: "countersign-service",
      os_database: "countersign-service",
      databases: ["countersign-service"],
      available_models: [{ id: "scripted-model", provider: "scripted" }],
      interfaces: [{ type: "a2a", version: "0.3.0", route: "/a2a" }],
      agents: [],
      teams: [],
      workflows: [],
    })
  })

  test("per-resource scopes name single components", async () => {
    const { body } = await got("/config", "config:read", "agents:support-member:read", "teams:read")

    expect(body).toMatchObject({
      agents: [{ id: "support-member", name: "Support Member", db_id: "countersign-service" }],
      teams: [{ id: "support-team" }],
      workflows: [],
    })
  })
})

test("4.3: GET /models lists the models", async () => {
  expect((await got("/models", "config:read")).body).toEqual([{ id: "scripted-model", provider: "scripted" }])
})

describe("4.3: GET /registry", () => {
  test("views tools, models and databases", async () => {
    const { body } = await got("/registry", "registry:read")

    expect(body).toMatchObject({
      data: [{ type: "db" }, { type: "model", id: "scripted-model" }],
      meta: { page: 1, limit: 20, total_count: 2 },
    })
  })

  test("the registry has components and their tools for the read scopes, by type, name and page", async () => {
    const scopes = ["registry:read", "agents:read", "teams:read", "workflows:read"]
    const names = async (query: string): Promise<string[]> =>
      ((await got(`/registry?${query}`, ...scopes)).body as { data: { name: string }[] }).data.map(({ name }) => name)

    const workflows = ["Closing", "Month End", "asking", "broken-flow", "by-team", "passing-on"]
    expect(await names("resource_type=workflow")).toEqual(workflows)
    expect(await names("resource_type=tool&name=SEND")).toEqual(["send_email", "send_money"])
    expect(await names("resource_type=workflow&limit=2&page=2")).toEqual(["asking", "broken-flow"])
    expect(await got("/registry?resource_type=vector", "registry:read")).toMatchObject({ status: 422 })
  })
})

describe("4.3: lists and views of components", () => {
  test.each([
    ["agents", ["support-member", "other-member"]],
    ["teams", ["support-team"]],
    ["workflows", ["month-end", "broken-flow", "passing-on", "by-team", "closing", "asking"]],
  ])("GET /%s lists all to whoever may read all", async (family, ids) => {
    const { body } = await got(`/${family}`, `${family}:read`)

    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(ids)
  })

  test.each([
    ["agents", "other-member"],
    ["teams", "support-team"],
    ["workflows", "month-end"],
  ])("5.3: GET /%s lists what per-resource scopes cover, and the view follows", async (family, id) => {
    const scope = `${family}:${id}:read`

    expect((await got(`/${family}`, scope)).body).toMatchObject([{ id }])
    expect((await got(`/${family}/${id}`, scope)).body).toMatchObject({ id })
    expect((await got(`/${family}/${id}`, `${family}:else:read`)).status).toBe(403)
    expect((await got(`/${family}`, `${family}:run`)).status).toBe(403)
    expect((await got(`/${family}/none`, `${family}:read`)).status).toBe(404)
  })

  test("an agent shows its tools and what they need of people", async () => {
    const { body } = await got("/agents/support-member", "agents:read")

    expect(body).toMatchObject({
      name: "Support Member",
      description: "Deletes what is asked for.",
      model: { model: "scripted-model" },
      tools: {
        tools: [
          { name: "look_up", approval_type: null },
          { name: "delete_user_data", requires_confirmation: true, approval_type: "required" },
          { name: "send_email", requires_confirmation: true },
          { name: "export_report", approval_type: "audit" },
          {
            name: "send_money",
            requires_user_input: true,
            parameters: { properties: { amount: { type: "number" }, recipient: { type: "string" } } },
          },
          { name: "restart_database", external_execution: true },
        ],
      },
    })
  })

  test("a team shows its members, a workflow its steps", async () => {
    expect((await got("/teams/support-team", "teams:read")).body).toMatchObject({
      mode: "coordinate",
      members: [{ id: "support-member" }, { id: "other-member" }],
    })
    expect((await got("/workflows/month-end", "workflows:read")).body).toMatchObject({
      steps: [
        { name: "look", type: "Step", agent: { id: "support-member" } },
        { name: "delete", agent: { id: "support-member" } },
        { name: "tell", team: { id: "support-team" } },
      ],
    })
  })
})

describe("5.5, rule 4: routes of components keep their namespace whatever they are mapped to", () => {
  test("a mapping to another namespace does not grant access", async () => {
    const mapped = await aFullService({
      scopeMappings: {
        "GET /agents": ["crm:read"],
        "GET /agents/*": ["crm:read"],
        "POST /agents/*/runs": [],
        "POST /a2a/agents/*/v1/message:send": ["crm:talk"],
      },
    })
    const as = (scope: string, request: string, form?: Record<string, string>) =>
      aToken([scope]).then((token) => call(mapped, request, { token, ...(form === undefined ? {} : { form }) }))

    expect((await as("crm:read", "GET /agents")).status).toBe(403)
    expect((await as("crm:read", "GET /agents/support-member")).status).toBe(403)
    expect((await as("crm:read", "POST /agents/support-member/runs", { message: "look" })).status).toBe(403)
    expect((await as("crm:talk", "POST /a2a/agents/support-member/v1/message:send")).status).not.toBe(200)
    expect(mapped.executions()).toEqual([])
    await mapped.close()
  })
})
