// What the record of a decision does to a run: what was entered, the reason, expiry, audits, claims, states.

import { beforeEach, describe, expect, test } from "vitest"
import { mayBecome, runStatuses } from "../../../src/service/engine/run.ts"
import { opened } from "../../support/opened.ts"
import { anApproval, aToken, call, noon, resolve, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, pending, ran, type SeenRun, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const member = "agents/support-member"

async function approvalOf(id: string | undefined): Promise<unknown> {
  return (await call(service, `GET /approvals/${id}`, { token: await asAlice() })).body
}

describe("2.2 and 3.2: the states of a run", () => {
  test("are these seven, and run_status of an approval is one of them", async () => {
    expect(runStatuses).toEqual(["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"])

    await started(service, member, "delete it")
    expect(runStatuses).toContain((await pending(service))[0]?.["run_status"])
  })

  test.each([
    ["PENDING", ["RUNNING", "CANCELLED"]],
    ["RUNNING", ["COMPLETED", "PAUSED", "CANCELLED", "ERROR"]],
    ["PAUSED", ["RUNNING", "CANCELLED"]],
    ["COMPLETED", ["REGENERATED"]],
    ["CANCELLED", []],
    ["ERROR", []],
    ["REGENERATED", []],
  ] as const)("a run in %s may become %j and nothing else", (from, targets) => {
    expect(runStatuses.filter((to) => mayBecome(from, to))).toEqual(targets)
  })

  test("a run whose model fails is in ERROR, and cannot be continued or cancelled", async () => {
    const run = await started(service, member, "broken")

    expect(run).toMatchObject({ status: "ERROR", content: "the model is down" })
    expect(await wentOn(service, member, run.run_id)).toMatchObject({ status: 409 })
    expect((await call(service, `POST /${member}/runs/${run.run_id}/cancel`, { token: await asAlice() })).status).toBe(
      409,
    )
  })

  test("a run that is started in the background is PENDING, then goes on by itself", async () => {
    const form = { message: "delete it", stream: "false", background: "true", session_id: "s-1" }

    const answer = await call(service, `POST /${member}/runs`, { token: await asAlice(), form })

    expect(answer).toMatchObject({ status: 202, body: { status: "PENDING", session_id: "s-1" } })
    const { run_id: id } = answer.body as { run_id: string }
    const token = await asAlice()
    await expect
      .poll(async () => (await call(service, `GET /${member}/runs/${id}`, { token })).body)
      .toMatchObject({ status: "PAUSED" })
    expect(await pending(service)).toMatchObject([{ run_id: id, run_status: "PAUSED" }])
  })
})

describe("what the human entered and said", () => {
  test("several calls in one pause share one approval, and each gets what is its own", async () => {
    const run = await started(service, member, "three at once")
    const [row] = await pending(service)
    expect(row).toMatchObject({
      pause_type: "confirmation",
      context: { tool_names: ["delete_user_data", "send_money", "restart_database"] },
      requirements: [
        {},
        {
          user_input_schema: [
            { name: "amount", value: 5 },
            { name: "recipient", value: null },
          ],
        },
        {},
      ],
    })

    await resolve(service, row?.id ?? "", {
      status: "approved",
      resolution_data: { values: { recipient: "Bob" }, result: "restarted by ann", note: "fine" },
    })
    const answer = await wentOn(service, member, run.run_id)

    expect(answer.body).toMatchObject({
      status: "COMPLETED",
      tools: [
        { confirmed: true, confirmation_note: "fine" },
        { answered: true, tool_args: { amount: 5, recipient: "Bob" } },
        { result: "restarted by ann" },
      ],
    })
    expect(ran(service)).toContain('send_money {"amount":5,"recipient":"Bob"}')
  })

  test.each([
    [{ note: "Not this customer" }, "Not this customer"],
    [{ countersign: { reason: "Out of hours" } }, "Out of hours"],
    [{ note: "", countersign: { reason: 7 } }, "Tool call was rejected"],
    [null, "Tool call was rejected"],
  ])("the reason of a rejection, %j, is what the model reads: %s", async (resolution_data, note) => {
    const run = await started(service, member, "delete it")
    await decideAll(service, { status: "rejected", resolution_data })

    const answer = await wentOn(service, member, run.run_id)

    expect(answer.body).toMatchObject({
      tools: [{ confirmed: false, confirmation_note: note, result: null }],
      messages: [{ role: "user" }, { role: "assistant" }, { role: "tool", content: note, tool_call_error: true }, {}],
    })
  })
})

describe("what a caller claims when continuing", () => {
  const claims = (run: SeenRun, change: Record<string, unknown>): Record<string, string> => {
    const tools = run["tools"] as Record<string, unknown>[]
    return { tools: JSON.stringify(tools.map((tool) => ({ ...tool, ...change }))) }
  }

  test.each<[string, string, Record<string, unknown>]>([
    ["rejected, yet confirmed", "rejected", { confirmed: true }],
    ["approved, yet refused", "approved", { confirmed: false }],
    ["approved with other arguments", "approved", { confirmed: true, tool_args: { user_id: "U-1" } }],
    ["approved under another name", "approved", { confirmed: true, tool_name: "send_email" }],
    ["approved with a result of its own", "approved", { result: "done already" }],
    ["rejected, yet with a result", "rejected", { result: "done already" }],
    ["another call", "approved", { tool_call_id: "call_0" }],
  ])("a continue is refused, and nothing runs, for a claim such as: %s", async (_name, status, change) => {
    const run = await started(service, member, "delete it")
    await decideAll(service, { status })

    const answer = await wentOn(service, member, run.run_id, claims(run, change))

    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("its record decides") } })
    expect(ran(service)).toEqual([])
  })

  test("what agrees with an approval is accepted, and values that were decided may be repeated", async () => {
    const run = await started(service, member, "money")
    await decideAll(service, { status: "approved", resolution_data: { values: { recipient: "Bob" } } })
    const [tool] = run["tools"] as { user_input_schema: { name: string }[] }[]
    const filled = tool?.user_input_schema.map((field) =>
      field.name === "recipient" ? { ...field, value: "Bob" } : field,
    )
    const other = tool?.user_input_schema.map((field) =>
      field.name === "recipient" ? { ...field, value: "Eve" } : field,
    )

    expect((await wentOn(service, member, run.run_id, claims(run, { user_input_schema: other }))).status).toBe(400)
    expect((await wentOn(service, member, run.run_id, claims(run, { user_input_schema: filled }))).body).toMatchObject({
      status: "COMPLETED",
    })
    expect(ran(service)).toEqual(['send_money {"amount":50,"recipient":"Bob"}'])
  })

  test("the record's reason stands, where it has one", async () => {
    const run = await started(service, member, "delete it")
    await decideAll(service, { status: "rejected", resolution_data: { note: "from the record" } })

    const answer = await wentOn(
      service,
      member,
      run.run_id,
      claims(run, { confirmed: false, confirmation_note: "other" }),
    )

    expect(answer.body).toMatchObject({ tools: [{ confirmation_note: "from the record" }] })
  })
})

