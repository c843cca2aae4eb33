// Schedules (4.3) over HTTP: what is kept, when it is due, and who may schedule what.

import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { opened } from "../../support/opened.ts"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import { asScheduler, scheduled } from "./a-schedule.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

const ask = (request: string, json?: unknown, at: TestService = service): Promise<Answer> =>
  asScheduler(at, request, json)

const nightly = {
  name: "nightly look",
  cron_expr: "30 2 * * *",
  endpoint: "/agents/support-member/runs",
  payload: { message: "look" },
}
const rowSchema = z.looseObject({ id: z.string(), name: z.string(), next_run_at: z.number().nullable() })

async function named(query: string): Promise<readonly string[]> {
  const { body } = await ask(`GET /schedules${query}`)
  return z
    .object({ data: z.array(rowSchema) })
    .parse(body)
    .data.map(({ name }) => name)
}

describe("a schedule", () => {
  test("is kept with its defaults and the time at which it is due", async () => {
    const created = await ask("POST /schedules", nightly)

    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(String),
      user_id: "ann",
      name: "nightly look",
      description: null,
      method: "POST",
      endpoint: "/agents/support-member/runs",
      payload: { message: "look" },
      cron_expr: "30 2 * * *",
      timezone: "UTC",
      timeout_seconds: 3600,
      max_retries: 0,
      retry_delay_seconds: 60,
      enabled: true,
      next_run_at: Date.UTC(2026, 10, 21, 2, 30) / 1000,
      managed_by: null,
      target_type: "agent",
      target_id: "support-member",
      disabled_reason: null,
      created_at: 1_795_176_000,
      updated_at: null,
    })
    expect((await ask(`GET /schedules/${rowSchema.parse(created.body).id}`)).body).toEqual(created.body)
  })

  test.each([
    ["*/15 * * * *", "UTC", Date.UTC(2026, 10, 20, 12, 15)],
    ["30 2 * * *", "Europe/Rome", Date.UTC(2026, 10, 21, 1, 30)],
    ["0 9 * * MON", "America/New_York", Date.UTC(2026, 10, 23, 14)],
    ["@monthly", "UTC", Date.UTC(2026, 11, 1)],
    ["0 0 29 2 *", "UTC", Date.UTC(2028, 1, 29)],
  ])("of %s in %s is due at that clock's time", async (cron_expr, timezone, due) => {
    const { body } = await ask("POST /schedules", { ...nightly, cron_expr, timezone })

    expect(body).toMatchObject({ next_run_at: due / 1000 })
  })

  test("without a cron expression is started by people only", async () => {
    const { body } = await ask("POST /schedules", { ...nightly, cron_expr: undefined })

    expect(body).toMatchObject({ cron_expr: null, next_run_at: null, enabled: true })
  })

  test("is changed, and what is left out stays; only a new time moves when it is due", async () => {
    const id = await scheduled(service, nightly)
    service.pass(60_000)

    const nothing = await ask(`PATCH /schedules/${id}`, {})
    const renamed = await ask(`PATCH /schedules/${id}`, { name: "look", description: "Looks.", max_retries: 2 })
    const moved = await ask(`PATCH /schedules/${id}`, { cron_expr: "0 3 * * *", timezone: "Europe/Rome" })
    const byHand = await ask(`PATCH /schedules/${id}`, { cron_expr: "" })

    expect(nothing.body).toMatchObject({ updated_at: null })
    expect(renamed.body).toMatchObject({ name: "look", description: "Looks.", max_retries: 2, cron_expr: "30 2 * * *" })
    expect(renamed.body).toMatchObject({ next_run_at: Date.UTC(2026, 10, 21, 2, 30) / 1000, updated_at: 1_795_176_060 })
    expect(moved.body).toMatchObject({ next_run_at: Date.UTC(2026, 10, 21, 2) / 1000 })
    expect(byHand.body).toMatchObject({ cron_expr: null, next_run_at: null, payload: { message: "look" } })
  })

  test("is disabled and enabled again, and then due after that", async () => {
    const id = await scheduled(service, { ...nightly, cron_expr: "@hourly" })

    const off = await ask(`POST /schedules/${id}/disable`)
    service.pass(3 * 3_600_000)
    const on = await ask(`POST /schedules/${id}/enable`)

    expect(off.body).toEqual({
      id,
      name: "nightly look",
      enabled: false,
      next_run_at: Date.UTC(2026, 10, 20, 13) / 1000,
      updated_at: 1_795_176_000,
    })
    expect(on.body).toMatchObject({ enabled: true, next_run_at: Date.UTC(2026, 10, 20, 16) / 1000 })
    expect((await ask(`GET /schedules/${id}`)).body).toMatchObject({ enabled: true })
  })

  test("is gone once it is deleted, with its runs, and then unknown", async () => {
    const id = await scheduled(service, nightly)
    const run = await ask(`POST /schedules/${id}/trigger`)
    const { id: runId } = z.object({ id: z.string() }).parse(run.body)

    expect((await ask(`DELETE /schedules/${id}`)).status).toBe(204)

    for (const request of [
      `GET /schedules/${id}`,
      `DELETE /schedules/${id}`,
      `GET /schedules/${id}/runs`,
      `POST /schedules/${id}/enable`,
      `POST /schedules/${id}/disable`,
      `POST /schedules/${id}/trigger`,
    ]) {
      expect(await ask(request)).toMatchObject({ status: 404, body: { detail: "Schedule not found" } })
    }
    expect((await ask(`PATCH /schedules/${id}`, { name: "x" })).status).toBe(404)
    expect(await ask(`GET /schedules/${id}/runs/${runId}`)).toMatchObject({
      status: 404,
      body: { detail: "Schedule run not found" },
    })
  })

  test.each([
    ["no name", { name: undefined }, "missing", "name"],
    ["a name of other characters", { name: "look!" }, "value_error", "name"],
    ["a cron expression that is none", { cron_expr: "every day" }, "value_error", "cron_expr"],
    ["one of six fields", { cron_expr: "0 0 0 * * *" }, "value_error", "cron_expr"],
    ["one that is drawn by lot", { cron_expr: "H 0 * * *" }, "value_error", "cron_expr"],
    ["a time that never comes", { cron_expr: "0 0 31 2 *" }, "value_error", "cron_expr"],
    ["an unknown time zone", { timezone: "Mars/Olympus" }, "value_error", "timezone"],
    ["an address elsewhere", { endpoint: "https://example.com/agents/a/runs" }, "value_error", "endpoint"],
    ["another route", { endpoint: "/approvals/x/resolve" }, "value_error", "endpoint"],
    ["an unknown agent", { endpoint: "/agents/nobody/runs" }, "value_error", "endpoint"],
    ["another method", { method: "DELETE" }, "value_error", "method"],
    ["too many retries", { max_retries: 11 }, "less_than_equal", "max_retries"],
    ["a payload that is no object", { payload: "look" }, "dict_type", "payload"],
  ])("is refused with %s, and nothing is kept", async (_name, fields, type, field) => {
    const answer = await ask("POST /schedules", { ...nightly, ...fields })

    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type, loc: ["body", field] }] } })
    expect(await named("")).toEqual([])
  })

  test("is refused with the name of another one, new or renamed", async () => {
    await scheduled(service, nightly)
    const other = await scheduled(service, { ...nightly, name: "other" })
    const taken = { status: 409, body: { detail: "Schedule with name 'nightly look' already exists" } }

    expect(await ask("POST /schedules", nightly)).toMatchObject(taken)
    expect(await ask(`PATCH /schedules/${other}`, { name: "nightly look" })).toMatchObject(taken)
    expect(await ask(`PATCH /schedules/${other}`, { name: null })).toMatchObject({ status: 422 })
    expect(await named("?sort_by=name&sort_order=asc")).toEqual(["nightly look", "other"])
  })
})

