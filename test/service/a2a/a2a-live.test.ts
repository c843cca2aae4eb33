// 4.4: A2A streams of runs that think with a model, as the protocol's own client sees them while they go on.
import { beforeEach, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { call, type TestService } from "../a-service.ts"
import { asAlice } from "../components.ts"
import { type AModel, aModel, callPieces, delta, finished, says, streams, waits } from "../model/a-model.ts"
import { aThinkingService } from "../model/a-thinking-service.ts"
import { aMessage, asTask, clientOf } from "./a-client.ts"

let model: AModel
let service: TestService

beforeEach(async () => {
  model = await opened(aModel())
  service = await opened(aThinkingService(model.url))
})

const aClient = (component: string) => clientOf(`${service.url}/a2a/${component}`)

test("each piece of text is more of one artifact, which is whole in the task", async () => {
  model.answerWith(says("Hello you."))
  const client = await aClient("agents/clerk")

  const events = await Array.fromAsync(client.sendMessageStream(aMessage("hi")))

  expect(events).toMatchObject([
    { kind: "task", status: { state: "working" } },
    { kind: "status-update", status: { state: "working" }, final: false },
    { kind: "artifact-update", artifact: { parts: [{ text: "Hello " }] }, append: false },
    { kind: "artifact-update", artifact: { parts: [{ text: "you." }] }, append: true },
    { kind: "status-update", status: { state: "completed" }, final: true },
  ])
  const [first] = events
  const { artifacts = [] } = await client.getTask({ id: first?.kind === "task" ? first.id : "" })
  const told = new Set(events.flatMap((event) => (event.kind === "artifact-update" ? [event.artifact.artifactId] : [])))
  expect([...told]).toEqual(artifacts.map(({ artifactId }) => artifactId))
  expect(artifacts).toMatchObject([{ parts: [{ text: "Hello you." }] }])
})

test("what is said beside calls is an artifact of its own, streamed and sent", async () => {
  const beside = streams(
    delta({ content: "I look." }),
    ...callPieces([["look_up", { id: 7 }]]),
    finished("tool_calls"),
    "[DONE]",
  )
  model.answerWith(beside, says("Found."), beside, says("Found."))
  const client = await aClient("agents/clerk")

  const events = await Array.fromAsync(client.sendMessageStream(aMessage("hi")))
  const sent = asTask(await client.sendMessage(aMessage("hi")))

  const told = events.flatMap((event) => (event.kind === "artifact-update" ? [event] : []))
  expect(told).toMatchObject([
    { artifact: { parts: [{ text: "I look." }] }, append: false },
    { artifact: { parts: [{ text: "Found." }] }, append: false },
  ])
  expect(sent.artifacts).toMatchObject([{ parts: [{ text: "I look." }] }, { parts: [{ text: "Found." }] }])
})

test.each(["agents/clerk", "teams/desk", "workflows/close"])(
  "a stream of %s whose run is cancelled meanwhile ends as cancelled, with nothing after it",
  async (component) => {
    const slow = waits(delta({ content: "Half" }))
    model.answerWith(slow.answer)
    const stream = (await aClient(component)).sendMessageStream(aMessage("hi"))
    const { value: first } = await stream.next()
    const id = first?.kind === "task" ? first.id : ""
    await slow.begun

    await call(service, `POST /${component}/runs/${id}/cancel`, { token: await asAlice() })
    const rest = await Array.fromAsync(stream)

    const status = { state: "canceled", message: { parts: [{ text: expect.stringContaining("cancelled") }] } }
    expect(rest.at(-1)).toMatchObject({ kind: "status-update", taskId: id, status, final: true })
    expect(rest.filter((event) => event.kind === "status-update" && event.final)).toHaveLength(1)
  },
)
