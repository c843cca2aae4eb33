// The contract of schedules: the same requests, and the same statuses and shapes from AgentOS 3.1.10 and the embedded
// service. What differs is picked case by case, with its reason; docs/service.md lists it.
import { setTimeout as wait } from "node:timers/promises"
import { expect, test } from "vitest"
import type { Answer } from "../drive.ts"
import { ask, page, rowOf, seconds, text } from "./asked.ts"
import { describePlatforms, TODAYS } from "./platforms.ts"

const leapDay = { name: "leap day", cron_expr: "0 0 29 2 *", endpoint: "/agents/admin-agent/runs" }
const next29February = Date.UTC(2028, 1, 29) / 1000

describePlatforms(
  "schedules",
  ({ os, pick }) => {
    const made = async (json: Readonly<Record<string, unknown>>): Promise<Answer & { readonly id: string }> => {
      const answer = await ask(os(), "POST /schedules", json)
      return { ...answer, id: String(rowOf(answer)["id"]) }
    }

    test("schedules: made, shown, listed, changed, disabled, enabled, removed", async () => {
      const created = await made({ ...leapDay, payload: { message: "go" }, description: "Leaps" })

      expect(created).toMatchObject({
        status: 201,
        body: {
          id: text,
          user_id: "ann",
          name: "leap day",
          description: "Leaps",
          method: "POST",
          endpoint: "/agents/admin-agent/runs",
          payload: { message: "go" },
          cron_expr: "0 0 29 2 *",
          timezone: "UTC",
          timeout_seconds: 3600,
          max_retries: 0,
          retry_delay_seconds: 60,
          enabled: true,
          next_run_at: next29February,
          managed_by: null,
          disabled_reason: null,
          created_at: seconds,
        },
      })
      const { id } = created
      expect((await ask(os(), `GET /schedules/${id}`)).body).toEqual(created.body)
      expect((await ask(os(), "GET /schedules")).body).toEqual({ data: [created.body], meta: page(100, 1) })
      expect((await ask(os(), "GET /schedules?enabled=false")).body).toEqual({ data: [], meta: page(100, 0) })
      expect(await made(leapDay)).toMatchObject({
        status: 409,
        body: { detail: "Schedule with name 'leap day' already exists" },
      })
      const changed = await ask(os(), `PATCH /schedules/${id}`, { timezone: "Europe/Rome", max_retries: 2 })
      expect(changed).toMatchObject({
        status: 200,
        body: { name: "leap day", description: "Leaps", max_retries: 2, next_run_at: next29February - 3600 },
      })
      expect(await ask(os(), `POST /schedules/${id}/disable`)).toMatchObject({
        status: 200,
        body: { id, name: "leap day", enabled: false },
      })
      expect((await ask(os(), "GET /schedules?enabled=false")).body).toMatchObject({ meta: page(100, 1) })
      expect(await ask(os(), `POST /schedules/${id}/enable`)).toMatchObject({
        status: 200,
        body: { id, name: "leap day", enabled: true, next_run_at: next29February - 3600 },
      })
      expect((await ask(os(), `DELETE /schedules/${id}`)).status).toBe(204)
      for (const request of ["GET", "DELETE"].map((method) => `${method} /schedules/${id}`))
        expect(await ask(os(), request)).toMatchObject({ status: 404, body: { detail: "Schedule not found" } })
    })

    test.each<[string, Record<string, unknown>]>([
      ["a cron expression that is none", { cron_expr: "now and then" }],
      ["a cron expression of six fields", { cron_expr: "0 0 0 1 1 *" }],
      ["a time zone that there is not", { timezone: "Mars/Olympus" }],
      ["no name", { name: "" }],
      ["a name with a slash", { name: "a/b" }],
      ["a name that is too long", { name: "a".repeat(256) }],
      ["no endpoint", { endpoint: undefined }],
      ["retries without end", { max_retries: 11 }],
      ["a time of nothing", { timeout_seconds: 0 }],
    ])("schedules: one with %s is 422", async (_name, more) => {
      expect((await made({ ...leapDay, ...more })).status).toBe(422)
    })

    test.each<[string, string, number]>([
      ["0 0 29 2 *", "Europe/Rome", next29February - 3600],
      ["0 0 29 2 *", "America/New_York", next29February + 5 * 3600],
      ["59 23 28 2 *", "UTC", 0],
      ["*/15 * * * *", "UTC", 0],
      ["0 9 * * MON-FRI", "Europe/Rome", 0],
      ["@monthly", "UTC", 0],
      ["30 2 1,15 * *", "UTC", 0],
    ])("schedules: %s in %s is taken, and due in the future", async (cron_expr, timezone, due) => {
      const { id, status, body } = await made({ ...leapDay, cron_expr, timezone })
      await ask(os(), `DELETE /schedules/${id}`)

      expect(status).toBe(201)
      const { next_run_at: at } = body as { readonly next_run_at: number }
      if (due > 0) expect(at).toBe(due)
      else expect(at).toBeGreaterThan(Date.now() / 1000 - 1)
    })

    test("schedules: one without a cron expression is started by people only", async () => {
      const { id, body } = await made({ name: "by hand", endpoint: leapDay.endpoint })
      await ask(os(), `DELETE /schedules/${id}`)

      expect(body).toMatchObject({ next_run_at: null, enabled: true })
    })

    test("schedules: one that is triggered leaves a run that paused", async () => {
      const { id } = await made({ ...leapDay, payload: { message: "go" } })

      const triggered = await ask(os(), `POST /schedules/${id}/trigger`)

      expect(triggered).toMatchObject({ status: 200, body: { id: text, schedule_id: id, attempt: 1 } })
      const run = async () => rowOf(await ask(os(), `GET /schedules/${id}/runs`)).data?.[0]
      const end = Date.now() + 20_000
      while ((await run())?.["status"] !== "paused" && Date.now() < end) await wait(100)
      expect(await run()).toMatchObject({ schedule_id: id, attempt: 1, status: "paused", error: null })
      await ask(os(), `POST /schedules/${id}/disable`)
      expect((await ask(os(), `POST /schedules/${id}/trigger`)).status).toBe(409)
      await ask(os(), `DELETE /schedules/${id}`)
    })

    // Schedules start runs here and nothing else, and what can't work is said at once. AgentOS takes any route, and
    // fails at a time that never comes.
    test.each<[string, Record<string, unknown>, { readonly embedded: number; readonly v3: number }]>([
      ["of an agent that there is not", { endpoint: "/agents/none/runs" }, { embedded: 422, v3: 201 }],
      ["of a route that starts nothing", { endpoint: "/config", method: "GET" }, { embedded: 422, v3: 201 }],
      ["that never comes", { cron_expr: "0 0 31 2 *" }, { embedded: 422, v3: 500 }],
    ])("schedules: one %s is refused here when it is made", async (_name, more, { embedded, v3 }) => {
      const { id, status } = await made({ ...leapDay, ...more })
      await ask(os(), `DELETE /schedules/${id}`)

      expect(status).toBe(pick({ embedded, v2: v3, v3 }))
    })
  },
  TODAYS,
  { scheduler: true },
)
