// Starting runs of scripted agents: they pause at gated calls and ask.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { approvalsOf, aRun, aService, aToken, call, noon, type TestService } from "../a-service.ts"
import { ran } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

describe("starting", () => {
  test("a gated call pauses the run and asks, in the shape of the wire", async () => {
    const run = await aRun(service, "please")

    const token = await aToken(["approvals:read"])
    const answer = await call(service, `GET /approvals?run_id=${run.run_id}`, { token })

    expect(run.status).toBe("PAUSED")
    expect(ran(service)).toEqual([])
    expect(answer.text).toContain('"tool_args":{"user_id":"U-100","account":12345678901234567890}')
    expect(answer.body).toMatchObject({
      data: [
        {
          run_id: run.run_id,
          session_id: "s-1",
          status: "pending",
          source_type: "agent",
          approval_type: "required",
          pause_type: "confirmation",
          tool_name: "delete_user_data",
          agent_id: "admin-agent",
          user_id: "alice@example.com",
          source_name: "Admin Agent",
          requirements: [
            {
              id: expect.any(String),
              created_at: "2026-11-20T12:00:00.000+00:00",
              tool_execution: {
                tool_call_id: expect.stringMatching(/^call_[0-9a-f]{16}$/),
                tool_name: "delete_user_data",
                requires_confirmation: true,
                confirmed: null,
                result: null,
                tool_call_error: null,
                approval_type: "required",
                approval_id: null,
              },
            },
          ],
          context: { tool_names: ["delete_user_data"], source_name: "Admin Agent" },
          created_at: noon / 1000,
          run_status: "PAUSED",
        },
      ],
    })
  })

  test("several gated calls of one turn share one approval", async () => {
    const run = await aRun(service, "two at once")

    const token = await aToken(["approvals:read"])
    const { body } = await call(service, `GET /approvals?run_id=${run.run_id}`, { token })

    expect(body).toMatchObject({
      data: [
        {
          tool_name: "delete_user_data",
          context: { tool_names: ["delete_user_data", "send_email"] },
          requirements: [
            { tool_execution: { tool_args: { user_id: "U-1" } } },
            { tool_execution: { tool_args: { to: "a@example.com" } } },
          ],
        },
      ],
    })
  })

  test("a run without gated calls ends by itself", async () => {
    const run = await aRun(service, "ungated")

    expect(run.status).toBe("COMPLETED")
    expect(ran(service)).toEqual(['look_up {"id":1}'])
    expect(await approvalsOf(service, run.run_id)).toEqual([])
  })

  test("the scripted runs are taken in turn, a named one by its message", async () => {
    const first = await aRun(service, "anything")
    const second = await aRun(service, "anything")

    const [one] = await approvalsOf(service, first.run_id)
    const { body } = await call(service, `GET /approvals/${(await approvalsOf(service, second.run_id))[0]?.id}`, {
      token: await aToken(["approvals:read"]),
    })
    expect(one).toBeDefined()
    expect(body).toMatchObject({ tool_args: { user_id: "U-1" } })
  })

  test("no message and a stream that is no truth value are refused, each with its place", async () => {
    const answer = await call(service, "POST /agents/admin-agent/runs", {
      token: await aToken(["agents:run"]),
      form: { stream: "perhaps" },
    })

    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      detail: [
        { type: "missing", loc: ["body", "message"], msg: "Field required", input: null },
        { type: "bool_parsing", loc: ["body", "stream"], input: "perhaps" },
      ],
    })
  })

  test("an unknown agent is 404", async () => {
    expect(
      await call(service, "POST /agents/nobody/runs", { token: await aToken(["agents:run"]), form: { message: "x" } }),
    ).toMatchObject({
      status: 404,
      body: { detail: "Agent not found" },
    })
  })

  test("the token's subject is who asks; without one the form says it", async () => {
    const form = { message: "x", stream: "false", user_id: "bob" }
    const named = await call(service, "POST /agents/admin-agent/runs", {
      token: await aToken(["agents:run"], { sub: "alice" }),
      form,
    })
    const claimed = await call(service, "POST /agents/admin-agent/runs", { token: await aToken(["agents:run"]), form })

    expect(named.body).toMatchObject({ user_id: "alice" })
    expect(claimed.body).toMatchObject({ user_id: "bob" })
  })
})

describe("reading", () => {
  test("a run is shown as it stands, in its own session", async () => {
    const run = await aRun(service, "please")
    const token = await aToken(["agents:read", "agents:run"])
    const [row] = await approvalsOf(service, run.run_id)

    const answer = await call(service, `GET /agents/admin-agent/runs/${run.run_id}?session_id=s-1`, { token })

    expect(answer.body).toMatchObject({
      run_id: run.run_id,
      agent_name: "Admin Agent",
      status: "PAUSED",
      input: { input_content: "please" },
      tools: [{ tool_name: "delete_user_data", approval_id: row?.id }],
      requirements: [{ tool_execution: { approval_id: row?.id } }],
    })
    expect((await call(service, `GET /agents/admin-agent/runs/${run.run_id}?session_id=s-2`, { token })).status).toBe(
      404,
    )
    expect((await call(service, "GET /agents/admin-agent/runs/none", { token })).status).toBe(404)
  })

  test("the list of agents shows what the scopes cover", async () => {
    const idsFor = async (...scopes: string[]): Promise<unknown> => {
      const { body, status } = await call(service, "GET /agents", { token: await aToken(scopes) })
      return status === 200 ? (body as { id: string }[]).map(({ id }) => id) : status
    }

    expect(await idsFor("agents:read")).toEqual(["admin-agent", "payments-agent"])
    expect(await idsFor("agents:payments-agent:read")).toEqual(["payments-agent"])
    expect(await idsFor("agents:nobody:read")).toEqual([])
    expect(await idsFor("agents:run")).toBe(403)
  })

  test("an agent is shown by its id", async () => {
    const token = await aToken(["agents:payments-agent:read"])

    expect((await call(service, "GET /agents/payments-agent", { token })).body).toMatchObject({
      id: "payments-agent",
      name: "Payments Agent",
    })
    expect((await call(service, "GET /agents/admin-agent", { token })).status).toBe(403)
    expect((await call(service, "GET /agents/nobody", { token: await aToken(["agents:read"]) })).status).toBe(404)
  })
})
