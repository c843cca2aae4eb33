// Components and the versions of their configs (4.3) over HTTP.

import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { aFolder, opened } from "../../support/opened.ts"
import { type Answer, aService, aToken, call, type TestService } from "../a-service.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

const scopes = ["components:read", "components:write", "components:delete", "agents:read", "agents:run"]

async function ask(request: string, json?: unknown, at: TestService = service, sub = "ann"): Promise<Answer> {
  return call(at, request, { token: await aToken(scopes, { sub }), ...(json === undefined ? {} : { json }) })
}

const clerk = {
  name: "Clerk",
  component_type: "agent",
  config: { tools: [{ name: "pay", gated: true }], runs: [[[{ tool: "pay", args: { cents: 1 } }]]], color: "green" },
}

/** Makes a component; `clerk`, published, unless told otherwise. */
async function made(fields: Record<string, unknown> = {}, at: TestService = service): Promise<void> {
  const answer = await ask("POST /components", { ...clerk, stage: "published", ...fields }, at)
  if (answer.status !== 201) throw new Error(answer.text)
}

async function ids(query = ""): Promise<readonly string[]> {
  const { body } = await ask(`GET /components${query}`)
  return z
    .object({ data: z.array(z.looseObject({ component_id: z.string() })) })
    .parse(body)
    .data.map(({ component_id: id }) => id)
}

const agents = async (): Promise<string> => (await ask("GET /agents")).text

describe("a script that takes the id of a stored component", () => {
  test.each([
    ["agent", { agents: [{ id: "clerk" }] }],
    ["team", { agents: [{ id: "a" }], teams: [{ id: "clerk", members: ["a"] }] }],
    ["workflow", { agents: [{ id: "a" }], workflows: [{ id: "clerk", steps: [{ agent: "a" }] }] }],
  ])("is refused at the start: an %s", async (type, script) => {
    const database = join(aFolder("taken"), "service.sqlite")
    const first = await aService({ database, script: { agents: [{ id: "a" }] } })
    const config = { agent: {}, team: { members: ["a"] }, workflow: { steps: [{ agent: "a" }] } }[type]
    await made({ component_type: type, config, stage: "draft" }, first)
    await first.close()

    const second = aService({ database, script })

    await expect(second).rejects.toMatchObject({
      code: "script_invalid",
      message: expect.stringContaining(`${type} clerk: a component of this id was made over the wire`),
    })
    await expect(second).rejects.toThrow("Give this one another id, or start without it and delete that one")
    await (await aService({ database, script: { agents: [{ id: "a" }] } })).close()
  })
})

