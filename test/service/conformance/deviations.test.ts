// A platform that deviates is found out: each kind of deviation, by its section and in words.
import { beforeEach, expect, test } from "vitest"
import type { CheckFamily } from "../../../src/service/conformance/check.ts"
import { readDescription } from "../../../src/service/conformance/description.ts"
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts"
import { opened } from "../../support/opened.ts"
import type { TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import { deviationsIn, tested, testedBy } from "./a-platform.ts"

type Fault = Parameters<FaultyProxy["fail"]>[0]

let service: TestService
let proxy: FaultyProxy

beforeEach(async () => {
  service = await opened(aFullService())
  proxy = await opened(startFaultyProxy(service.url))
})

const meta = { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: 0 }
const memory = { memory_id: "m", memory: "x", topics: [], user_id: "u", updated_at: "2026-11-20T12:00:00Z" }

function answering(method: string, path: RegExp, status: number, body: unknown = "", more: object = {}): Fault {
  return { method, path, fault: { kind: "answer", status, body, ...more } }
}

test.each<[string, CheckFamily, Fault, string]>([
  [
    "lets strangers in",
    "memories",
    answering("GET", /^\/memories$/, 200, { data: [], meta: { ...meta, total_pages: 0, total_count: 0 } }),
    "5.1 GET /memories without a credential is 401: status 401",
  ],
  [
    "lets a narrow account in",
    "traces",
    answering("POST", /^\/traces\/search$/, 200, { data: [], meta }),
    "5.3 POST /traces/search without traces:read is 403: status 403",
  ],
  [
    "lets anybody resolve",
    "approvals",
    answering("POST", /\/resolve$/, 200, { id: "x" }),
    "4.1 POST /approvals/*/resolve without approvals:write is 403: status 403",
  ],
  [
    "says nothing in its refusals",
    "sessions",
    answering("GET", /^\/sessions\/countersign-none/, 404, {}),
    "7 GET /sessions/* of an unknown id is 404: detail: Invalid input: expected string, received undefined",
  ],
  [
    "has no such route",
    "schedules",
    answering("GET", /^\/schedules$/, 404),
    "4.3 GET /schedules is a page of rows and its numbers: status 200",
  ],
  [
    "does not serve a route",
    "learnings",
    answering("POST", /^\/learnings$/, 501),
    "4.3 a learning is kept: status 201",
  ],
  [
    "lists without numbers",
    "components",
    answering("GET", /^\/components$/, 200, []),
    "4.3 GET /components is a page of rows and its numbers: Invalid input: expected object, received array",
  ],
  [
    "counts wrong",
    "memories",
    answering("GET", /^\/memories$/, 200, { data: [memory], meta: { ...meta, total_pages: 7 } }),
    "4.3 GET /memories is a page of rows and its numbers: meta.total_pages: expected 1",
  ],
  [
    "ignores a filter",
    "memories",
    answering("GET", /^\/memories$/, 200, { data: [memory], meta }),
    "4.3 GET /memories is narrowed by user_id: data: expected 0 rows, and as many in total",
  ],
  [
    "tells times otherwise",
    "memories",
    answering("GET", /^\/memories$/, 200, { data: [{ ...memory, updated_at: "20 Nov 2026" }], meta }),
    "4.3 GET /memories is a page of rows and its numbers: data.0.updated_at: Invalid ISO datetime",
  ],
  [
    "explains a bad input in a text",
    "approvals",
    answering("GET", /^\/approvals$/, 422, { detail: "bad" }),
    "2.3 GET /approvals with limit=0 is 422: detail: Invalid input: expected array, received string",
  ],
  [
    "takes a long resolved_by",
    "approvals",
    answering("POST", /\/resolve$/, 200, { id: "x" }),
    "4.1 a resolved_by of 256 characters is 422: status 422",
  ],
  [
    "lets two resolves take effect",
    "approvals",
    answering("POST", /\/resolve$/, 200, { id: "x" }),
    "3.1 of 8 resolves at once one takes effect, and the others are 409: 200 once and 409 7 times",
  ],
  [
    "forgets what came with a resolve",
    "approvals",
    answering("POST", /\/resolve$/, 200, { id: "x" }),
    '3.1 the record keeps the resolved_by of the request: resolved_by: "countersign-conformance-0123456789ab"',
  ],
  [
    "counts in words",
    "approvals",
    answering("GET", /^\/approvals\/count$/, 200, { count: "none" }),
    "4.2 GET /approvals/count is a number: count: Invalid input: expected number, received string",
  ],
  [
    "answers a deletion with a body",
    "learnings",
    answering("DELETE", /^\/learnings\/user/, 200, {}),
    "4.3 a learning is removed: status 204",
  ],
  [
    "finds what was removed",
    "memories",
    answering("GET", /^\/memories\/[\w-]+$/, 200, memory),
    "7 a memory that was removed is 404: status 404",
  ],
  [
    "streams no events",
    "agents",
    answering("POST", /^\/agents\/[\w-]+\/runs$/, 200, { run_id: "r", session_id: "s", status: "DONE" }),
    "6 its events are those of the table, from the first to the last: content-type text/event-stream",
  ],
  [
    "knows another state",
    "agents",
    answering("POST", /^\/agents\/[\w-]+\/runs$/, 200, { run_id: "r", session_id: "s", status: "DONE" }),
    "2.2 a run without a stream answers in one of the states: status: Invalid option",
  ],
  [
    "streams an event of its own",
    "agents",
    answering("POST", /^\/agents\/[\w-]+\/runs$/, 200, 'event: Begun\ndata: {"run_id":"r"}\n\n', {
      headers: { "content-type": "text/event-stream" },
    }),
    '6 its events are those of the table, from the first to the last: an event of the table, not "Begun"',
  ],
  [
    "streams no end",
    "agents",
    answering("POST", /^\/agents\/[\w-]+\/runs$/, 200, 'event: RunStarted\ndata: {"run_id":"r"}\n\n', {
      headers: { "content-type": "text/event-stream" },
    }),
    "as the last event",
  ],
  [
    "knows no such error of a task",
    "a2a",
    answering("POST", /tasks:get$/, 404, { detail: "gone" }),
    "4.4 an unknown task is 404 with a JSON-RPC error: error: Invalid input: expected object, received undefined",
  ],
  [
    "shows a session in any user's name",
    "sessions",
    answering("GET", /^\/sessions\/countersign-/, 200, { session_id: "countersign-conformance-0123456789ab" }),
    "7 a session is not shown as another user's: status 404",
  ],
  [
    "answers otherwise than it describes",
    "approvals",
    answering("GET", /^\/approvals\/count$/, 200, { number: 3 }),
    "9.1 answers of approvals are as /openapi.json says: count: Invalid input: expected number, received undefined",
  ],
  [
    "answers with a page",
    "metrics",
    answering("GET", /^\/metrics$/, 200, "<html></html>"),
    "4.3 GET /metrics is days with their numbers: JSON",
  ],
  [
    "breaks off",
    "metrics",
    { method: "GET", path: /^\/metrics$/, fault: { kind: "cut", forwarded: false } },
    "4.3 GET /metrics is days with their numbers: an answer",
  ],
])("a platform that %s", async (_name, family, fault, expected) => {
  proxy.fail(fault)
  const agent = family === "agents" ? { id: "support-member", message: "look" } : null

  const found = await tested(proxy, { only: [family], agent })

  expect(deviationsIn(found)).toEqual(expect.arrayContaining([expect.stringContaining(expected)]))
})

const streamOf = (...results: readonly object[]) =>
  results.map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`).join("")
const task = { kind: "task" }
const working = { kind: "status-update", final: false }
const done = { kind: "status-update", final: true }

test.each([
  ["begins with a message", [{ kind: "message" }, task, done], "a task as the first event"],
  ["has a message after its task", [task, { kind: "message" }, done], "updates alone after the task"],
  ["has a second task", [task, working, done, task], "updates alone after the task"],
  ["has no final status", [task, working], "a status with final: true as the last event, and no other"],
  [
    "goes on after the final status",
    [task, done, working],
    "a status with final: true as the last event, and no other",
  ],
])("a stream of A2A that %s", async (_name, results, expected) => {
  const headers = { "content-type": "text/event-stream" }
  proxy.fail(answering("POST", /message:stream$/, 200, streamOf(...results), { headers }))

  const found = await tested(proxy, { only: ["a2a"], agent: { id: "support-member", message: "look" } })

  const says = "6 a stream of A2A begins with the task, and ends with the final status"
  expect(deviationsIn(found)).toContain(`${says}: ${expected}`)
})

test("a status that a description does not name is told", () => {
  const operation = { responses: { 200: { content: {} } } }
  const judge = readDescription({ paths: { "/models": { get: operation } }, components: { schemas: {} } })
  const reply = { status: 404, headers: {}, text: "{}" }

  expect(judge?.({ method: "GET", path: "/models?a=1" }, reply)).toMatchObject({ expected: "status 200" })
  expect(judge?.({ method: "GET", path: "/models" }, { ...reply, status: 401 })).toBeNull()
  expect(judge?.({ method: "GET", path: "/nothing" }, reply)).toBeNull()
  expect(readDescription(null)).toBeNull()
})

test("a report repeats no credential, also where a platform does", async () => {
  proxy.fail(answering("GET", /^\/metrics$/, 500, { detail: "Bearer a.secret.credential" }))

  const found = await tested(proxy, { only: ["metrics"], token: "a.secret.credential" })

  expect(JSON.stringify(found)).not.toContain("secret")
})

test("a row that is made where it should be refused is taken away, as all others are", async () => {
  const made: string[] = []
  const removed: string[] = []

  const found = await testedBy(
    async ({ method, path, headers }) => {
      const reply = (status: number, body: unknown) => ({
        status,
        headers: { "content-type": "application/json" },
        text: JSON.stringify(body),
      })
      if (headers["authorization"] === undefined) return reply(401, { detail: "no" })
      if (method === "POST" && path === "/memories") return reply(200, { memory_id: `m${made.push(path)}` })
      if (method !== "DELETE") return reply(404, { detail: "no" })
      removed.push(path)
      return reply(204, null)
    },
    { only: ["memories"] },
  )

  expect(made).toHaveLength(2)
  expect(removed).toEqual(expect.arrayContaining(["/memories/m1", "/memories/m2"]))
  expect(found.leftovers).toEqual([])
})
