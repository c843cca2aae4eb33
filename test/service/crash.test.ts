// What was answered survives: restarts, kill -9 while resolving, a database of another version.
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeEach, expect, test } from "vitest"
import { z } from "zod"
import { aFolder } from "../support/opened.ts"
import { startChild } from "./a-killed-service.ts"
import {
  anApproval,
  approvalsOf,
  aRun,
  aService,
  aToken,
  call,
  continued,
  resolve,
  type SeenApproval,
} from "./a-service.ts"
import { aFullService, asAlice, decideAll, pending, ran, started, wentOn } from "./components.ts"

let folder: string
let file: string

beforeEach(() => {
  folder = aFolder("service")
  file = join(folder, "service.sqlite")
})

test("a restart keeps approvals, runs and service accounts", async () => {
  const before = await aService({ database: file })
  const token = before.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
  const run = await aRun(before, "two steps")
  const [row] = await approvalsOf(before, run.run_id)
  await call(before, `POST /approvals/${row?.id}/resolve`, { token, json: { status: "approved", resolved_by: "ann" } })
  await before.close()

  const after = await aService({ database: file, script: { agents: [{ id: "admin-agent" }] } })

  expect((await call(after, `GET /approvals/${row?.id}`, { token })).body).toMatchObject({
    status: "approved",
    resolved_by: "ann",
  })
  expect((await continued(after, run.run_id)).body).toMatchObject({ status: "PAUSED" })
  expect(after.executions().map(({ toolName }) => toolName)).toEqual(["look_up", "delete_user_data"])
  await after.close()
})

test("kill -9 while resolving: what was answered stands, and nothing is half resolved", async () => {
  const child = await startChild(file)
  const made: SeenApproval[] = []
  for (let at = 0; at < 60; at += 1) made.push(await anApproval(child))
  const answered = new Set<string>()
  const token = await aToken(["approvals:write"])

  const sent = made.map(async ({ id }, at) => {
    const json = { status: at % 2 ? "approved" : "rejected", resolved_by: `p-${id}`, resolution_data: { id } }
    const answer = await call(child, `POST /approvals/${id}/resolve`, { token, json })
    if (answer.status === 200) answered.add(id)
    if (answered.size === 20) child.process.kill("SIGKILL")
  })
  await Promise.allSettled(sent)
  if (child.process.exitCode === null && child.process.signalCode === null) child.process.kill("SIGKILL")
  await child.ended

  const service = await aService({ database: file })
  const { body } = await call(service, "GET /approvals?limit=1000", { token: await aToken(["approvals:read"]) })
  await service.close()
  const rows = rowsSchema.parse(body).data
  expect(rows).toHaveLength(60)
  for (const row of rows) {
    if (row.status === "pending") {
      expect(answered.has(row.id)).toBe(false)
      expect(row).toMatchObject({ resolved_by: null, resolved_at: null, resolution_data: null })
    } else {
      expect(row).toMatchObject({
        resolved_by: `p-${row.id}`,
        resolved_at: expect.any(Number),
        resolution_data: { id: row.id },
      })
    }
  }
})

test("kill -9 between resolve and continue: the run goes on where it stood, and its tool runs once", async () => {
  const child = await startChild(file)
  const run = await aRun(child, "please")
  const [row] = await approvalsOf(child, run.run_id)
  await resolve(child, row?.id ?? "", { status: "approved" })
  child.process.kill("SIGKILL")
  await child.ended

  const service = await aService({ database: file })
  expect((await continued(service, run.run_id)).body).toMatchObject({ status: "COMPLETED" })
  expect((await continued(service, run.run_id)).status).toBe(409)
  expect(service.executions()).toHaveLength(1)
  await service.close()
})

test("a restart keeps sessions, teams that wait and workflows that wait", async () => {
  const before = await aFullService({ database: file })
  const team = await started(before, "teams/support-team", "two members")
  const flow = await started(before, "workflows/month-end", "go")
  await before.close()

  const after = await aFullService({ database: file })

  expect(await pending(after)).toHaveLength(3)
  await decideAll(after, { status: "approved" })
  expect((await wentOn(after, "teams/support-team", team.run_id)).body).toMatchObject({ status: "COMPLETED" })
  expect((await wentOn(after, "workflows/month-end", flow.run_id)).body).toMatchObject({ paused_step_name: "tell" })
  expect((await call(after, "GET /sessions", { token: await asAlice() })).body).toMatchObject({
    meta: { total_count: 1 },
  })
  await after.close()
})

