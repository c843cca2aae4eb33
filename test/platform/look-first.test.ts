// What is about to leave looks once more when it has its connection: a stop may have come meanwhile (R21).
import type { ServerResponse } from "node:http"
import { expect, onTestFinished, test, vi } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { createRunsClient, maxContinues } from "../../src/platform/runs.ts"
import { limitMs } from "../support/limits.ts"
import { failure, TOKEN } from "./clients.ts"
import { type Seen, startServer } from "./replay.ts"

const principal = { subject: "ann", decision: "d-1" }

/** A server that keeps every request waiting until it is let go. */
async function busyServer() {
  const waiting: ServerResponse[] = []
  const server = await startServer((_seen: Seen, response) => void waiting.push(response))
  onTestFinished(server.close)
  const letGo = () => {
    for (const response of waiting.splice(0)) response.writeHead(409, { "content-type": "application/json" }).end("{}")
  }
  return { server, letGo }
}

test("R21 a resolve that waited while all connections were taken is not sent if a stop came", async () => {
  const { server, letGo } = await busyServer()
  const client = createPlatformClient({ name: "main", url: server.url, token: TOKEN })
  onTestFinished(client.close)
  const looks: number[] = []
  const first = Array.from({ length: 8 }, () => client.resolve("taken", "{}", principal, () => true))
  await vi.waitFor(() => expect(server.seen).toHaveLength(8))
  let stopped = false
  const mayLeave = () => {
    looks.push(1)
    return !stopped
  }
  const waits = client.resolve("waiting", "{}", principal, mayLeave)

  stopped = true
  letGo()

  expect(await waits).toEqual({ kind: "held-back" })
  await Promise.all(first)
  expect(looks).toHaveLength(1)
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(Array(8).fill("/approvals/taken/resolve"))
})

test("R21 a continue that waited while all connections were taken is not sent if a stop came", async () => {
  const { server, letGo } = await busyServer()
  const client = createRunsClient({ name: "main", url: server.url, token: TOKEN, timeoutMs: 2_000, resumeMs: 60_000 })
  onTestFinished(client.close)
  const form = { explicit: null, background: false } as const
  const send = (runId: string, mayLeave: () => boolean) =>
    client.continue({ runner: "agents", component: "a", sessionId: "s", runId }, form, mayLeave)
  const first = Array.from({ length: maxContinues }, () => send("taken", () => true))
  await vi.waitFor(() => expect(server.seen).toHaveLength(maxContinues), limitMs)
  let stopped = false
  const waits = send("waiting", () => !stopped)

  stopped = true
  letGo()

  expect(await waits).toEqual({ kind: "held-back" })
  await Promise.all(first)
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(Array(maxContinues).fill("/agents/a/runs/taken/continue"))
})

test("a resolve that may leave is sent whole, and a failure is told as ever", async () => {
  const server = await startServer(() => ({ status: 500, body: "{}" }))
  onTestFinished(server.close)
  const client = createPlatformClient({ name: "main", url: server.url, token: TOKEN })
  onTestFinished(client.close)

  expect(await failure(client.resolve("x", '{"a":1}', principal, () => true))).toMatchObject({ code: "server" })
  expect(server.seen).toMatchObject([{ method: "POST", body: '{"a":1}' }])
})
