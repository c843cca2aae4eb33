// User isolation, as the real service has it (off by default): who is not admin works with rows of their own.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { anApproval, aRun, aService, aToken, call, resolve, type SeenApproval, type TestService } from "../a-service.ts"

let isolated: TestService
let shared: TestService
let hers: SeenApproval
let his: SeenApproval

const alice = { sub: "alice@example.com" }
const reader = ["approvals:read", "approvals:write", "approvals:delete"]
const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

beforeAll(async () => {
  isolated = await aService({ userIsolation: true })
  shared = await aService()
  hers = await anApproval(isolated, { user_id: "alice@example.com" })
  his = await anApproval(isolated, { user_id: "bob@example.com" })
})
afterAll(() => Promise.all([isolated.close(), shared.close()]))

const idsIn = (body: unknown): string[] => listSchema.parse(body).data.map(({ id }) => id)

test("/info says whether it is on", async () => {
  expect((await call(isolated, "GET /info")).body).toMatchObject({ user_isolation: true })
  expect((await call(shared, "GET /info")).body).toMatchObject({ user_isolation: false })
})

describe("a token with a subject, without the admin scope", () => {
  test("lists and counts its own rows, whatever user_id it asks for", async () => {
    const token = await aToken(reader, alice)

    expect(idsIn((await call(isolated, "GET /approvals", { token })).body)).toEqual([hers.id])
    expect(idsIn((await call(isolated, "GET /approvals?user_id=bob@example.com", { token })).body)).toEqual([hers.id])
    expect((await call(isolated, "GET /approvals/count", { token })).body).toEqual({ count: 1 })
    expect((await call(isolated, "GET /approvals/count?user_id=bob@example.com", { token })).body).toEqual({ count: 1 })
  })

  test("sees one of its own and no other's", async () => {
    const token = await aToken(reader, alice)

    expect((await call(isolated, `GET /approvals/${hers.id}`, { token })).status).toBe(200)
    expect((await call(isolated, `GET /approvals/${hers.id}/status`, { token })).status).toBe(200)
    for (const path of [`/approvals/${his.id}`, `/approvals/${his.id}/status`]) {
      expect(await call(isolated, `GET ${path}`, { token })).toMatchObject({
        status: 404,
        body: { detail: "Approval not found" },
      })
    }
  })

  test("resolves and deletes nothing, its own included", async () => {
    const token = await aToken(reader, alice)

    for (const { id } of [hers, his]) {
      const resolved = await call(isolated, `POST /approvals/${id}/resolve`, { token, json: { status: "approved" } })
      const deleted = await call(isolated, `DELETE /approvals/${id}`, { token })
      expect([resolved, deleted]).toMatchObject([
        { status: 404, body: { detail: "Approval not found" } },
        { status: 404, body: { detail: "Approval not found" } },
      ])
    }
    const admin = await aToken(["service:admin"])
    expect((await call(isolated, `GET /approvals/${hers.id}`, { token: admin })).body).toMatchObject({
      status: "pending",
    })
  })
})

test("a token without a subject has no rows and is told so; routes without rows stay open", async () => {
  const token = await aToken([...reader, "agents:read", "agents:run", "sessions:read"])
  const refusal = { status: 403, body: { detail: "Authenticated request is missing a user identity" } }

  for (const request of [
    "GET /approvals",
    "GET /approvals/count",
    `GET /approvals/${hers.id}`,
    `POST /approvals/${hers.id}/resolve`,
    "POST /agents/admin-agent/runs/x/continue",
    "GET /agents/admin-agent/runs/x",
    "GET /sessions",
    "POST /a2a/agents/admin-agent/v1/message:send",
    "POST /a2a/message/send",
  ]) {
    expect(await call(isolated, request, { token }), request).toMatchObject(refusal)
  }
  expect((await call(isolated, "GET /agents", { token })).status).toBe(200)
  expect((await call(isolated, "GET /approvals")).status).toBe(401)
})

test("a route that a mapping adds may show rows, so a token without a subject is refused there, too", async () => {
  const mapped = await aService({ userIsolation: true, scopeMappings: { "GET /x/runs": ["agents:read"] } })
  onTestFinished(() => mapped.close())

  const nobody = await call(mapped, "GET /x/runs", { token: await aToken(["agents:read"]) })
  expect(nobody).toMatchObject({ status: 403, body: { detail: "Authenticated request is missing a user identity" } })
  const somebody = await call(mapped, "GET /x/runs", { token: await aToken(["agents:read"], alice) })
  expect(somebody.status).toBe(501)
})

