// Traces (4.3) over HTTP: the service's own runs as spans, listed, viewed and searched.

import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { opened } from "../../support/opened.ts"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"
import { aFullService, decideAll, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

async function ask(request: string, json?: unknown, at: TestService = service, claims = {}): Promise<Answer> {
  const token = await aToken(["traces:read"], claims)
  return call(at, request, { token, ...(json === undefined ? {} : { json }) })
}

const rowSchema = z.looseObject({ trace_id: z.string(), run_id: z.string(), input: z.string().optional() })
const listSchema = z.object({ data: z.array(rowSchema) })

async function found(query: string): Promise<readonly (string | undefined)[]> {
  return listSchema.parse((await ask(`GET /traces${query}`)).body).data.map(({ input }) => input)
}

async function traceOf(runId: string): Promise<string> {
  const [trace] = listSchema.parse((await ask(`GET /traces?run_id=${runId}`)).body).data
  return trace?.trace_id ?? ""
}

describe("a trace", () => {
  test("sums a run up, without what it does not have", async () => {
    const run = await started(service, "agents/support-member", "look")

    expect((await ask("GET /traces")).body).toEqual({
      data: [
        {
          trace_id: run.run_id.replaceAll("-", ""),
          name: "Support Member.run",
          status: "OK",
          duration: "0ms",
          start_time: "2026-11-20T12:00:00.000Z",
          end_time: "2026-11-20T12:00:00.000Z",
          total_spans: 2,
          error_count: 0,
          input: "look",
          run_id: run.run_id,
          session_id: "s-1",
          user_id: "alice@example.com",
          agent_id: "support-member",
          created_at: "2026-11-20T12:00:00.000Z",
        },
      ],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: 0 },
    })
  })

  test("shows the calls of a run, and how long it waited", async () => {
    const run = await started(service, "agents/support-member", "delete it")
    service.pass(90_000)
    await decideAll(service, { status: "approved" })
    await wentOn(service, "agents/support-member", run.run_id)
    const id = await traceOf(run.run_id)

    const { body } = await ask(`GET /traces/${id}`)

    expect(body).toMatchObject({
      trace_id: id,
      status: "OK",
      duration: "90.00s",
      total_spans: 2,
      output: "The data is gone.",
      tree: [
        {
          type: "AGENT",
          status: "OK",
          metadata: { run_id: run.run_id, session_id: "s-1" },
          spans: [
            {
              name: "delete_user_data",
              type: "TOOL",
              status: "OK",
              start_time: "2026-11-20T12:00:00.000Z",
              end_time: "2026-11-20T12:01:30.000Z",
              input: '{"user_id":"U-200"}',
              metadata: { tool_name: "delete_user_data", parameters: { user_id: "U-200" } },
            },
          ],
        },
      ],
    })
  })

  test("of a run that waits is neither OK nor an error", async () => {
    const run = await started(service, "agents/support-member", "delete it")

    const { body } = await ask(`GET /traces/${await traceOf(run.run_id)}`)

    expect(body).toMatchObject({ status: "UNSET", tree: [{ spans: [{ status: "UNSET" }] }] })
    expect(body).not.toHaveProperty("output")
  })

  test("of a run that failed says why, and counts it", async () => {
    const run = await started(service, "agents/support-member", "broken")

    const { body } = await ask(`GET /traces/${await traceOf(run.run_id)}`)

    expect(body).toMatchObject({ status: "ERROR", error_count: 1, error: "the model is down" })
  })

  test("has the runs of members below the run that started them, and is one trace", async () => {
    const run = await started(service, "workflows/month-end", "go")

    const { body } = await ask(`GET /traces/${await traceOf(run.run_id)}`)

    expect(body).toMatchObject({
      workflow_id: "month-end",
      tree: [{ type: "WORKFLOW", spans: [{ type: "AGENT", name: "Support Member.run" }, { type: "AGENT" }] }],
    })
    expect(await found("")).toEqual(["go"])
  })

  test("gives one of its spans, without those below it", async () => {
    const run = await started(service, "agents/support-member", "look")
    const id = await traceOf(run.run_id)

    const root = await ask(`GET /traces/${id}?span_id=${id.slice(0, 16)}`)

    expect(root.body).toMatchObject({ type: "AGENT", input: "look", output: "Seen." })
    expect(root.body).not.toHaveProperty("spans")
    expect(await ask(`GET /traces/${id}?span_id=none`)).toMatchObject({
      status: 404,
      body: { detail: "Span not found" },
    })
  })

  test("a trace that is not there is 404, and so is one of another run", async () => {
    const run = await started(service, "agents/support-member", "look")
    const id = await traceOf(run.run_id)

    for (const path of ["none", `${id}?run_id=other`]) {
      expect(await ask(`GET /traces/${path}`)).toMatchObject({ status: 404, body: { detail: "Trace not found" } })
    }
    expect((await ask(`GET /traces/${id}?run_id=${run.run_id}`)).status).toBe(200)
  })
})

