// What operators ask of one replica, and who may.
import { Hono } from "hono"
import { expect, test } from "vitest"
import { type StatusOptions, serveStatus } from "../../src/http/operators.ts"
import { startHttp } from "../../src/http/server.ts"
import { opened } from "../support/opened.ts"

async function ask(options: Partial<StatusOptions>, headers: Record<string, string> = {}) {
  const app = new Hono()
  serveStatus(app, { probes: () => [], reachable: "loopback", token: undefined, ...options })
  const server = await opened(startHttp({ app, port: 0, host: "127.0.0.1" }))
  const response = await fetch(`${server.url}/status`, { headers })
  return { status: response.status, body: await response.json().catch(() => null) }
}

const passedOn = { "x-forwarded-for": "203.0.113.9" }

test("it is ok while every probe is well", async () => {
  expect(await ask({ probes: () => [{ name: "ledger", problem: async () => null }] })).toEqual({
    status: 200,
    body: { status: "ok" },
  })
})

test("each problem is named in words, also of a probe that throws, as they are at the moment", async () => {
  const words = ["first"]
  const probes = () => [
    { name: "slack", problem: async () => null },
    { name: "config", problem: async () => Promise.reject(new Error("Redis is away")) },
    ...words.map((word) => ({ name: `instance ${word}`, problem: async () => "it refuses the token" })),
  ]
  words.push("second")

  expect(await ask({ probes })).toEqual({
    status: 503,
    body: {
      status: "not ok",
      problems: {
        config: "Redis is away",
        "instance first": "it refuses the token",
        "instance second": "it refuses the token",
      },
    },
  })
})

test("it is reachable as the metrics are: on this machine, by the token, or not at all", async () => {
  const token = "0123456789abcdef"
  const bearer = { authorization: `Bearer ${token}` }

  expect((await ask({}, passedOn)).status).toBe(403)
  expect((await ask({ reachable: "anywhere" }, passedOn)).status).toBe(200)
  expect((await ask({ token })).status).toBe(401)
  expect((await ask({ token }, bearer)).status).toBe(200)
  expect((await ask({ reachable: "off" })).status).toBe(404)
})