describe("expires_at", () => {
  test("an approval that is overdue is expired for whoever looks, and cannot be resolved", async () => {
    const due = noon / 1000 + 60
    const { id } = await anApproval(service, { expires_at: due })
    const other = await anApproval(service, { expires_at: due + 1 })

    service.pass(60_000)

    expect((await pending(service)).map((row) => row.id)).toEqual([other.id])
    expect(await approvalOf(id)).toMatchObject({
      status: "expired",
      resolved_by: null,
      resolved_at: null,
      updated_at: due,
    })
    const token = await aToken(["approvals:read"])
    expect((await call(service, "GET /approvals/count", { token })).body).toEqual({ count: 1 })
    expect((await call(service, `GET /approvals/${id}/status`, { token })).body).toMatchObject({ status: "expired" })
  })

  test("resolving it is 409, even if nobody looked before", async () => {
    const { id } = await anApproval(service, { expires_at: noon / 1000 + 60 })
    service.pass(60_000)

    expect(await resolve(service, id, { status: "approved" })).toMatchObject({
      status: 409,
      body: { detail: "Approval is already 'expired' and cannot be resolved" },
    })
  })

  test("a run whose approval expired goes on without its call", async () => {
    const run = await started(service, member, "mail")
    expect(await pending(service)).toMatchObject([{ expires_at: noon / 1000 + 60 }])
    service.pass(60_000)

    expect((await wentOn(service, member, run.run_id)).body).toMatchObject({
      status: "COMPLETED",
      tools: [{ confirmed: false, confirmation_note: "The approval expired before anybody decided" }],
    })
    expect(ran(service)).toEqual([])
  })

  test("what was decided in time stays decided", async () => {
    const run = await started(service, member, "mail")
    await decideAll(service, { status: "approved" })
    service.pass(3_600_000)

    expect((await wentOn(service, member, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toHaveLength(1)
  })
})

test("an audited call runs without asking and leaves an approval that is born resolved", async () => {
  const run = await started(service, member, "report")

  const { body } = await call(service, "GET /approvals?approval_type=audit", { token: await asAlice() })
  expect(run.status).toBe("COMPLETED")
  expect(ran(service)).toEqual(['export_report {"month":"2026-07"}'])
  expect(body).toMatchObject({
    data: [
      {
        run_id: run.run_id,
        status: "approved",
        approval_type: "audit",
        tool_name: "export_report",
        requirements: null,
        resolved_by: null,
        resolution_data: null,
        resolved_at: noon / 1000,
        run_status: "COMPLETED",
      },
    ],
  })
  expect(await pending(service)).toEqual([])
})
