import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { Hono } from "hono"
import { describe, expect, it, test } from "vitest"
import type { Probe } from "../../src/http/probe.ts"
import { createHealthApp, type HttpServer, idleMs, startHttp } from "../../src/http/server.ts"
import { opened } from "../support/opened.ts"

async function serve(probes: readonly Probe[], slack?: Parameters<typeof startHttp>[0]["slack"]): Promise<HttpServer> {
  return opened(startHttp({ app: createHealthApp(probes), slack, port: 0, host: "127.0.0.1" }))
}

/** A server with an answer that is longer than what any socket holds. */
async function serveEndless(): Promise<HttpServer> {
  const app = new Hono()
  const piece = new Uint8Array(65_536)
  app.get("/endless", (context) =>
    context.body(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }), 200),
  )
  return startHttp({ app, port: 0, host: "127.0.0.1" })
}

test("the server stops although somebody has read only the beginning of a long answer", async () => {
  const server = await serveEndless()
  const answer = await new Promise<IncomingMessage>((resolve) => request(`${server.url}/endless`, resolve).end())
  await once(answer, "readable")
  const broken = once(answer, "error")

  await server.close()

  answer.resume()
  expect(await broken).toMatchObject([{ code: "ECONNRESET" }])
})

describe("health", () => {
  it("says that the process lives whatever else is wrong", async () => {
    const { url } = await serve([{ name: "redis", problem: async () => "down" }])

    const answer = await fetch(`${url}/healthz`)

    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }])
  })

  it("is ready when every probe is well", async () => {
    const { url } = await serve([{ name: "redis", problem: async () => null }])

    const answer = await fetch(`${url}/readyz`)

    expect([answer.status, await answer.json()]).toEqual([200, { status: "ready" }])
  })

  it("names each problem when it is not ready, also of a probe that throws", async () => {
    const { url } = await serve([
      { name: "redis", problem: async () => "no answer" },
      { name: "slack", problem: async () => Promise.reject(new Error("socket closed")) },
      { name: "config", problem: async () => null },
    ])

    const answer = await fetch(`${url}/readyz`)

    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      status: "not ready",
      problems: { redis: "no answer", slack: "socket closed" },
    })
  })

  it("takes a probe that hangs for a problem", async () => {
    const { url } = await serve([{ name: "redis", problem: () => new Promise(() => {}) }])

    const answer = await fetch(`${url}/readyz`)

    expect(await answer.json()).toMatchObject({ problems: { redis: "no answer within 2000 ms" } })
  })

  it("hands what lies below /slack/ to Slack's listener, and nothing else", async () => {
    const { url } = await serve([], (_, response) => response.end("slack"))

    expect(await (await fetch(`${url}/slack/events`, { method: "POST" })).text()).toBe("slack")
    expect((await fetch(`${url}/slackish`)).status).toBe(404)
  })

  it("answers a request that names two hosts with 400", async () => {
    const { url } = await serve([])
    const { port, host } = new URL(url)

    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () =>
        socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`),
      )
      let text = ""
      socket.on("data", (chunk: Buffer) => void (text += chunk.toString()))
      socket.on("close", () => resolve(text))
      socket.on("error", reject)
    })

    expect(answer).toMatch(/^HTTP\/1.1 400 .*The request names more than one host$/s)
  })

  it("keeps an idle connection for longer than a load balancer does", async () => {
    const { url } = await serve([])
    const agent = new Agent({ keepAlive: true })

    const kept = await new Promise((resolve, reject) =>
      request(`${url}/healthz`, { agent }, (response) => {
        response.resume()
        resolve(response.headers["keep-alive"])
      })
        .on("error", reject)
        .end(),
    )
    agent.destroy()

    expect(kept).toBe(`timeout=${idleMs / 1_000}`)
    expect(idleMs).toBeGreaterThan(60_000)
  })

  it("says what to do when the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    await opened(taken)
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0

    const failed = startHttp({ app: createHealthApp([]), port, host: "127.0.0.1" })

    await expect(failed).rejects.toMatchObject({ code: "cannot-listen", message: expect.stringContaining("set PORT") })
  })
})
