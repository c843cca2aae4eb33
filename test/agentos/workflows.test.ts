// Workflows of the real AgentOS: what cards say of them, and that nothing here moves one.
import { expect, test } from "vitest"
import { alarms, card, cardSaying, press, settled, threadSays, until } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { aJwt } from "./agentos.ts"
import { call, record, rowsOf, startRun } from "./drive.ts"
import { aResumingStage, resuming } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const slow = 60_000
const reading = () => aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"])
const aFlow = { kind: "workflows", of: "one-step-workflow" }
const why = "the platform does not let a workflow go by its approvals"

describeAgentOs("workflows", {}, (here) => {
  const { os } = here
  const runner = () => aJwt(["workflows:run", "workflows:read", "agents:run"], { sub: "alice@example.com" })
  /** How a workflow's run stands. */
  const statusOf = async (of: string, run: { readonly runId: string; readonly session: string }) => {
    const path = `/workflows/${of}/runs/${run.runId}?session_id=${run.session}`
    const { body } = await call(os(), `GET ${path}`, { token: await runner() })
    return (body as { readonly status?: string }).status
  }

  test("trap 24: a step's card names workflow and step, and says that it will not be continued, before anybody decides", async () => {
    const stage = await here.aStage({
      token: await reading(),
      resume: "decided",
      resumeToken: await aJwt(["agents:run"]),
    })

    await startRun(os(), aFlow)

    const open = await card(stage, "U-400 Workflow: one-step-workflow, step only Your decision is not binding:")
    expect(open.words).toContain("it is advice to whoever runs this workflow")
    expect(open.buttons).toHaveLength(3)
  })

  test.each(["approve", "reject"] as const)(
    "trap 69: a workflow whose step was decided stays as it is: %s",
    async (verb) => {
      const before = os().executions().length
      const { stage, run, pushes } = await resuming(here, aFlow, "U-400 Your decision is not binding:", {
        token: await reading(),
      })

      await press(stage, sandboxCast.bob, await card(stage, "U-400"), verb)

      await threadSays(stage, await card(stage, "U-400"), why, slow)
      expect(await rowsOf(os())).toMatchObject([{ status: verb === "approve" ? "approved" : "rejected" }])
      expect(await statusOf(aFlow.of, run)).toBe("PAUSED")
      expect(pushes()).toEqual([])
      expect(os().executions()).toHaveLength(before)
    },
  )

  test("a PAUSED workflow whose step was cancelled stays PAUSED: it is decided as any other, and nothing runs", async () => {
    const before = os().executions().length
    const { stage, run, open, pushes } = await resuming(here, aFlow, "U-400 Your decision is not binding:", {
      token: await reading(),
    })
    const [row] = await rowsOf(os())
    const form = { session_id: run.session }

    const token = await runner()
    const cancelled = await call(os(), `POST /agents/step-agent/runs/${String(row?.["run_id"])}/cancel`, {
      token,
      form,
    })
    expect(cancelled.status).toBe(200)
    expect(await record(os(), String(row?.["id"]))).toMatchObject({ status: "pending" })
    await press(stage, sandboxCast.bob, open, "approve")

    await settled(stage, "Approved delete_user_data")
    await threadSays(stage, open, why, slow)
    expect(await statusOf(aFlow.of, run)).toBe("PAUSED")
    expect(pushes()).toEqual([])
    expect(os().executions()).toHaveLength(before)
  })

  test("a function step that runs an agent loses its pause: the workflow ends, and its approval moves nothing", async () => {
    const before = os().executions().length
    const { stage, pushes } = await aResumingStage(here, { token: await reading() })
    const run = await startRun(os(), { kind: "workflows", of: "function-workflow" })

    const open = await card(stage, "U-500")
    expect(await statusOf("function-workflow", run)).toBe("COMPLETED")
    expect(open.words).not.toContain("Workflow:")
    await press(stage, sandboxCast.bob, open, "approve")

    await cardSaying(stage, "Countersign does not continue the run")
    expect(await rowsOf(os())).toMatchObject([{ status: "approved" }])
    expect(pushes()).toEqual([])
    expect(os().executions()).toHaveLength(before)
  })

  test("a function step's own confirmation asks nobody: no approval, no card, one alarm that names the workflow", async () => {
    const ahead = { unaskedMs: 300, sharedClock: () => Date.now() + 600_000 }
    const run = await startRun(os(), { kind: "workflows", of: "confirmed-workflow" })
    const stage = await here.aStage({ token: await reading(), ...ahead })

    await until("the alarm", () => (alarms(stage).includes("run-paused-unasked") ? true : undefined), slow)

    const alarm = stage.log.find((line) => line["code"] === "run-paused-unasked" && line["run"] === run.runId)
    expect(alarm).toMatchObject({ workflow: "confirmed-workflow" })
    expect(await rowsOf(os())).toEqual([])
  })
})
