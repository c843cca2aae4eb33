// What schedules start, when and how often, and how the records of it follow the runs.

import { join } from "node:path"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { aFolder, opened } from "../../support/opened.ts"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService, decideAll, pending, ran, started, wentOn } from "../components.ts"
import { asScheduler, scheduled } from "./a-schedule.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService({ schedulePollMs: 5 }))))

const runSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  attempt: z.number(),
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
})
type SeenScheduleRun = z.output<typeof runSchema>

async function runsOf(id: string, at: TestService = service): Promise<readonly SeenScheduleRun[]> {
  const { body } = await asScheduler(at, `GET /schedules/${id}/runs`)
  return z.object({ data: z.array(runSchema) }).parse(body).data
}

/** Waits until a schedule has that many runs, newest first. */
function hasRun(id: string, count: number, at: TestService = service): Promise<readonly SeenScheduleRun[]> {
  return vi.waitFor(async () => {
    const runs = await runsOf(id, at)
    expect(runs).toHaveLength(count)
    return runs
  })
}

const aSchedule = (message: string, fields: Record<string, unknown> = {}) => ({
  name: message,
  endpoint: "/agents/support-member/runs",
  payload: { message },
  ...fields,
})

describe("a schedule that is triggered", () => {
  test("starts the run at once in its owner's name, and records it", async () => {
    const id = await scheduled(service, aSchedule("look", { payload: { message: "look", session_id: "s-9" } }))

    const run = await asScheduler(service, `POST /schedules/${id}/trigger`)

    expect(run).toMatchObject({
      status: 200,
      body: {
        schedule_id: id,
        user_id: "ann",
        attempt: 1,
        status: "success",
        status_code: 200,
        session_id: "s-9",
        triggered_at: 1_795_176_000,
        completed_at: 1_795_176_000,
        error: null,
        input: { message: "look", session_id: "s-9" },
        output: { content: "Seen.", content_type: "str" },
        requirements: null,
      },
    })
    expect(ran(service)).toEqual(['look_up {"id":7}'])
    const { id: runId, run_id: started } = runSchema.parse(run.body)
    expect((await asScheduler(service, `GET /schedules/${id}/runs/${runId}`)).body).toEqual(run.body)
    const token = await aToken(["agents:read", "agents:run"])
    expect((await call(service, `GET /agents/support-member/runs/${started}`, { token })).body).toMatchObject({
      user_id: "ann",
      status: "COMPLETED",
    })
  })

  test("pauses at the gate: the approval names schedule and run, and the record follows the decision", async () => {
    const id = await scheduled(service, aSchedule("delete it"))

    const triggered = runSchema.parse((await asScheduler(service, `POST /schedules/${id}/trigger`)).body)
    const [approval] = await pending(service)

    expect(triggered).toMatchObject({
      status: "paused",
      requirements: [{ tool_execution: { tool_name: "delete_user_data" } }],
    })
    expect(approval).toMatchObject({ schedule_id: id, schedule_run_id: triggered.id, user_id: "ann" })
    await decideAll(service, { status: "approved" })
    const session_id = triggered.session_id ?? ""
    const token = await aToken(["agents:run"])
    const form = { stream: "false", session_id }
    await call(service, `POST /agents/support-member/runs/${triggered.run_id}/continue`, { token, form })
    expect((await runsOf(id))[0]).toMatchObject({
      status: "success",
      requirements: null,
      output: { content: "The data is gone." },
    })
  })

  test.each([
    ["teams/support-team", "", "teams:run"],
    ["workflows/month-end", "", "workflows:run"],
  ])("a schedule that starts %s has the approvals of members name it, too", async (component, message) => {
    const id = await scheduled(service, {
      ...aSchedule("members"),
      endpoint: `/${component}/runs`,
      payload: { message },
    })

    const { id: runId } = runSchema.parse((await asScheduler(service, `POST /schedules/${id}/trigger`)).body)

    expect(await pending(service)).toMatchObject([{ schedule_id: id, schedule_run_id: runId, source_type: "agent" }])
  })

  test("a schedule whose run is cancelled says so", async () => {
    const id = await scheduled(service, aSchedule("delete it"))
    const { run_id: runId } = runSchema.parse((await asScheduler(service, `POST /schedules/${id}/trigger`)).body)

    await call(service, `POST /agents/support-member/runs/${runId}/cancel`, { token: await aToken(["agents:run"]) })

    expect((await runsOf(id))[0]).toMatchObject({ status: "failed", error: "Run was cancelled" })
  })

  test.each([
    ["no message", { payload: null }, 422, "payload.message: expected the text that the run starts with"],
    ["the session of somebody else", { payload: { message: "look", session_id: "bobs" } }, 404, "Session not found"],
  ])("with %s fails, and says why", async (_name, fields, status, error) => {
    const form = { message: "look", stream: "false", session_id: "bobs" }
    await call(service, "POST /agents/support-member/runs", {
      token: await aToken(["agents:run"], { sub: "bob" }),
      form,
    })
    const id = await scheduled(service, aSchedule("broken", fields))

    const run = await asScheduler(service, `POST /schedules/${id}/trigger`)

    expect(run.body).toMatchObject({ status: "failed", status_code: status, error, run_id: null })
    expect(ran(service)).toHaveLength(1)
  })

  test("is refused while it is disabled", async () => {
    const id = await scheduled(service, aSchedule("look"))
    await asScheduler(service, `POST /schedules/${id}/disable`)

    expect(await asScheduler(service, `POST /schedules/${id}/trigger`)).toMatchObject({
      status: 409,
      body: { detail: "Schedule is disabled" },
    })
    expect(await runsOf(id)).toEqual([])
  })
})

