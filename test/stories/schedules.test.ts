// A run that nobody started but a schedule: its pause is asked about like any other, and says where it comes from.
import { expect, test } from "vitest"
import { z } from "zod"
import { aWorld } from "./a-world.ts"
import { card, decided, press, settled, until } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

const script = {
  agents: [
    { id: "night-agent", tools: [{ name: "purge", gated: true }], runs: [[[{ tool: "purge", args: { days: 30 } }]]] },
  ],
}

const scopes = ["schedules:read", "schedules:write", "agents:run", "approvals:read"]

/** Sends requests in the name of whoever plans. */
function aPlanner(here: World) {
  const token = here.service.mintServiceAccount({ name: "planner", scopes })
  return async (request: string, json?: unknown): Promise<unknown> => {
    const [method = "", path = ""] = request.split(" ")
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = await fetch(here.service.url + path, { method, headers, ...body })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
}

const scheduleSchema = z.object({ id: z.string() })
const runSchema = z.looseObject({ id: z.string(), status: z.string(), run_id: z.string() })
const listSchema = z.object({
  data: z.array(z.looseObject({ id: z.string(), schedule_run_id: z.string().nullable() })),
})

test("a schedule's pause: its card says that a schedule started it, and the decision is carried to its record", async () => {
  const here = await aWorld({ script, resume: "decided" })
  const plan = aPlanner(here)
  const wish = { name: "nightly", endpoint: "/agents/night-agent/runs", payload: { message: "purge" } }
  const { id } = scheduleSchema.parse(await plan("POST /schedules", wish))
  const run = runSchema.parse(await plan(`POST /schedules/${id}/trigger`))
  const { data } = listSchema.parse(await plan(`GET /approvals?run_id=${run.run_id}`))

  const seen = await card(here, "purge by a schedule")
  await press(here, sandboxCast.alice, seen, "approve")
  await decided(here, data[0]?.id ?? "")
  await settled(here, "Approved")

  expect(data).toMatchObject([{ schedule_id: id, schedule_run_id: run.id }])
  await until("the schedule's run to succeed", async () => {
    const now = runSchema.parse(await plan(`GET /schedules/${id}/runs/${run.id}`))
    return now.status === "success" || undefined
  })
})
