// The faulty proxy of the tests: it forwards faithfully and fails exactly as told.
import { beforeEach, expect, test } from "vitest"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import { opened } from "../support/opened.ts"
import { anApproval, aService, aToken, call, resolve, type TestService } from "./a-service.ts"

let service: TestService
let proxy: FaultyProxy

beforeEach(async () => {
  service = await opened(aService())
  proxy = await opened(startFaultyProxy(service.url))
})

const statusOf = async (id: string): Promise<unknown> => {
  const { body } = await call(service, `GET /approvals/${id}/status`, { token: await aToken(["approvals:read"]) })
  return (body as { status: string }).status
}

test("without rules it forwards requests and answers byte for byte", async () => {
  const { id } = await anApproval(proxy)
  const token = await aToken(["approvals:read"])

  const [direct, proxied] = [
    await call(service, `GET /approvals/${id}`, { token }),
    await call(proxy, `GET /approvals/${id}`, { token }),
  ]

  expect(proxied.text).toBe(direct.text)
  expect(proxied.status).toBe(200)
  expect(proxy.passed.at(-1)).toMatchObject({ method: "GET", path: `/approvals/${id}`, fault: null, body: "" })
})

test.each([401, 403, 404, 422, 500])("answers %i by itself, the given number of times", async (status) => {
  const { id } = await anApproval(service)
  proxy.fail({
    method: "POST",
    path: /\/resolve$/,
    times: 1,
    fault: { kind: "answer", status, body: { detail: "told so" } },
  })

  expect(await resolve(proxy, id, { status: "approved" })).toMatchObject({ status, body: { detail: "told so" } })
  expect(await statusOf(id)).toBe("pending")
  expect((await resolve(proxy, id, { status: "approved" })).status).toBe(200)
  expect(proxy.passed.map(({ fault, body }) => [fault, JSON.parse(body)])).toEqual([
    ["answer", { status: "approved" }],
    [null, { status: "approved" }],
  ])
})

test.each([
  [true, "approved"],
  [false, "pending"],
])("cuts the connection, forwarded: %s leaves %s", async (forwarded, left) => {
  const { id } = await anApproval(service)
  proxy.fail({ path: /\/resolve$/, fault: { kind: "cut", forwarded } })

  await expect(resolve(proxy, id, { status: "approved" })).rejects.toThrow("fetch failed")
  expect(await statusOf(id)).toBe(left)
})

test("accepts and never answers", async () => {
  const { id } = await anApproval(service)
  proxy.fail({ path: /\/resolve$/, fault: { kind: "swallow", forwarded: true } })
  const token = await aToken(["approvals:write"])

  const sent = fetch(`${proxy.url}/approvals/${id}/resolve`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"status":"approved"}',
    signal: AbortSignal.timeout(300),
  })

  await expect(sent).rejects.toThrow(/timeout/i)
  expect(await statusOf(id)).toBe("approved")
})

test("delays, and heals", async () => {
  const begun = performance.now()
  proxy.fail({ fault: { kind: "delay", ms: 120 } })
  expect((await call(proxy, "GET /health")).status).toBe(200)
  expect(performance.now() - begun).toBeGreaterThan(100)

  const remove = proxy.fail({ fault: { kind: "answer", status: 500 } })
  proxy.heal()
  remove()
  expect((await call(proxy, "GET /health")).status).toBe(200)
  expect(proxy.passed.map(({ fault }) => fault)).toEqual(["delay", null])
})
