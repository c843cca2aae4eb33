// Teams: their members' calls and their own wait for people, and nothing runs before all is decided.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, resolve, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, pending, ran, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const team = "teams/support-team"

describe("a member's gated call", () => {
  test("pauses the team, and asks as the member", async () => {
    const run = await started(service, team, "please")

    const [row] = await pending(service)
    expect(row).toMatchObject({
      source_type: "agent",
      agent_id: "support-member",
      team_id: null,
      user_id: "alice@example.com",
      tool_name: "delete_user_data",
      source_name: "Support Member",
    })
    expect(row?.run_id).not.toBe(run.run_id)
    expect(run).toMatchObject({
      status: "PAUSED",
      team_id: "support-team",
      team_name: "Support Team",
      content:
        "Team run paused. The following require input:\n- Support Member: delete_user_data requires confirmation",
      requirements: [
        {
          member_agent_id: "support-member",
          member_agent_name: "Support Member",
          member_run_id: row?.run_id,
          tool_execution: { tool_name: "delete_user_data", approval_id: row?.id },
        },
      ],
      member_responses: [
        { run_id: row?.run_id, agent_id: "support-member", parent_run_id: run.run_id, status: "PAUSED" },
      ],
      tools: [
        {
          tool_name: "delegate_task_to_member",
          tool_args: { member_id: "support-member", task: "delete it" },
          result: "Member 'Support Member' requires human input before continuing.",
          child_run_id: row?.run_id,
        },
      ],
    })
  })

  test("approved, it runs once when the team goes on, and the team ends", async () => {
    const run = await started(service, team, "please")
    await decideAll(service, { status: "approved" })

    const answers = await Promise.all([wentOn(service, team, run.run_id), wentOn(service, team, run.run_id)])

    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
      status: "COMPLETED",
      content: "All done.",
      tools: [{ tool_name: "delegate_task_to_member", result: "The data is gone." }],
      member_responses: [{ status: "COMPLETED", tools: [{ confirmed: true, result: expect.any(String) }] }],
    })
    expect(ran(service)).toEqual(['delete_user_data {"user_id":"U-200"}'])
  })

  test("rejected, it does not run, and the team goes on", async () => {
    const run = await started(service, team, "please")
    await decideAll(service, { status: "rejected", resolution_data: { note: "not today" } })

    expect((await wentOn(service, team, run.run_id)).body).toMatchObject({
      status: "COMPLETED",
      member_responses: [{ tools: [{ confirmed: false, confirmation_note: "not today" }] }],
    })
    expect(ran(service)).toEqual([])
  })

  test("a member's second call is asked about in a row of its own, and the team pauses again", async () => {
    const run = await started(service, team, "member twice")
    await decideAll(service, { status: "approved" })

    const again = await wentOn(service, team, run.run_id)

    expect(again.body).toMatchObject({ status: "PAUSED" })
    const [row] = await pending(service)
    expect(row).toMatchObject({ tool_args: { user_id: "U-2" }, context: { tool_names: ["delete_user_data"] } })
    expect((await wentOn(service, team, run.run_id)).status).toBe(403)
    await decideAll(service, { status: "approved" })
    expect((await wentOn(service, team, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toEqual(['delete_user_data {"user_id":"U-1"}', 'delete_user_data {"user_id":"U-2"}'])
  })

  test("is reached through the team only: through the member's own route it is 404", async () => {
    await started(service, team, "please")
    const [row] = await pending(service)
    await decideAll(service, { status: "approved" })
    const member = `agents/support-member/runs/${row?.run_id}`

    expect(await wentOn(service, "agents/support-member", row?.run_id ?? "")).toMatchObject({ status: 404 })
    expect((await call(service, `GET /${member}`, { token: await asAlice() })).status).toBe(404)
    expect((await call(service, `POST /${member}/cancel`, { token: await asAlice() })).status).toBe(404)
    expect(ran(service)).toEqual([])
  })
})

describe("several decisions", () => {
  test("continuing is refused for everybody, and loses nothing, while one of two members' calls is undecided", async () => {
    const run = await started(service, team, "two members")
    const [first, second] = await pending(service)
    await resolve(service, first?.id ?? "", { status: "approved" })

    for (const scopes of [["teams:run"], ["teams:run", "approvals:write"], ["service:admin"]]) {
      const answer = await call(service, `POST /${team}/runs/${run.run_id}/continue`, {
        token: await aToken(scopes, { sub: "alice@example.com" }),
        form: { session_id: "s-1", stream: "false" },
      })
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: "This run requires admin approval before it can be continued" },
      })
    }
    expect(ran(service)).toEqual([])
    await resolve(service, second?.id ?? "", { status: "rejected" })
    expect((await wentOn(service, team, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  })

  test("each verdict rules its own member's call", async () => {
    const run = await started(service, team, "two members")
    const [first, second] = await pending(service)
    await resolve(service, first?.id ?? "", { status: "rejected" })
    await resolve(service, second?.id ?? "", { status: "approved" })

    await wentOn(service, team, run.run_id)

    expect(ran(service)).toEqual(['send_email {"to":"b@example.com"}'])
  })

  test("a team's own call and a member's are two rows, each naming its own call only", async () => {
    const run = await started(service, team, "both")

    const rows = await pending(service)

    expect(rows.map(({ source_type, tool_name, context }) => ({ source_type, tool_name, context }))).toEqual([
      {
        source_type: "team",
        tool_name: "close_ticket",
        context: { tool_names: ["close_ticket"], source_name: "Support Team" },
      },
      {
        source_type: "agent",
        tool_name: "send_email",
        context: { tool_names: ["send_email"], source_name: "other-member" },
      },
    ])
    expect(rows[0]).toMatchObject({
      run_id: run.run_id,
      team_id: "support-team",
      agent_id: null,
      user_id: "alice@example.com",
    })
    await decideAll(service, { status: "approved" })
    await wentOn(service, team, run.run_id)
    expect(ran(service).toSorted()).toEqual(['close_ticket {"id":2}', 'send_email {"to":"b@example.com"}'])
  })
})

test("a member that fails leaves the team to say so", async () => {
  expect(await started(service, team, "broken member")).toMatchObject({
    status: "COMPLETED",
    content: "It did not work.",
    tools: [{ tool_call_error: true, result: "the model is down" }],
    member_responses: [{ status: "ERROR", content: "the model is down" }],
  })
})

test("what a caller claims about a member's call has to agree with the record", async () => {
  const run = await started(service, team, "please")
  await decideAll(service, { status: "rejected" })
  const stored = requirementsOf(run)
  const changed = stored.map((one) => ({ ...one, tool_execution: { ...one.tool_execution, confirmed: true } }))

  expect(await wentOn(service, team, run.run_id, { requirements: JSON.stringify(changed) })).toMatchObject({
    status: 400,
  })

  const told = stored.map((one) => ({
    ...one,
    tool_execution: { ...one.tool_execution, confirmed: false, confirmation_note: "Not this customer" },
  }))
  expect((await wentOn(service, team, run.run_id, { requirements: JSON.stringify(told) })).body).toMatchObject({
    status: "COMPLETED",
    member_responses: [{ tools: [{ confirmation_note: "Not this customer" }] }],
  })
  expect(ran(service)).toEqual([])
})

test("cancelling a team cancels its members, and what they asked", async () => {
  const run = await started(service, team, "two members")
  const token = await asAlice()

  expect((await call(service, `POST /${team}/runs/${run.run_id}/cancel`, { token })).body).toEqual({})

  expect(await pending(service)).toEqual([])
  expect((await call(service, `GET /${team}/runs/${run.run_id}`, { token })).body).toMatchObject({
    status: "CANCELLED",
    member_responses: [{ status: "CANCELLED" }, { status: "CANCELLED" }],
  })
  expect(await wentOn(service, team, run.run_id)).toMatchObject({ status: 409 })
})

function requirementsOf(run: Record<string, unknown>): { readonly tool_execution: Record<string, unknown> }[] {
  return run["requirements"] as { readonly tool_execution: Record<string, unknown> }[]
}
