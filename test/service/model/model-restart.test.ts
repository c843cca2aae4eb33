// A run that thinks is kept in the database alone: a restart, or a kill at any moment, loses nothing of it.
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { aFolder } from "../../support/opened.ts"
import { startChild } from "../a-killed-service.ts"
import { approvalsOf, aRun, call, resolve } from "../a-service.ts"
import { asAlice, decideAll, ran, started, wentOn } from "../components.ts"
import { type AModel, aModel, calls, delta, says, waits } from "./a-model.ts"
import { aThinkingService } from "./a-thinking-service.ts"

let folder: string
let file: string
let model: AModel

beforeEach(async () => {
  folder = aFolder("model")
  file = join(folder, "service.sqlite")
  model = await aModel()
})
afterEach(async () => {
  await model.close()
})

test("a run that waits for people goes on after a restart, with the whole conversation", async () => {
  model.answerWith(calls(["look_up", { id: 7 }]), calls(["refund", { cents: 1299 }]))
  const before = await aThinkingService(model.url, { database: file })
  const run = await started(before, "agents/clerk", "refund 7")
  await before.close()

  const after = await aThinkingService(model.url, { database: file })
  await decideAll(after, { status: "approved" })
  model.answerWith(says("Paid."))
  const { body } = await wentOn(after, "agents/clerk", run.run_id)

  expect(body).toMatchObject({ status: "COMPLETED", content: "Paid.", metrics: { total_tokens: 75 } })
  expect(model.asked[2]?.body.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
  ])
  expect(ran(after)).toEqual(['look_up {"id":7}', 'refund {"cents":1299}'])
  await after.close()
})

test("kill -9 while the model is asked: the next start asks it anew, and what ran before does not run again", async () => {
  const slow = waits()
  model.answerWith(calls(["refund", { cents: 1 }]), slow.answer)
  const child = await startChild(file, model.url)
  const run = await aRun(child, "x", "clerk")
  const [row] = await approvalsOf(child, run.run_id)
  await resolve(child, row?.id ?? "", { status: "approved" })
  const token = await asAlice()
  const path = `/agents/clerk/runs/${run.run_id}`
  const form = { session_id: "s-1", stream: "false" }
  const cut = call(child, `POST ${path}/continue`, { token, form }).catch(() => "cut off")
  await slow.begun
  child.process.kill("SIGKILL")
  await child.ended

  model.answerWith(says("Paid."))
  const after = await aThinkingService(model.url, { database: file })

  expect(await cut).toBe("cut off")
  await expect
    .poll(async () => (await call(after, `GET ${path}`, { token })).body)
    .toMatchObject({ status: "COMPLETED", content: "Paid." })
  expect(ran(after)).toEqual(['refund {"cents":1}'])
  await after.close()
})

test("a run whose model was being asked when the service closed is taken up at the next start", async () => {
  const slow = waits(delta({ content: "Half" }))
  model.answerWith(calls(["look_up", { id: 7 }]), slow.answer)
  const before = await aThinkingService(model.url, { database: file })
  const form = { message: "x", stream: "false", background: "true", session_id: "s-1" }
  const accepted = await call(before, "POST /agents/clerk/runs", { token: await asAlice(), form })
  const { run_id: id } = accepted.body as { run_id: string }
  await slow.begun
  await before.close()
  await slow.gone

  model.answerWith(says("Whole."))
  const after = await aThinkingService(model.url, { database: file })

  const token = await asAlice()
  await expect
    .poll(async () => (await call(after, `GET /agents/clerk/runs/${id}`, { token })).body)
    .toMatchObject({ status: "COMPLETED", content: "Whole." })
  expect(ran(after)).toEqual(['look_up {"id":7}'])
  await after.close()
})

test("two services on one file: what a cancelled run's model says later counts for nothing", async () => {
  const slow = waits()
  model.answerWith(slow.answer)
  const one = await aThinkingService(model.url, { database: file })
  const form = { message: "x", stream: "false", background: "true", session_id: "s-1" }
  const token = await asAlice()
  const accepted = await call(one, "POST /agents/clerk/runs", { token, form })
  const { run_id: id } = accepted.body as { run_id: string }
  await slow.begun
  model.answerWith(says("Of the other."))
  const two = await aThinkingService(model.url, { database: file })
  const path = `/agents/clerk/runs/${id}`

  await expect
    .poll(async () => (await call(two, `GET ${path}`, { token })).body)
    .toMatchObject({ status: "COMPLETED", content: "Of the other." })
  await slow.goOn(delta({ content: "Too late." }), "[DONE]")
  await one.close()

  expect((await call(two, `GET ${path}`, { token })).body).toMatchObject({ content: "Of the other." })
  await two.close()
})

test("a run keeps the model that it began with, whatever the script says later; without its key it fails and says so", async () => {
  model.answerWith(calls(["refund", { cents: 1 }]))
  const before = await aThinkingService(model.url, { database: file })
  const run = await started(before, "agents/clerk", "x")
  await before.close()

  const after = await aThinkingService(model.url, {
    database: file,
    environment: {},
    script: { agents: [{ id: "clerk" }] },
  })
  await decideAll(after, { status: "rejected" })
  const { body } = await wentOn(after, "agents/clerk", run.run_id)

  expect(body).toMatchObject({
    status: "ERROR",
    model: "test-model",
    content: expect.stringMatching(/^TEST_KEY is not set/),
  })
  await after.close()
})
