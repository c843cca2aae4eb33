// The fetch that calls to Slack go by, against a real server.

import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { createFetch } from "../../../src/slack/transport/web-client.ts"

async function aServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function aFetch(timeoutMs = 5_000) {
  const own = createFetch({ timeoutMs })
  onTestFinished(() => own.close())
  return own
}

it("the client sends text and reads status, headers and the whole answer", async () => {
  const url = await aServer((request, response) => {
    response.writeHead(429, { "retry-after": "7", "set-cookie": ["a=1", "b=2"] })
    request.pipe(response)
  })

  const answer = await aFetch().fetch(url, { method: "POST", headers: { "x-one": "1" }, body: '{"text":"für"}' })

  expect(answer).toMatchObject({ ok: false, status: 429, url })
  expect(answer.headers.get("retry-after")).toBe("7")
  expect(await answer.text()).toBe('{"text":"für"}')
  expect(await answer.json()).toEqual({ text: "für" })
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('{"text":"für"}')
})

it("the client gives a 429 that does not say for how long five seconds, so that Slack's library tells it by its class", async () => {
  const url = await aServer((_, response) => {
    response.writeHead(429).end()
  })

  const answer = await aFetch().fetch(url)

  expect(answer.headers.get("retry-after")).toBe("5")
})

it("the client follows no redirect: a secret goes nowhere else", async () => {
  let seen = 0
  const elsewhere = await aServer((_, response) => {
    seen += 1
    response.end()
  })
  const url = await aServer((_, response) => void response.writeHead(307, { location: elsewhere }).end())

  const answer = await aFetch().fetch(url, { method: "POST", body: "a secret", redirect: "follow" })

  expect(answer).toMatchObject({ ok: false, status: 307 })
  expect(seen).toBe(0)
})

it("a call ends with its signal, and with the connections of its client", async () => {
  const url = await aServer(() => undefined)
  const own = aFetch()

  await expect(own.fetch(url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: "TimeoutError" })
  const waiting = expect(own.fetch(url)).rejects.toMatchObject({ code: "UND_ERR_DESTROYED" })
  await own.close()
  await waiting
})

it("a call ends in time by itself, whatever undici does with a header that nobody can send", async () => {
  const url = await aServer((_, response) => response.end())
  const { fetch } = aFetch(50)
  const headers = { authorization: "Bearer xoxb-cut…off" }

  const ends = await Promise.allSettled([1, 2, 3].map(() => fetch(url, { headers })))

  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
})

it("the client refuses a form with files, which nothing of ours sends", async () => {
  await expect(aFetch().fetch("http://127.0.0.1:1", { method: "POST", body: new FormData() })).rejects.toThrow(
    "only text",
  )
})
