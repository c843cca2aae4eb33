// What goes on after its request was answered: if it fails, its row says so, it is logged and counted, and the service
// goes on.

import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, expect, test } from "vitest"
import { z } from "zod"
import { aFolder } from "../support/opened.ts"
import { aToken, call, type TestService } from "./a-service.ts"
import { asAlice } from "./components.ts"
import { ask, contentOf } from "./knowledge/a-library.ts"
import { type AModel, aModel, callPieces, finished, says, waits } from "./model/a-model.ts"
import { aThinkingService } from "./model/a-thinking-service.ts"
import { asScheduler, scheduled } from "./schedules/a-schedule.ts"

let folder: string
let file: string
let model: AModel
let service: TestService
let failures: string[]
/** While it is true, no call gets an id. */
let broken: boolean

beforeEach(async () => {
  folder = aFolder("later")
  file = join(folder, "service.sqlite")
  model = await aModel()
  failures = []
  broken = false
  service = await aThinkingService(model.url, {
    database: file,
    knowledgeSources: [`notes=${folder}`],
    schedulePollMs: 10,
    random: (size) => {
      if (broken && size === 8) throw new Error("no randomness")
      return randomBytes(size)
    },
    onFailure: (error, request) => failures.push(`${request}: ${String(error)}`),
  })
})
afterEach(async () => {
  await service.close()
  await model.close()
})

const started = z.looseObject({ run_id: z.string() })
const form = { message: "x", session_id: "s-1" }

async function runOf(id: string, component = "agents/clerk"): Promise<unknown> {
  return (await call(service, `GET /${component}/runs/${id}`, { token: await asAlice() })).body
}

/** Waits until so many failures were counted. */
async function counted(count: number): Promise<void> {
  await expect.poll(async () => (await call(service, "GET /health")).body).toMatchObject({ background_failures: count })
}

const idSchema = z.object({ id: z.string() })

/** Changes the database behind the service's back. */
function change(sql: string): void {
  const other = new DatabaseSync(file)
  other.exec(sql)
  other.close()
}

async function begun(component: string): Promise<string> {
  const token = await asAlice()
  const later = { ...form, stream: "false", background: "true" }
  const { status, body } = await call(service, `POST /${component}/runs`, { token, form: later })
  expect(status).toBe(202)
  return started.parse(body).run_id
}

test("while nothing failed, /health counts nothing", async () => {
  expect((await call(service, "GET /health")).body).not.toHaveProperty("background_failures")
})

test("a run in the background that cannot begin has failed, and the next one begins", async () => {
  broken = true
  const id = await begun("teams/desk")
  await counted(1)
  broken = false
  model.answerWith(says("Done."))
  const next = await begun("agents/clerk")

  await expect.poll(() => runOf(next)).toMatchObject({ status: "COMPLETED" })
  expect(await runOf(id, "teams/desk")).toMatchObject({ status: "ERROR", content: expect.stringContaining("log") })
  expect(failures).toEqual([`run ${id}: Error: no randomness`])
})

/** The model is asked, and will answer with a call that gets no id. */
async function breaking(begin: () => Promise<unknown>): Promise<unknown> {
  const slow = waits()
  model.answerWith(slow.answer)
  const outcome = begin()
  await slow.begun
  broken = true
  await slow.goOn(...callPieces([["look_up", { id: 7 }]]), finished("tool_calls"), "[DONE]")
  return outcome
}

test("a run in the background that breaks while its model is asked has failed, with all below it", async () => {
  const id = started.shape.run_id.parse(await breaking(() => begun("teams/desk")))

  await counted(1)
  expect(await runOf(id, "teams/desk")).toMatchObject({
    status: "ERROR",
    member_responses: [{ status: "ERROR", content: expect.stringContaining("log") }],
  })
})

test("a run that breaks while somebody waits for it is 500, and has failed", async () => {
  const token = await asAlice()
  const answer = await breaking(() =>
    call(service, "POST /agents/clerk/runs", { token, form: { ...form, stream: "false" } }),
  )

  expect(answer).toMatchObject({ status: 500, body: { detail: "Internal server error" } })
  expect((await call(service, "GET /agents/clerk/runs?session_id=s-1", { token })).body).toMatchObject([
    { status: "ERROR" },
  ])
  expect(failures).toEqual(["POST /agents/clerk/runs: Error: no randomness"])
})

test("a stream that breaks breaks off, and its run has failed", async () => {
  const token = await asAlice()

  const outcome = await breaking(() =>
    call(service, "POST /agents/clerk/runs", { token, form: { ...form, stream: "true" } }).catch(() => "broke off"),
  )

  expect(outcome).toBe("broke off")
  await counted(1)
  expect((await call(service, "GET /agents/clerk/runs?session_id=s-1", { token })).body).toMatchObject([
    { status: "ERROR" },
  ])
})

test("metrics that cannot be counted in the background are told", async () => {
  model.answerWith(says("Done."))
  const run = await begun("agents/clerk")
  await expect.poll(() => runOf(run)).toMatchObject({ status: "COMPLETED" })
  change("DROP TABLE metrics")

  const token = await aToken(["metrics:write"])
  expect((await call(service, "POST /metrics/refresh?background=true", { token })).status).toBe(202)

  await counted(1)
  expect(failures).toEqual([expect.stringMatching(/^counting metrics: Error: no such table: metrics/)])
})

test("knowledge that cannot be kept has failed", async () => {
  change("DROP TABLE knowledge_chunks")
  writeFileSync(join(folder, "tea.md"), "Tea")

  const { body } = await ask(service, "POST /knowledge/remote-content", {
    form: { config_id: "notes", path: "tea.md" },
  })

  await counted(1)
  expect(await contentOf(service, idSchema.parse(body).id)).toMatchObject({
    status: "failed",
    status_message: "It could not be carried out; the log of this service says why",
  })
})

test("a schedule that cannot be started has failed, and is due again", async () => {
  const payload = { message: "x" }
  const json = { name: "daily", cron_expr: "@daily", endpoint: "/teams/desk/runs", method: "POST", payload }
  const id = await scheduled(service, json)
  broken = true
  service.pass(24 * 3_600_000)

  await counted(1)
  expect((await asScheduler(service, `GET /schedules/${id}/runs`)).body).toMatchObject({
    data: [{ status: "failed", error: expect.stringContaining("log") }],
  })
  expect((await asScheduler(service, `GET /schedules/${id}`)).body).toMatchObject({ enabled: true })
})
