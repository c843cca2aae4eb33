// The specification's sentences about approvals, one by one; each test names its section.

import { beforeEach, describe, expect, test } from "vitest"
import { approvalResponse } from "../../../src/service/storage/approval-row.ts"
import { opened } from "../../support/opened.ts"
import { anApproval, aToken, call, noon, resolve, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, pending, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const member = "agents/support-member"

describe("1: what the service does", () => {
  test.each(["agents/support-member", "teams/support-team", "workflows/month-end"])(
    "a run of %s can be paused, and its approval is the record that it waits",
    async (component) => {
      const run = await started(service, component, "delete it")

      expect(run.status).toBe("PAUSED")
      expect(await pending(service)).toMatchObject([
        { status: "pending", run_status: "PAUSED", session_id: run.session_id },
      ])
    },
  )

  test("a paused run can be continued", async () => {
    const run = await started(service, member, "delete it")
    await decideAll(service, { status: "approved" })

    expect((await wentOn(service, member, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  })

  test("a paused run can be cancelled", async () => {
    const run = await started(service, member, "delete it")
    const token = await asAlice()

    expect((await call(service, `POST /${member}/runs/${run.run_id}/cancel`, { token })).status).toBe(200)
    expect((await call(service, `GET /${member}/runs/${run.run_id}`, { token })).body).toMatchObject({
      status: "CANCELLED",
    })
  })

  test.each(["approved", "rejected"])("a caller resolves it as %s", async (status) => {
    await started(service, member, "delete it")
    const [row] = await pending(service)

    expect((await resolve(service, row?.id ?? "", { status })).body).toMatchObject({ id: row?.id, status })
  })

  test("requests whose scopes are insufficient are refused with 403, those without a credential with 401", async () => {
    const { id } = await anApproval(service)

    expect((await call(service, `GET /approvals/${id}`, { token: await aToken(["approvals:write"]) })).status).toBe(403)
    expect((await call(service, `GET /approvals/${id}`)).status).toBe(401)
  })
})

describe("2.1: the approval", () => {
  test("has the fields and types of the model in each of its states", async () => {
    await anApproval(service, { expires_at: noon / 1000 + 1 })
    await started(service, member, "three at once")
    await started(service, member, "report")
    await started(service, "teams/support-team", "own tool")
    const made = (await pending(service)).map(({ id }) => id)
    await resolve(service, made[1] ?? "", { status: "approved", resolved_by: "ann", resolution_data: { values: {} } })
    await resolve(service, made[2] ?? "", { status: "rejected" })
    service.pass(1000)

    const { body } = await call(service, "GET /approvals", { token: await asAlice() })

    const rows = (body as { data: { status: string }[] }).data
    expect(rows.map(({ status }) => status).toSorted()).toEqual(["approved", "approved", "expired", "rejected"])
    for (const row of rows) expect(approvalResponse.strict().safeParse(row).error).toBeUndefined()
  })

  test("resolution_data is what was supplied at resolution", async () => {
    const { id } = await anApproval(service)
    const resolution_data = { values: { a: [1, { b: null }] }, countersign: { decision_id: "d" } }

    expect((await resolve(service, id, { status: "approved", resolution_data })).body).toMatchObject({
      resolution_data,
    })
  })

  test("run_status is the state of the run behind it, for all its approvals", async () => {
    const run = await started(service, member, "twice")
    await decideAll(service, { status: "approved" })
    await wentOn(service, member, run.run_id)
    await decideAll(service, { status: "rejected" })
    await wentOn(service, member, run.run_id)

    const { body } = await call(service, `GET /approvals?run_id=${run.run_id}`, { token: await asAlice() })
    expect((body as { data: unknown[] }).data).toMatchObject([
      { status: "rejected", run_status: "COMPLETED" },
      { status: "approved", run_status: "COMPLETED" },
    ])
  })
})

test("2.3 and 7: every problem of a 422 has its place, message and type, and the faulty input", async () => {
  const { id } = await anApproval(service)

  const answer = await resolve(service, id, { status: "maybe", resolved_by: 7, resolution_data: [] })

  expect(answer).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ["body", "status"], msg: expect.any(String), type: "string_pattern_mismatch", input: "maybe", ctx: {} },
        { loc: ["body", "resolved_by"], msg: expect.any(String), type: "string_type", input: 7 },
        { loc: ["body", "resolution_data"], msg: expect.any(String), type: "dict_type", input: [] },
      ],
    },
  })
  expect((await pending(service)).map((row) => row.id)).toEqual([id])
})

test("3.1: the updated approval is returned, with resolved_by and resolution_data of the request", async () => {
  const { id } = await anApproval(service)
  service.pass(5000)

  const answer = await resolve(service, id, { status: "approved", resolved_by: "ann", resolution_data: { a: 1 } })

  const read = await call(service, `GET /approvals/${id}`, { token: await asAlice() })
  expect(answer.body).toEqual(read.body)
  expect(answer.body).toMatchObject({
    status: "approved",
    resolved_by: "ann",
    resolution_data: { a: 1 },
    resolved_at: noon / 1000 + 5,
    updated_at: noon / 1000 + 5,
    created_at: noon / 1000,
  })
})

test("4.1, rule 3: when the caller lacks approvals:write, the response is 403 and nothing changes", async () => {
  const { id } = await anApproval(service)
  const token = await aToken(["approvals:read", "approvals:create", "approvals:delete", "agents:write"])

  const answer = await call(service, `POST /approvals/${id}/resolve`, { token, json: { status: "approved" } })

  expect(answer).toMatchObject({
    status: 403,
    body: { detail: "Insufficient permissions. Required scope(s): approvals:write" },
  })
  expect(await pending(service)).toHaveLength(1)
})

test("9.4: the legacy scope system:read opens what config:read opens, and no more", async () => {
  const token = await aToken(["system:read"])

  expect((await call(service, "GET /config", { token })).status).toBe(200)
  expect((await call(service, "GET /models", { token })).status).toBe(200)
  expect((await call(service, "GET /approvals", { token })).status).toBe(403)
})
