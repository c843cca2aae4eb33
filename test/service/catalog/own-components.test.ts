// Creating, changing and deleting agents, teams and workflows (4.3): what is made behaves like a scripted one.

import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { aFolder, opened } from "../../support/opened.ts"
import { type Answer, aService, aToken, call, type TestService } from "../a-service.ts"
import { decideAll, pending, ran } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

const families = ["agents", "teams", "workflows"]
const everything = [
  ...families.flatMap((family) => ["read", "write", "delete", "run"].map((action) => `${family}:${action}`)),
  "schedules:write",
  "schedules:read",
]

async function ask(request: string, json?: unknown, at: TestService = service): Promise<Answer> {
  const token = await aToken(everything, { sub: "ann" })
  return call(at, request, { token, ...(json === undefined ? {} : { json }) })
}

const clerk = {
  name: "Clerk",
  description: "Pays",
  config: { tools: [{ name: "pay", gated: true }], runs: [[[{ tool: "pay", args: { cents: 1 } }]]] },
}

async function made(family = "agents", json: Record<string, unknown> = clerk, at = service): Promise<Answer> {
  const answer = await ask(`POST /${family}`, json, at)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer
}

const runSchema = z.looseObject({ run_id: z.string(), status: z.string() })

async function started(component: string, at = service) {
  const token = await aToken(everything, { sub: "ann" })
  const form = { message: "go", stream: "false", session_id: "s-1" }
  return runSchema.parse((await call(at, `POST /${component}/runs`, { token, form })).body)
}

describe("an agent that was made", () => {
  test("is answered as its view is, listed, and shown", async () => {
    const created = await made()

    expect(created.body).toMatchObject({
      id: "clerk",
      name: "Clerk",
      description: "Pays",
      tools: { tools: [{ name: "pay", requires_confirmation: true, approval_type: "required" }] },
    })
    expect((await ask("GET /agents/clerk")).body).toEqual(created.body)
    const { body } = await ask("GET /agents")
    expect((body as { id: string }[]).map(({ id }) => id)).toEqual(["admin-agent", "payments-agent", "clerk"])
  })

  test("runs, waits for its approval, and goes on", async () => {
    await made()

    const run = await started("agents/clerk")
    expect(await pending(service)).toMatchObject([{ agent_id: "clerk", tool_name: "pay", source_name: "Clerk" }])
    await decideAll(service, { status: "approved" })
    const token = await aToken(everything)
    const form = { stream: "false", session_id: "s-1" }
    const after = await call(service, `POST /agents/clerk/runs/${run.run_id}/continue`, { token, form })

    expect(after.body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toEqual(['pay {"cents":1}'])
  })

  test("is reached by A2A, and by the scopes of its own id", async () => {
    await made()
    const message = { messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] }
    const json = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }
    const send = async (scope: string) =>
      (await call(service, "POST /a2a/agents/clerk/v1/message:send", { token: await aToken([scope]), json })).status

    expect(await send("agents:other:run")).toBe(403)
    expect(await send("agents:clerk:run")).toBe(200)
    const own = { token: await aToken(["agents:clerk:read"]) }
    expect((await call(service, "GET /agents", own)).body).toMatchObject([{ id: "clerk" }])
    expect((await call(service, "GET /a2a/agents/clerk/.well-known/agent-card.json", own)).status).toBe(200)
  })

  test("can be scheduled, counts in /info, and outlives a restart", async () => {
    const database = join(aFolder("components"), "service.sqlite")
    const first = await aService({ database })
    await made("agents", clerk, first)
    const schedule = { name: "n", endpoint: "/agents/clerk/runs", payload: { message: "go" } }
    expect((await ask("POST /schedules", schedule, first)).status).toBe(201)
    await first.close()

    const second = await opened(aService({ database }))

    expect((await call(second, "GET /info")).body).toMatchObject({ agent_count: 3 })
    expect(await started("agents/clerk", second)).toMatchObject({ status: "PAUSED" })
  })

  test("is seen by another process over the same file at once", async () => {
    const database = join(aFolder("components"), "service.sqlite")
    const [first, second] = [await opened(aService({ database })), await opened(aService({ database }))]

    expect((await ask("GET /agents/clerk", undefined, second)).status).toBe(404)
    await made("agents", clerk, first)

    expect((await ask("GET /agents/clerk", undefined, second)).status).toBe(200)
  })
})

