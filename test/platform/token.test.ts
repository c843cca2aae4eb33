// A credential that may change while the client runs.
import { expect, onTestFinished, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { failure } from "./clients.ts"
import { json, recorded, startServer } from "./replay.ts"

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

const at = Date.UTC(2026, 10, 21, 12)
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`

test.each([
  [
    "has ended by the server's clock",
    jwt({ exp: at / 1_000 - 60 }),
    "refused; the token says itself that it ended at 2026-11-21T11:59:00.000Z",
  ],
  ["has not ended", jwt({ exp: at / 1_000 + 60 }), "refused"],
  ["never ends", jwt({}), "refused"],
  ["says no time that there is", jwt({ exp: 1e300 }), "refused"],
  ["is no JWT", "agno_pat_x", "refused"],
])("a 401 for a token that %s says so", async (_, token, words) => {
  const server = await startServer((_seen, response) => {
    response.writeHead(401, { "content-type": "application/json", date: new Date(at).toUTCString() })
    response.end('{"detail":"refused"}')
    return undefined
  })
  const client = createPlatformClient({ name: "main", url: server.url, token })
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])))

  expect(await failure(client.count())).toMatchObject({ code: "unauthorized", detail: words })
  expect(await client.resolve("x", "{}")).toEqual({ kind: "later", status: 401, detail: words, barred: true })
})

test("a service account's token that was refused too often is refused still; any other 429 is not about it", async () => {
  const replies = [recorded("429-service-account"), json({ detail: "slow down" }, 429)]
  const server = await startServer(() => replies.shift() ?? json({}, 500))
  const client = createPlatformClient({ name: "main", url: server.url, token: "agno_pat_x" })
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])))

  expect(await failure(client.count())).toMatchObject({ code: "busy", status: 429, barred: true })
  expect(await client.resolve("x", "{}")).toMatchObject({ kind: "later", status: 429, barred: false })
})
