// The key set and the list of ended decisions, served to whoever asks.
import { Hono } from "hono"
import { expect, test } from "vitest"
import { serveEndedList, serveKeys } from "../../src/http/server.ts"
import { createLog } from "../../src/log.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { aSigner } from "../support/signer.ts"

const path = "/.well-known/jwks.json"

test("the key set is served without a credential and may be kept for five minutes", async () => {
  const { publicKey } = await aSigner()
  const app = new Hono()
  const log = createLog({ write: () => undefined, clock: () => 0, secrets: [] })
  serveKeys(app, { read: async () => [publicKey], log })

  const response = await app.request(path)

  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/jwk-set+json")
  expect(response.headers.get("cache-control")).toContain("max-age=300")
  expect(readKeySet(await response.text(), path)).toEqual({ keys: [publicKey] })
})

test("the key set is 503 while the keys cannot be read, and the log says why", async () => {
  const lines: string[] = []
  const app = new Hono()
  const log = createLog({ write: (line) => void lines.push(line), clock: () => 0, secrets: [] })
  serveKeys(app, { read: () => Promise.reject(new Error("Redis is away")), log })

  const response = await app.request(path)

  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ error: "the keys cannot be read now" })
  expect(lines.join()).toContain("Redis is away")
})

test("the list of ended decisions is served without a credential, and is 503 while it cannot be read", async () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), clock: () => 0, secrets: [] })
  const answers = [Promise.resolve("a.b.c"), Promise.reject(new Error("Redis is away"))]
  const app = new Hono()
  serveEndedList(app, { path: "/ended", read: () => answers.shift() ?? Promise.resolve(""), log })

  const served = await app.request("/ended")
  const failed = await app.request("/ended")

  expect([served.status, await served.text()]).toEqual([200, "a.b.c"])
  expect(served.headers.get("content-type")).toBe("application/jose")
  expect(served.headers.get("cache-control")).toBe("public, max-age=1")
  expect(failed.status).toBe(503)
  expect(lines.join()).toContain("Redis is away")
})