describe("changing one", () => {
  test("makes a new version, which runs; what is left out stays; runs that wait keep theirs", async () => {
    await made()
    const waiting = await started("agents/clerk")

    const changed = await ask("PATCH /agents/clerk", { name: "Looker", config: { tools: [{ name: "look" }] } })

    expect(changed).toMatchObject({ status: 200, body: { name: "Looker", description: "Pays" } })
    expect(changed.text).not.toContain("pay")
    const token = await aToken(["components:read"])
    expect((await call(service, "GET /components/clerk/configs", { token })).body).toMatchObject([
      { version: 1 },
      { version: 2, stage: "published" },
    ])
    await decideAll(service, { status: "approved" })
    const form = { stream: "false", session_id: "s-1" }
    await call(service, `POST /agents/clerk/runs/${waiting.run_id}/continue`, { token: await aToken(everything), form })
    expect(ran(service)).toEqual(['pay {"cents":1}'])
  })

  test("a change that does not fit is refused, and nothing changes", async () => {
    await made()

    const answer = await ask("PATCH /agents/clerk", { name: "x", config: { runs: [[[{ tool: "fly" }]]] } })

    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("fly is none of its tools") } })
    expect((await ask("GET /agents/clerk")).body).toMatchObject({ name: "Clerk" })
    expect((await ask("PATCH /agents/clerk", { name: "" })).status).toBe(422)
  })

  test("or deleting needs the scope for it, for all or for that one", async () => {
    await made()
    const tried = async (request: string, scope: string) =>
      (await call(service, request, { token: await aToken([scope]), json: { description: "x" } })).status

    expect(await tried("PATCH /agents/clerk", "agents:other:write")).toBe(403)
    expect(await tried("PATCH /agents/clerk", "agents:clerk:write")).toBe(200)
    expect(await tried("POST /agents", "agents:clerk:write")).toBe(403)
    expect(await tried("DELETE /agents/clerk", "agents:clerk:write")).toBe(403)
    expect(await tried("DELETE /agents/clerk", "agents:clerk:delete")).toBe(204)
  })
})

describe("deleting one", () => {
  test("ends it: nobody lists, runs or continues it, and its schedules say why they stand still", async () => {
    await made()
    const schedule = { name: "n", endpoint: "/agents/clerk/runs", payload: { message: "go" } }
    const { id } = z.object({ id: z.string() }).parse((await ask("POST /schedules", schedule)).body)

    expect((await ask("DELETE /agents/clerk")).status).toBe(204)

    expect(await ask("GET /agents/clerk")).toMatchObject({ status: 404, body: { detail: "Agent not found" } })
    expect((await ask("DELETE /agents/clerk")).status).toBe(404)
    expect((await ask(`GET /schedules/${id}`)).body).toMatchObject({
      enabled: false,
      disabled_reason: "target_deleted:agent:clerk",
    })
  })

  test("while a run waits is 409, names the runs, and cancels nothing", async () => {
    await made()
    const [first, second] = [await started("agents/clerk"), await started("agents/clerk")]

    const refused = await ask("DELETE /agents/clerk")

    expect(refused).toMatchObject({
      status: 409,
      body: {
        detail: `Agent clerk has runs that are not over: ${first.run_id}, ${second.run_id}. Decide and continue, or cancel them.`,
      },
    })
    expect(await pending(service)).toHaveLength(2)
    for (const { run_id: id } of [first, second]) await ask(`POST /agents/clerk/runs/${id}/cancel`)
    expect((await ask("DELETE /agents/clerk")).status).toBe(204)
  })

  test("deleting one that a team or a workflow needs is 409, and says by which", async () => {
    await made()
    await made("teams", { name: "Office", config: { members: ["clerk"] } })
    await made("workflows", { name: "Month end", config: { steps: [{ team: "office" }] } })

    expect((await ask("DELETE /agents/clerk")).text).toContain("teams.office.members")
    expect((await ask("DELETE /teams/office")).text).toContain("workflows.month-end.steps")
    for (const path of ["workflows/month-end", "teams/office", "agents/clerk"]) {
      expect((await ask(`DELETE /${path}`)).status).toBe(204)
    }
  })
})

test("a team and a workflow that were made run their members", async () => {
  await made()
  await made("teams", { name: "Office", config: { members: ["clerk"], runs: [[[{ member: "clerk", task: "go" }]]] } })
  await made("workflows", { name: "Month end", config: { steps: [{ name: "pay", team: "office", task: "go" }] } })

  expect(await started("workflows/month-end")).toMatchObject({ status: "PAUSED" })
  expect(await pending(service)).toMatchObject([{ agent_id: "clerk" }])
  expect((await ask("GET /teams/office")).body).toMatchObject({ members: [{ id: "clerk" }] })
  expect((await ask("GET /workflows/month-end")).body).toMatchObject({ steps: [{ name: "pay" }] })
})

test.each([
  ["PATCH /agents/admin-agent", { name: "x" }],
  ["DELETE /agents/admin-agent", undefined],
])("%s is refused: it stands in the script", async (request, json) => {
  expect(await ask(request, json)).toMatchObject({
    status: 409,
    body: { detail: "Agent admin-agent stands in the script, and is changed there" },
  })
})

test.each([
  ["PATCH /teams/clerk", { name: "x" }],
  ["DELETE /workflows/clerk", undefined],
  ["PATCH /agents/none", { name: "x" }],
])("%s is 404: there is none of that kind", async (request, json) => {
  await made()

  expect((await ask(request, json)).status).toBe(404)
})
