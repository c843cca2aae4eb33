// Who may read the metrics.

import { Hono } from "hono"
import { expect, test } from "vitest"
import { type MetricsOptions, serveMetrics } from "../../src/http/operators.ts"
import { startHttp } from "../../src/http/server.ts"
import { opened } from "../support/opened.ts"

async function ask(options: Partial<MetricsOptions>, headers: Record<string, string> = {}) {
  const app = new Hono()
  serveMetrics(app, { read: async () => "up 1\n", reachable: "loopback", token: undefined, ...options })
  const server = await opened(startHttp({ app, port: 0, host: "127.0.0.1" }))
  const response = await fetch(`${server.url}/metrics`, { headers })
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
}

const token = "0123456789abcdef"

test("a program on this machine reads the metrics, in Prometheus' format", async () => {
  expect(await ask({})).toEqual({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", text: "up 1\n" })
})

test("what a proxy passes on is refused unless anywhere is set", async () => {
  const passedOn = { "x-forwarded-for": "203.0.113.9" }

  expect((await ask({}, passedOn)).status).toBe(403)
  expect((await ask({}, passedOn)).text).toContain("http.metrics: anywhere")
  expect((await ask({ reachable: "anywhere" }, passedOn)).status).toBe(200)
})

test.each([
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-client-ip",
  "via",
  "cdn-loop",
  "cf-connecting-ip",
  "true-client-ip",
])("a request with %s was passed on", async (header) => {
  expect((await ask({}, { [header]: "203.0.113.9" })).status).toBe(403)
})

test("metrics behind a token are read by its bearer alone", async () => {
  expect((await ask({ token })).status).toBe(401)
  expect((await ask({ token }, { authorization: "Bearer wrong" })).status).toBe(401)
  expect((await ask({ token, reachable: "anywhere" }, { authorization: token })).status).toBe(401)
  expect((await ask({ token, reachable: "anywhere" }, { authorization: `Bearer ${token}` })).status).toBe(200)
})

test("metrics that are switched off are not there", async () => {
  expect((await ask({ reachable: "off" })).status).toBe(404)
})
