// Continuing and cancelling runs: only after the decision, and each tool once.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import {
  approvalsOf,
  aRun,
  aService,
  aToken,
  call,
  continued,
  decide,
  noon,
  resolve,
  type TestService,
} from "../a-service.ts"
import { ran } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

describe("continuing", () => {
  test.each([["agents:run"], ["agents:run", "approvals:write"], ["service:admin"]])(
    "is refused for everybody while the decision is open: %s %s",
    async (...scopes) => {
      const run = await aRun(service, "please")
      const token = await aToken(scopes.filter((scope) => typeof scope === "string"))

      const answer = await call(service, `POST /agents/admin-agent/runs/${run.run_id}/continue`, {
        token,
        form: { session_id: "s-1", stream: "false" },
      })

      expect(answer).toMatchObject({
        status: 403,
        body: { detail: "This run requires admin approval before it can be continued" },
      })
      expect(ran(service)).toEqual([])
    },
  )

  test("after second thoughts of the agent, what runs is what its approval shows then", async () => {
    const run = await aRun(service, "two at once")
    const [before] = await approvalsOf(service, run.run_id)

    service.rewriteApproval(before?.id ?? "", { from: "U-1", to: "U-2" })
    const shown = await call(service, `GET /approvals/${before?.id}`, { token: await aToken(["approvals:read"]) })
    await decide(service, run.run_id, { status: "approved" })
    service.rewriteApproval(before?.id ?? "", { from: "U-2", to: "U-3" })
    await continued(service, run.run_id)

    expect(shown).toMatchObject({ body: { tool_args: { user_id: "U-2" } } })
    expect(ran(service)).toEqual(['delete_user_data {"user_id":"U-2"}', 'send_email {"to":"a@example.com"}'])
  })

  test("continuing after approval every call of the pause runs once, and the record tells the run's end", async () => {
    const run = await aRun(service, "two at once")
    await decide(service, run.run_id, { status: "approved" })
    service.pass(5000)

    const answer = await continued(service, run.run_id)

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", content: "Done.", run_id: run.run_id } })
    expect(answer.body).toMatchObject({
      tools: [
        { confirmed: true, result: 'delete_user_data ran with {"user_id":"U-1"}' },
        { confirmed: true, result: "sent" },
      ],
    })
    expect(ran(service)).toEqual(['delete_user_data {"user_id":"U-1"}', 'send_email {"to":"a@example.com"}'])
    const [row] = await approvalsOf(service, run.run_id)
    expect(await call(service, `GET /approvals/${row?.id}`, { token: await aToken(["approvals:read"]) })).toMatchObject(
      {
        body: { status: "approved", run_status: "COMPLETED", updated_at: noon / 1000 + 5 },
      },
    )
  })

  test("a run that went on carries the approval as it was decided, and none before", async () => {
    const run = await aRun(service, "please")
    const read = async (): Promise<unknown> =>
      (
        await call(service, `GET /agents/admin-agent/runs/${run.run_id}`, {
          token: await aToken(["agents:read", "agents:run"]),
        })
      ).body
    expect(await read()).not.toHaveProperty("metadata")
    const [row] = await approvalsOf(service, run.run_id)
    await decide(service, run.run_id, {
      status: "rejected",
      resolved_by: "ann@example.com",
      resolution_data: { note: "No." },
    })

    const approval = {
      id: row?.id,
      status: "rejected",
      resolved_by: "ann@example.com",
      resolution_data: { note: "No." },
    }
    expect((await continued(service, run.run_id)).body).toMatchObject({ metadata: { approval } })
    expect(await read()).toMatchObject({ metadata: { approval } })
  })

  test("a second continue is 409 and runs nothing", async () => {
    const run = await aRun(service, "please")
    await decide(service, run.run_id, { status: "approved" })

    const answers = await Promise.all([
      continued(service, run.run_id),
      continued(service, run.run_id),
      continued(service, run.run_id),
    ])

    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409, 409])
    expect(ran(service)).toHaveLength(1)
  })

  test("continuing after rejection nothing runs", async () => {
    const run = await aRun(service, "two at once")
    await decide(service, run.run_id, { status: "rejected" })

    const answer = await continued(service, run.run_id)

    expect(answer.body).toMatchObject({
      status: "COMPLETED",
      tools: [{ confirmed: false, tool_call_error: true, result: null }, { confirmed: false }],
    })
    expect(ran(service)).toEqual([])
  })

  test("a later gated call asks again, in a row of its own", async () => {
    const run = await aRun(service, "two steps")
    await decide(service, run.run_id, { status: "approved" })

    const again = await continued(service, run.run_id)

    expect(again.body).toMatchObject({ status: "PAUSED" })
    const rows = await approvalsOf(service, run.run_id)
    expect(rows.map(({ status }) => status)).toEqual(["pending", "approved"])
    expect((await continued(service, run.run_id)).status).toBe(403)
    expect(ran(service)).toEqual(["look_up {}", 'delete_user_data {"user_id":"U-2"}'])
    await decide(service, run.run_id, { status: "rejected" })
    expect((await continued(service, run.run_id)).body).toMatchObject({
      status: "COMPLETED",
      content: "Both are done.",
    })
    expect(ran(service)).toHaveLength(2)
  })

  test("a deleted record strands the run: nobody decided", async () => {
    const run = await aRun(service, "please")
    const [row] = await approvalsOf(service, run.run_id)
    await call(service, `DELETE /approvals/${row?.id}`, { token: await aToken(["approvals:delete"]) })

    expect((await continued(service, run.run_id)).status).toBe(400)
    expect(ran(service)).toEqual([])
  })

  test("nobody attaches an approval to a run of ours, so none but its own blocks or decides it", async () => {
    const run = await aRun(service, "please")
    const token = await aToken(["approvals:create"])
    const json = { tool_name: "x", tool_args: {}, run_id: run.run_id }

    const added = await call(service, "POST /approvals", { token, json })

    expect(added).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`Run ${run.run_id} is a run of this service`) },
    })
    expect(await approvalsOf(service, run.run_id)).toHaveLength(1)
    expect((await continued(service, run.run_id)).status).toBe(403)
    await decide(service, run.run_id, { status: "approved" })
    expect((await continued(service, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  })

  test.each<[string, Record<string, string>, number, string]>([
    ["no session", { session_id: "" }, 400, "session_id is required for this action"],
    ["another session", { session_id: "s-2" }, 404, "No runs found for run ID"],
    ["another user", { user_id: "mallory" }, 404, "No runs found for run ID"],
    ["own tools", { tools: "[]" }, 400, "tools is not accepted"],
    ["tools that are none", { tools: "{" }, 400, "Invalid JSON in tools field"],
  ])("a continue with %s is refused and loses nothing", async (_name, form, status, detail) => {
    const run = await aRun(service, "please")
    await decide(service, run.run_id, { status: "approved" })

    const refused = await continued(service, run.run_id, "admin-agent", form)

    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(detail) } })
    expect((await continued(service, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  })

  test("an unknown run, and a run of another agent, are 404", async () => {
    const run = await aRun(service, "please")

    expect((await continued(service, "none")).status).toBe(404)
    expect((await continued(service, run.run_id, "payments-agent")).status).toBe(404)
  })
})

