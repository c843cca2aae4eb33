// The approvals endpoints over HTTP: create, list, count, view, status, delete.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { anApproval, aService, aToken, call, noon, resolve, type TestService } from "../a-service.ts"

let service: TestService
let reader: string

beforeEach(async () => {
  service = await aService()
  reader = await aToken(["approvals:read"])
})
afterEach(() => service.close())

const get = (path: string) => call(service, `GET ${path}`, { token: reader })

describe("while its approvals are hidden, as AgentOS does while its database is away", () => {
  test.each([
    ["quietly", 200],
    ["openly", 500],
  ] as const)(
    "while approvals are hidden %s the list is %i, single ones are 404, and then all is as before",
    async (how, status) => {
      const { id } = await anApproval(service)
      const before = await get("/approvals")
      service.hideApprovals(how)

      const list = await get("/approvals")

      expect(list.status).toBe(status)
      if (status === 200) expect(list.body).toMatchObject({ data: [], meta: { total_count: 0 } })
      expect((await get("/approvals/count")).body).toEqual({ count: 0 })
      for (const path of ["", "/status"]) {
        expect(await get(`/approvals/${id}${path}`)).toMatchObject({
          status: 404,
          body: { detail: "Approval not found" },
        })
      }
      expect((await resolve(service, id, { status: "approved" })).status).toBe(404)
      const token = await aToken(["approvals:delete"])
      expect((await call(service, `DELETE /approvals/${id}`, { token })).status).toBe(500)
      service.hideApprovals(null)
      expect((await get("/approvals")).body).toMatchObject({ data: (before.body as { data: unknown }).data })
    },
  )
})

describe("creating", () => {
  test("keeps and shows each name as it was sent, also where JSON.parse of this Node takes another for it", async () => {
    const token = await aToken(["approvals:create"])
    const sent = (args: string) => `{"tool_name":"deploy","agent_id":"ci","tool_args":${args}}`

    await call(service, "POST /approvals", { token, raw: sent(String.raw`{"a":1,"b\\":2}`) })
    const second = await call(service, "POST /approvals", { token, raw: sent(String.raw`{"a":1,"b\n":2}`) })
    const list = await get("/approvals")

    expect(second.status).toBe(201)
    expect(second.text).toContain(String.raw`"tool_args":{"a":1,"b\n":2}`)
    expect(list.text).toContain(String.raw`"tool_args":{"a":1,"b\n":2}`)
    expect(list.text).toContain(String.raw`"tool_args":{"a":1,"b\\":2}`)
  })

  test("gives the row with every field of 2.1, pending, with a requirement for the call", async () => {
    const token = await aToken(["approvals:create"])

    const answer = await call(service, "POST /approvals", {
      token,
      json: {
        tool_name: "deploy",
        tool_args: { to: "prod" },
        agent_id: "ci",
        source_name: "CI",
        user_id: "alice@example.com",
        expires_at: 1_795_200_000,
      },
    })

    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      run_id: expect.any(String),
      session_id: expect.any(String),
      status: "pending",
      source_type: "agent",
      approval_type: "required",
      pause_type: "confirmation",
      tool_name: "deploy",
      tool_args: { to: "prod" },
      expires_at: 1_795_200_000,
      agent_id: "ci",
      team_id: null,
      workflow_id: null,
      user_id: "alice@example.com",
      schedule_id: null,
      schedule_run_id: null,
      source_name: "CI",
      requirements: [
        {
          id: expect.any(String),
          created_at: "2026-11-20T12:00:00.000+00:00",
          tool_execution: expect.objectContaining({
            tool_name: "deploy",
            tool_args: { to: "prod" },
            requires_confirmation: true,
            approval_type: "required",
            approval_id: null,
          }),
        },
      ],
      context: { tool_names: ["deploy"], source_name: "CI" },
      resolution_data: null,
      resolved_by: null,
      resolved_at: null,
      created_at: noon / 1000,
      updated_at: noon / 1000,
      run_status: null,
    })
  })

  test("takes requirements and context as they are", async () => {
    const { id } = await anApproval(service, {
      requirements: [{ any: "thing" }],
      context: { why: "because" },
      team_id: "t",
      pause_type: "user_input",
    })

    expect((await get(`/approvals/${id}`)).body).toMatchObject({
      requirements: [{ any: "thing" }],
      context: { why: "because" },
      source_type: "team",
      pause_type: "user_input",
    })
  })

  test.each([
    [{ tool_args: {} }, { type: "missing", loc: ["body", "tool_name"] }],
    [{ tool_name: "t" }, { type: "missing", loc: ["body", "tool_args"] }],
    [
      { tool_name: "t", tool_args: [] },
      { type: "dict_type", loc: ["body", "tool_args"] },
    ],
    [
      { tool_name: "t", tool_agrs: {}, tool_args: {} },
      { type: "extra_forbidden", loc: ["body", "tool_agrs"] },
    ],
    [
      { tool_name: "t", tool_args: {}, pause_type: "x" },
      { type: "literal_error", loc: ["body", "pause_type"] },
    ],
    [
      { tool_name: "t", tool_args: {}, expires_at: "soon" },
      { type: "int_parsing", loc: ["body", "expires_at"] },
    ],
    [
      { tool_name: "t", tool_args: {}, requirements: ["x"] },
      { type: "dict_type", loc: ["body", "requirements", 0] },
    ],
  ])("creating %j is refused with 422", async (json, problem) => {
    const answer = await call(service, "POST /approvals", { token: await aToken(["approvals:create"]), json })

    expect(answer).toMatchObject({ status: 422, body: { detail: [problem] } })
  })
})

