// A clock that was ahead for a while: what was planned by it is planned anew once it is right.
import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { opened } from "../../support/opened.ts"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import { asScheduler, scheduled } from "./a-schedule.ts"

const [minute, day, year] = [60_000, 86_400_000, 365 * 86_400_000]
const nightly = {
  name: "nightly",
  cron_expr: "30 2 * * *",
  endpoint: "/agents/support-member/runs",
  payload: { message: "look" },
}
/** 2026-11-21T02:30:00Z, the night after the tests' noon. */
const tonight = 1_795_228_200

let service: TestService

beforeEach(async () => void (service = await opened(aFullService({ schedulePollMs: 5 }))))

const page = z.object({ data: z.array(z.looseObject({ status: z.string() })) })

async function runsOf(id: string): Promise<number> {
  return page.parse((await asScheduler(service, `GET /schedules/${id}/runs`)).body).data.length
}

async function nextOf(id: string): Promise<unknown> {
  const { body } = await asScheduler(service, `GET /schedules/${id}`)
  return z.looseObject({ next_run_at: z.number() }).parse(body).next_run_at
}

describe("a clock that was a year ahead", () => {
  test("a schedule that was made then is due tonight once it is right, and fires", async () => {
    service.pass(year)
    const id = await scheduled(service, nightly)
    expect(await nextOf(id)).toBe(tonight + year / 1000)
    service.pass(-year)

    await expect.poll(() => nextOf(id)).toBe(tonight)
    service.pass(day)
    await expect.poll(() => runsOf(id)).toBe(1)
  })

  test("a schedule that was made before, and fired then, fires again", async () => {
    const id = await scheduled(service, nightly)
    service.pass(year)
    await expect.poll(() => runsOf(id)).toBe(1)
    service.pass(-year)

    await expect.poll(() => nextOf(id)).toBe(tonight)
    service.pass(day)
    await expect.poll(() => runsOf(id)).toBe(2)
  })

  test("a schedule whose failed run was to be tried again then is tried tonight", async () => {
    service.pass(year)
    const json = { ...nightly, payload: {}, max_retries: 1, retry_delay_seconds: 60 }
    const id = await scheduled(service, json)
    await asScheduler(service, `POST /schedules/${id}/trigger`)
    service.pass(-year)

    await expect.poll(() => nextOf(id)).toBe(tonight)
    service.pass(year + 2 * minute)
    await expect.poll(() => runsOf(id)).toBe(2)
  })

  test("an address that guessed then is not kept out for a year", async () => {
    service.pass(year)
    const attempt = () => call(service, "GET /approvals", { token: "cs_sa_none" })
    for (let at = 0; at <= 20; at += 1) await attempt()
    expect((await attempt()).status).toBe(429)

    service.pass(-year)

    expect((await attempt()).status).toBe(401)
  })
})

test("a clock that is set back by a few seconds fires nothing twice", async () => {
  const id = await scheduled(service, nightly)
  service.pass(15 * 3_600_000)
  await expect.poll(() => runsOf(id)).toBe(1)
  const after = await nextOf(id)

  service.pass(-31_000)
  const other = await scheduled(service, { ...nightly, name: "other", cron_expr: "* * * * *" })
  service.pass(minute)
  await expect.poll(() => runsOf(other)).toBe(1)

  expect(await runsOf(id)).toBe(1)
  expect(await nextOf(id)).toBe(after)
  expect((await call(service, "GET /schedules", { token: await aToken(["schedules:read"]) })).status).toBe(200)
})
