// 4.4: the embedded service, spoken to by A2A's own SDKs for Python (of protocol 0.3, and of 1.0, which speaks 0.3 as
// well), and by agno's remote agents, teams and workflows.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { readScript } from "../../../src/service/components/script.ts"
import { aService, call, type TestService } from "../../service/a-service.ts"
import { asAlice, decideAll } from "../../service/components.ts"
import { type AModel, aModel, delta, says, waits } from "../../service/model/a-model.ts"
import { aThinkingService } from "../../service/model/a-thinking-service.ts"
import { a2aPythons, pythonWith } from "../../tools/agentos.mjs"
import { VERSIONS } from "../agentos.ts"
import { type ClientAnswer, type ClientCall, type PythonClient, startPythonClient } from "./python-client.ts"

const script = readScript(`
agents:
  - id: clerk
    tools: [{ name: look_up }, { name: wipe, gated: true }]
    runs: &runs
      - { name: look, turns: [[{ tool: look_up }]], answer: Seen. }
      - { name: wipe, turns: [[{ tool: wipe }]], answer: It is gone. }
      - { name: broken, turns: [{ error: the model is down }] }
teams:
  - id: desk
    members: [clerk]
    tools: [{ name: look_up }, { name: wipe, gated: true }]
    runs: *runs
  - id: lead
    members: [clerk]
    runs:
      - { name: wipe, turns: [[{ member: clerk, task: wipe }]], answer: They did it. }
workflows:
  - { id: month-end, steps: [{ agent: clerk }] }
  - { id: closing, steps: [{ name: publish, function: { name: publish, gated: true } }] }
`)

const components = ["agents/clerk", "teams/desk", "workflows/month-end"]
const prefixes = ["/a2a", "/agents-talk/here"]

const services = new Map<string, TestService>()

beforeAll(async () => {
  for (const a2aPrefix of prefixes) services.set(a2aPrefix, await aService({ script, a2aPrefix }))
})
afterAll(async () => {
  for (const service of services.values()) await service.close()
})

function serviceAt(prefix: string): TestService {
  const service = services.get(prefix)
  if (service === undefined) throw new Error(`no service serves ${prefix}`)
  return service
}

const addressOf = (component: string, prefix: string): string => `${serviceAt(prefix).url}${prefix}/${component}`

type Asked = Omit<ClientCall, "agent" | "token">

/** A program that runs while the tests of a suite do. */
function aClient(python: string, program: string): () => PythonClient {
  let client: PythonClient
  beforeAll(() => {
    client = startPythonClient(python, program)
  })
  afterAll(() => client.close())
  return () => client
}

const sdks = a2aPythons(process.env).map(({ version, python }) => ({
  version,
  python,
  program: version.startsWith("0.") ? "client_0_3.py" : "client_1_0.py",
}))

