// Service accounts: minted with no more than the minter holds, listed without secrets, revoked, expired.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { type Answer, aService, aToken, call, noon, type TestService } from "../a-service.ts"

let service: TestService
let admin: string

beforeEach(async () => {
  service = await aService()
  admin = await aToken(["service:admin"], { sub: "root@example.com" })
})
afterEach(() => service.close())

const scopes = (...names: string[]) => names.map((scope) => ({ scope, effect: "allow" }))
const mint = (json: unknown, token = admin): Promise<Answer> => call(service, "POST /service-accounts", { token, json })
const mintedSchema = z.object({ id: z.string(), token: z.string() })

describe("minting", () => {
  test("5.1, rule 2: shows the token once, in the shape of the wire, and it works at once", async () => {
    const answer = await mint({ name: "bot", scopes: scopes("approvals:read") })

    const { token } = mintedSchema.parse(answer.body)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: "bot",
      principal: "sa:bot",
      user_id: "root@example.com",
      token_prefix: token.slice(0, 13),
      scopes: [
        {
          id: null,
          raw: "approvals:read",
          namespace: "approvals",
          sub_namespace: null,
          permission: "read",
          value: "allow",
        },
      ],
      created_at: noon / 1000,
      expires_at: noon / 1000 + 90 * 86_400,
      last_used_at: null,
      revoked_at: null,
      created_by: "root@example.com",
      token: expect.stringMatching(/^cs_sa_[A-Za-z0-9_-]{43}$/),
    })
    expect((await call(service, "GET /approvals", { token })).status).toBe(200)
    expect((await call(service, "GET /service-accounts", { token: admin })).text).not.toContain(token)
  })

  test("minting without a wish for scopes gives the harmless ones", async () => {
    const { body } = await mint({ name: "runner", never_expires: true })

    expect(body).toMatchObject({
      expires_at: null,
      scopes: [
        { raw: "agents:run" },
        { raw: "teams:run" },
        { raw: "workflows:run" },
        { raw: "sessions:read" },
        { raw: "config:read" },
      ],
    })
  })

  test.each([
    ["approvals:write"],
    ["approvals:delete"],
    ["service_accounts:read"],
    ["service:admin"],
    ["service:*:admin"],
    ["agents:x:write"],
  ])("5.3, rule 5: %s only on request", async (scope) => {
    const refused = await mint({ name: "bot", scopes: scopes(scope) })

    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`require allow_privileged_scopes=true: ${scope}.`) },
    })
    expect((await mint({ name: "bot", scopes: scopes(scope), allow_privileged_scopes: true })).status).toBe(201)
  })

  test.each([
    ["acme:root", "acme:root"],
    ["acme:root", "acme:*:root"],
    ["acme:*:root", "acme:root"],
  ])("an admin scope of the operator's own, %s, is given only on request, as %s too", async (adminScope, scope) => {
    const own = await aService({ adminScope })
    const json = { name: "bot", scopes: scopes(scope) }
    const ask = async (more = {}) =>
      call(own, "POST /service-accounts", { token: await aToken([adminScope]), json: { ...json, ...more } })

    const statuses = [(await ask()).status, (await ask({ allow_privileged_scopes: true })).status]
    await own.close()

    expect(statuses).toEqual([400, 201])
  })

  test("5.3, rule 5: nobody gives what they do not hold", async () => {
    const minter = await aToken(["service_accounts:write", "approvals:read", "agents:a:run"])

    const answer = await mint(
      {
        name: "bot",
        scopes: scopes("approvals:read", "approvals:write", "agents:run", "service:admin"),
        allow_privileged_scopes: true,
      },
      minter,
    )

    expect(answer).toMatchObject({
      status: 403,
      body: { detail: "Cannot grant scope(s) you do not hold: approvals:write, agents:run, service:admin" },
    })
    expect((await mint({ name: "bot", scopes: scopes("approvals:read", "agents:a:run") }, minter)).status).toBe(201)
  })

  test("5.4, 5.5: names that the control plane or a mapping knows can be given, and open what they are mapped to", async () => {
    const mapped = await aService({ scopeMappings: { "GET /approvals": ["Approvals.Read"] } })
    const names = ["Approvals.Read", "org:members:read"]
    const minter = await aToken(["service_accounts:write", ...names])
    const json = { name: "bot", scopes: scopes(...names), allow_privileged_scopes: true }
    const answer = await call(mapped, "POST /service-accounts", { token: minter, json })
    const { token } = mintedSchema.parse(answer.body)

    const statuses = [
      (await call(mapped, "GET /approvals", { token })).status,
      (await call(mapped, "GET /config", { token })).status,
    ]
    await mapped.close()

    expect(statuses).toEqual([200, 403])
  })

  test("a scope that is none is 400", async () => {
    expect(await mint({ name: "bot", scopes: scopes("nonsense") })).toMatchObject({
      status: 400,
      body: { detail: "Invalid scope(s): nonsense" },
    })
  })

  test("a name in use is 409", async () => {
    await mint({ name: "bot" })

    expect(await mint({ name: "bot" })).toMatchObject({
      status: 409,
      body: { detail: "An active service account named 'bot' already exists. Revoke it first to rotate." },
    })
  })

  test.each<[unknown, Record<string, unknown>]>([
    [{}, { type: "missing", loc: ["body", "name"] }],
    [{ name: "Bad Name" }, { type: "value_error", loc: ["body", "name"], input: "Bad Name" }],
    [
      { name: "b", scopes: ["approvals:read"] },
      { type: "model_attributes_type", loc: ["body", "scopes", 0], input: "approvals:read" },
    ],
    [
      { name: "b", scopes: [{ scope: "a:b", effect: "deny" }] },
      { type: "literal_error", loc: ["body", "scopes", 0, "effect"] },
    ],
    [{ name: "b", expires_in_days: 0 }, { loc: ["body", "expires_in_days"] }],
    [{ name: "b", expires_in_days: 4000 }, { loc: ["body", "expires_in_days"] }],
    [
      { name: "b", never_expires: "yes" },
      { type: "bool_type", loc: ["body", "never_expires"] },
    ],
  ])("minting with %j is 422", async (json, problem) => {
    expect(await mint(json)).toMatchObject({ status: 422, body: { detail: [problem] } })
  })
})

