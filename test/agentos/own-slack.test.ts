// AgentOS's own Slack interface goes round us, at the real AgentOS: what anybody in its threads can do, and what we
// then say and leave alone.
import { expect, test } from "vitest"
import { lookAtInstance } from "../../src/cli/doctor/platform/platform.ts"
import { alarms, card, press, threadSays, until } from "../stories/acts.ts"
import { type Stage, sandboxCast } from "../stories/world.ts"
import { type AgentOs, aJwt } from "./agentos.ts"
import { type Row, rowsOf } from "./drive.ts"
import { checkStatus, mention, submitForm, type Thread } from "./own-slack.ts"
import { aResumingStage } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

/** Somebody in the thread whom no rule lists. */
const anybody = sandboxCast.rita
const paying = {
  of: "payments-agent",
  script: [[{ name: "send_money", arguments: { amount: 5, note: "lunch" } }], "Paid."],
}
const late = 40_000

/** The approval of a thread once it is so. */
const rowIn = (os: AgentOs, { ts }: Thread, is: (row: Row) => boolean = () => true) =>
  until(
    "the approval",
    async () => (await rowsOf(os)).find((row) => String(row["session_id"]).endsWith(`:${ts}`) && is(row)),
    late,
  )
const runs = (os: AgentOs, count: number) =>
  until(`${count} runs of the tool`, () => (os.executions().length >= count ? os.executions() : undefined), late)
const alarmOf = (stage: Stage, code: string) =>
  until(`alarm ${code}`, () => stage.log.find((line) => line["event"] === "alarm" && line["code"] === code), late)
/** Reads sessions too, to see what ran. */
const reading = () => aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"])

describeAgentOs("own Slack interface", { slack: true }, ({ os, aStage }) => {
  test("anybody in the thread answers a gated call with another amount: the tool runs, and we say that the rules would not have it", async () => {
    const stage = await aStage({ token: await reading() })
    const thread = await mention(os(), sandboxCast.rita, paying)
    const open = await card(stage, "send_money")
    const before = os().executions().length
    // Older versions leave the channel out.
    const session = expect.stringMatching(/^payments-agent:(C0THREAD:)?\d+\.\d+$/)
    const asked = { status: "pending", session_id: session, tool_args: { amount: 5 } }
    expect(await rowIn(os(), thread)).toMatchObject(asked)

    await submitForm(os(), anybody, thread, { amount: "5000", recipient: "carol" })

    expect(await rowIn(os(), thread, (row) => row.status !== "pending")).toMatchObject({
      status: "approved",
      resolved_by: anybody,
      resolution_data: { values: { amount: "5000", recipient: "carol" } },
    })
    const ran = (await runs(os(), before + 1)).at(-1)
    expect([ran?.tool, Number(ran?.arguments["amount"])]).toEqual(["send_money", 5_000])
    const raised = {
      status: "approved",
      resolvedBy: anybody,
      why: "the rules do not let them approve this: not-approver",
    }
    expect(await alarmOf(stage, "decided-outside-rules")).toMatchObject(raised)
    await threadSays(stage, open, "The rules do not allow this decision", late)
    expect(alarms(stage).filter((code) => code === "decided-outside-rules")).toHaveLength(1)
  })

  test("doctor names where it is mounted, as far as the credential may read that", async () => {
    const { url } = os()
    const look = async (scopes: readonly string[]) => {
      const token = await aJwt(scopes)
      const instance = {
        name: "main",
        url,
        token,
        resolving: { kind: "same" },
        pollMs: 1_000,
        timeoutMs: 8_000,
      } as const
      return (await lookAtInstance(instance, Date.now)).filter(({ what }) => what.includes("Slack"))
    }

    expect(await look(["approvals:read", "approvals:write", "config:read"])).toMatchObject([
      { level: "warn", what: expect.stringContaining("at /slack-admin-agent and /slack-payments-agent") },
    ])
    expect(await look(["approvals:read", "approvals:write"])).toEqual([])
  })

  test("whom the rules list answers in the thread: that is not raised", async () => {
    const stage = await aStage({ token: await reading() })
    const thread = await mention(os(), sandboxCast.rita, paying)
    await card(stage, "send_money")

    await submitForm(os(), sandboxCast.bob, thread, { recipient: "carol" })

    await until("the case to close", () =>
      stage.log.find((line) => line["event"] === "case" && line["kind"] === "closed"),
    )
    expect(await rowIn(os(), thread)).toMatchObject({ status: "approved", resolved_by: sandboxCast.bob })
    expect(alarms(stage)).not.toContain("decided-outside-rules")
  })

  test("a call that an approver rejected runs with values from the thread: we say that it ran", async () => {
    const stage = await aStage({ token: await reading(), instance: "reject_user_input: send" })
    const thread = await mention(os(), sandboxCast.rita, paying)
    const open = await card(stage, "send_money")
    const before = os().executions().length
    await press(stage, sandboxCast.bob, open, "reject")
    await rowIn(os(), thread, (row) => row.status === "rejected")

    await submitForm(os(), anybody, thread, { amount: "5000", recipient: "carol" })

    const ran = (await runs(os(), before + 1)).at(-1)
    expect([ran?.tool, Number(ran?.arguments["amount"])]).toEqual(["send_money", 5_000])
    expect(await rowIn(os(), thread)).toMatchObject({ status: "rejected", resolved_by: "bob@sandbox.example" })
    await alarmOf(stage, "ran-otherwise")
    await threadSays(stage, open, "send_money ran although it was rejected", late)
  })

  test("a rejection that is held is overtaken in the thread: we say that the rules would not have it", async () => {
    const stage = await aStage({ token: await reading() })
    const thread = await mention(os(), sandboxCast.rita, paying)
    const open = await card(stage, "send_money")
    await press(stage, sandboxCast.bob, open, "reject")
    await threadSays(stage, open, "Held: the platform would run it all the same")

    await submitForm(os(), anybody, thread, { amount: "5000", recipient: "carol" })

    await alarmOf(stage, "decided-outside-rules")
    await threadSays(stage, open, "The rules do not allow this decision", late)
  })
})

describeAgentOs("own Slack interface, slow tools", { slack: true, toolSeconds: 3 }, (here) => {
  const { os } = here

  test("Check Status, pressed while a broker continues the run, runs the tool twice", async () => {
    const { stage, pushes } = await aResumingStage(here, { instance: "beside_agno_slack: true" })
    const thread = await mention(os(), sandboxCast.rita, { of: "admin-agent" })
    const open = await card(stage)
    const before = os().executions().length
    await press(stage, sandboxCast.bob, open, "approve")
    await runs(os(), before + 1)

    await checkStatus(os(), anybody, thread)

    expect((await runs(os(), before + 2)).slice(before).map(({ tool }) => tool)).toEqual([
      "delete_user_data",
      "delete_user_data",
    ])
    expect(pushes()).toHaveLength(1)
  })

  test("we do not continue such a run unless told to: the thread says so, and Check Status runs the tool once", async () => {
    const { stage, pushes } = await aResumingStage(here)
    const thread = await mention(os(), sandboxCast.rita, { of: "admin-agent" })
    const open = await card(stage)
    const before = os().executions().length
    await press(stage, sandboxCast.bob, open, "approve")
    await threadSays(stage, open, "Countersign does not continue the run: it belongs to AgentOS's own Slack interface")

    await checkStatus(os(), anybody, thread)

    await rowIn(os(), thread, (row) => row["run_status"] === "COMPLETED")
    expect(os().executions()).toHaveLength(before + 1)
    expect(pushes()).toEqual([])
    expect(alarms(stage)).toEqual([])
  })
})