describe("a schedule that is due", () => {
  test("is started each time, and not in between", async () => {
    const id = await scheduled(service, aSchedule("look", { cron_expr: "*/10 * * * *" }))

    service.pass(9 * 60_000)
    expect(await runsOf(id)).toEqual([])
    service.pass(60_000)
    await hasRun(id, 1)
    service.pass(10 * 60_000)

    const runs = await hasRun(id, 2)
    expect(runs.map((run) => run["triggered_at"])).toEqual([1_795_177_200, 1_795_176_600])
    expect((await asScheduler(service, `GET /schedules/${id}`)).body).toMatchObject({ next_run_at: 1_795_177_800 })
  })

  test("a schedule that is due and disabled is not started", async () => {
    const off = await scheduled(service, aSchedule("look", { cron_expr: "@hourly" }))
    const on = await scheduled(service, aSchedule("report", { cron_expr: "@hourly" }))
    await asScheduler(service, `POST /schedules/${off}/disable`)

    service.pass(3_600_000)

    await hasRun(on, 1)
    expect(await runsOf(off)).toEqual([])
  })

  test("a schedule that fails is tried again, as often and as late as it says", async () => {
    const retries = { cron_expr: "0 13 * * *", max_retries: 2, retry_delay_seconds: 30 }
    const id = await scheduled(service, aSchedule("broken", retries))

    service.pass(3_600_000)
    await hasRun(id, 1)
    service.pass(30_000)
    await hasRun(id, 2)
    service.pass(30_000)

    const runs = await hasRun(id, 3)
    expect(runs.map(({ attempt }) => attempt)).toEqual([3, 2, 1])
    expect(runs[0]).toMatchObject({ status: "failed", error: "the model is down" })
    service.pass(30_000)
    const other = await scheduled(service, aSchedule("look", { cron_expr: "* * * * *" }))
    service.pass(60_000)
    await hasRun(other, 1)
    expect(await runsOf(id)).toHaveLength(3)
  })

  test("while nothing ran is started once afterwards, and never twice by two processes", async () => {
    const database = join(aFolder("schedules"), "service.sqlite")
    const first = await aFullService({ database, schedulePollMs: 5 })
    const id = await scheduled(first, aSchedule("look", { cron_expr: "*/10 * * * *" }))
    await first.close()
    const later = () => 1_795_176_000_000 + 35 * 60_000

    const [second, third] = await Promise.all([
      opened(aFullService({ database, schedulePollMs: 5, clock: later })),
      opened(aFullService({ database, schedulePollMs: 5, clock: later })),
    ])

    await hasRun(id, 1, second)
    const other = await scheduled(third, aSchedule("delete it"))
    await asScheduler(third, `POST /schedules/${other}/trigger`)
    expect(await runsOf(id, third)).toHaveLength(1)
    expect((await asScheduler(third, `GET /schedules/${id}`)).body).toMatchObject({ next_run_at: 1_795_178_400 })
  })
})

test("a run that no schedule started names none", async () => {
  const run = await started(service, "agents/support-member", "delete it")

  expect(await pending(service)).toMatchObject([{ run_id: run.run_id, schedule_id: null, schedule_run_id: null }])
  await decideAll(service, { status: "approved" })
  expect((await wentOn(service, "agents/support-member", run.run_id)).status).toBe(200)
})
