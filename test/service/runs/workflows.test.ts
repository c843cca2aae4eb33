// Workflows: steps one after the other, each by an agent or a team, and the gate in each of them.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { call, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, pending, ran, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const flow = "workflows/month-end"

describe("a workflow", () => {
  test("runs its steps in order and pauses where one of them waits", async () => {
    const run = await started(service, flow, "go")

    const [row] = await pending(service)
    expect(row).toMatchObject({
      source_type: "agent",
      agent_id: "support-member",
      workflow_id: "month-end",
      context: { tool_names: ["delete_user_data"], workflow_name: "Month End", step_name: "delete" },
      user_id: "alice@example.com",
    })
    expect(run).toMatchObject({
      workflow_id: "month-end",
      workflow_name: "Month End",
      input: "go",
      status: "PAUSED",
      paused_step_index: 1,
      paused_step_name: "delete",
      pause_kind: "executor",
      step_results: [{ step_name: "look", content: "Seen.", success: true, executor_type: "agent" }],
      step_executor_runs: [
        { status: "COMPLETED" },
        { status: "PAUSED", run_id: row?.run_id, parent_run_id: run.run_id },
      ],
      step_requirements: [
        {
          step_name: "delete",
          requires_executor_input: true,
          executor_id: "support-member",
          executor_run_id: row?.run_id,
          executor_requirements: [{ tool_execution: { tool_name: "delete_user_data", confirmed: null } }],
        },
      ],
    })
  })

  test("is stopped while a step's decision is open, whoever asks and whatever they claim", async () => {
    const run = await started(service, flow, "go")
    const claimed = JSON.stringify(run["step_requirements"]).replaceAll('"confirmed":null', '"confirmed":true')

    const answer = await wentOn(service, flow, run.run_id, { step_requirements: claimed })

    expect(answer).toMatchObject({ status: 403 })
    expect(ran(service)).toEqual(['look_up {"id":7}'])
  })

  test("goes on through later steps and their own pauses to its end", async () => {
    const run = await started(service, flow, "go")
    await decideAll(service, { status: "approved" })

    const second = await wentOn(service, flow, run.run_id)

    expect(second.body).toMatchObject({
      status: "PAUSED",
      paused_step_name: "tell",
      step_results: [{}, { step_name: "delete" }],
    })
    expect(await pending(service)).toMatchObject([{ source_type: "team", tool_name: "close_ticket" }])
    await decideAll(service, { status: "approved" })
    expect((await wentOn(service, flow, run.run_id)).body).toMatchObject({
      status: "COMPLETED",
      content: "Closed.",
      step_results: [
        { content: "Seen." },
        { content: "The data is gone." },
        { content: "Closed.", executor_type: "team" },
      ],
    })
    expect(ran(service)).toEqual(['look_up {"id":7}', 'delete_user_data {"user_id":"U-200"}', 'close_ticket {"id":1}'])
  })

  test("self-confirming a rejected step is refused, and continuing without runs nothing of it", async () => {
    const run = await started(service, flow, "go")
    await decideAll(service, { status: "rejected" })
    const claimed = JSON.stringify(run["step_requirements"]).replaceAll('"confirmed":null', '"confirmed":true')

    expect(await wentOn(service, flow, run.run_id, { step_requirements: claimed })).toMatchObject({ status: 400 })
    await wentOn(service, flow, run.run_id)

    expect(ran(service)).toEqual(['look_up {"id":7}'])
  })

  test("a step's run is reached through the workflow only", async () => {
    await started(service, flow, "go")
    const [row] = await pending(service)
    await decideAll(service, { status: "approved" })

    expect((await wentOn(service, "agents/support-member", row?.run_id ?? "")).status).toBe(404)
    expect(ran(service)).toEqual(['look_up {"id":7}'])
  })

  test("cannot lose a step behind its back: the step's run is cancelled with the workflow only", async () => {
    const run = await started(service, flow, "go")
    const [row] = await pending(service)
    const token = await asAlice()

    const cancelled = await call(service, `POST /agents/support-member/runs/${row?.run_id}/cancel`, { token })

    expect(cancelled.status).toBe(404)
    expect(await pending(service)).toMatchObject([{ id: row?.id, run_status: "PAUSED" }])
    await decideAll(service, { status: "approved" })
    expect((await wentOn(service, flow, run.run_id)).body).toMatchObject({ paused_step_name: "tell" })
  })

  test("names itself and its step in the row of a team's member, too", async () => {
    await started(service, "workflows/by-team", "go")

    expect(await pending(service)).toMatchObject([
      {
        source_type: "agent",
        team_id: null,
        workflow_id: "by-team",
        context: { workflow_name: "by-team", step_name: "clean up" },
      },
    ])
  })

  test("ends in ERROR where a step fails, and later steps do not begin", async () => {
    expect(await started(service, "workflows/broken-flow", "go")).toMatchObject({
      status: "ERROR",
      content: "the model is down",
      step_results: [{ success: false, error: "the model is down" }],
    })
    expect(ran(service)).toEqual([])
  })

  test("hands a step without a task what the step before it answered, the first one what it was asked", async () => {
    const run = await started(service, "workflows/passing-on", "look")

    expect(run["step_executor_runs"]).toMatchObject([
      { input: { input_content: "look" } },
      { input: { input_content: "Seen." } },
    ])
  })

  test("is cancelled with its step, and its list shows its own runs of a session only", async () => {
    const run = await started(service, flow, "go")
    const token = await asAlice()

    expect((await call(service, `POST /${flow}/runs/${run.run_id}/cancel`, { token })).status).toBe(200)

    const listed = await call(service, `GET /${flow}/runs?session_id=s-1&status=CANCELLED`, { token })
    expect(listed.body).toMatchObject([{ run_id: run.run_id, workflow_id: "month-end", status: "CANCELLED" }])
    expect(listed.body).toHaveLength(1)
    expect(await pending(service)).toEqual([])
  })
})

