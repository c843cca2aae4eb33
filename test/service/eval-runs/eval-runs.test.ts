// Eval runs (4.3) over HTTP: trying an agent or a team, and what is kept of it.

import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { opened } from "../../support/opened.ts"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"
import { aFullService, pending, ran } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const scopes = ["evals:read", "evals:write", "evals:delete", "agents:run", "teams:run"]

async function ask(request: string, json?: unknown, at: TestService = service, claims = {}): Promise<Answer> {
  const token = await aToken(scopes, { sub: "ann", ...claims })
  return call(at, request, { token, ...(json === undefined ? {} : { json }) })
}

const look = { agent_id: "support-member", eval_type: "reliability", input: "look", expected_tool_calls: ["look_up"] }
const rowSchema = z.looseObject({ id: z.string(), name: z.string().nullable() })

async function tried(fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await ask("POST /eval-runs", { ...look, ...fields })
  if (answer.status !== 200) throw new Error(answer.text)
  return rowSchema.parse(answer.body).id
}

async function named(query: string): Promise<readonly (string | null)[]> {
  const { body } = await ask(`GET /eval-runs${query}`)
  return z
    .object({ data: z.array(rowSchema) })
    .parse(body)
    .data.map(({ name }) => name)
}

describe("a reliability evaluation", () => {
  test("really runs the agent, compares its calls, and is kept", async () => {
    const answer = await ask("POST /eval-runs", { ...look, name: "looks" })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: expect.any(String),
      agent_id: "support-member",
      model_id: "scripted-model",
      model_provider: "scripted",
      team_id: null,
      workflow_id: null,
      name: "looks",
      evaluated_component_name: "Support Member",
      user_id: "ann",
      eval_type: "reliability",
      eval_data: {
        run_id: rowSchema.parse(answer.body).id,
        eval_status: "PASSED",
        failed_tool_calls: [],
        passed_tool_calls: ["look_up"],
        additional_tool_calls: [],
        missing_tool_calls: [],
        failed_argument_checks: [],
        passed_argument_checks: [],
      },
      eval_input: {
        expected_tool_calls: ["look_up"],
        allow_additional_tool_calls: false,
        expected_tool_call_arguments: null,
      },
      created_at: "2026-11-20T12:00:00Z",
      updated_at: "2026-11-20T12:00:00Z",
    })
    expect(ran(service)).toEqual(['look_up {"id":7}'])
    expect((await ask(`GET /eval-runs/${rowSchema.parse(answer.body).id}`)).body).toEqual(answer.body)
  })

  test.each([
    ["another call", { expected_tool_calls: [] }, { eval_status: "FAILED", failed_tool_calls: ["look_up"] }],
    [
      "another call that may be",
      { expected_tool_calls: [], allow_additional_tool_calls: true },
      { eval_status: "PASSED", additional_tool_calls: ["look_up"] },
    ],
    [
      "a call that is missing",
      { expected_tool_calls: ["look_up", "send_email"] },
      { eval_status: "FAILED", missing_tool_calls: ["send_email"] },
    ],
    [
      "arguments that fit",
      { expected_tool_call_arguments: { look_up: { id: 7 } } },
      { eval_status: "PASSED", passed_argument_checks: ["look_up"] },
    ],
    [
      "arguments that do not",
      { expected_tool_call_arguments: { look_up: [{ id: 7 }, { id: 8 }] } },
      { eval_status: "FAILED", failed_argument_checks: ["look_up"] },
    ],
    [
      "a call that waits for a decision",
      { input: "delete it", expected_tool_calls: ["delete_user_data"] },
      { eval_status: "FAILED", missing_tool_calls: ["delete_user_data (asked for, but it did not run)"] },
    ],
  ])("tells of %s", async (_name, fields, data) => {
    expect((await ask("POST /eval-runs", { ...look, ...fields })).body).toMatchObject({ eval_data: data })
  })

  test("of a team counts the calls of its members, and its gate holds", async () => {
    const fields = { agent_id: null, team_id: "support-team", input: "own tool", expected_tool_calls: ["close_ticket"] }

    const answer = await ask("POST /eval-runs", { ...look, ...fields })

    expect(answer.body).toMatchObject({ team_id: "support-team", agent_id: null, eval_data: { eval_status: "FAILED" } })
    expect(await pending(service)).toMatchObject([{ tool_name: "close_ticket" }])
    expect(ran(service)).toEqual([])
  })
})

test("a performance evaluation runs as often as asked, and tells the times", async () => {
  const wish = {
    agent_id: "support-member",
    eval_type: "performance",
    input: "look",
    num_iterations: 3,
    warmup_runs: 1,
  }

  const answer = await ask("POST /eval-runs", wish)

  expect(answer.body).toMatchObject({
    eval_data: { run_times: [0, 0, 0], avg_run_time: 0, p95_run_time: 0, memory_usages: [] },
    eval_input: { num_iterations: 3, warmup_runs: 1 },
  })
  expect(ran(service)).toHaveLength(4)
})