describe("a component", () => {
  test("is a draft unless it is published, and runs only then", async () => {
    const created = await ask("POST /components", { ...clerk, description: "Pays", metadata: { a: 1 } })

    expect(created).toMatchObject({ status: 201 })
    expect(created.body).toEqual({
      component_id: "clerk",
      component_type: "agent",
      name: "Clerk",
      user_id: "ann",
      description: "Pays",
      metadata: { a: 1 },
      created_at: 1_795_176_000,
    })
    expect((await ask("GET /components/clerk")).body).toEqual(created.body)
    expect(await agents()).not.toContain("clerk")
    await ask("PATCH /components/clerk/configs/1", { stage: "published" })
    expect((await ask("GET /components/clerk")).body).toMatchObject({ current_version: 1 })
    expect(await agents()).toContain("clerk")
  })

  test("keeps of its config what nobody here understands", async () => {
    await made()

    expect((await ask("GET /components/clerk/configs/current")).body).toEqual({
      component_id: "clerk",
      version: 1,
      stage: "published",
      config: clerk.config,
      created_at: 1_795_176_000,
    })
  })

  test("is changed, and what is left out stays", async () => {
    await made({ description: "Pays" })
    service.pass(60_000)

    const changed = await ask("PATCH /components/clerk", { name: "Payer", metadata: { b: 2 } })

    expect(changed.body).toMatchObject({ name: "Payer", description: "Pays", metadata: { b: 2 }, current_version: 1 })
    expect(changed.body).toMatchObject({ updated_at: 1_795_176_060 })
    expect(await agents()).toContain('"name":"Payer"')
    expect(await ask("PATCH /components/clerk", { component_type: "team" })).toMatchObject({
      status: 400,
      body: { detail: "Component clerk is of type agent for good" },
    })
  })

  test("is gone with its configs once it is deleted, and nobody runs it", async () => {
    await made()

    expect((await ask("DELETE /components/clerk")).status).toBe(204)

    for (const request of [
      "GET /components/clerk",
      "DELETE /components/clerk",
      "GET /components/clerk/configs",
      "GET /components/clerk/configs/current",
    ]) {
      expect(await ask(request)).toMatchObject({ status: 404, body: { detail: "Component clerk not found" } })
    }
    expect((await ask("GET /agents/clerk")).status).toBe(404)
    await made({ config: {} })
    expect((await ask("GET /components/clerk/configs")).body).toHaveLength(1)
  })

  test.each([
    ["no name", { name: undefined }, 422, /Field required/],
    ["another type", { component_type: "tool" }, 422, /literal_error/],
    ["another stage", { stage: "live" }, 422, /literal_error/],
    ["an id that is no segment", { component_id: "a/b" }, 400, /component_id \\"a\/b\\"/],
    ["the id of a scripted one", { component_id: "admin-agent" }, 409, /Agent admin-agent stands in the script/],
    ["a call of no tool", { config: { runs: [[[{ tool: "pay" }]]] } }, 400, /config: agents.clerk.runs: pay is none/],
    ["tools that are none", { config: { tools: "all" } }, 400, /config: agents\./],
    ["members that are not there", { component_type: "team", config: { members: ["x"] } }, 400, /there is no agent x/],
    ["no steps", { component_type: "workflow", config: {} }, 400, /config: workflows\./],
  ])("is refused with %s, and nothing is kept", async (_name, fields, status, text) => {
    const answer = await ask("POST /components", { ...clerk, ...fields })

    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
    expect(await ids()).toEqual([])
  })

  test("of an id that exists is refused", async () => {
    await made()

    expect(await ask("POST /components", clerk)).toMatchObject({
      status: 409,
      body: { detail: "Component clerk already exists" },
    })
  })

  test("a component that others need is not deleted", async () => {
    await made()
    await made({ name: "Office", component_type: "team", config: { members: ["clerk"] } })

    expect(await ask("DELETE /components/clerk")).toMatchObject({
      status: 409,
      body: { detail: "Agent clerk is needed: teams.office.members: there is no agent clerk" },
    })
    expect((await ask("DELETE /components/office")).status).toBe(204)
    expect((await ask("DELETE /components/clerk")).status).toBe(204)
  })
})

test("components are listed by type, ordered and cut into pages", async () => {
  await made()
  service.pass(1000)
  await made({ name: "Office", component_type: "team", config: { members: ["clerk"] } })
  service.pass(1000)
  await made({ name: "Month end", component_type: "workflow", config: { steps: [{ agent: "clerk" }] } })

  expect(await ids()).toEqual(["month-end", "office", "clerk"])
  expect(await ids("?component_type=team")).toEqual(["office"])
  expect(await ids("?sort_by=name&sort_order=asc&limit=2")).toEqual(["clerk", "month-end"])
  expect(await ids("?limit=1&page=2")).toEqual(["office"])
  expect((await ask("GET /components?component_type=tool")).status).toBe(422)
})