describe("a function step", () => {
  const closing = "workflows/closing"

  test("runs in its turn, and pauses the workflow itself where it is gated", async () => {
    const run = await started(service, closing, "look")

    expect(ran(service)).toEqual(['look_up {"id":7}', 'count_rows {"of":"ledger"}'])
    expect(await pending(service)).toMatchObject([
      {
        run_id: run.run_id,
        source_type: "workflow",
        source_name: "Closing",
        agent_id: null,
        workflow_id: "closing",
        tool_name: "publish_report",
        tool_args: { month: "2026-07" },
        requirements: [{ tool_execution: { tool_name: "publish_report", requires_confirmation: true } }],
        context: { tool_names: ["publish_report"], workflow_name: "Closing", step_name: "publish" },
      },
    ])
    expect(run).toMatchObject({
      status: "PAUSED",
      paused_step_index: 2,
      paused_step_name: "publish",
      pause_kind: "step",
      step_results: [{ executor_type: "agent" }, { executor_type: "function", content: "12 rows", step_run_id: null }],
      step_executor_runs: [{ status: "COMPLETED" }],
      step_requirements: [{ step_name: "publish", requires_confirmation: true }],
    })
  })

  test("hands its answer on, once it was approved, and cannot be confirmed before", async () => {
    const run = await started(service, closing, "look")
    const step_requirements = JSON.stringify(run["step_requirements"]).replaceAll(
      '"confirmed":null',
      '"confirmed":true',
    )
    expect(await wentOn(service, closing, run.run_id, { step_requirements })).toMatchObject({ status: 403 })

    await decideAll(service, { status: "approved" })
    const { body } = await wentOn(service, closing, run.run_id)

    expect(body).toMatchObject({
      status: "COMPLETED",
      content: "Seen.",
      step_results: [{}, {}, { content: "look", success: true }, {}],
    })
    expect(ran(service).slice(2)).toEqual(['publish_report {"month":"2026-07"}', 'look_up {"id":7}'])
    const last = (body as { step_executor_runs: readonly unknown[] }).step_executor_runs.at(-1)
    expect(last).toMatchObject({ input: { input_content: "look" } })
  })

  test("one that was rejected cancels its workflow, and no later step begins", async () => {
    const run = await started(service, closing, "look")
    await decideAll(service, { status: "rejected" })

    expect((await wentOn(service, closing, run.run_id)).body).toMatchObject({ status: "CANCELLED" })

    expect(ran(service)).toHaveLength(2)
    expect(await wentOn(service, closing, run.run_id)).toMatchObject({ status: 409 })
  })

  test("may ask for input, and fails its workflow where that is missing", async () => {
    const run = await started(service, "workflows/asking", "go")
    expect(await pending(service)).toMatchObject([{ pause_type: "user_input", tool_name: "choose_branch" }])
    await decideAll(service, { status: "approved", resolution_data: { values: {} } })

    expect((await wentOn(service, "workflows/asking", run.run_id)).body).toMatchObject({
      status: "ERROR",
      content: "choose_branch: branch has no value",
    })
  })

  test("streams its pause and its end as events of the workflow", async () => {
    const token = await asAlice()
    const form = { message: "look", session_id: "s-1" }
    const begun = await call(service, `POST /${closing}/runs`, { token, form })
    const [row] = await pending(service)
    await decideAll(service, { status: "approved" })
    const more = await call(service, `POST /${closing}/runs/${row?.run_id}/continue`, { token, form })

    expect(begun.text).toContain("event: WorkflowPaused")
    expect(more.text).toMatch(/event: StepCompleted\n.*"step_name":"publish"/)
    expect(more.text).toContain("event: WorkflowCompleted")
  })
})
