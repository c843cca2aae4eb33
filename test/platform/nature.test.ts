// What an instance says of itself: asked at most once a minute, and never believed where it does not say it.
import { describe, expect, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { clientOf, failure } from "./clients.ts"
import { aRow, json, recorded, startServer } from "./replay.ts"

test.each([
  ["info", { enforcesRejection: false, version: "2.7.2" }],
  ["3.1.10/info", { enforcesRejection: false, version: "3.1.10" }],
])("AgentOS (%s) names its version, and promises nothing", async (name, nature) => {
  const { client } = await clientOf(() => recorded(name))

  expect(await client.capabilities()).toEqual(nature)
})

test.each([
  [{ enforces_rejection: true, service: "countersign" }, true],
  [{ enforces_rejection: "true" }, false],
  [{ enforces_rejection: 1 }, false],
  [{}, false],
])("R12 only true is a promise that rejections are enforced: %j", async (body, promised) => {
  const { client } = await clientOf(() => json(body))

  expect(await client.capabilities()).toEqual({ enforcesRejection: promised, version: null })
})

test("R12 what it said is believed for a minute and then asked anew; what failed is asked anew at once", async () => {
  let now = 0
  let answer = json({ detail: "down" }, 503)
  const server = await startServer(() => answer)
  const client = createPlatformClient({ name: "main", url: server.url, token: undefined, clock: () => now })

  expect((await failure(client.capabilities())).code).toBe("server")
  answer = json({ enforces_rejection: true })
  expect(await client.capabilities()).toMatchObject({ enforcesRejection: true })
  answer = json({})
  now = 59_999
  expect(await client.capabilities()).toMatchObject({ enforcesRejection: true })
  now = 60_000
  expect(await client.capabilities()).toMatchObject({ enforcesRejection: false })

  await client.close()
  await server.close()
})

describe("the approvals of a run", () => {
  test("are asked for by its id, whatever became of them", async () => {
    const rows = [aRow({ id: "a-2", status: "approved" }), aRow({ id: "a-1" }), { broken: true }]
    const { client, server } = await clientOf(() => json({ data: rows, meta: { total_count: 3 } }))

    const found = await client.ofRun("run/1")

    expect(found.map(({ id, status }) => `${id} ${status}`)).toEqual(["a-2 approved", "a-1 pending"])
    expect(server.seen[0]?.url.search).toBe("?approval_type=required&limit=100&page=1&run_id=run%2F1")
  })
})

describe("how long its process runs", () => {
  test("is told by its own clock", async () => {
    const began = new Date(Date.now() - 60_000).toISOString()
    const { client, server } = await clientOf(() => json({ status: "ok", instantiated_at: began }))

    const ms = (await client.upForMs()) ?? 0

    expect(Math.abs(ms - 60_000)).toBeLessThan(5_000)
    expect(server.seen[0]?.url.pathname).toMatch(/\/health$/)
  })

  test.each([undefined, "soon", {}])("is not known where it says %s", async (began) => {
    const { client } = await clientOf(() => json({ status: "ok", instantiated_at: began }))

    expect(await client.upForMs()).toBeNull()
  })

  test("is a failure where it does not answer", async () => {
    const { client } = await clientOf(() => json({ detail: "Not Found" }, 404))

    expect((await failure(client.upForMs())).code).toBe("not_found")
  })
})

test("whoever asks what it is while an answer is under way shares it: one request goes out", async () => {
  let asked = 0
  const { client } = await clientOf(() => {
    asked += 1
    return json({ agno_version: "3.1.10" })
  })

  const both = await Promise.all([client.capabilities(), client.capabilities()])

  expect(both.map(({ version }) => version)).toEqual(["3.1.10", "3.1.10"])
  expect(asked).toBe(1)
})