test("the list is narrowed, ordered and cut into pages", async () => {
  const first = await scheduled(service, nightly)
  service.pass(1000)
  await scheduled(service, { ...nightly, name: "hourly", cron_expr: "@hourly" })
  await ask(`POST /schedules/${first}/disable`)

  expect(await named("")).toEqual(["hourly", "nightly look"])
  expect(await named("?enabled=true")).toEqual(["hourly"])
  expect(await named("?enabled=false")).toEqual(["nightly look"])
  expect(await named("?limit=1&page=2")).toEqual(["nightly look"])
  for (const query of ["enabled=maybe", "limit=0", "sort_by=payload"]) {
    expect((await ask(`GET /schedules?${query}`)).status).toBe(422)
  }
})

describe("who schedules", () => {
  const withScopes = async (...scopes: string[]) => aToken(["schedules:write", ...scopes])

  test("needs the right to run what is started, when it is made, changed, enabled and triggered", async () => {
    const id = await scheduled(service, nightly)
    const token = await withScopes("agents:other-member:run")
    const tried = async (request: string, json?: unknown) => (await call(service, request, { token, json })).status

    expect(await tried("POST /schedules", { ...nightly, name: "mine" })).toBe(403)
    expect(await tried(`PATCH /schedules/${id}`, { payload: { message: "delete it" } })).toBe(403)
    for (const sooner of [{ cron_expr: "* * * * *" }, { timezone: "Europe/Rome" }, { max_retries: 9 }])
      expect(await tried(`PATCH /schedules/${id}`, sooner)).toBe(403)
    expect(await tried(`PATCH /schedules/${id}`, { retry_delay_seconds: 1 })).toBe(403)
    expect(await tried(`POST /schedules/${id}/enable`)).toBe(403)
    expect(await tried(`POST /schedules/${id}/trigger`)).toBe(403)
    expect(await tried(`PATCH /schedules/${id}`, { name: "renamed" })).toBe(200)
    expect(await tried(`PATCH /schedules/${id}`, { endpoint: "/agents/other-member/runs" })).toBe(200)
    expect(await tried(`POST /schedules/${id}/enable`)).toBe(200)
  })

  test("sees, changes and starts only their own under user isolation", async () => {
    const isolated = await aFullService({ userIsolation: true })
    const hers = await scheduled(isolated, nightly)
    const token = await aToken(["schedules:read", "schedules:write", "schedules:delete", "agents:run"], { sub: "bob" })
    const asBob = (request: string, json?: unknown) =>
      call(isolated, request, { token, ...(json === undefined ? {} : { json }) })

    expect((await asBob("POST /schedules", nightly)).body).toMatchObject({ name: "nightly look", user_id: "bob" })
    expect((await asBob("GET /schedules")).body).toMatchObject({ data: [{ user_id: "bob" }], meta: { total_count: 1 } })
    for (const request of [
      `GET /schedules/${hers}`,
      `GET /schedules/${hers}/runs`,
      `POST /schedules/${hers}/trigger`,
      `POST /schedules/${hers}/disable`,
      `DELETE /schedules/${hers}`,
    ]) {
      expect((await asBob(request)).status).toBe(404)
    }
    await isolated.close()
  })
})
