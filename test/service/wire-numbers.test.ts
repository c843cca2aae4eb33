// Numbers, ids and methods as clients of AgentOS send them: what AgentOS 3.1.10 takes is taken, and what nothing could
// be done with is refused by name.
import { afterAll, beforeAll, expect, test } from "vitest"
import { aService, aToken, call, type TestService } from "./a-service.ts"

const scopes = [
  "schedules",
  "learnings",
  "service_accounts",
  "components",
  "sessions",
  "approvals",
  "memories",
  "knowledge",
  "agents",
]

let service: TestService
let token: string

beforeAll(async () => {
  service = await aService()
  token = await aToken(
    scopes.flatMap((family) => ["read", "write", "delete", "run"].map((verb) => `${family}:${verb}`)),
  )
})
afterAll(() => service.close())

/** Sends a body as text, so that 60.0 stays 60.0. */
async function send(request: string, body?: string): Promise<Response> {
  const [method = "GET", path = "/"] = request.split(" ")
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  return fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
}

const aSchedule = (name: string, more: string) =>
  `{"name":"${name}","cron_expr":"0 0 * * *","endpoint":"/agents/admin-agent/runs",${more}}`

test.each(["60", "60.0", '"60"', '" 60 "', "6e1"])("an integer in a body may be written %s", async (written) => {
  const answer = await send(
    "POST /schedules",
    aSchedule(`s ${written.replaceAll('"', "_")}`, `"timeout_seconds":${written}`),
  )

  expect(await answer.json()).toMatchObject({ timeout_seconds: 60 })
})

test.each([
  ["1.5", "int_from_float"],
  ['"x"', "int_parsing"],
  ['"6e1"', "int_parsing"],
  ["true", "int_type"],
  ["[]", "int_type"],
  ["9007199254740993", "less_than_equal"],
])("an integer in a body is not %s", async (written, type) => {
  const answer = await send("POST /schedules", aSchedule("s", `"timeout_seconds":${written}`))

  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ detail: [{ type, loc: ["body", "timeout_seconds"] }] })
})

test("an account whose days are null is valid for ninety", async () => {
  const answer = await send(
    "POST /service-accounts",
    '{"name":"ninety","scopes":[{"scope":"sessions:read"}],"expires_in_days":null}',
  )
  const { created_at: made, expires_at: ends } = (await answer.json()) as { created_at: number; expires_at: number }

  expect(ends - made).toBe(90 * 86_400)
})

test("accounts are listed in the order that is asked for", async () => {
  for (const name of ["b", "c", "a"])
    await send("POST /service-accounts", `{"name":"${name}","scopes":[{"scope":"sessions:read"}]}`)
  const names = async (query: string) => {
    const { body } = await call(service, `GET /service-accounts?${query}`, { token })
    return (body as { data: { name: string }[] }).data.map(({ name }) => name).filter((name) => name.length === 1)
  }

  expect(await names("sort_by=name&sort_order=asc")).toEqual(["a", "b", "c"])
  expect(await names("sort_by=name")).toEqual(["c", "b", "a"])
  expect(await names("")).toEqual(["a", "c", "b"])
  expect((await send("GET /service-accounts?sort_by=token_hash")).status).toBe(422)
})

test.each(["/approvals", "/sessions", "/memories", "/schedules"])(
  "a page of %s that no number can hold is 422",
  async (path) => {
    expect((await send(`GET ${path}?page=9007199254740993`)).status).toBe(422)
    expect((await send(`GET ${path}?page=1.0`)).status).toBe(200)
  },
)

test.each([
  ["POST /components", '{"name":"x","component_type":"agent","component_id":"."}'],
  ["POST /agents", '{"name":"x","component_id":".."}'],
  ["POST /sessions", '{"session_id":"."}'],
])("%s takes no id that a path cannot name", async (request, body) => {
  const answer = await send(request, body)

  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("an id must not be '.")])
})

test.each(["PATCH /sessions/x", "PATCH /components/x", "PATCH /schedules/x", "PATCH /learnings/x", "POST /sessions"])(
  "%s with a number in place of a body is 422",
  async (request) => {
    await send("POST /sessions", '{"session_id":"x"}')
    for (const body of ["0.0", "0", "1.50"]) expect((await send(request, body)).status).toBe(422)
  },
)

test("a number in place of an object inside a body is 422", async () => {
  expect((await send("POST /knowledge/search", '{"query":"x","meta":1.0}')).status).toBe(422)
})

test.each([
  ["PUT /approvals/count", "GET"],
  ["PUT /approvals/a", "DELETE, GET"],
  ["PUT /components/a/configs/current", "GET"],
  ["PUT /components/a/configs/1", "DELETE, GET, PATCH"],
])("%s is told the methods of that very path", async (request, allow) => {
  const answer = await send(request)

  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow])
})
