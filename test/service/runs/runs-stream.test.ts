// Streams: what happened to a run, as events with the names of the real service (`docs/platform-facts.md` 5.1).

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, noon, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, eventsIn, pending, ran, started } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

async function streamed(path: string, form: Record<string, string>): Promise<ReturnType<typeof eventsIn>> {
  const answer = await call(service, `POST /${path}`, { token: await asAlice(), form: { session_id: "s-1", ...form } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  return eventsIn(answer.text)
}

const names = (events: ReturnType<typeof eventsIn>): string[] => events.map(({ name }) => name)

/** What an agent tells that goes on with its call. */
const goesOn = [
  "RunContinued",
  "ToolCallStarted",
  "ToolCallCompleted",
  "ModelRequestStarted",
  "RunContent",
  "ModelRequestCompleted",
  "RunContentCompleted",
  "RunCompleted",
]

describe("a stream", () => {
  test("is what a run answers unless it is told otherwise; a pause ends it", async () => {
    const events = await streamed("agents/support-member/runs", { message: "delete it" })

    expect(names(events)).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunPaused",
    ])
    const [row] = await pending(service)
    expect(events.at(-1)?.data).toMatchObject({
      created_at: noon / 1000,
      event: "RunPaused",
      agent_id: "support-member",
      agent_name: "Support Member",
      run_id: row?.run_id,
      session_id: "s-1",
      nested_depth: 0,
      tools: [{ tool_name: "delete_user_data", approval_id: row?.id }],
      requirements: [{ tool_execution: { approval_id: row?.id } }],
    })
  })

  test("a stream of a continue tells the calls, the content and the end", async () => {
    const run = await started(service, "agents/support-member", "delete it")
    await decideAll(service, { status: "approved" })

    const events = await streamed(`agents/support-member/runs/${run.run_id}/continue`, {})

    expect(names(events)).toEqual(goesOn)
    expect(events[1]?.data).toMatchObject({ tool: { tool_name: "delete_user_data", result: null } })
    expect(events[2]?.data).toMatchObject({ tool: { result: expect.stringContaining("ran with") } })
    expect(events.at(-1)?.data).toMatchObject({ content: "The data is gone." })
    expect(ran(service)).toHaveLength(1)
  })

  test("a stream of a rejected call tells no call at all", async () => {
    const run = await started(service, "agents/support-member", "delete it")
    await decideAll(service, { status: "rejected" })

    const events = await streamed(`agents/support-member/runs/${run.run_id}/continue`, {})

    expect(names(events)).not.toContain("ToolCallStarted")
    expect(names(events).at(-1)).toBe("RunCompleted")
  })

  test("a stream of a team has the prefix Team, with its members' events between", async () => {
    const events = await streamed("teams/support-team/runs", { message: "please" })

    expect(names(events)).toEqual([
      "TeamRunStarted",
      "TeamModelRequestStarted",
      "TeamModelRequestCompleted",
      "TeamToolCallStarted",
      "RunStarted",
      "ModelRequestStarted",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunPaused",
      "TeamToolCallCompleted",
      "TeamRunPaused",
    ])
    expect(events[3]?.data).toMatchObject({ tool: { child_run_id: null } })
    expect(events[9]?.data).toMatchObject({ tool: { child_run_id: events[4]?.data["run_id"] } })
    expect(events[4]?.data).toMatchObject({ parent_run_id: events[0]?.data["run_id"] })
    expect(events.at(-1)?.data).toMatchObject({ requirements: [{ member_agent_id: "support-member" }] })
  })

  test("a stream of a continued team tells the member first, and no call of the team twice", async () => {
    const run = await started(service, "teams/support-team", "please")
    await decideAll(service, { status: "approved" })

    const events = await streamed(`teams/support-team/runs/${run.run_id}/continue`, {})

    expect(names(events)).toEqual([
      ...goesOn,
      "TeamRunContinued",
      "TeamModelRequestStarted",
      "TeamRunContent",
      "TeamModelRequestCompleted",
      "TeamRunContentCompleted",
      "TeamRunCompleted",
    ])
  })

  test("in the background the events of a stream are numbered; a workflow's last frame is the run, without a number", async () => {
    const plain = await streamed("workflows/month-end/runs", { message: "go" })
    const numbered = await streamed("workflows/month-end/runs", { message: "go", background: "true" })

    expect(plain.every(({ data }) => !("event_index" in data))).toBe(true)
    expect(numbered.slice(0, -1).map(({ data }) => data["event_index"])).toEqual([...numbered.slice(0, -1).keys()])
    expect(numbered.at(-1)).toMatchObject({ name: "WorkflowRunOutput", data: { status: "PAUSED", input: "go" } })
    expect(numbered.at(-1)?.data).not.toHaveProperty("event_index")
  })

  test("a stream of a workflow tells its steps", async () => {
    const begun = await streamed("workflows/month-end/runs", { message: "go" })
    await decideAll(service, { status: "approved" })
    const runId = String(begun[0]?.data["run_id"])
    const next = await streamed(`workflows/month-end/runs/${runId}/continue`, {})
    await decideAll(service, { status: "approved" })
    const last = await streamed(`workflows/month-end/runs/${runId}/continue`, {})

    const own = (events: ReturnType<typeof eventsIn>): string[] =>
      names(events).filter((name) => /^(?:Workflow|Step)/.test(name))
    expect(own(begun)).toEqual([
      "WorkflowStarted",
      "StepStarted",
      "StepCompleted",
      "StepStarted",
      "StepExecutorPaused",
      "WorkflowPaused",
      "WorkflowRunOutput",
    ])
    expect(own(next)).toEqual([
      "StepExecutorContinued",
      "StepCompleted",
      "StepStarted",
      "StepExecutorPaused",
      "WorkflowPaused",
      "WorkflowRunOutput",
    ])
    expect(own(last)).toEqual(["StepExecutorContinued", "StepCompleted", "WorkflowCompleted"])
    expect(begun.at(-1)?.data).toMatchObject({ status: "PAUSED", paused_step_name: "delete" })
    expect(last.at(-1)?.data).toMatchObject({ content: "Closed.", step_results: [{}, {}, {}] })
  })

  test("a stream of a workflow whose step fails ends in its error", async () => {
    const events = await streamed("workflows/broken-flow/runs", { message: "go" })

    expect(names(events).slice(-3)).toEqual(["RunError", "StepError", "WorkflowError"])
    expect(events.at(-1)?.data).toMatchObject({ error: "the model is down" })
  })

  test("a stream of a run whose model fails ends in RunError", async () => {
    const events = await streamed("agents/support-member/runs", { message: "broken" })

    expect(names(events).at(-1)).toBe("RunError")
    expect(events.at(-1)?.data).toMatchObject({ content: "the model is down" })
  })

  test("a stream that a client drops cancels nothing: what it would have told has happened", async () => {
    const run = await started(service, "agents/support-member", "delete it")
    await decideAll(service, { status: "approved" })
    const abort = new AbortController()

    const response = await fetch(`${service.url}/agents/support-member/runs/${run.run_id}/continue`, {
      method: "POST",
      headers: { authorization: `Bearer ${await asAlice()}` },
      body: new URLSearchParams({ session_id: "s-1" }),
      signal: abort.signal,
    })
    abort.abort()
    await response.body?.cancel().catch(() => {})

    const read = await call(service, `GET /agents/support-member/runs/${run.run_id}`, { token: await asAlice() })
    expect(read.body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toHaveLength(1)
  })

  test("is refused as any other answer is, before it begins", async () => {
    const run = await started(service, "agents/support-member", "delete it")

    const answer = await call(service, `POST /agents/support-member/runs/${run.run_id}/continue`, {
      token: await aToken(["agents:run"], { sub: "alice@example.com" }),
      form: { session_id: "s-1" },
    })

    expect(answer).toMatchObject({
      status: 403,
      body: { detail: "This run requires admin approval before it can be continued" },
    })
  })
})
