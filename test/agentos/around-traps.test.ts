// Traps around an approval and its run, provoked at the real AgentOS: what its record does not say, and what others do
// with the run.
import { expect, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { alarms, card, press, settled, threadSays, until, viewSays } from "../stories/acts.ts"
import { type Stage, sandboxCast } from "../stories/world.ts"
import { aJwt, isAtLeast } from "./agentos.ts"
import { call, continueRun, rowOf, rowsOf, startRun } from "./drive.ts"
import { describeAgentOs } from "./stages.ts"

/** Reads sessions too; with several databases AgentOS wants to know which, and says so to config:read. */
const reading = () => aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"])
const alarmOf = (stage: Stage, code: string) =>
  until(`alarm ${code}`, () => stage.log.find((line) => line["event"] === "alarm" && line["code"] === code))

const own = { name: "delete_user_data", arguments: { user_id: "U-1" } }
const task = JSON.stringify([[{ name: "send_email", arguments: { to: "a@b", subject: "s", body: "b" } }], "Sent."])
const delegate = { name: "delegate_task_to_member", arguments: { member_id: "scripted-member", task } }

describeAgentOs("around an approval", {}, ({ version, os, aStage }) => {
  test("trap 22: a team's and its member's rows about one call say so of each other, where both cover it", async () => {
    const stage = await aStage({ token: await reading() })
    await startRun(os(), { kind: "teams", of: "scripted-team", message: JSON.stringify([[own, delegate], "Done."]) })

    await until("both rows", async () => ((await rowsOf(os())).length === 2 ? true : undefined))
    const seen = await card(stage, "send_email Asked")
    // Since 3.1.2 a team's row names no member's call.
    if (isAtLeast(version, "3.1.2")) expect(seen.words).not.toContain("One call, two approvals")
    else {
      await card(stage, "This call needs two decisions")
      await card(stage, "This call needs two decisions")
    }
  })

  test("traps 23 and 75: a member's row names its team, read from its session in the instance's own database", async () => {
    const stage = await aStage({ token: await reading() })

    await startRun(os(), { kind: "teams", of: "support-team" })

    const open = await card(stage, "U-200")
    await until("Details that name the team", async () => {
      await stage.sandbox.click(sandboxCast.alice, open, actionIds.details)
      return /Team:\s*support-team/.test(await viewSays(stage, sandboxCast.alice, "You may")) ? true : undefined
    })
    const client = createPlatformClient({ name: "main", url: os().url, token: await aJwt(["approvals:read"]) })
    const unread = await client.session("any")
    await client.close()
    expect(unread).toBeNull()
  })

  test("trap 62: arguments other than the approved ones raise an alarm, in the closed case's thread too", async () => {
    const stage = await aStage({ token: await reading() })
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)
    await press(stage, sandboxCast.alice, open, "approve")
    await settled(stage, "Approved delete_user_data")

    const ended = await continueRun(os(), run, {
      of: "admin-agent",
      form: { tools: await toolsOf(run.runId, "U-OTHER") },
    })

    expect(ended.status).toBe(200)
    await threadSays(stage, open, "delete_user_data ran with other arguments than those approved")
    expect(await alarmOf(stage, "ran-otherwise")).toMatchObject({ run: run.runId })
  })

  test("trap 63: a tool that ran after its rejection raises an alarm", async () => {
    const stage = await aStage({ token: await reading() })
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)
    await press(stage, sandboxCast.alice, open, "reject")
    await settled(stage, "Rejected delete_user_data")

    await continueRun(os(), run, { of: "admin-agent", form: { tools: await toolsOf(run.runId, "U-100") } })

    await threadSays(stage, open, "delete_user_data ran although it was rejected")
    expect(await alarmOf(stage, "ran-otherwise")).toMatchObject({ run: run.runId })
  })

  test("trap 68: a cancelled run goes on with its tool, so that cancelling refuses nothing", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)
    const ran = os().executions().length
    const token = await aJwt(["agents:run"], { sub: "alice@example.com" })

    const cancelled = await call(os(), `POST /agents/admin-agent/runs/${run.runId}/cancel`, { token })
    const json = { status: "approved" }
    await call(os(), `POST /approvals/${id}/resolve`, { token: await aJwt(["approvals:write"]), json })
    await continueRun(os(), run, { of: "admin-agent" })

    expect(cancelled.status).toBe(200)
    expect(os().executions()).toHaveLength(ran + 1)
  })

  test("trap 65: a team that ended while its member's approval is pending is said; since 2.9.0 it waits", async () => {
    const stage = await aStage({ token: await reading() })
    const run = await startRun(os(), { kind: "teams", of: "support-team" })
    const open = await card(stage, "U-200")

    const ended = await continueRun(os(), run, { kind: "teams", of: "support-team" })

    if (isAtLeast(version, "2.9.0")) expect(ended.body).toMatchObject({ status: "PAUSED" })
    else {
      expect(ended.body).toMatchObject({ status: "COMPLETED" })
      await threadSays(stage, open, "ended without waiting for this")
      // Whichever is seen first, the member's own run or the team's, is told once.
      expect(alarms(stage).join()).toMatch(/^(run|team)-ended-without-waiting$/)
    }
  })

  /** The run's own calls as somebody sends them who does not care about the record. */
  async function toolsOf(runId: string, userId: string): Promise<string> {
    const { requirements } = await rowOf(os(), runId)
    const [requirement] = requirements as { tool_execution: Record<string, unknown> }[]
    return JSON.stringify([{ ...requirement?.tool_execution, tool_args: { user_id: userId }, confirmed: true }])
  }
})