describe.each(sdks)("a2a-sdk $version", ({ version, python, program }) => {
  const client = aClient(python, program)

  /** A client says `final` of an event where its protocol does. */
  const last = (state: string): string => `status ${state}${version.startsWith("0.") ? " final" : ""}`

  describe.each(prefixes)("under %s", (prefix) => {
    const ask = async (component: string, call: Asked): Promise<ClientAnswer> =>
      client().ask({ ...call, agent: addressOf(component, prefix), token: await asAlice() })
    /** A task of this component that waits for a decision. */
    const aPausedTask = async (component: string): Promise<string> => {
      const { task, error } = await ask(component, { do: "send", text: "wipe" })
      if (task === undefined) throw new Error(error)
      return task.id
    }

    describe.each(components)("%s", (component) => {
      test("a stream begins with the task, tells its text as an artifact, and ends with its last state", async () => {
        const { error, saw = [], task } = await ask(component, { do: "stream", text: "look" })

        expect(error).toBeUndefined()
        const told = saw.filter((event, at) => event !== saw[at - 1])
        expect(told).toEqual(["task", "status working", "artifact Seen.", last("completed")])
        expect(task).toMatchObject({ state: "completed", artifacts: ["Seen."] })
      })

      test("a message that is sent is answered by its task, whose results are artifacts", async () => {
        expect(await ask(component, { do: "send", text: "look" })).toMatchObject({
          saw: ["task"],
          task: { state: "completed", said: "", artifacts: ["Seen."] },
        })
      })

      test("a task that waits says why, and goes on in a stream once it is decided", async () => {
        const paused = await ask(component, { do: "stream", text: "wipe" })
        const id = paused.task?.id ?? ""
        const early = await ask(component, { do: "stream", text: "go on", task: id })
        await decideAll(serviceAt(prefix), { status: "approved" })
        const gone = await ask(component, { do: "stream", text: "go on", task: id })

        expect(paused.saw).toMatchObject({ 0: "task", [(paused.saw?.length ?? 0) - 1]: last("input-required") })
        expect(paused.task).toMatchObject({ state: "input-required", said: expect.stringMatching(/confirmation/) })
        expect(early.error).toContain("403")
        expect(gone.saw?.at(0)).toBe("task")
        expect(gone.saw?.slice(-2)).toEqual(["artifact It is gone.", last("completed")])
        expect(gone.task).toMatchObject({ id, state: "completed", artifacts: ["It is gone."] })
        expect((await ask(component, { do: "get", task: id })).task).toMatchObject({ artifacts: ["It is gone."] })
      })

      test("a task that waits goes on by a message that is sent once it is decided", async () => {
        const id = await aPausedTask(component)
        await decideAll(serviceAt(prefix), { status: "approved" })

        expect((await ask(component, { do: "send", text: "go on", task: id })).task).toMatchObject({
          id,
          state: "completed",
          artifacts: ["It is gone."],
        })
      })

      test("a task that fails says why, streamed and sent, and has no artifacts", async () => {
        const streamed = await ask(component, { do: "stream", text: "broken" })
        const sent = await ask(component, { do: "send", text: "broken" })

        const failed = { state: "failed", said: "the model is down", artifacts: [] }
        expect(streamed.saw?.at(-1)).toBe(last("failed"))
        expect([streamed.task, sent.task]).toMatchObject([failed, failed])
      })

      test("a task that waits can be cancelled, and is cancelled for whoever reads it", async () => {
        const id = await aPausedTask(component)

        const cancelled = { id, state: "canceled", artifacts: [] }
        expect((await ask(component, { do: "cancel", task: id })).task).toMatchObject(cancelled)
        expect((await ask(component, { do: "get", task: id })).task).toMatchObject(cancelled)
      })

      test("a client that polls gets a submitted task, and sees it completed", async () => {
        const { task } = await ask(component, { do: "poll", text: "look" })

        expect(task?.state).toBe("submitted")
        await expect
          .poll(async () => (await ask(component, { do: "get", task: task?.id ?? "" })).task)
          .toMatchObject({ state: "completed", artifacts: ["Seen."] })
      })
    })

    test("a member's pause is its team's, in a stream as well", async () => {
      const paused = await ask("teams/lead", { do: "stream", text: "wipe" })
      await decideAll(serviceAt(prefix), { status: "approved" })
      const gone = await ask("teams/lead", { do: "stream", text: "go on", task: paused.task?.id ?? "" })

      expect(paused.saw?.at(-1)).toBe(last("input-required"))
      expect(gone.task).toMatchObject({ state: "completed", artifacts: ["They did it."] })
    })

    test("a stream of a workflow whose function is rejected ends as cancelled", async () => {
      const id = await aPausedTask("workflows/closing")
      await decideAll(serviceAt(prefix), { status: "rejected" })

      const { saw, task } = await ask("workflows/closing", { do: "stream", text: "go on", task: id })

      expect(saw?.at(-1)).toBe(last("canceled"))
      expect(task).toMatchObject({ id, state: "canceled", artifacts: [] })
    })
  })

  describe("while a model thinks", () => {
    let model: AModel
    let thinking: TestService
    beforeEach(async () => {
      model = await aModel()
      thinking = await aThinkingService(model.url)
    })
    afterEach(async () => {
      await thinking.close()
      await model.close()
    })
    const stream = async (component: string): Promise<ClientAnswer> => {
      const agent = `${thinking.url}/a2a/${component}`
      return client().ask({ do: "stream", text: "hi", context: "s-1", agent, token: await asAlice() })
    }

    test("pieces of text add up to one artifact", async () => {
      model.answerWith(says("Hello you."))

      const { saw, task } = await stream("agents/clerk")

      expect(saw).toEqual(["task", "status working", "artifact Hello ", "artifact you.", last("completed")])
      expect(task).toMatchObject({ context: "s-1", state: "completed", artifacts: ["Hello you."] })
    })

    test.each(["agents/clerk", "teams/desk", "workflows/close"])(
      "a stream of %s whose run is cancelled meanwhile ends as cancelled",
      async (component) => {
        const slow = waits(delta({ content: "Half" }))
        model.answerWith(slow.answer)
        const told = stream(component)
        await slow.begun
        const token = await asAlice()
        const runs = await call(thinking, `GET /sessions/s-1/runs`, { token })
        const [run] = runs.body as { run_id: string }[]
        await call(thinking, `POST /${component}/runs/${run?.run_id}/cancel`, { token })

        const { saw, task } = await told

        expect(saw?.at(-1)).toBe(last("canceled"))
        expect(task).toMatchObject({ state: "canceled", said: expect.stringContaining("cancelled") })
      },
    )
  })
})

describe.each(VERSIONS)("agno %s", (version) => {
  const client = aClient(pythonWith(version, process.env), "client_agno.py")

  test.each(components)("runs %s remotely over A2A, streamed and sent", async (component) => {
    const call = { agent: addressOf(component, "/a2a"), token: await asAlice(), text: "look" }

    const streamed = await client().ask({ ...call, do: "stream" })
    const sent = await client().ask({ ...call, do: "send" })

    expect(streamed).toMatchObject({
      content: "Seen.",
      saw: expect.arrayContaining([expect.stringMatching(/Started$/)]),
    })
    expect(streamed.saw?.at(-1)).toMatch(/Completed$/)
    expect(sent).toEqual({ content: "Seen." })
  })
})
