// The gate over HTTP: 401, 403, 404, 405, 413, and what needs no credential. Each route with each credential:
// gate-table.test.ts.

import { request as httpRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { publicRoutes } from "../../../src/service/gate/route-table.ts"
import { anApproval, aService, aToken, call, type TestService } from "../a-service.ts"

let service: TestService

beforeAll(async () => {
  service = await aService({ maxBodyBytes: 100_000 })
})
afterAll(() => service.close())

test.each(publicRoutes)("%s needs no credential, and a bad one does not close it", async (request) => {
  const [method = "", path = ""] = request.split(" ")

  const bare = await fetch(service.url + path, { method })
  const garbage = await fetch(service.url + path, { method, headers: { authorization: "Bearer garbage" } })

  expect([bare.status, garbage.status]).toEqual([200, 200])
  await Promise.all([bare.text(), garbage.text()])
})

test("a credential that is not believed is 401 with the reason", async () => {
  expect(await call(service, "GET /approvals", { token: "garbage" })).toMatchObject({
    status: 401,
    body: { detail: "Invalid token: Not enough segments" },
  })
  expect(await call(service, "GET /approvals", { token: `cs_sa_${"x".repeat(43)}` })).toMatchObject({
    status: 401,
    body: { detail: "Invalid or expired service account token" },
  })
})

test("an unknown route is 401 without and 404 with a credential", async () => {
  expect((await call(service, "GET /nowhere")).status).toBe(401)
  expect(await call(service, "GET /nowhere", { token: await aToken([]) })).toMatchObject({
    status: 404,
    body: { detail: "Not Found" },
  })
})

test.each(["HEAD", "OPTIONS", "PUT", "PATCH"])(
  "%s on a known path is 401 without and 405 with a credential",
  async (method) => {
    const headers = { authorization: `Bearer ${await aToken(["service:admin"])}` }

    const without = await fetch(`${service.url}/approvals/count`, { method })
    const with_ = await fetch(`${service.url}/approvals/count`, { method, headers })

    expect([without.status, with_.status]).toEqual([401, 405])
    expect(with_.headers.get("allow")).toBe("GET")
    await Promise.all([without.text(), with_.text()])
  },
)

test("a wrong method is 405 and names the right ones", async () => {
  const answer = await call(service, "PUT /approvals", { token: await aToken([]) })

  expect(answer).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } })
  expect(answer.headers.get("allow")).toBe("GET, POST")
})

test("a scopes claim that is a string opens only what that one scope opens", async () => {
  expect((await call(service, "GET /approvals", { token: await aToken("approvals:read") })).status).toBe(200)
  expect(
    (await call(service, "GET /approvals", { token: await aToken("approvals:read approvals:write") })).status,
  ).toBe(403)
})

test("creating never implies resolving", async () => {
  const { id } = await anApproval(service)

  const answer = await call(service, `POST /approvals/${id}/resolve`, {
    token: await aToken(["approvals:create", "approvals:read", "approvals:delete"]),
    json: { status: "approved" },
  })

  expect(answer.status).toBe(403)
})

test("no spelling of a path reaches a handler with less than its own scope", async () => {
  const { id } = await anApproval(service)
  const token = await aToken(["approvals:read"])

  for (const path of [
    `/approvals/${id}/./resolve`,
    `/approvals/x/../${id}/resolve/`,
    `/approvals/${id}/%72esolve`,
    `/approvals/${id}/%2e/resolve`,
  ]) {
    const status = await rawStatus("POST", path, token)
    expect(status, path).toBe(403)
  }
  for (const path of [
    `//approvals/${id}/resolve`,
    `/approvals/${id}%2Fresolve`,
    `/approvals/${id}%5cresolve`,
    `/approvals//${id}/resolve`,
    `/approvals/${id}%00/resolve`,
  ]) {
    expect([404, 405], path).toContain(await rawStatus("POST", path, token))
  }
})

test("an absolute address in the request line is read like a path, and TRACE reaches nobody", async () => {
  const token = await aToken(["approvals:read"])

  expect(await rawStatus("POST", `${service.url}/approvals/x/resolve`, token)).toBe(403)
  expect(await rawStatus("GET", "http://elsewhere.example/approvals", token)).toBe(400)
  expect([400, 405]).toContain(await rawStatus("TRACE", "/approvals", token))
})

describe("bodies are limited", () => {
  test.each([
    ["POST /approvals", "approvals:create"],
    ["POST /a2a/message/send", "agents:run"],
    ["POST /a2a/agents/x/v1/message:send", "agents:run"],
  ])("an announced one is refused before it is read: %s", async (request, scope) => {
    const answer = await call(service, request, {
      token: await aToken([scope]),
      json: { tool_name: "x".repeat(200_000), tool_args: {} },
    })

    expect(answer).toMatchObject({ status: 413, body: { detail: "Request body is larger than 100000 bytes" } })
  })

  test("a chunked one as soon as it is too long", async () => {
    const token = await aToken(["approvals:create"])
    const status = await new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "transfer-encoding": "chunked",
      }
      const request = httpRequest(`${service.url}/approvals`, { method: "POST", headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
        request.destroy()
      })
      request.on("error", reject)
      for (let at = 0; at < 20; at += 1) request.write("x".repeat(10_000))
    })

    expect(status).toBe(413)
  })
})

test("after a refusal with an unread body the service goes on answering", async () => {
  const large = { raw: "x".repeat(5_000_000) }

  for (let at = 0; at < 5; at += 1) expect((await call(service, "POST /approvals", large)).status).toBe(401)

  expect((await call(service, "GET /health")).status).toBe(200)
})

function rawStatus(method: string, path: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.on("error", reject)
    request.end('{"status":"approved"}')
  })
}
