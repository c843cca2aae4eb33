// A2A before an upstream that gets what is not served here: nobody borrows its credential for more than they hold.

import { beforeEach, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aService, aToken, call, type TestService } from "../a-service.ts"
import { type AnUpstream, anUpstream } from "../an-upstream.ts"

let upstream: AnUpstream
let service: TestService

beforeEach(async () => {
  upstream = await opened(anUpstream())
  service = await opened(aService({ upstream: { url: upstream.url, token: "up" } }))
})

const runs = ["agents:run", "teams:run", "workflows:run"]
const reads = ["agents:read", "teams:read", "workflows:read"]

async function dispatched(path: string, method: string, scopes: readonly string[]): Promise<number> {
  const json = { jsonrpc: "2.0", id: 1, method, params: { id: "t-1", message: { agentId: "elsewhere" } } }
  return (await call(service, `POST /a2a/message/${path}`, { token: await aToken(scopes), json })).status
}

test.each(["send", "stream"])("4.4: run scopes read no task of the upstream through message/%s", async (path) => {
  expect(await dispatched(path, "tasks/get", runs)).toBe(403)
  expect(await dispatched(path, "tasks/new", runs)).toBe(403)
  expect(upstream.arrived).toEqual([])
})

test.each(["send", "stream"])("4.4: what the scopes cover goes on through message/%s", async (path) => {
  expect(await dispatched(path, `message/${path}`, runs)).toBe(200)
  expect(await dispatched(path, "tasks/get", [...runs, ...reads])).toBe(200)
  expect(upstream.arrived.map(({ headers }) => headers.authorization)).toEqual(["Bearer up", "Bearer up"])
})
