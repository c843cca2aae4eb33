// Metrics (4.3) over HTTP: counted day by day from the service's own runs, when somebody refreshes them.

import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { opened } from "../../support/opened.ts"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"
import { aFullService, asAlice, started } from "../components.ts"
import { aModel, says } from "../model/a-model.ts"
import { aThinkingService } from "../model/a-thinking-service.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

async function ask(request: string, at: TestService = service, claims = {}): Promise<Answer> {
  return call(at, request, { token: await aToken(["metrics:read", "metrics:write"], claims) })
}

async function twoDays(at: TestService = service): Promise<void> {
  await started(at, "agents/support-member", "look")
  await started(at, "teams/support-team", "own tool")
  at.pass(86_400_000)
  await started(at, "workflows/month-end", "go")
  const form = { message: "look", stream: "false", session_id: "s-2" }
  await call(at, "POST /agents/support-member/runs", { token: await aToken(["agents:run"], { sub: "bob" }), form })
}

const first = {
  id: "2026-11-20",
  agent_runs_count: 1,
  agent_sessions_count: 1,
  team_runs_count: 1,
  team_sessions_count: 1,
  workflow_runs_count: 0,
  workflow_sessions_count: 0,
  users_count: 1,
  model_metrics: [{ model_id: "scripted-model", model_provider: "scripted", count: 2 }],
  date: "2026-11-20T00:00:00Z",
}
const second = { id: "2026-11-21", agent_runs_count: 1, team_runs_count: 0, workflow_runs_count: 1, users_count: 2 }

test("what has run until now is told without a refresh, day by day", async () => {
  expect((await ask("GET /metrics")).body).toEqual({ metrics: [], updated_at: null })
  await twoDays()
  expect((await ask("GET /metrics")).body).toMatchObject({ metrics: [first, second] })

  await started(service, "agents/support-member", "look")
  expect((await ask("GET /metrics")).body).toMatchObject({ metrics: [first, { ...second, agent_runs_count: 2 }] })
  service.pass(86_400_000)
  await started(service, "agents/support-member", "look")
  expect((await ask("GET /metrics")).body).toMatchObject({
    metrics: [first, { agent_runs_count: 2 }, { agent_runs_count: 1 }],
  })
})

test("days are counted again after the clock was a year ahead", async () => {
  service.pass(365 * 86_400_000)
  await started(service, "agents/support-member", "look")
  await ask("GET /metrics")
  service.pass(-365 * 86_400_000)
  await twoDays()

  const { body } = await ask("GET /metrics")

  expect((body as { metrics: readonly unknown[] }).metrics.slice(0, 2)).toMatchObject([first, second])
})

test("what became of the last refresh is told", async () => {
  expect((await ask("GET /metrics/refresh/status")).body).toEqual({ status: "idle" })
  await ask("POST /metrics/refresh")

  const at = "2026-11-20T12:00:00Z"
  expect((await ask("GET /metrics/refresh/status")).body).toEqual({
    status: "completed",
    started_at: at,
    finished_at: at,
  })
})

test("a refresh counts each day's runs, sessions and users, and what it counted is told", async () => {
  await twoDays()

  const refreshed = await ask("POST /metrics/refresh")

  expect(refreshed).toMatchObject({ status: 200, body: [first, second] })
  expect((await ask("GET /metrics")).body).toMatchObject({
    metrics: [{ ...first, created_at: "2026-11-21T12:00:00Z" }, second],
    updated_at: "2026-11-21T12:00:00Z",
  })
})

test("a day is counted anew, not twice; what was deleted stays counted", async () => {
  await twoDays()
  await ask("POST /metrics/refresh")
  await started(service, "agents/support-member", "look")
  service.pass(60_000)

  const again = await ask("POST /metrics/refresh")

  expect(again.body).toMatchObject([first, { ...second, agent_runs_count: 2 }])
  const json = { session_ids: ["s-1"], session_types: ["agent"] }
  await call(service, "DELETE /sessions", { token: await aToken(["sessions:delete"]), json })
  expect((await ask("POST /metrics/refresh")).body).toMatchObject([first, { users_count: 2 }])
})

test("days and users are chosen", async () => {
  await twoDays()
  await ask("POST /metrics/refresh")

  expect((await ask("GET /metrics?starting_date=2026-11-21")).body).toMatchObject({ metrics: [second] })
  expect((await ask("GET /metrics?ending_date=2026-11-20")).body).toMatchObject({ metrics: [first] })
  expect((await ask("GET /metrics?user_id=bob")).body).toMatchObject({
    metrics: [{ id: "2026-11-21", agent_runs_count: 1, workflow_runs_count: 0, users_count: 1 }],
  })
  expect((await ask("POST /metrics/refresh?user_id=bob")).body).toMatchObject([{ id: "2026-11-21", users_count: 1 }])
  expect((await ask("GET /metrics?user_id=eve")).body).toEqual({ metrics: [], updated_at: null })
})

test("a refresh in the background is answered at once, and happens", async () => {
  await twoDays()

  const accepted = await ask("POST /metrics/refresh?background=true")

  expect(accepted).toMatchObject({ status: 202, body: { status: "started" } })
  await vi.waitFor(async () => {
    expect((await ask("GET /metrics")).body).toMatchObject({ metrics: [first, second] })
  })
})

test.each(["starting_date=today", "ending_date=2026-13-01", "ending_date=20261120"])("refuses %s", async (query) => {
  expect(await ask(`GET /metrics?${query}`)).toMatchObject({
    status: 422,
    body: { detail: [{ type: "date_parsing" }] },
  })
})

test("a refresh wants a truth value, and the right to write", async () => {
  expect((await ask("POST /metrics/refresh?background=maybe")).status).toBe(422)
  expect((await call(service, "POST /metrics/refresh", { token: await aToken(["metrics:read"]) })).status).toBe(403)
  expect((await call(service, "GET /metrics", { token: await asAlice() })).status).toBe(403)
})

test("under user isolation somebody sees what is counted of their own runs", async () => {
  const isolated = await aFullService({ userIsolation: true })
  await twoDays(isolated)

  const refreshed = await ask("POST /metrics/refresh?user_id=alice@example.com", isolated, { sub: "bob" })

  expect(refreshed.body).toMatchObject([{ agent_runs_count: 1, workflow_runs_count: 0 }])
  expect((await ask("GET /metrics", isolated, { sub: "bob" })).body).toMatchObject({
    metrics: [{ agent_runs_count: 1, workflow_runs_count: 0 }],
  })
  expect((await ask("GET /metrics", isolated)).status).toBe(403)
  await isolated.close()
})

test("the tokens that models took are counted with their day, those of members too, and each model by its runs", async () => {
  const model = await aModel(says("One.", [100, 10]), says("Two.", [200, 20]))
  const thinking = await aThinkingService(model.url)
  onTestFinished(async () => {
    await thinking.close()
    await model.close()
  })
  await started(thinking, "agents/clerk", "x")
  await started(thinking, "teams/desk", "x")

  const { body } = await ask("POST /metrics/refresh", thinking)

  expect(body).toMatchObject([
    {
      agent_runs_count: 1,
      team_runs_count: 1,
      token_metrics: { input_tokens: 300, output_tokens: 30, total_tokens: 330, audio_input_tokens: 0 },
      model_metrics: [
        { model_id: "scripted-model", model_provider: "scripted", count: 1 },
        { model_id: "test-model", model_provider: "openai-compatible", count: 1 },
      ],
    },
  ])
})
