// What the service's options change: authorization, admin scope, resolved_by, start-up failures.

import { createServer } from "node:http"
import { expect, test } from "vitest"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import { opened } from "../../support/opened.ts"
import { anApproval, aService, aToken, call, secret, type TestService } from "../a-service.ts"

async function start(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  return opened(aService(options))
}

test("/info says what kind of service this is", async () => {
  const service = await start()

  expect((await call(service, "GET /info")).body).toEqual({
    os_id: "countersign-service",
    name: "Countersign's Agent Platform Service",
    mcp: { enabled: false, path: null, oauth: null },
    service: "countersign",
    os_version: "2.7.2",
    version: "2.7.2",
    auth_mode: "jwt",
    enforces_rejection: true,
    user_isolation: false,
    agent_count: 2,
    team_count: 0,
    workflow_count: 0,
  })
})

test("/health says since when it runs", async () => {
  const service = await start()
  service.pass(60_000)

  expect((await call(service, "GET /health")).body).toEqual({
    status: "ok",
    instantiated_at: "2026-11-20T12:00:00.000Z",
  })
})

test("without keys and authorization nobody is asked for a credential, but a bad service account is refused", async () => {
  const service = await start({ authorization: false, verificationKeys: [] })

  expect((await call(service, "GET /info")).body).toMatchObject({ auth_mode: "none" })
  expect((await call(service, "GET /approvals")).status).toBe(200)
  expect((await call(service, "GET /approvals", { token: "cs_sa_wrong" })).status).toBe(401)
  const weak = service.mintServiceAccount({ name: "weak", scopes: ["config:read"] })
  expect((await call(service, "GET /approvals", { token: weak })).status).toBe(403)
  expect(await call(service, "POST /service-accounts", { json: { name: "x" } })).toMatchObject({ status: 401 })
})

test("with keys and without authorization a token is needed, its scopes are not", async () => {
  const service = await start({ authorization: false })

  expect((await call(service, "GET /info")).body).toMatchObject({ auth_mode: "jwt" })
  expect((await call(service, "GET /approvals")).status).toBe(401)
  expect((await call(service, "GET /approvals", { token: await aToken([]) })).status).toBe(200)
})

test("another admin scope replaces service:admin", async () => {
  const service = await start({ adminScope: "acme:root" })

  expect((await call(service, "GET /approvals", { token: await aToken(["service:admin"]) })).status).toBe(403)
  expect((await call(service, "GET /approvals", { token: await aToken(["acme:root"]) })).status).toBe(200)
})

test("3.1: the request's resolved_by is carried, whoever the token says it is", async () => {
  const service = await start()
  const { id } = await anApproval(service)
  const token = await aToken(["approvals:write"], { sub: "token@example.com" })

  const answer = await call(service, `POST /approvals/${id}/resolve`, {
    token,
    json: { status: "approved", resolved_by: "ann@example.com" },
  })

  expect(answer.body).toMatchObject({ resolved_by: "ann@example.com" })
})

test.each([
  [{ sub: "token@example.com" }, "token@example.com"],
  [{ sub: "" }, ""],
  [{}, "ann@example.com"],
])("resolvedByFromSubject: claims %j give %j", async (claims, expected) => {
  const service = await start({ resolvedByFromSubject: true })
  const { id } = await anApproval(service)
  const token = await aToken(["approvals:write"], claims)

  const answer = await call(service, `POST /approvals/${id}/resolve`, {
    token,
    json: { status: "approved", resolved_by: "ann@example.com" },
  })

  expect(answer.body).toMatchObject({ resolved_by: expected })
})

test("resolvedByFromSubject names a service account by its principal", async () => {
  const service = await start({ resolvedByFromSubject: true })
  const token = service.mintServiceAccount({ name: "bot", scopes: ["approvals:write"] })
  const { id } = await anApproval(service)

  const answer = await call(service, `POST /approvals/${id}/resolve`, {
    token,
    json: { status: "rejected", resolved_by: "ann" },
  })

  expect(answer.body).toMatchObject({ resolved_by: "sa:bot" })
})

test("a key that does not fit, a bad script and a taken port are said at start", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => taken.once("listening", resolve))
  const address = taken.address()
  const port = typeof address === "object" && address !== null ? address.port : 0

  await expect(aService({ algorithm: "RS256", verificationKeys: [secret] })).rejects.toMatchObject({
    code: "key_unreadable",
  })
  await expect(aService({ script: { agents: [{ id: "a b" }] } })).rejects.toMatchObject({ code: "script_invalid" })
  await expect(aService({ port })).rejects.toMatchObject({ code: "cannot-listen" })
  await new Promise((resolve) => taken.close(resolve))
})

test("a failure inside is a 500 that says nothing, and is reported", async () => {
  const failures: string[] = []
  let broken = false
  const random = (size: number): Uint8Array => {
    if (broken) throw new Error("no randomness: secret detail")
    return new Uint8Array(size)
  }
  const service = await start({ random, onFailure: (error, request) => failures.push(`${request}: ${String(error)}`) })
  broken = true

  const answer = await call(service, "POST /approvals", {
    token: await aToken(["approvals:create"]),
    json: { tool_name: "t", tool_args: {} },
  })

  expect(answer).toMatchObject({ status: 500, body: { detail: "Internal server error" } })
  expect(failures).toEqual(["POST /approvals: Error: no randomness: secret detail"])
})