describe("living and dying", () => {
  test("a revoked account is refused at once; revoking twice is the same; its name is free again", async () => {
    const { id, token } = mintedSchema.parse((await mint({ name: "bot", scopes: scopes("approvals:read") })).body)

    const first = await call(service, `DELETE /service-accounts/${id}`, { token: admin })
    const second = await call(service, `DELETE /service-accounts/${id}`, { token: admin })

    expect([first.status, second.status]).toEqual([204, 204])
    expect(await call(service, "GET /approvals", { token })).toMatchObject({
      status: 401,
      body: { detail: "Invalid or expired service account token" },
    })
    expect((await mint({ name: "bot" })).status).toBe(201)
  })

  test("an unknown account cannot be revoked", async () => {
    expect(await call(service, "DELETE /service-accounts/none", { token: admin })).toMatchObject({
      status: 404,
      body: { detail: "Service account 'none' not found" },
    })
  })

  test("an account ends with its time", async () => {
    const { token } = mintedSchema.parse(
      (await mint({ name: "bot", scopes: scopes("approvals:read"), expires_in_days: 1 })).body,
    )

    service.pass(86_399_000)
    expect((await call(service, "GET /approvals", { token })).status).toBe(200)
    service.pass(1_000)
    expect((await call(service, "GET /approvals", { token })).status).toBe(401)
  })

  test("the list pages, hides revoked ones, and says when an account was last used, by the minute", async () => {
    const { token } = mintedSchema.parse((await mint({ name: "one", scopes: scopes("approvals:read") })).body)
    const two = mintedSchema.parse((await mint({ name: "two" })).body)
    await call(service, `DELETE /service-accounts/${two.id}`, { token: admin })
    await call(service, "GET /approvals", { token })
    service.pass(30_000)
    await call(service, "GET /approvals", { token })

    const active = await call(service, "GET /service-accounts", { token: admin })
    const all = await call(service, "GET /service-accounts?include_revoked=true&limit=1&page=2", { token: admin })

    expect(active.body).toMatchObject({
      data: [{ name: "one", last_used_at: noon / 1000 }],
      meta: { total_count: 1, limit: 20 },
    })
    expect(all.body).toMatchObject({ data: [{ name: "one" }], meta: { total_count: 2, total_pages: 2, page: 2 } })
    expect((await call(service, "GET /service-accounts?limit=101", { token: admin })).status).toBe(422)
  })
})

describe("the embedding program", () => {
  test("gives itself an account with exactly the scopes it names", async () => {
    const token = service.mintServiceAccount({ name: "countersign", scopes: ["approvals:read", "approvals:write"] })

    expect((await call(service, "GET /approvals", { token })).status).toBe(200)
    expect((await call(service, "DELETE /approvals/x", { token })).status).toBe(403)
    expect((await call(service, "POST /agents/admin-agent/runs", { token })).status).toBe(403)
  })

  test("replaces its own account, whose token is lost", async () => {
    const old = service.mintServiceAccount({ name: "countersign", scopes: ["approvals:read"] })
    const fresh = service.mintServiceAccount({ name: "countersign", scopes: ["approvals:read"], expiresInDays: null })

    expect((await call(service, "GET /approvals", { token: old })).status).toBe(401)
    expect((await call(service, "GET /approvals", { token: fresh })).status).toBe(200)
  })

  test.each([
    [{ name: "Bad Name", scopes: [] }, /the name must match/],
    [{ name: "bot", scopes: ["nonsense"] }, /nonsense is no scope/],
  ])("is told what is wrong with %j", (account, message) => {
    expect(() => service.mintServiceAccount(account)).toThrowError(
      expect.objectContaining({ code: "account_invalid", message: expect.stringMatching(message) }),
    )
  })
})
