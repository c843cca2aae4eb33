// 4.4: the A2A endpoints, spoken to by the protocol's own client and by hand.

import type { Task } from "@a2a-js/sdk"
import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aToken, call, resolve, type TestService } from "../a-service.ts"
import { aFullService, asAlice, decideAll, eventsIn, pending, ran } from "../components.ts"
import { aMessage, asTask, clientOf } from "./a-client.ts"

let service: TestService

async function start(a2aPrefix?: string): Promise<TestService> {
  return opened(aFullService(a2aPrefix === undefined ? {} : { a2aPrefix }))
}

beforeEach(async () => {
  service = await start()
})

const aClient = (component: string, prefix = "/a2a", at: TestService = service) =>
  clientOf(`${at.url}${prefix}/${component}`)

describe("the protocol's own client", () => {
  test.each([
    ["agents/support-member", "Support Member"],
    ["teams/support-team", "Support Team"],
    ["workflows/month-end", "Month End"],
  ])("reads the card of %s", async (component, name) => {
    const card = await (await aClient(component)).getAgentCard()

    expect(card).toMatchObject({
      name,
      protocolVersion: "0.3.0",
      url: `${service.url}/a2a/${component}/v1/message:stream`,
      preferredTransport: "JSONRPC",
      capabilities: { streaming: true, pushNotifications: false },
    })
  })

  test("sends a message, waits for the decision, goes on with the task, and reads it", async () => {
    const client = await aClient("agents/support-member")

    const paused = asTask(await client.sendMessage(aMessage("delete it")))
    expect(paused).toMatchObject({
      kind: "task",
      contextId: "s-1",
      status: { state: "input-required", message: { parts: [{ text: expect.stringContaining("confirmation") }] } },
    })
    expect(paused).not.toHaveProperty("artifacts")
    expect(await client.getTask({ id: paused.id })).toMatchObject({
      id: paused.id,
      status: { state: "input-required" },
    })
    await expect(client.sendMessage(aMessage("go on", { taskId: paused.id }))).rejects.toThrow(
      /requires admin approval/,
    )
    expect(ran(service)).toEqual([])

    const [row] = await pending(service)
    expect(row).toMatchObject({ run_id: paused.id, session_id: "s-1", user_id: "alice@example.com" })
    await resolve(service, row?.id ?? "", { status: "approved" })
    const done = asTask(await client.sendMessage(aMessage("go on", { taskId: paused.id })))

    expect(done).toMatchObject({
      id: paused.id,
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "The data is gone." }] }],
      history: [{ kind: "message", role: "agent", parts: [{ kind: "text", text: "The data is gone." }] }],
    })
    expect(done.status).not.toHaveProperty("message")
    expect(ran(service)).toHaveLength(1)
    await expect(client.sendMessage(aMessage("again", { taskId: paused.id }))).rejects.toThrow(/run is completed/)
  })

  test.each(["agents/support-member", "teams/support-team", "workflows/month-end"])(
    "streams a message to %s",
    async (component) => {
      const client = await aClient(component)

      const events = await Array.fromAsync(client.sendMessageStream(aMessage("delete it")))

      expect(events[0]).toMatchObject({ kind: "task", contextId: "s-1", status: { state: "working" }, history: [] })
      expect(events[1]).toMatchObject({ kind: "status-update", status: { state: "working" }, final: false })
      expect(events.at(-1)).toMatchObject({ kind: "status-update", status: { state: "input-required" }, final: true })
      expect(events.filter((event) => event.kind === "task")).toHaveLength(1)
    },
  )

  test("streams text and tool calls of a run that ends, the text as an artifact", async () => {
    const client = await aClient("agents/support-member")

    const events = await Array.fromAsync(client.sendMessageStream(aMessage("look")))

    expect(events).toMatchObject([
      { kind: "task", status: { state: "working" } },
      { kind: "status-update", status: { state: "working" } },
      { kind: "status-update", metadata: { agno_event_type: "tool_call_started", tool_name: "look_up" } },
      { kind: "status-update", metadata: { agno_event_type: "tool_call_completed", tool_name: "look_up" } },
      { kind: "artifact-update", artifact: { parts: [{ text: "Seen." }] }, append: false, lastChunk: true },
      { kind: "status-update", status: { state: "completed" }, final: true },
    ])
  })

  test("sees the artifact of a stream in the task that it reads afterwards", async () => {
    const client = await aClient("agents/support-member")

    const events = await Array.fromAsync(client.sendMessageStream(aMessage("look")))

    const [task] = events
    const told = events.flatMap((event) => (event.kind === "artifact-update" ? [event.artifact] : []))
    expect(await client.getTask({ id: task?.kind === "task" ? task.id : "" })).toMatchObject({ artifacts: told })
  })

  test.each([
    ["agents/support-member", "broken", "the model is down"],
    ["workflows/broken-flow", "go", "the model is down"],
  ])("is told why %s fails, streamed and sent", async (component, text, reason) => {
    const client = await aClient(component)

    const events = await Array.fromAsync(client.sendMessageStream(aMessage(text)))
    const sent = await client.sendMessage(aMessage(text))

    const status = { state: "failed", message: { parts: [{ text: reason }] } }
    expect(events.at(-1)).toMatchObject({ kind: "status-update", status, final: true })
    expect(sent).toMatchObject({ kind: "task", status })
  })

  test("cancels a task, once", async () => {
    const client = await aClient("teams/support-team")
    const { id } = asTask(await client.sendMessage(aMessage("please")))

    expect(await client.cancelTask({ id })).toMatchObject({ id, status: { state: "canceled" } })

    expect(await pending(service)).toEqual([])
    const { id: done } = asTask(await client.sendMessage(aMessage("broken member")))
    await expect(client.cancelTask({ id: done })).rejects.toThrow(/cannot be canceled/)
  })

  test("is told that a task is unknown, also one of another component or context", async () => {
    const { id } = asTask(await (await aClient("agents/support-member")).sendMessage(aMessage("look")))
    const other = await aClient("agents/other-member")

    await expect(other.getTask({ id })).rejects.toThrow(/Task not found/)
    await expect(other.cancelTask({ id: "none" })).rejects.toThrow(/Task not found/)
    await expect(other.sendMessage(aMessage("x", { taskId: id }))).rejects.toThrow(/Task not found/)
  })

  test("need not wait: an accepted message is a submitted task", async () => {
    const client = await aClient("agents/support-member")

    const accepted = asTask(await client.sendMessage({ ...aMessage("look"), configuration: { blocking: false } }))

    expect(accepted.status.state).toBe("submitted")
    await expect.poll(async () => (await client.getTask({ id: accepted.id })).status.state).toBe("completed")
  })

  test("a custom prefix is served the same way under its own prefix, and the default one is not", async () => {
    const custom = await start("/agents-talk/here")
    const client = await aClient("agents/support-member", "/agents-talk/here", custom)

    expect((await client.getAgentCard()).url).toBe(
      `${custom.url}/agents-talk/here/agents/support-member/v1/message:stream`,
    )
    expect(asTask(await client.sendMessage(aMessage("look"))).status.state).toBe("completed")
    const token = await aToken(["agents:run"])
    expect((await call(custom, "POST /a2a/agents/support-member/v1/message:send", { token, json: {} })).status).toBe(
      404,
    )
  })
})

