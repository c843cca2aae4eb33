// What goes wrong with a model ends its run in ERROR, says why, and never shows the key.
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { TestService } from "../a-service.ts"
import { aToken, call } from "../a-service.ts"
import { decideAll, ran, started, wentOn } from "../components.ts"
import {
  type AModel,
  aModel,
  breaksAfter,
  callPieces,
  calls,
  delta,
  finished,
  type ModelAnswer,
  refuses,
  says,
  streams,
  waits,
} from "./a-model.ts"
import { aThinkingService, modelKey } from "./a-thinking-service.ts"

let model: AModel
const services: TestService[] = []

beforeEach(async () => {
  model = await aModel()
})
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()))
  await model.close()
})

async function serviceWith(changes: Record<string, unknown> = {}, url = model.url): Promise<TestService> {
  const service = await aThinkingService(url, { model: changes })
  services.push(service)
  return service
}

const redirects: ModelAnswer = (response) => void response.writeHead(307, { location: "/x" }).end()
const noRetry = { "x-should-retry": "false" }

describe("a run ends in ERROR, and says why, when its model", () => {
  test.each<[string, readonly ModelAnswer[], RegExp]>([
    ["refuses the key", [refuses(401, `Incorrect key: ${modelKey}`)], /refused the key of TEST_KEY \(401\)/],
    ["may not be used with the key", [refuses(403, "no")], /does not let the key of TEST_KEY use test-model \(403\)/],
    ["is not there", [refuses(404, "no such model")], /knows no model test-model.* \(404\)/],
    ["takes no more requests", [429, 429, 429].map((code) => refuses(code, "slow down")), /no more requests.*\(429\)/],
    ["is broken", [500, 500, 500].map((code) => refuses(code, "oops")), /failed \(500 oops\)\. Start the run again/],
    ["does not take the request", [refuses(400, `bad ${modelKey}`)], /did not accept .* \(400 bad \[key\]\)/],
    ["breaks off", [breaksAfter(delta({ content: "Half" }))], /test-model .* broke off/],
    ["ends without an end", [streams(delta({ content: "Half" }))], /cannot be used: it broke off/],
    ["streams what is no JSON", [streams("{no")], /broke off \(.*malformed/],
    ["fails in its stream", [streams({ error: { message: `late ${modelKey}` } })], /broke off \(late \[key\]\)/],
    ["sends pieces of something else", [streams({ choices: "none" })], /no part of a chat completion/],
    ["answers with a page", [(response) => void response.end("<html>")], /cannot be used: it broke off/],
    [
      "reaches its own limit",
      [streams(delta({ content: "Half" }), finished("length"))],
      /the model's own limit of tokens/,
    ],
    ["withholds the answer", [streams(finished("content_filter"))], /the endpoint withheld it/],
    ["calls a tool that is none", [calls(["drop_table", {}])], /it calls "drop_table", which is none of the agent's/],
    ["writes bad JSON", [calls(["refund", '{"cents": '])], /it calls refund with arguments that are no JSON object/],
    ["writes a list of arguments", [calls(["refund", [1]])], /arguments that are no JSON object/],
    ["writes half a character", [calls(["refund", '{"a":"\\ud800"}'])], /arguments that are no JSON object/],
    [
      "asks for too much at once",
      [calls(...Array.from({ length: 65 }, (): [string, unknown] => ["look_up", {}]))],
      /more than 64 calls/,
    ],
    ["never stops talking", [streams(delta({ content: "x".repeat(1_048_577) }))], /longer than 1048576 characters/],
    ["sends its request elsewhere", [1, 2, 3].map(() => redirects), /cannot be reached \(unexpected redirect\)/],
  ])("it %s", async (_what, answers, why) => {
    model.answerWith(...answers)
    const service = await serviceWith()

    const run = await started(service, "agents/clerk", "x")

    expect(run).toMatchObject({ status: "ERROR", content: expect.stringMatching(why) })
    expect(JSON.stringify(run)).not.toContain(modelKey)
    expect(ran(service)).toEqual([])
  })

  test("cannot be reached", async () => {
    // In this order: else the service may listen where the model did.
    const service = await serviceWith()
    await model.close()

    const run = await started(service, "agents/clerk", "x")

    expect(run).toMatchObject({ status: "ERROR", content: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/) })
    model = await aModel()
  })

  test("takes too long", async () => {
    const slow = waits(delta({ content: "Half" }))
    model.answerWith(slow.answer)
    const service = await serviceWith({ timeout_seconds: 0.2 })

    const run = await started(service, "agents/clerk", "x")

    expect(run).toMatchObject({ status: "ERROR", content: expect.stringContaining("took longer than 0.2 seconds") })
    await slow.gone
  })

  test("is asked more often than it may be", async () => {
    model.answerWith(calls(["look_up", { id: 1 }]), calls(["look_up", { id: 2 }]))
    const service = await serviceWith({ max_rounds: 2 })

    const run = await started(service, "agents/clerk", "x")

    expect(run).toMatchObject({ status: "ERROR", content: expect.stringContaining("raise max_rounds") })
    expect(ran(service)).toHaveLength(2)
  })

  test("takes more tokens than it may", async () => {
    model.answerWith(calls(["look_up", { id: 1 }]))
    const service = await serviceWith({ max_tokens: 30 })

    const run = await started(service, "agents/clerk", "x")

    expect(run).toMatchObject({ status: "ERROR", content: expect.stringContaining("raise max_tokens") })
    expect(model.asked).toHaveLength(1)
  })

  test("fails after a call that was approved: the call ran once, and the record says so", async () => {
    model.answerWith(calls(["refund", { cents: 1 }]))
    const service = await serviceWith()
    const run = await started(service, "agents/clerk", "x")
    await decideAll(service, { status: "approved" })
    model.answerWith(refuses(500, "oops", noRetry))

    const { body } = await wentOn(service, "agents/clerk", run.run_id)

    expect(body).toMatchObject({ status: "ERROR", tools: [{ tool_name: "refund", tool_call_error: false }] })
    expect(ran(service)).toEqual(['refund {"cents":1}'])
    const again = await wentOn(service, "agents/clerk", run.run_id)
    expect(again.status).toBe(409)
  })
})

test("a model that says to come again in a moment is asked again", async () => {
  model.answerWith(refuses(429, "slow down"), refuses(503, "busy"), says("Here I am."))
  const service = await serviceWith()

  const run = await started(service, "agents/clerk", "x")

  expect(run).toMatchObject({ status: "COMPLETED", content: "Here I am." })
  expect(model.asked).toHaveLength(3)
})

test("a model that needs no key is sent none", async () => {
  model.answerWith(says("Hello."))
  const service = await serviceWith({ key_env: null })

  await started(service, "agents/clerk", "x")

  expect(model.asked[0]?.authorization).toBe(undefined)
})

test("the words of a model that fails half-way are not taken for calls", async () => {
  model.answerWith(breaksAfter(...callPieces([["look_up", { id: 1 }]])))
  const service = await serviceWith()

  const run = await started(service, "agents/clerk", "x")

  expect(run.status).toBe("ERROR")
  expect(ran(service)).toEqual([])
})

test("the key is in no answer of the service", async () => {
  model.answerWith(says("Hello."))
  const service = await serviceWith()
  await started(service, "agents/clerk", "x")
  const token = await aToken(["service:admin"])

  const paths = ["/agents", "/agents/clerk", "/config", "/models", "/registry", "/sessions/s-1/runs", "/traces"]
  const texts = await Promise.all(paths.map(async (path) => (await call(service, `GET ${path}`, { token })).text))

  expect(texts.join("")).toContain("test-model")
  expect(texts.join("")).not.toContain(modelKey)
})

test("a service does not start while the variable of a key is not set, and says what to do", async () => {
  for (const environment of [{}, { TEST_KEY: " " }]) {
    await expect(aThinkingService(model.url, { environment })).rejects.toMatchObject({
      code: "model_key_missing",
      message: expect.stringMatching(
        /^script: agents\.clerk\.model\.key_env: TEST_KEY is not set\. Set it to the key of/,
      ),
    })
  }
})

test("a model that somebody names over the wire is not asked: nobody can have a key sent to an address of theirs", async () => {
  const service = await serviceWith()
  const token = await aToken(["service:admin"])
  const config = { model: { base_url: model.url, name: "m", key_env: "TEST_KEY" }, tools: [], runs: [] }
  const json = { component_id: "spy", name: "Spy", component_type: "agent", config, stage: "published" }

  const made = await call(service, "POST /components", { token, json })
  const run = await call(service, "POST /agents/spy/runs", { token, form: { message: "x", stream: "false" } })

  expect(made.status).toBe(201)
  expect(run.body).toMatchObject({ status: "COMPLETED", model: "scripted-model" })
  expect(model.asked).toEqual([])
})

test("a schedule's run of a model is followed to its end", async () => {
  model.answerWith(refuses(401, "no"))
  const service = await serviceWith()
  const token = await aToken(["service:admin"])
  const json = { name: "nightly", cron_expr: "@daily", endpoint: "/agents/clerk/runs", payload: { message: "x" } }
  const { body } = await call(service, "POST /schedules", { token, json })
  const { id } = body as { id: string }

  const begun = await call(service, `POST /schedules/${id}/trigger`, { token })

  const { id: runId } = begun.body as { id: string }
  await expect
    .poll(async () => (await call(service, `GET /schedules/${id}/runs/${runId}`, { token })).body)
    .toMatchObject({ status: "failed", error: expect.stringContaining("refused the key") })
})

test("an evaluation waits for the model, and names it", async () => {
  model.answerWith(calls(["look_up", { id: 7 }]), says("Found."))
  const service = await serviceWith()
  const token = await aToken(["service:admin"])
  const json = { agent_id: "clerk", eval_type: "reliability", input: "x", expected_tool_calls: ["look_up"] }

  const { body } = await call(service, "POST /eval-runs", { token, json })

  expect(body).toMatchObject({ model_id: "test-model", eval_data: { eval_status: "PASSED" } })
})
