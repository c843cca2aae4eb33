// A credential that may change while the client runs.
import { expect, onTestFinished, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { failure } from "./clients.ts"
import { json, startServer } from "./replay.ts"

test("a token that may change is asked for before each exchange, and the one that was sent is never told", async () => {
  const server = await startServer(({ headers }) => json({ detail: `no: ${String(headers.authorization)}` }, 401))
  const tokens = ["first-secret", "second-secret"]
  const client = createPlatformClient({ name: "main", url: server.url, token: () => tokens.shift() ?? "" })
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])))

  const told = [await failure(client.count()), await client.resolve("x", "{}")]

  const sent = server.seen.map(({ headers }) => headers.authorization)
  expect(sent).toEqual(["Bearer first-secret", "Bearer second-secret"])
  expect(told).toMatchObject([{ detail: "no: Bearer [removed]" }, { kind: "later", detail: "no: Bearer [removed]" }])
})