test("function steps of a workflow wait over restarts, and each runs once, or not at all", async () => {
  const step = (name: string) => ({
    name,
    function: { name: `${name}_report`, gated: true },
    args: { month: "2026-07" },
  })
  const script = { workflows: [{ id: "month-end", steps: [step("publish"), step("archive")] }] }
  const open = () => aFullService({ database: file, script })
  const first = await open()
  const { run_id: run } = await started(first, "workflows/month-end", "go")
  await first.close()

  const second = await open()
  expect(await pending(second)).toMatchObject([{ source_type: "workflow", tool_name: "publish_report" }])
  expect(await wentOn(second, "workflows/month-end", run)).toMatchObject({ status: 403 })
  await decideAll(second, { status: "approved" })
  await second.close()
  const third = await open()
  const gone = await wentOn(third, "workflows/month-end", run)
  await third.close()
  const fourth = await open()
  await decideAll(fourth, { status: "rejected" })
  const ended = await wentOn(fourth, "workflows/month-end", run)

  expect(gone.body).toMatchObject({ status: "PAUSED", paused_step_name: "archive" })
  expect(ended.body).toMatchObject({ status: "CANCELLED", step_results: [{ step_name: "publish", success: true }, {}] })
  expect(ran(fourth)).toEqual(['publish_report {"month":"2026-07"}'])
  await fourth.close()
})

test("a run that was accepted and not begun when the power went is carried out after the restart", async () => {
  const before = await aFullService({ database: file })
  const { run_id: id } = await started(before, "agents/support-member", "look")
  await before.close()
  const database = new DatabaseSync(file)
  database.exec(
    "DELETE FROM executions; UPDATE runs SET status = 'PENDING', state = json_set(state, '$.turn', 0, '$.tools', json('[]'))",
  )
  database.close()

  const after = await aFullService({ database: file })

  const token = await asAlice()
  await expect
    .poll(async () => (await call(after, `GET /agents/support-member/runs/${id}`, { token })).body)
    .toMatchObject({ status: "COMPLETED", content: "Seen." })
  expect(after.executions()).toHaveLength(1)
  await after.close()
})

test("kill -9 while continuing: every run has gone on with its tool run once, or stands where it stood", async () => {
  const child = await startChild(file)
  const runs: string[] = []
  for (let at = 0; at < 40; at += 1) {
    const { run_id: id } = await aRun(child, "two at once")
    const [row] = await approvalsOf(child, id)
    await resolve(child, row?.id ?? "", { status: "approved" })
    runs.push(id)
  }
  let answered = 0

  const sent = runs.map(async (id) => {
    const answer = await continued(child, id)
    if (answer.status === 200) answered += 1
    if (answered === 15) child.process.kill("SIGKILL")
  })
  await Promise.allSettled(sent)
  if (child.process.exitCode === null && child.process.signalCode === null) child.process.kill("SIGKILL")
  await child.ended

  const service = await aService({ database: file })
  const token = await aToken(["agents:read", "agents:run"])
  const executed = Map.groupBy(service.executions(), ({ runId }) => runId)
  let ended = 0
  for (const id of runs) {
    const { body } = await call(service, `GET /agents/admin-agent/runs/${id}`, { token })
    const { status } = z.object({ status: z.string() }).parse(body)
    expect(executed.get(id)?.length ?? 0).toBe(status === "COMPLETED" ? 2 : 0)
    if (status === "COMPLETED") ended += 1
  }
  expect(ended).toBeGreaterThanOrEqual(15)
  await service.close()
})

test("two services on one file: of their resolves one succeeds", async () => {
  const [one, two] = [await aService({ database: file }), await aService({ database: file })]
  const { id } = await anApproval(one)

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => resolve(at % 2 ? one : two, id, { status: "approved" })),
  )

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  await Promise.all([one.close(), two.close()])
})

test("a database that a later version wrote is not touched", async () => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA user_version = 99")
  database.close()

  await expect(aService({ database: file })).rejects.toMatchObject({
    code: "database_newer",
    message: expect.stringContaining("99"),
  })
})

test("closing twice is closing once, and the port is free again", async () => {
  const service = await aService()
  await Promise.all([service.close(), service.close()])

  const again = await aService({ port: service.port })
  expect(again.port).toBe(service.port)
  await again.close()
})

const rowsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      resolved_by: z.unknown(),
      resolved_at: z.unknown(),
      resolution_data: z.unknown(),
    }),
  ),
})
