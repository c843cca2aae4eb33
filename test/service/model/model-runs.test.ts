// Runs of an agent that thinks with a real endpoint: what the model is asked, and what its calls do.
import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, continued, type TestService } from "../a-service.ts"
import { asAlice, decideAll, eventsIn, pending, ran, started, wentOn } from "../components.ts"
import { type AModel, aModel, callPieces, calls, counted, delta, finished, says, streams, waits } from "./a-model.ts"
import { aThinkingService, modelKey } from "./a-thinking-service.ts"

let model: AModel
let service: TestService

beforeEach(async () => {
  model = await opened(aModel())
  service = await opened(aThinkingService(model.url))
})

const begin = (message = "please refund it") => started(service, "agents/clerk", message)
const goOn = (runId: string, more = {}) => wentOn(service, "agents/clerk", runId, more)

describe("a run of an agent with a model", () => {
  test("asks the endpoint with key, instructions, message and tools, and ends with its words", async () => {
    model.answerWith(says("There is nothing to do."))

    const run = await begin("hello")

    expect(run).toMatchObject({
      status: "COMPLETED",
      content: "There is nothing to do.",
      model: "test-model",
      model_provider: "openai-compatible",
      metrics: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    })
    expect(model.asked).toMatchObject([
      {
        path: "/v1/chat/completions",
        authorization: `Bearer ${modelKey}`,
        body: {
          model: "test-model",
          stream: true,
          messages: [
            { role: "system", content: "You pay money back." },
            { role: "user", content: "hello" },
          ],
          tools: [
            {
              type: "function",
              function: { name: "look_up", description: "Finds an invoice.", parameters: { required: ["id"] } },
            },
            { function: { name: "refund" } },
            { function: { name: "pay", parameters: { type: "object", properties: {} } } },
            { function: { name: "call_bank" } },
          ],
        },
      },
    ])
  })

  test("calls a tool that nobody has to confirm, and the model reads its scripted answer", async () => {
    model.answerWith(calls(["look_up", { id: 7 }]), says("It is 12.99 EUR."))

    const run = await begin()

    expect(run).toMatchObject({ status: "COMPLETED", content: "It is 12.99 EUR.", metrics: { total_tokens: 45 } })
    expect(ran(service)).toEqual(['look_up {"id":7}'])
    const [, asked, answered] = model.asked[1]?.body.messages.slice(1) ?? []
    expect(asked).toMatchObject({ role: "assistant", tool_calls: [{ function: { arguments: '{"id":7}' } }] })
    expect(answered).toMatchObject({ role: "tool", content: "12.99 EUR" })
    expect(run["messages"]).toMatchObject([{ role: "system" }, {}, {}, {}, { content: "It is 12.99 EUR." }])
  })

  test("pauses at a call that has to be confirmed, as a scripted one does, and runs it once it is approved", async () => {
    model.answerWith(calls(["refund", { cents: 1299 }]))

    const run = await begin()
    const [row] = await pending(service)
    const early = await goOn(run.run_id)
    await decideAll(service, { status: "approved" })
    model.answerWith(says("The money is on its way."))
    const { body } = await goOn(run.run_id)

    expect(run).toMatchObject({
      status: "PAUSED",
      tools: [{ tool_name: "refund", tool_args: { cents: 1299 }, requires_confirmation: true, approval_id: row?.id }],
      requirements: [{ tool_execution: { tool_name: "refund", confirmed: null } }],
    })
    expect(row).toMatchObject({ run_id: run.run_id, tool_name: "refund", pause_type: "confirmation" })
    expect(early.status).toBe(403)
    expect(body).toMatchObject({ status: "COMPLETED", content: "The money is on its way." })
    expect(ran(service)).toEqual(['refund {"cents":1299}'])
  })

  test("tells the model why somebody refused: the note is what the call answers", async () => {
    model.answerWith(calls(["refund", { cents: 1 }]))
    const run = await begin()
    await decideAll(service, { status: "rejected", resolution_data: { note: "Ask for the receipt first." } })
    model.answerWith(says("I need the receipt."))

    const { body } = await goOn(run.run_id)

    expect(body).toMatchObject({ status: "COMPLETED", content: "I need the receipt." })
    expect(model.asked[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "Ask for the receipt first." })
    expect(ran(service)).toEqual([])
  })

  test("asks again for each gated call: a second one is a second approval", async () => {
    model.answerWith(calls(["refund", { cents: 1 }]))
    const run = await begin()
    await decideAll(service, { status: "approved" })
    model.answerWith(calls(["refund", { cents: 2 }]))
    const again = await goOn(run.run_id)
    await decideAll(service, { status: "approved" })
    model.answerWith(says("Both are paid."))

    const { body } = await goOn(run.run_id)

    expect(again.body).toMatchObject({ status: "PAUSED" })
    expect(body).toMatchObject({ status: "COMPLETED" })
    expect(ran(service)).toEqual(['refund {"cents":1}', 'refund {"cents":2}'])
  })

  test("takes what people fill in, and what was done elsewhere", async () => {
    model.answerWith(calls(["pay", { cents: 5 }], ["call_bank", {}]))
    const run = await begin()
    const [row] = await pending(service)
    await decideAll(service, { status: "approved", resolution_data: { values: { iban: "DE1" }, result: "called" } })
    model.answerWith(says("Paid."))

    const { body } = await goOn(run.run_id)

    expect(row).toMatchObject({ pause_type: "user_input" })
    expect(body).toMatchObject({ status: "COMPLETED" })
    expect(model.asked[1]?.body.messages.slice(-2)).toMatchObject([
      { role: "tool", content: expect.stringContaining('"iban":"DE1"') },
      { role: "tool", content: "called" },
    ])
  })

  test("keeps what the model says beside its calls, and every digit of its arguments", async () => {
    const pieces = callPieces([["look_up", '{"id": 12345678901234567890}']])
    model.answerWith(
      streams(delta({ content: "I look." }), ...pieces, finished("tool_calls"), "[DONE]"),
      says("Found."),
    )

    const run = await begin()

    expect(ran(service)).toEqual(['look_up {"id":12345678901234567890}'])
    expect(model.asked[1]?.body.messages[2]).toMatchObject({
      role: "assistant",
      content: "I look.",
      tool_calls: [{ function: { arguments: '{"id":12345678901234567890}' } }],
    })
    expect(run.status).toBe("COMPLETED")
  })

  test("is answered anew by its model, with the calls that ran", async () => {
    model.answerWith(calls(["look_up", { id: 7 }]), says("First."), says("Second."))
    const run = await begin()

    const { body } = await goOn(run.run_id, { regenerate: "true" })

    expect(body).toMatchObject({ status: "COMPLETED", content: "Second.", regenerated_from: run.run_id })
    expect(body).toMatchObject({ metrics: { total_tokens: 15 } })
    expect(ran(service)).toHaveLength(1)
    expect(model.asked[2]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "12.99 EUR" })
  })

  test("thinks in the background, if it is started so", async () => {
    model.answerWith(says("Later."))
    const token = await asAlice()
    const form = { message: "x", stream: "false", background: "true", session_id: "s-1" }

    const accepted = await call(service, "POST /agents/clerk/runs", { token, form })

    expect(accepted).toMatchObject({ status: 202, body: { status: "PENDING" } })
    const { run_id: id } = accepted.body as { run_id: string }
    await expect
      .poll(async () => (await call(service, `GET /agents/clerk/runs/${id}`, { token })).body)
      .toMatchObject({ status: "COMPLETED", content: "Later." })
  })

  test("thinks as a member of a team and as a step of a workflow", async () => {
    model.answerWith(calls(["refund", { cents: 1 }]), calls(["refund", { cents: 2 }]))
    const team = await started(service, "teams/desk", "please")
    const flow = await started(service, "workflows/close", "please")
    await decideAll(service, { status: "approved" })
    model.answerWith(says("Paid one."), says("Paid two."), says("All closed."))

    const desk = await wentOn(service, "teams/desk", team.run_id)
    const closed = await wentOn(service, "workflows/close", flow.run_id)

    expect(team).toMatchObject({ status: "PAUSED" })
    expect(flow).toMatchObject({ status: "PAUSED", paused_step_name: "clerk" })
    expect(desk.body).toMatchObject({ status: "COMPLETED", member_responses: [{ content: "Paid one." }] })
    expect(closed.body).toMatchObject({ status: "COMPLETED", content: "All closed." })
    expect(model.asked.at(-1)?.body.messages.at(-1)).toMatchObject({ role: "user", content: "Paid two." })
    expect(ran(service)).toHaveLength(2)
  })
})