describe("many traces", () => {
  beforeEach(async () => {
    await started(service, "agents/support-member", "look")
    service.pass(60_000)
    await started(service, "agents/support-member", "broken")
    service.pass(60_000)
    await started(service, "teams/support-team", "own tool")
  })

  test.each([
    ["", ["own tool", "broken", "look"]],
    ["?sort_order=asc", ["look", "broken", "own tool"]],
    ["?limit=1&page=2", ["broken"]],
    ["?status=ERROR", ["broken"]],
    ["?agent_id=support-member", ["broken", "look"]],
    ["?team_id=support-team", ["own tool"]],
    ["?workflow_id=x", []],
    ["?session_id=s-1", ["own tool", "broken", "look"]],
    ["?user_id=bob", []],
    ["?start_time=2026-11-20T12:01:00Z", ["own tool", "broken"]],
    ["?end_time=2026-11-20T13:01:00%2B01:00", ["broken", "look"]],
  ])("GET /traces%s finds %j", async (query, inputs) => {
    expect(await found(query)).toEqual(inputs)
  })

  test.each(["start_time=yesterday", "end_time=2026-11-20", "sort_by=input", "limit=0"])(
    "refuses %s",
    async (query) => {
      expect((await ask(`GET /traces?${query}`)).status).toBe(422)
    },
  )

  test.each([
    [{ op: "EQ", key: "status", value: "ERROR" }, ["broken"]],
    [{ op: "NEQ", key: "status", value: "ERROR" }, ["own tool", "look"]],
    [{ op: "IN", key: "status", values: ["OK", "ERROR"] }, ["broken", "look"]],
    [{ op: "CONTAINS", key: "agent_id", value: "SUPPORT" }, ["broken", "look"]],
    [{ op: "STARTSWITH", key: "name", value: "Support T" }, ["own tool"]],
    [{ op: "GT", key: "start_time", value: "2026-11-20T12:00:00Z" }, ["own tool", "broken"]],
    [{ op: "LTE", key: "duration_ms", value: 0 }, ["own tool", "broken", "look"]],
    [
      {
        op: "OR",
        conditions: [
          { op: "EQ", key: "team_id", value: "support-team" },
          {
            op: "AND",
            conditions: [
              { op: "NOT", condition: { op: "EQ", key: "status", value: "ERROR" } },
              { op: "LT", key: "start_time", value: "2026-11-20T12:01:00Z" },
            ],
          },
        ],
      },
      ["own tool", "look"],
    ],
    [null, ["own tool", "broken", "look"]],
  ])("a search for %j finds %j with its tree", async (filter, inputs) => {
    const { body } = await ask("POST /traces/search", { filter })

    const { data } = z.object({ data: z.array(rowSchema.extend({ tree: z.array(z.unknown()).length(1) })) }).parse(body)
    expect(data.map(({ input }) => input)).toEqual(inputs)
  })

  test.each([
    [{ op: "EQ", key: "state", value: "x" }, "'state' is no field"],
    [{ op: "EQ", key: "status" }, "'status' is compared with a text"],
    [{ op: "GT", key: "start_time", value: "soon" }, "'start_time' is compared with a time"],
    [{ op: "GT", key: "duration_ms", value: "1" }, "'duration_ms' is compared with a number"],
    [{ op: "LIKE", key: "status", value: "O%" }, "there is no operator 'LIKE'"],
    [{ op: "CONTAINS", key: "start_time", value: "2026-11-20T12:00:00Z" }, "CONTAINS needs a field that is a text"],
    [{ op: "IN", key: "status", value: "OK" }, "IN needs 'values'"],
    [{ op: "IN", key: "status", values: [1] }, "'status' is compared with a text"],
    [{ op: "AND", conditions: [] }, "AND needs 'conditions'"],
    [{ op: "NOT" }, "each part must be an object with 'op'"],
    [{}, "each part must be an object with 'op'"],
  ])("a search for %j is refused: %s", async (filter, fault) => {
    expect(await ask("POST /traces/search", { filter })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`Invalid filter expression: ${fault}`) },
    })
  })

  test("a search that is nested too deeply, or whose page is none, is refused", async () => {
    const deep = Array.from({ length: 12 }).reduce<unknown>((condition) => ({ op: "NOT", condition }), {})

    expect((await ask("POST /traces/search", { filter: deep })).text).toContain("nested deeper than 10 levels")
    expect((await ask("POST /traces/search", { limit: 101 })).status).toBe(422)
    expect((await ask("POST /traces/search", { page: 0 })).status).toBe(422)
    expect((await ask("POST /traces/search", { group_by: "day" })).status).toBe(422)
  })

  test("a search has a bound for conditions, in all, and for values", async () => {
    const one = { op: "EQ", key: "status", value: "OK" }
    const many = (count: number) => ({ op: "OR", conditions: Array.from({ length: count }, () => one) })
    const values = (count: number) => ({ op: "IN", key: "status", values: Array.from({ length: count }, () => "OK") })
    const search = (filter: unknown) => ask("POST /traces/search", { filter })

    expect((await search(many(500))).status).toBe(200)
    expect((await search(values(10_000))).status).toBe(200)
    for (const filter of [many(501), many(999), { op: "AND", conditions: [many(300), many(300)] }])
      expect(await search(filter)).toMatchObject({
        status: 400,
        body: { detail: "Invalid filter expression: it has more than 500 conditions" },
      })
    for (const count of [10_001, 33_000])
      expect(await search(values(count))).toMatchObject({
        status: 400,
        body: { detail: "Invalid filter expression: IN takes 10000 values at most" },
      })
  })

  test("sessions are told with what they had, newest first, in stats and in a search", async () => {
    const form = { message: "look", stream: "false", session_id: "s-2" }
    await call(service, "POST /agents/support-member/runs", { token: await aToken(["agents:run"]), form })

    const stats = await ask("GET /trace_session_stats")

    expect(stats.body).toEqual({
      data: [
        {
          session_id: "s-1",
          user_id: "alice@example.com",
          agent_id: "support-member",
          team_id: "support-team",
          total_traces: 3,
          first_trace_at: "2026-11-20T12:00:00.000Z",
          last_trace_at: "2026-11-20T12:02:00.000Z",
        },
        {
          session_id: "s-2",
          agent_id: "support-member",
          total_traces: 1,
          first_trace_at: "2026-11-20T12:02:00.000Z",
          last_trace_at: "2026-11-20T12:02:00.000Z",
        },
      ],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 2, search_time_ms: 0 },
    })
    expect((await ask("POST /traces/search", { group_by: "session" })).body).toEqual(stats.body)
    const narrowed = async (query: string) =>
      z
        .object({ data: z.array(z.looseObject({ session_id: z.string(), total_traces: z.number() })) })
        .parse((await ask(`GET /trace_session_stats?${query}`)).body).data
    expect(await narrowed("team_id=support-team")).toMatchObject([{ session_id: "s-1", total_traces: 1 }])
    expect(await narrowed("limit=1&page=2")).toMatchObject([{ session_id: "s-2" }])
    expect(await narrowed("end_time=2026-11-20T12:00:00Z")).toMatchObject([{ total_traces: 1 }])
    expect((await ask("GET /trace_session_stats?page=0")).status).toBe(422)
  })
})

test("under user isolation somebody sees the traces of their own runs", async () => {
  const isolated = await aFullService({ userIsolation: true })
  const run = await started(isolated, "agents/support-member", "look")
  const asBob = (request: string, json?: unknown) => ask(request, json, isolated, { sub: "bob" })
  const id = run.run_id.replaceAll("-", "")

  expect((await asBob("GET /traces?user_id=alice@example.com")).body).toMatchObject({ data: [] })
  expect((await asBob(`GET /traces/${id}`)).status).toBe(404)
  expect((await asBob("POST /traces/search", {})).body).toMatchObject({ data: [] })
  expect((await asBob("GET /trace_session_stats?user_id=alice@example.com")).body).toMatchObject({ data: [] })
  expect((await ask(`GET /traces/${id}`, undefined, isolated, { sub: "alice@example.com" })).status).toBe(200)
  await isolated.close()
})