const envelope = (params: unknown, method?: string) => ({
  jsonrpc: "2.0",
  id: "r-1",
  ...(method === undefined ? {} : { method }),
  params,
})

describe("by hand", () => {
  test("9.2: the paths contain v1, and without a method the path says what is asked", async () => {
    const token = await asAlice()
    const path = "/a2a/agents/support-member/v1"

    const sent = await call(service, `POST ${path}/message:send`, { token, json: envelope(aMessage("look")) })
    const { id, contextId } = (sent.body as { result: Task }).result
    const read = await call(service, `POST ${path}/tasks:get`, { token, json: envelope({ id, contextId }) })
    const elsewhere = await call(service, `POST ${path}/tasks:get`, { token, json: envelope({ id, contextId: "s-2" }) })

    expect(sent).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: "r-1", result: { kind: "task" } } })
    expect(read).toMatchObject({ status: 200, body: { result: { id, status: { state: "completed" } } } })
    expect(elsewhere).toMatchObject({
      status: 404,
      body: { jsonrpc: "2.0", id: "r-1", error: { code: -32001, message: "Task not found" }, detail: "Task not found" },
    })
  })

  test("4.4: per-resource scopes authorize as they authorize the REST paths", async () => {
    const path = "/a2a/agents/support-member/v1"
    const json = envelope(aMessage("look"))
    const status = async (scope: string, request: string, body: unknown): Promise<number> =>
      (await call(service, request, { token: await aToken([scope]), json: body })).status

    expect(await status("agents:support-member:run", `POST ${path}/message:send`, json)).toBe(200)
    expect(await status("agents:other-member:run", `POST ${path}/message:send`, json)).toBe(403)
    expect(await status("agents:support-member:read", `POST ${path}/tasks:get`, envelope({ id: "none" }))).toBe(404)
  })

  test.each([
    ["agents:run", "message:send", "tasks/get"],
    ["agents:read", "tasks:get", "message/send"],
    ["agents:read", "tasks:get", "tasks/cancel"],
  ])("a method that is not the path's needs its own scope: %s at %s does not open %s", async (scope, path, method) => {
    const params = method.startsWith("tasks") ? { id: "none" } : aMessage("look")

    const answer = await call(service, `POST /a2a/agents/support-member/v1/${path}`, {
      token: await aToken([scope]),
      json: envelope(params, method),
    })

    expect(answer.status).toBe(403)
    expect(ran(service)).toEqual([])
  })

  test.each<[string, unknown, (string | number)[]]>([
    ["no envelope", {}, ["body", "jsonrpc"]],
    ["no params", { jsonrpc: "2.0", id: 1 }, ["body", "params"]],
    ["an unknown method", envelope({}, "tasks/list"), ["body", "method"]],
    [
      "a message without parts",
      envelope({ message: { messageId: "m", role: "user" } }),
      ["body", "params", "message", "parts"],
    ],
    [
      "an agent's message",
      envelope({ message: { messageId: "m", role: "agent", parts: [{ kind: "text", text: "x" }] } }),
      ["body", "params", "message", "role"],
    ],
  ])("7: %s is 422", async (_name, json, loc) => {
    const answer = await call(service, "POST /a2a/agents/support-member/v1/message:send", {
      token: await asAlice(),
      json,
    })

    expect(answer).toMatchObject({
      status: 422,
      body: { detail: expect.arrayContaining([expect.objectContaining({ loc })]) },
    })
  })

  test("a body that is no JSON is 422, an unknown component 404", async () => {
    const token = await asAlice()

    expect((await call(service, "POST /a2a/agents/support-member/v1/message:send", { token, raw: "{" })).status).toBe(
      422,
    )
    expect(
      await call(service, "POST /a2a/teams/none/v1/message:send", { token, json: envelope(aMessage("x")) }),
    ).toMatchObject({
      status: 404,
      body: { detail: "Team not found" },
    })
  })

  test("9.3: the deprecated routes serve agents, teams and workflows, by message or by header", async () => {
    const token = await asAlice()
    const named = { message: { ...aMessage("please").message, agentId: "support-team" } }

    const team = await call(service, "POST /a2a/message/send", { token, json: envelope(named) })
    const response = await fetch(`${service.url}/a2a/message/stream`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "x-agent-id": "month-end" },
      body: JSON.stringify(envelope(aMessage("go"))),
    })
    const events = eventsIn(await response.text())

    expect(team.body).toMatchObject({ result: { kind: "task", status: { state: "input-required" } } })
    expect(events.at(-1)).toMatchObject({
      name: "TaskStatusUpdateEvent",
      data: { id: "r-1", result: { status: { state: "input-required" }, final: true } },
    })
    expect(events[2]?.data).toMatchObject({
      result: { metadata: { agno_event_type: "workflow_step_started", step_name: "look" } },
    })
  })

  test("a message without `kind`, as AgentOS's own client sends it, gets a stream without the task", async () => {
    const { kind: _kind, ...message } = aMessage("look").message
    const token = await asAlice()

    const path = "POST /a2a/agents/support-member/v1/message:stream"
    const { text } = await call(service, path, { token, json: envelope({ message }) })

    expect(eventsIn(text).map(({ name }) => name)).toEqual([
      "TaskStatusUpdateEvent",
      "TaskStatusUpdateEvent",
      "TaskStatusUpdateEvent",
      "TaskArtifactUpdateEvent",
      "TaskStatusUpdateEvent",
    ])
  })

  test("the caller is the token's subject; a header or the message names them only where there is none", async () => {
    const json = envelope({
      message: { ...aMessage("delete it").message, contextId: null, metadata: { userId: "eve" } },
    })
    const path = "POST /a2a/agents/support-member/v1/message:send"

    await call(service, path, { token: await aToken(["agents:run"], { sub: "ann" }), json })
    await call(service, path, { token: await aToken(["agents:run"]), json })

    expect((await pending(service)).map((row) => row["user_id"])).toEqual(["ann", "eve"])
    await decideAll(service, { status: "rejected" })
  })
})
