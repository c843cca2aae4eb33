// Runs that wait for what a human enters or does elsewhere.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { approvalsOf, aRun, aService, aToken, call, continued, decide, type TestService } from "../a-service.ts"
import { ran } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

describe("user input and external execution", () => {
  test("the requirement shows the fields, and what the human entered is what runs", async () => {
    const run = await aRun(service, "please", "payments-agent")
    const [row] = await approvalsOf(service, run.run_id)
    const seen = await call(service, `GET /approvals/${row?.id}`, { token: await aToken(["approvals:read"]) })
    const fields = [
      { name: "amount", field_type: "float", description: "How much.", value: 50 },
      { name: "recipient", field_type: "str", description: "Who gets it.", value: null },
    ]
    expect(seen.body).toMatchObject({
      pause_type: "user_input",
      requirements: [
        {
          user_input_schema: fields,
          tool_execution: { requires_user_input: true, user_input_schema: fields, requires_confirmation: null },
        },
      ],
    })

    await decide(service, run.run_id, {
      status: "approved",
      resolution_data: { values: { recipient: "Bob", amount: 60 }, countersign: {} },
    })
    await continued(service, run.run_id, "payments-agent")

    expect(ran(service)).toEqual(['send_money {"amount":60,"recipient":"Bob"}'])
  })

  test("a missing value fails the call and the run goes on", async () => {
    const run = await aRun(service, "please", "payments-agent")
    await decide(service, run.run_id, { status: "approved", resolution_data: { values: {} } })

    const answer = await continued(service, run.run_id, "payments-agent")

    expect(answer.body).toMatchObject({
      status: "COMPLETED",
      tools: [{ tool_call_error: true, result: "send_money: recipient has no value" }],
    })
    expect(ran(service)).toEqual([])
  })

  test("enforces_rejection: a rejected user_input call does not run", async () => {
    const run = await aRun(service, "please", "payments-agent")
    await decide(service, run.run_id, { status: "rejected", resolution_data: { values: { recipient: "Bob" } } })

    expect((await continued(service, run.run_id, "payments-agent")).body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toEqual([])
  })

  test("an external call ends with the result that came with the approval, and cannot end without", async () => {
    const [without, with_, rejected] = [
      await aRun(service, "external", "payments-agent"),
      await aRun(service, "external", "payments-agent"),
      await aRun(service, "external", "payments-agent"),
    ]
    await decide(service, without.run_id, { status: "approved" })
    await decide(service, with_.run_id, { status: "approved", resolution_data: { result: "restarted" } })
    await decide(service, rejected.run_id, { status: "rejected" })

    expect(await continued(service, without.run_id, "payments-agent")).toMatchObject({
      status: 400,
      body: { detail: "Tool restart_database requires external execution, cannot continue run" },
    })
    expect((await continued(service, with_.run_id, "payments-agent")).body).toMatchObject({
      status: "COMPLETED",
      tools: [{ result: "restarted" }],
    })
    expect((await continued(service, rejected.run_id, "payments-agent")).body).toMatchObject({
      status: "COMPLETED",
      tools: [{ confirmed: false }],
    })
  })
})