describe("a version of a config", () => {
  const version = (number: number | string) => `/components/clerk/configs/${number}`
  const current = async () => (await ask("GET /components/clerk/configs/current")).body

  test("is added as a draft, changed, published, and then stays as it is", async () => {
    await made()

    const draft = await ask("POST /components/clerk/configs", { config: { tools: [] }, notes: "Without pay" })
    const changed = await ask(`PATCH ${version(2)}`, { label: "quiet" })
    const stillFirst = await current()
    const published = await ask(`PATCH ${version(2)}`, { stage: "published" })

    expect(draft).toMatchObject({ status: 201, body: { version: 2, stage: "draft", notes: "Without pay" } })
    expect(changed.body).toMatchObject({ label: "quiet", notes: "Without pay", config: { tools: [] } })
    expect(stillFirst).toMatchObject({ version: 1 })
    expect(published.body).toMatchObject({ version: 2, stage: "published" })
    expect(await current()).toMatchObject({ version: 2 })
    for (const method of ["PATCH", "DELETE"]) {
      expect(await ask(`${method} ${version(2)}`, method === "PATCH" ? { notes: "x" } : undefined)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("published config clerk v2. Create a new version instead.") },
      })
    }
  })

  test("a version that is published at once is current, unless it is to be kept", async () => {
    await made()

    await ask("POST /components/clerk/configs", { config: {}, stage: "published", set_current: false })
    expect(await current()).toMatchObject({ version: 1 })
    await ask("POST /components/clerk/configs", { config: {}, stage: "published" })
    expect(await current()).toMatchObject({ version: 3 })
  })

  test("is made current again: then that one runs", async () => {
    await made()
    await ask("POST /components/clerk/configs", { config: { tools: [] }, stage: "published" })
    expect((await ask("GET /agents/clerk")).text).not.toContain("pay")

    const back = await ask(`POST ${version(1)}/set-current`)

    expect(back).toMatchObject({ status: 200, body: { component_id: "clerk", current_version: 1 } })
    expect((await ask("GET /agents/clerk")).text).toContain("pay")
    expect((await ask("PATCH /components/clerk", { current_version: 2 })).body).toMatchObject({ current_version: 2 })
  })

  test("is not made current while it is a draft, or is not there", async () => {
    await made()
    await ask("POST /components/clerk/configs", { config: {} })
    const draft = { status: 400, body: { detail: expect.stringContaining("Only published configs can be current") } }

    expect(await ask(`POST ${version(2)}/set-current`)).toMatchObject(draft)
    expect(await ask("PATCH /components/clerk", { current_version: 2, name: "x" })).toMatchObject(draft)
    expect((await ask(`POST ${version(9)}/set-current`)).status).toBe(404)
    expect((await ask("PATCH /components/clerk", { current_version: 9 })).status).toBe(404)
    expect((await ask("GET /components/clerk")).body).toMatchObject({ name: "Clerk", current_version: 1 })
  })

  test("is deleted while it is a draft; the list tells what is left", async () => {
    await made()
    await ask("POST /components/clerk/configs", { config: {} })

    expect((await ask(`DELETE ${version(2)}`)).status).toBe(204)

    expect((await ask("GET /components/clerk/configs")).body).toMatchObject([{ version: 1 }])
    expect((await ask("GET /components/clerk/configs?include_config=false")).text).not.toContain('config"')
    expect(await ask(`GET ${version(2)}`)).toMatchObject({
      status: 404,
      body: { detail: "Config clerk v2 not found" },
    })
    expect(await ask(`GET ${version("x")}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "version"] }] },
    })
  })

  test("a version that does not fit is refused, as a draft too", async () => {
    await made()
    const odd = { config: { runs: [[[{ tool: "fly" }]]] } }

    expect(await ask("POST /components/clerk/configs", odd)).toMatchObject({
      status: 400,
      body: { detail: "config: agents.clerk.runs: fly is none of its tools" },
    })
    expect((await ask("POST /components/clerk/configs", {})).status).toBe(422)
    expect((await ask("GET /components/clerk/configs")).body).toHaveLength(1)
  })

  test("a component without a published one has no current one", async () => {
    await made({ stage: "draft" })

    expect(await ask("GET /components/clerk/configs/current")).toMatchObject({
      status: 404,
      body: { detail: "No current config for clerk" },
    })
  })

  test("is changed only if it is still as the caller expects", async () => {
    await made()
    const stale = async (request: string, json: unknown) => (await ask(request, json)).status

    expect(await stale("POST /components/clerk/configs", { config: {}, guard: { latest_version: 2 } })).toBe(409)
    expect(await stale("PATCH /components/clerk", { name: "x", guard: { current_version: 2 } })).toBe(409)
    expect(await stale(`POST ${version(1)}/set-current`, { guard: { current_version: 0 } })).toBe(409)
    expect(await stale("POST /components/clerk/configs", { config: {}, guard: { latest_version: 1 } })).toBe(201)
    expect(await stale(`PATCH ${version(2)}`, { notes: "x", guard: { latest_version: 1 } })).toBe(409)
    expect(await stale("PATCH /components/clerk", { name: "x", guard: { current_version: 1 } })).toBe(200)
    expect(await stale("DELETE /components/clerk", { guard: { current_version: 2 } })).toBe(409)
    expect(await stale("DELETE /components/clerk?expected_current_version=2", undefined)).toBe(409)
    expect(await stale("DELETE /components/clerk?expected_current_version=1", undefined)).toBe(204)
  })
})

test("under user isolation somebody sees and changes what they made, and sees what is nobody's", async () => {
  const isolated = await aService({ userIsolation: true })
  await made({}, isolated)
  const asBob = (request: string, json?: unknown) => ask(request, json, isolated, "bob")

  expect((await asBob("GET /components")).body).toMatchObject({ data: [] })
  for (const request of ["GET /components/clerk", "DELETE /components/clerk", "GET /components/clerk/configs"]) {
    expect((await asBob(request)).status).toBe(404)
  }
  expect((await asBob("PATCH /components/clerk", { name: "x" })).status).toBe(404)
  expect((await asBob("POST /components/clerk/configs", { config: {} })).status).toBe(404)
  await isolated.close()
})