/** The run that a stream's first event is about. */
function runIn([first]: ReturnType<typeof eventsIn>): string {
  return String(first?.data["run_id"])
}

/** Reads a stream piece by piece. */
async function openStream(path: string, form: Record<string, string>) {
  const response = await fetch(`${service.url}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await asAlice()}` },
    body: new URLSearchParams({ session_id: "s-1", ...form }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  return {
    type: response.headers.get("content-type"),
    /** All events that came whole, once one of them has these words. */
    until: async (words: string) => {
      for (;;) {
        const whole = text.slice(0, text.lastIndexOf("\n\n") + 2)
        if (whole.includes(words)) return eventsIn(whole)
        const next = await reader?.read()
        if (next === undefined || next.done) throw new Error(`the stream ended without ${words}: ${text}`)
        text += next.value
      }
    },
    rest: async () => {
      for (;;) {
        const next = await reader?.read()
        if (next === undefined || next.done) return eventsIn(text)
        text += next.value
      }
    },
  }
}

describe("a stream of an agent with a model", () => {
  test("tells each piece of text when it comes, while the model is still at it", async () => {
    const slow = waits(delta({ content: "The money " }))
    model.answerWith(slow.answer)

    const stream = await openStream("agents/clerk/runs", { message: "x" })
    const first = await stream.until("The money ")
    await slow.goOn(delta({ content: "is there." }), finished("stop"), counted(1, 2), "[DONE]")
    const all = await stream.rest()

    expect(stream.type).toBe("text/event-stream; charset=utf-8")
    expect(first.map(({ name }) => name)).toEqual(["RunStarted", "ModelRequestStarted", "RunContent"])
    expect(all.map(({ name }) => name)).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      "RunContent",
      "RunContent",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunCompleted",
    ])
    expect(all.at(3)?.data).toMatchObject({ content: "is there.", agent_id: "clerk", session_id: "s-1" })
    expect(all.at(-1)?.data).toMatchObject({ content: "The money is there.", metrics: { total_tokens: 3 } })
  })

  test("tells the calls and the pause, and after a continue the rest", async () => {
    model.answerWith(calls(["look_up", { id: 7 }]), calls(["refund", { cents: 1 }]))
    const begun = await (await openStream("agents/clerk/runs", { message: "x" })).rest()
    await decideAll(service, { status: "approved" })
    model.answerWith(says("Paid."))

    const next = await (await openStream(`agents/clerk/runs/${runIn(begun)}/continue`, {})).rest()

    expect(begun.map(({ name }) => name)).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      "ModelRequestCompleted",
      "ToolCallStarted",
      "ToolCallCompleted",
      "ModelRequestStarted",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunPaused",
    ])
    expect(begun.at(-1)?.data).toMatchObject({ requirements: [{ tool_execution: { tool_name: "refund" } }] })
    expect(next.map(({ name }) => name)).toEqual([
      "RunContinued",
      "ToolCallStarted",
      "ToolCallCompleted",
      "ModelRequestStarted",
      "RunContent",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunCompleted",
    ])
  })

  test("goes on in the model after its client went away", async () => {
    const slow = waits(delta({ content: "Half" }))
    model.answerWith(slow.answer)
    const abort = new AbortController()
    const response = await fetch(`${service.url}/agents/clerk/runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${await asAlice()}` },
      body: new URLSearchParams({ session_id: "s-1", message: "x" }),
      signal: abort.signal,
    })
    await slow.begun
    abort.abort()
    await response.body?.cancel().catch(() => undefined)
    await slow.goOn(delta({ content: " and whole" }), finished("stop"), "[DONE]")

    const token = await aToken(["agents:read", "agents:run"])
    await expect
      .poll(async () => (await call(service, "GET /agents/clerk/runs?session_id=s-1", { token })).body)
      .toMatchObject([{ status: "COMPLETED", content: "Half and whole" }])
  })
})

describe("a run whose model is being asked", () => {
  test("can be cancelled: the request is given up, the stream says so, and nothing that comes later counts", async () => {
    const slow = waits(delta({ content: "Half" }))
    model.answerWith(slow.answer)
    const stream = await openStream("agents/clerk/runs", { message: "x" })
    const path = `/agents/clerk/runs/${runIn(await stream.until("Half"))}`
    const token = await asAlice()

    const cancelled = await call(service, `POST ${path}/cancel`, { token })
    await slow.gone

    expect(cancelled.status).toBe(200)
    expect((await stream.rest()).at(-1)?.name).toBe("RunCancelled")
    expect((await call(service, `GET ${path}`, { token })).body).toMatchObject({ status: "CANCELLED" })
  })

  test("is not continued meanwhile", async () => {
    const slow = waits()
    model.answerWith(slow.answer)
    const stream = await openStream("agents/clerk/runs", { message: "x" })
    const runId = runIn(await stream.until("RunStarted"))
    await slow.begun

    const answer = await continued(service, runId, "clerk")

    expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining("run is running") } })
    await slow.goOn(delta({ content: "." }), finished("stop"), "[DONE]")
    await stream.rest()
  })
})