test("the admin scope sees and resolves all, with a subject or without one", async () => {
  for (const claims of [{}, { sub: "root@example.com" }]) {
    const token = await aToken(["service:admin"], claims)
    const { id } = await anApproval(isolated, { user_id: "carol@example.com" })

    expect(idsIn((await call(isolated, "GET /approvals", { token })).body)).toContain(id)
    const answer = await call(isolated, `POST /approvals/${id}/resolve`, { token, json: { status: "rejected" } })
    expect(answer.status).toBe(200)
  }
})

describe("runs", () => {
  test("are read, continued and cancelled by their own user only", async () => {
    const run = await aRun(isolated, "two steps")
    const scopes = ["agents:read", "agents:run"]
    const owner = await aToken(scopes, alice)
    const other = await aToken(scopes, { sub: "bob@example.com" })
    const path = `/agents/admin-agent/runs/${run.run_id}`
    const form = { session_id: "s-1", stream: "false" }

    expect((await call(isolated, `GET ${path}`, { token: owner })).status).toBe(200)
    expect((await call(isolated, `GET ${path}`, { token: other })).status).toBe(404)
    expect(await call(isolated, `POST ${path}/continue`, { token: other, form })).toMatchObject({
      status: 404,
      body: { detail: `No runs found for run ID ${run.run_id}` },
    })
    expect((await call(isolated, `POST ${path}/cancel`, { token: other })).status).toBe(404)
    expect((await call(isolated, `POST ${path}/cancel`, { token: owner })).status).toBe(200)
  })
})

describe("service accounts", () => {
  test("5.3: without isolation approvals:read and approvals:write see and resolve all of them", async () => {
    const token = shared.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
    const { id } = await anApproval(shared, { user_id: "alice@example.com" })

    expect(idsIn((await call(shared, "GET /approvals", { token })).body)).toEqual([id])
    expect((await call(shared, `POST /approvals/${id}/resolve`, { token, json: { status: "approved" } })).status).toBe(
      200,
    )
  })

  test("service accounts are self-scoped with isolation: empty lists, 404 for the rest, unless they hold the admin scope", async () => {
    const bot = isolated.mintServiceAccount({ name: "bot", scopes: reader })
    const root = isolated.mintServiceAccount({ name: "root", scopes: ["service:admin"] })
    const own = await anApproval(isolated, { user_id: "sa:bot" })

    expect(idsIn((await call(isolated, "GET /approvals", { token: bot })).body)).toEqual([own.id])
    expect((await call(isolated, `GET /approvals/${hers.id}`, { token: bot })).status).toBe(404)
    expect(
      (await call(isolated, `POST /approvals/${own.id}/resolve`, { token: bot, json: { status: "approved" } })).status,
    ).toBe(404)
    expect(idsIn((await call(isolated, "GET /approvals", { token: root })).body)).toContain(hers.id)
  })

  test("who is not admin lists and revokes, with isolation, what they minted", async () => {
    const scopes = ["service_accounts:read", "service_accounts:write", "service_accounts:delete", "config:read"]
    const mint = async (sub: string, name: string) => {
      const token = await aToken(scopes, { sub })
      const json = { name, scopes: [{ scope: "config:read" }] }
      const { body } = await call(isolated, "POST /service-accounts", { token, json })
      return { token, id: z.object({ id: z.string() }).parse(body).id }
    }
    const first = await mint("alice@example.com", "of-alice")
    const second = await mint("bob@example.com", "of-bob")

    expect(idsIn((await call(isolated, "GET /service-accounts", { token: first.token })).body)).toEqual([first.id])
    expect((await call(isolated, `DELETE /service-accounts/${second.id}`, { token: first.token })).status).toBe(404)
    expect((await call(isolated, `DELETE /service-accounts/${first.id}`, { token: first.token })).status).toBe(204)
  })
})

test("without isolation a token without a subject resolves", async () => {
  const { id } = await anApproval(shared, { user_id: "alice@example.com" })

  expect((await resolve(shared, id, { status: "approved" })).status).toBe(200)
})