describe("cancelling", () => {
  test("ends the run for good and closes its open approval", async () => {
    const run = await aRun(service, "please")
    const token = await aToken(["agents:run"])

    const first = await call(service, `POST /agents/admin-agent/runs/${run.run_id}/cancel`, { token })
    const second = await call(service, `POST /agents/admin-agent/runs/${run.run_id}/cancel`, { token })

    expect([first.status, second.status, first.body]).toEqual([200, 200, {}])
    const [row] = await approvalsOf(service, run.run_id)
    expect(row?.status).toBe("cancelled")
    expect((await resolve(service, row?.id ?? "", { status: "approved" })).body).toEqual({
      detail: "Approval is already 'cancelled' and cannot be resolved",
    })
    expect(await continued(service, run.run_id)).toMatchObject({
      status: 409,
      body: { detail: `Cannot continue run ${run.run_id}: run is cancelled` },
    })
    expect(ran(service)).toEqual([])
  })

  test("a run that has ended is 409, an unknown one 404", async () => {
    const run = await aRun(service, "ungated")
    const token = await aToken(["agents:run"])

    expect((await call(service, `POST /agents/admin-agent/runs/${run.run_id}/cancel`, { token })).status).toBe(409)
    expect((await call(service, "POST /agents/admin-agent/runs/none/cancel", { token })).status).toBe(404)
  })

  test.each([
    ["approved", 1],
    ["rejected", 0],
  ])("as AgentOS does shows nowhere, and what is %s has run %i times when the run says it", async (status, times) => {
    const run = await aRun(service, "please")
    const token = await aToken(["approvals:read"])
    const shown = async () => (await call(service, "GET /approvals", { token })).body
    service.cancelUnseen(run.run_id)
    expect(await shown()).toMatchObject({ data: [{ status: "pending", run_status: "PAUSED" }] })
    await decide(service, run.run_id, { status })

    const answer = await continued(service, run.run_id)

    expect(answer).toMatchObject({ status: 200, body: { status: "CANCELLED" } })
    expect(ran(service)).toHaveLength(times)
    expect(await shown()).toMatchObject({ data: [{ run_status: "CANCELLED" }] })
  })
})
