// 4.4: the protocol's own client of A2A 1.0 in JavaScript, which speaks 0.3.0 where a card asks for it.
import { Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk-1"
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk-1/client"
import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import type { TestService } from "../a-service.ts"
import { aFullService, decideAll } from "../components.ts"
import { fetchAsAlice } from "./a-client.ts"

const a2aPrefix = "/agents-talk"
let service: TestService

beforeEach(async () => void (service = await opened(aFullService({ a2aPrefix }))))

async function aClient(component: string): Promise<Client> {
  const options = { fetchImpl: await fetchAsAlice(), legacyCompat: { enabled: true } }
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(options)],
      cardResolver: new DefaultAgentCardResolver(options),
    }),
  )
  return factory.createFromUrl(`${service.url}${a2aPrefix}/${component}/`)
}

function aRequest(text: string, taskId = "") {
  const part = { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" } as const
  const message = {
    messageId: "m-1",
    contextId: "s-1",
    taskId,
    role: Role.ROLE_USER,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
  return { tenant: "", message, configuration: undefined, metadata: undefined }
}

/** What a stream tells, in short. */
function told({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case "task":
      return `task ${payload.value.contextId}`
    case "statusUpdate":
      return TaskState[payload.value.status?.state ?? TaskState.UNRECOGNIZED]
    case "artifactUpdate":
      return `artifact ${payload.value.artifact?.parts.map(({ content }) => content?.value).join("")}`
    case "message":
    case undefined:
      return String(payload?.$case)
  }
}

function stateOf(task: Task): TaskState | undefined {
  return task.status?.state
}

async function streamed(client: Client, text: string, taskId?: string): Promise<readonly string[]> {
  const events = (await Array.fromAsync(client.sendMessageStream(aRequest(text, taskId)))).map(told)
  return events.filter((event, at) => event !== events[at - 1])
}

async function sent(client: Client, text: string, taskId?: string): Promise<Task> {
  const result = await client.sendMessage(aRequest(text, taskId))
  if (!("artifacts" in result)) throw new Error("expected a task")
  return result
}

describe.each([
  ["agents/support-member", "delete it"],
  ["teams/support-team", "own tool"],
  ["workflows/by-team", "go"],
])("%s", (component, text) => {
  test("a run that pauses says so at the end of its stream, goes on once it is decided, and is completed", async () => {
    const client = await aClient(component)

    expect(await streamed(client, text)).toEqual(["task s-1", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"])
    const { id } = await sent(client, text)
    await decideAll(service, { status: "approved" })

    const events = await streamed(client, "go on", id)
    expect(events.slice(0, 2)).toEqual(["task s-1", "TASK_STATE_WORKING"])
    expect(events.slice(-2)).toEqual([expect.stringMatching(/^artifact \w/), "TASK_STATE_COMPLETED"])
    const task = await client.getTask({ tenant: "", id })
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(task.artifacts).toHaveLength(1)
  })

  test("a task that waits can be cancelled", async () => {
    const client = await aClient(component)
    const { id } = await sent(client, text)

    const cancelled = await client.cancelTask({ tenant: "", id, metadata: undefined })

    expect(stateOf(cancelled)).toBe(TaskState.TASK_STATE_CANCELED)
  })
})

test("a run that fails says why, streamed and sent", async () => {
  const client = await aClient("agents/support-member")

  expect((await streamed(client, "broken")).at(-1)).toBe("TASK_STATE_FAILED")
  const task = await sent(client, "broken")
  expect(stateOf(task)).toBe(TaskState.TASK_STATE_FAILED)
  expect(task.status?.message?.parts).toMatchObject([{ content: { value: "the model is down" } }])
})
