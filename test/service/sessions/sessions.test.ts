// 4.3: the sessions routes, over the runs of this service.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService, asAlice, pending, ran, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const all = ["sessions:read", "sessions:write", "sessions:delete"]

async function asked(request: string, json?: unknown, claims: Record<string, unknown> = {}) {
  return call(service, request, { token: await aToken(all, claims), ...(json === undefined ? {} : { json }) })
}

async function aSession(id: string, more: Record<string, unknown> = {}, query = ""): Promise<void> {
  const answer = await asked(`POST /sessions${query}`, { session_id: id, ...more })
  if (answer.status !== 201) throw new Error(answer.text)
  service.pass(1000)
}

describe("GET /sessions", () => {
  test("lists the sessions of runs, named by their first message", async () => {
    await started(service, "agents/support-member", "look")

    expect((await asked("GET /sessions")).body).toEqual({
      data: [
        {
          session_id: "s-1",
          session_name: "look",
          session_state: {},
          created_at: "2026-11-20T12:00:00Z",
          updated_at: "2026-11-20T12:00:00Z",
          session_type: "agent",
          user_id: "alice@example.com",
          agent_id: "support-member",
          metrics: {},
        },
      ],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: 0 },
    })
  })

  test.each([
    ["type=team", ["b"]],
    ["component_id=support-member", ["a"]],
    ["user_id=bob", ["c"]],
    ["session_name=IRS", ["a"]],
    ["sort_order=asc", ["a", "b", "c"]],
    ["sort_by=session_name&sort_order=asc", ["a", "b", "c"]],
    ["sort_by=updated_at", ["c", "b", "a"]],
    ["limit=1&page=2", ["b"]],
    ["page=9", []],
    ["", ["c", "b", "a"]],
  ])("GET /sessions?%s lists the sessions that it asks for", async (query, expected) => {
    await aSession("a", { session_name: "First", agent_id: "support-member" })
    await aSession("b", { session_name: "Second" }, "?type=team")
    await aSession("c", { session_name: "Third", user_id: "bob" })

    const { body } = await asked(`GET /sessions?${query}`)

    expect((body as { data: { session_id: string }[] }).data.map((row) => row.session_id)).toEqual(expected)
  })

  test.each(["type=foo", "limit=0", "limit=x", "sort_by=x", "sort_order=up"])(
    "GET /sessions?%s is 422",
    async (query) => {
      expect(await asked(`GET /sessions?${query}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["query", query.split("=")[0]] }] },
      })
    },
  )
})

describe("one session", () => {
  test("POST /sessions creates one of a type, for the token's subject", async () => {
    const answer = await asked("POST /sessions", { session_name: "N", agent_id: "support-member" }, { sub: "ann" })

    expect(answer).toMatchObject({
      status: 201,
      body: {
        session_id: expect.any(String),
        session_name: "N",
        user_id: "ann",
        agent_id: "support-member",
        chat_history: [],
      },
    })
  })

  test("an id that is taken is 409 and says what to do", async () => {
    await aSession("mine")

    expect(await asked("POST /sessions", { session_id: "mine" })).toMatchObject({
      status: 409,
      body: { detail: "Session with id 'mine' already exists. Use PATCH /sessions/mine to update it." },
    })
  })

  test("GET shows its conversation, and of another type it is not found", async () => {
    await started(service, "agents/support-member", "look")

    expect((await asked("GET /sessions/s-1")).body).toMatchObject({
      agent_session_id: "s-1",
      session_name: "look",
      agent_data: { name: "Support Member", agent_id: "support-member" },
      chat_history: [
        { role: "user", content: "look" },
        { role: "assistant", tool_calls: [{ function: { name: "look_up", arguments: '{"id":7}' } }] },
        { role: "tool", content: expect.stringContaining("look_up ran") },
        { role: "assistant", content: "Seen." },
      ],
    })
    expect(await asked("GET /sessions/s-1?type=team")).toMatchObject({ status: 404 })
  })

  test("a session of a team and one of a workflow have their own shapes", async () => {
    await aSession("t", { team_id: "support-team" }, "?type=team")
    await aSession("w", { workflow_id: "month-end", session_state: { step: 1 } }, "?type=workflow")

    expect((await asked("GET /sessions/t")).body).toMatchObject({
      team_id: "support-team",
      team_data: { name: "Support Team" },
    })
    expect((await asked("GET /sessions/w")).body).toMatchObject({
      workflow_id: "month-end",
      workflow_name: "Month End",
      session_data: { session_state: { step: 1 }, session_metrics: {} },
    })
  })

  test("rename and PATCH change what they name and nothing else, digit by digit", async () => {
    await aSession("s", { session_state: { a: 1 }, metadata: { m: 1 } })

    expect((await asked("POST /sessions/s/rename", { session_name: "new" })).body).toMatchObject({
      session_name: "new",
    })
    const changed = await call(service, "PATCH /sessions/s", {
      token: await aToken(all),
      raw: '{"session_state":{"n":12345678901234567890},"summary":{"summary":"x"}}',
    })

    expect(changed.text).toContain('"session_state":{"n":12345678901234567890}')
    expect(changed.body).toMatchObject({
      session_name: "new",
      metadata: { m: 1 },
      session_summary: { summary: "x" },
      updated_at: "2026-11-20T12:00:01Z",
    })
  })

  test.each<[string, unknown, (string | number)[]]>([
    ["POST /sessions/s/rename", {}, ["body", "session_name"]],
    ["POST /sessions", { metadata: [] }, ["body", "metadata"]],
    ["PATCH /sessions/s", { session_state: "x" }, ["body", "session_state"]],
    ["DELETE /sessions", { session_ids: ["a"], session_types: [] }, ["body", "session_types"]],
    ["DELETE /sessions", { session_ids: ["a"], session_types: ["x"] }, ["body", "session_types", 0]],
  ])("7: %s with %j is 422 at %j", async (request, json, loc) => {
    await aSession("s")

    expect(await asked(request, json)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
  })

  test.each(["GET /sessions/none", "POST /sessions/none/rename", "PATCH /sessions/none"])(
    "a session that is not there is 404: %s",
    async (request) => {
      const json = request.startsWith("GET") ? undefined : { session_name: "x" }

      expect(await asked(request, json)).toMatchObject({
        status: 404,
        body: { detail: "Session with id 'none' not found" },
      })
    },
  )
})

describe("deleting", () => {
  test("removes the session with its runs, and cancels what they asked; what ran stays on record", async () => {
    await started(service, "agents/support-member", "look")
    const { run_id } = await started(service, "agents/support-member", "delete it")

    expect((await asked("DELETE /sessions/s-1")).status).toBe(204)
    expect((await asked("DELETE /sessions/s-1")).status).toBe(204)

    expect((await asked("GET /sessions/s-1")).status).toBe(404)
    expect((await wentOn(service, "agents/support-member", run_id)).status).toBe(404)
    expect(await pending(service)).toEqual([])
    expect(ran(service)).toEqual(['look_up {"id":7}'])
  })

  test("deleting in bulk needs a type for each id, and leaves sessions of other types alone", async () => {
    await aSession("a")
    await aSession("b", {}, "?type=team")

    expect(await asked("DELETE /sessions", { session_ids: ["a"], session_types: ["agent", "team"] })).toMatchObject({
      status: 400,
      body: { detail: "Session IDs and session types must have the same length" },
    })
    expect(
      (await asked("DELETE /sessions", { session_ids: ["a", "b", "c"], session_types: ["agent", "agent", "team"] }))
        .status,
    ).toBe(204)
    expect((await asked("GET /sessions/a")).status).toBe(404)
    expect((await asked("GET /sessions/b")).status).toBe(200)
  })
})

describe("the runs of a session", () => {
  test("are shown with their members', by whoever may read sessions", async () => {
    const run = await started(service, "teams/support-team", "please")
    const [row] = await pending(service)

    const { body } = await asked("GET /sessions/s-1/runs")

    expect(body).toMatchObject([
      { run_id: run.run_id, parent_run_id: "", team_id: "support-team", run_input: "please", status: "PAUSED" },
      {
        run_id: row?.run_id,
        parent_run_id: run.run_id,
        agent_id: "support-member",
        run_input: "delete it",
        status: "PAUSED",
        user_id: "alice@example.com",
        created_at: "2026-11-20T12:00:00Z",
        tools: [{ tool_name: "delete_user_data", approval_id: row?.id }],
        messages: [{ role: "user", content: "delete it" }, { role: "assistant" }],
      },
    ])
    expect(JSON.stringify(body)).not.toContain('"requirements"')
    expect((await asked(`GET /sessions/s-1/runs/${row?.run_id}`)).body).toEqual((body as unknown[])[1])
  })

  test("the runs of a workflow's session have its steps", async () => {
    const run = await started(service, "workflows/month-end", "go")

    expect((await asked(`GET /sessions/s-1/runs/${run.run_id}`)).body).toMatchObject({
      workflow_id: "month-end",
      paused_step_name: "delete",
      step_executor_runs: [{}, {}],
    })
  })

  test("are narrowed by status and time", async () => {
    await started(service, "agents/support-member", "look")
    service.pass(10_000)
    await started(service, "agents/support-member", "delete it")
    const count = async (query: string): Promise<number> =>
      ((await asked(`GET /sessions/s-1/runs?${query}`)).body as unknown[]).length

    expect(await count("status=PAUSED")).toBe(1)
    expect(await count("created_after=1795176005")).toBe(1)
    expect(await count("created_before=1795176005")).toBe(1)
    expect(await count("")).toBe(2)
    expect((await asked("GET /sessions/s-1/runs?created_after=x")).status).toBe(422)
  })

  test("the runs of an unknown session, and an unknown run, are 404", async () => {
    await started(service, "agents/support-member", "look")

    expect((await asked("GET /sessions/none/runs")).body).toEqual({ detail: "Session with ID none not found" })
    expect((await asked("GET /sessions/s-1/runs/none")).body).toEqual({
      detail: "Run with ID none not found in session s-1",
    })
  })
})

test("a run in another user's session is 404 and changes nothing", async () => {
  await started(service, "agents/support-member", "look")
  const token = await aToken(["agents:run"], { sub: "mallory" })

  const answer = await call(service, "POST /agents/support-member/runs", {
    token,
    form: { message: "look", stream: "false", session_id: "s-1" },
  })

  expect(answer).toMatchObject({ status: 404, body: { detail: "Session not found" } })
  expect(ran(service)).toHaveLength(1)
})

test("under user isolation sessions are those of their user", async () => {
  const isolated = await aFullService({ userIsolation: true })
  await started(isolated, "agents/support-member", "look")
  const [alice, bob] = [await asAlice(), await aToken(all, { sub: "bob" })]

  expect((await call(isolated, "GET /sessions", { token: alice })).body).toMatchObject({ meta: { total_count: 1 } })
  expect((await call(isolated, "GET /sessions", { token: bob })).body).toMatchObject({ meta: { total_count: 0 } })
  for (const path of ["/sessions/s-1", "/sessions/s-1/runs", "/sessions/s-1/runs/x"]) {
    expect((await call(isolated, `GET ${path}`, { token: bob })).status).toBe(404)
  }
  const listed = "GET /agents/support-member/runs?session_id=s-1"
  expect((await call(isolated, listed, { token: alice })).body).toHaveLength(1)
  const runner = await aToken(["agents:read", "agents:run"], { sub: "bob" })
  expect((await call(isolated, listed, { token: runner })).body).toEqual([])
  expect((await call(isolated, "DELETE /sessions/s-1", { token: bob })).status).toBe(204)
  expect((await call(isolated, "GET /sessions/s-1", { token: alice })).status).toBe(200)
  await isolated.close()
})

test("the runs of a session are told in short, with the filters of the whole ones", async () => {
  const run = await started(service, "agents/support-member", "look".repeat(100))
  const read = async (query = "") => (await asked(`GET /sessions/s-1/run-previews${query}`)).body

  expect(await read()).toEqual([
    {
      run_id: run.run_id,
      agent_id: "support-member",
      user_id: "alice@example.com",
      status: "PAUSED",
      run_input: "look".repeat(70),
      content_preview: expect.any(String),
      created_at: "2026-11-20T12:00:00Z",
    },
  ])
  expect(await read("?status=COMPLETED")).toEqual([])
  expect((await asked("GET /sessions/x/run-previews")).status).toBe(404)
})