describe("4.2: listing", () => {
  test("an empty list has the envelope of the real service", async () => {
    expect((await get("/approvals")).body).toEqual({
      data: [],
      meta: { page: 1, limit: 100, total_pages: 0, total_count: 0, search_time_ms: 0 },
    })
  })

  test("is newest first, with ties in order of arrival, and pages without gaps", async () => {
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1) {
      ids.unshift((await anApproval(service)).id)
      if (at % 2 === 0) service.pass(1000)
    }

    const pages = await Promise.all([1, 2, 3, 4].map((page) => get(`/approvals?limit=2&page=${page}`)))

    const seen = pages.map(({ body }) => body).map((body) => idsOf(body))
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []])
    expect(pages[0]?.body).toMatchObject({ meta: { total_pages: 3, total_count: 5 } })
  })

  test("is narrowed by each filter, compared exactly; unknown parameters are ignored", async () => {
    const wanted = await anApproval(service, {
      agent_id: "a",
      team_id: "t",
      workflow_id: "w",
      user_id: "u",
      run_id: "r",
      pause_type: "user_input",
    })
    const other = await anApproval(service)
    await resolve(service, other.id, { status: "approved" })

    for (const filter of [
      "status=pending",
      "agent_id=a",
      "team_id=t",
      "workflow_id=w",
      "user_id=u",
      "run_id=r",
      "pause_type=user_input",
      "source_type=workflow",
    ]) {
      expect(idsOf((await get(`/approvals?${filter}`)).body), filter).toEqual([wanted.id])
    }
    expect(idsOf((await get("/approvals?schedule_id=x")).body)).toEqual([])
    expect(idsOf((await get("/approvals?agent_id=A")).body)).toEqual([])
    expect(idsOf((await get("/approvals?approval_type=audit")).body)).toEqual([])
    expect(idsOf((await get("/approvals?statuss=approved&approval_type=required")).body)).toHaveLength(2)
  })

  test.each([
    ["status=foo", "literal_error", "Input should be 'pending', 'approved', 'rejected', 'expired' or 'cancelled'"],
    ["status=", "literal_error", "Input should be 'pending', 'approved', 'rejected', 'expired' or 'cancelled'"],
    ["approval_type=foo", "literal_error", "Input should be 'required' or 'audit'"],
    ["limit=0", "greater_than_equal", "Input should be greater than or equal to 1"],
    ["limit=1001", "less_than_equal", "Input should be less than or equal to 1000"],
    ["limit=x", "int_parsing", "Input should be a valid integer, unable to parse string as an integer"],
    ["page=0", "greater_than_equal", "Input should be greater than or equal to 1"],
  ])("listing by %s is refused with 422", async (query, type, msg) => {
    const [name = "", input] = query.split("=")

    const answer = await get(`/approvals?${query}`)

    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type, loc: ["query", name], msg, input }] } })
  })

  test("a page far past the end is empty", async () => {
    await anApproval(service)

    expect(await get("/approvals?page=9007199254740991")).toMatchObject({ status: 200, body: { data: [] } })
  })
})

test("4.2: counting counts pending ones, of a user if one is named", async () => {
  const decided = await anApproval(service, { user_id: "u" })
  await anApproval(service, { user_id: "u" })
  await anApproval(service)
  await resolve(service, decided.id, { status: "rejected" })

  expect((await get("/approvals/count")).body).toEqual({ count: 2 })
  expect((await get("/approvals/count?user_id=u")).body).toEqual({ count: 1 })
})

test("4.2: the status is the short form", async () => {
  const { id, run_id } = await anApproval(service)
  expect((await get(`/approvals/${id}/status`)).body).toEqual({
    approval_id: id,
    status: "pending",
    run_id,
    resolved_at: null,
    resolved_by: null,
  })

  await resolve(service, id, { status: "approved", resolved_by: "ann" })

  expect((await get(`/approvals/${id}/status`)).body).toEqual({
    approval_id: id,
    status: "approved",
    run_id,
    resolved_at: noon / 1000,
    resolved_by: "ann",
  })
})

test("4.2: an unknown id is 404 wherever it is used", async () => {
  const token = await aToken(["service:admin"])

  for (const request of ["GET /approvals/none", "GET /approvals/none/status", "DELETE /approvals/none"]) {
    expect(await call(service, request, { token })).toMatchObject({
      status: 404,
      body: { detail: "Approval not found" },
    })
  }
  expect(await resolve(service, "none", { status: "approved" })).toMatchObject({
    status: 404,
    body: { detail: "Approval not found" },
  })
})

test("4.2: a deleted approval is gone", async () => {
  const { id } = await anApproval(service)

  const answer = await call(service, `DELETE /approvals/${id}`, { token: await aToken(["approvals:delete"]) })

  expect(answer).toMatchObject({ status: 204, text: "" })
  expect((await get(`/approvals/${id}`)).status).toBe(404)
})

function idsOf(body: unknown): string[] {
  const { data } = body as { data: { id: string }[] }
  return data.map(({ id }) => id)
}