describe("an evaluation is refused", () => {
  test.each([
    ["one that needs a judge", { eval_type: "accuracy", expected_output: "x" }, 400, /Type accuracy needs a model/],
    ["an agent as judge", { eval_type: "agent_as_judge", criteria: "x" }, 400, /needs a model that judges/],
    ["another model", { model_id: "gpt-4o", model_provider: "OpenAI" }, 400, /Model OpenAI:gpt-4o is not here/],
    ["agent and team", { team_id: "support-team" }, 400, /Only one of agent_id or team_id/],
    ["neither", { agent_id: null }, 400, /One of agent_id or team_id must be provided/],
    ["an unknown agent", { agent_id: "x" }, 404, /Agent with id 'x' not found/],
    ["an unknown team", { agent_id: null, team_id: "x" }, 404, /Team with id 'x' not found/],
    ["no expected calls", { expected_tool_calls: null }, 400, /expected_tool_calls is required/],
    ["an unknown type", { eval_type: "speed" }, 422, /literal_error/],
    ["no input", { input: "" }, 422, /at least 1 character"/],
    ["too many rounds", { num_iterations: 101 }, 422, /less than or equal to 100/],
  ])("with %s, and nothing runs or is kept", async (_name, fields, status, text) => {
    const answer = await ask("POST /eval-runs", { ...look, ...fields })

    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
    expect(ran(service)).toEqual([])
    expect(await named("")).toEqual([])
  })

  test("without the right to run what is tried", async () => {
    const may = async (scope: string) =>
      (await call(service, "POST /eval-runs", { token: await aToken(["evals:write", scope]), json: look })).status

    expect(await may("evals:read")).toBe(403)
    expect(await may("agents:other-member:run")).toBe(403)
    expect(await may("agents:support-member:run")).toBe(200)
  })
})

test("the list is narrowed, ordered and cut; a run is renamed; many are deleted", async () => {
  const first = await tried({ name: "b" })
  service.pass(1000)
  await tried({ name: "a", eval_type: "performance" })
  const team = { agent_id: null, team_id: "support-team", input: "own tool", expected_tool_calls: [] }
  service.pass(1000)
  const third = await tried({ ...team, name: "c" })

  expect(await named("")).toEqual(["c", "a", "b"])
  expect(await named("?sort_by=name&sort_order=asc&limit=2")).toEqual(["a", "b"])
  expect(await named("?agent_id=support-member")).toEqual(["a", "b"])
  expect(await named("?team_id=support-team")).toEqual(["c"])
  expect(await named("?type=team")).toEqual(["c"])
  expect(await named("?type=workflow")).toEqual([])
  expect(await named("?workflow_id=x")).toEqual([])
  expect(await named("?model_id=scripted-model&eval_types=performance,accuracy")).toEqual(["a"])
  for (const query of ["eval_types=speed", "type=tool", "sort_by=eval_data"]) {
    expect((await ask(`GET /eval-runs?${query}`)).status).toBe(422)
  }

  const renamed = await ask(`PATCH /eval-runs/${first}`, { name: "renamed" })

  expect(renamed.body).toMatchObject({ id: first, name: "renamed", updated_at: "2026-11-20T12:00:02Z" })
  expect((await ask(`PATCH /eval-runs/${first}`, { name: "" })).status).toBe(422)
  for (const request of ["PATCH /eval-runs/none", "GET /eval-runs/none"]) {
    expect(await ask(request, request.startsWith("PATCH") ? { name: "x" } : undefined)).toMatchObject({
      status: 404,
      body: { detail: "Eval run with id 'none' not found" },
    })
  }
  expect((await ask("DELETE /eval-runs", { eval_run_ids: [] })).status).toBe(422)
  expect((await ask("DELETE /eval-runs", { eval_run_ids: [first, third, "none"] })).status).toBe(204)
  expect(await named("")).toEqual(["a"])
})

test("under user isolation eval runs are whose who ran them", async () => {
  const isolated = await aFullService({ userIsolation: true })
  const asBob = (request: string, json?: unknown) => ask(request, json, isolated, { sub: "bob" })
  const { id } = rowSchema.parse((await ask("POST /eval-runs", look, isolated)).body)

  expect((await asBob("GET /eval-runs")).body).toMatchObject({ data: [] })
  expect((await asBob(`GET /eval-runs/${id}`)).status).toBe(404)
  expect((await asBob(`PATCH /eval-runs/${id}`, { name: "x" })).status).toBe(404)
  expect((await asBob("DELETE /eval-runs", { eval_run_ids: [id] })).status).toBe(204)
  expect((await ask(`GET /eval-runs/${id}`, undefined, isolated)).body).toMatchObject({ id, user_id: "ann" })
  await isolated.close()
})
