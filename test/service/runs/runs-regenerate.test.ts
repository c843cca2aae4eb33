// Answering a finished run anew: `regenerate=true` makes a run of its own, and marks the one that it replaces (2.2).

import { beforeEach, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { approvalsOf, aToken, call, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, eventsIn, ran, type SeenRun, started, wentOn } from "../components.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aFullService())))

/** A run that waited, was approved and is over. */
async function finished(): Promise<SeenRun> {
  const run = await started(service, "agents/support-member", "delete it")
  await decideAll(service, { status: "approved" })
  await wentOn(service, "agents/support-member", run.run_id)
  return run
}

const read = async (runId: string) =>
  (await call(service, `GET /agents/support-member/runs/${runId}`, { token: await asAlice() })).body

test("a finished run is answered anew, with its calls and without running one again", async () => {
  const run = await finished()
  service.pass(60_000)

  const anew = await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true" })

  expect(anew).toMatchObject({
    status: 200,
    body: {
      status: "COMPLETED",
      content: "The data is gone.",
      regenerated_from: run.run_id,
      tools: [{ tool_name: "delete_user_data", confirmed: true }],
    },
  })
  expect((anew.body as SeenRun).run_id).not.toBe(run.run_id)
  expect(ran(service)).toEqual(['delete_user_data {"user_id":"U-200"}'])
})

test("the run that is replaced is REGENERATED, on its approval too, and no more in the conversation", async () => {
  const run = await finished()

  const anew = await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true" })

  expect(await read(run.run_id)).toMatchObject({ status: "REGENERATED", content: "The data is gone." })
  expect(await approvalsOf(service, run.run_id)).toMatchObject([{ status: "approved" }])
  const token = await aToken(["approvals:read", "sessions:read"])
  const [row] = await approvalsOf(service, run.run_id)
  const approval = await call(service, `GET /approvals/${row?.id}`, { token })
  expect(approval.body).toMatchObject({ run_status: "REGENERATED" })
  const session = (await call(service, "GET /sessions/s-1", { token })).body as { chat_history: unknown[] }
  const alone = (await call(service, "GET /sessions/s-1/runs?status=COMPLETED", { token })).body
  expect(alone).toMatchObject([{ run_id: (anew.body as SeenRun).run_id }])
  expect(JSON.stringify(session.chat_history).match(/The data is gone/g)).toHaveLength(1)
})

test("both stay with replace_original=false", async () => {
  const run = await finished()

  await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true", replace_original: "false" })

  expect(await read(run.run_id)).toMatchObject({ status: "COMPLETED" })
})

test("a regenerated answer comes as events where a stream is asked for", async () => {
  const run = await finished()

  const { text } = await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true", stream: "true" })

  const names = eventsIn(text).map(({ name }) => name)
  expect([names[0], names.at(-1)]).toEqual(["RunStarted", "RunCompleted"])
})

test("a run is regenerated once: the one that was replaced is over", async () => {
  const run = await finished()
  await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true" })

  expect(await wentOn(service, "agents/support-member", run.run_id, { regenerate: "true" })).toMatchObject({
    status: 409,
    body: { detail: `Cannot regenerate run ${run.run_id}: run is regenerated` },
  })
})

test("a run that waits, is not there, or is a workflow's is not regenerated", async () => {
  const waiting = await started(service, "agents/support-member", "delete it")
  const flow = await started(service, "workflows/month-end", "go")
  const tried = (component: string, id: string) => wentOn(service, component, id, { regenerate: "true" })

  expect((await tried("agents/support-member", waiting.run_id)).status).toBe(409)
  expect((await tried("agents/support-member", "none")).status).toBe(404)
  expect((await tried("agents/other-member", waiting.run_id)).status).toBe(404)
  expect((await tried("workflows/month-end", flow.run_id)).status).toBe(400)
  expect((await tried("agents/support-member", waiting.run_id)).body).not.toHaveProperty("run_id")
})

test("without regenerate a finished run is not continued", async () => {
  const run = await finished()

  expect((await wentOn(service, "agents/support-member", run.run_id)).status).toBe(409)
})
