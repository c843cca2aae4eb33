// Host and cause of a failed call, as the doctor, the log, alarms and /status say them.
import { expect, onTestFinished, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { causeOf } from "../../src/platform/errors.ts"
import { clientOf, failure } from "./clients.ts"
import { json } from "./replay.ts"

const TOKEN = "a-token-that-nobody-may-see"

async function causeAt(url: string): Promise<string> {
  const client = createPlatformClient({ name: "main", url, token: TOKEN })
  onTestFinished(() => client.close())
  return causeOf(await failure(client.count()))
}

test("a call that was never sent names host and cause", async () => {
  expect(await causeAt("http://127.0.0.1:9/os")).toBe(
    "127.0.0.1:9: could not be sent: the connection was refused (127.0.0.1:9): nothing listens",
  )
  expect(await causeAt("https://nothing.invalid/os")).toMatch(/^nothing\.invalid: could not be sent: .*DNS/)
})

test("an answer names host, status and the server's own words, never the token", async () => {
  const { client, server } = await clientOf(({ headers }) => json({ detail: `no: ${headers.authorization}` }, 403))

  const cause = causeOf(await failure(client.count()))

  expect(cause).toBe(`${new URL(server.url).host}: answered 403: no: Bearer [removed]`)
})

test("anything else is told by its message", () => {
  expect([causeOf(new Error("odd")), causeOf("odd")]).toEqual(["odd", "odd"])
})
