// The gate at the tool, at the real AgentOS: what was approved runs once, and what was not does not run. Each attack is
// played without a gate too, where it succeeds: else it would prove nothing.
import { writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { alarms, card, cards, formOf, press, threadSays, until } from "../stories/acts.ts"
import { ordersOf } from "../stories/orders.ts"
import { sandboxCast } from "../stories/world.ts"
import { anOperator } from "../support/orders.ts"
import { testRedisUrl } from "../support/redis.ts"
import { type AgentOs, startAgentOs } from "./agentos.ts"
import { continueRun, rowOf, rowsOf, startRun } from "./drive.ts"
import {
  aPlace,
  attacks,
  continueWith,
  drawnTools,
  keepSession,
  type Paused,
  type Place,
  paused,
  type Ran,
  reasons,
  writeGate,
} from "./gate-attacks.ts"
import { checkStatus, mention, submitForm, type Thread } from "./own-slack.ts"
import { aResumingStage } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const late = 40_000
const approved = { tool: "delete_user_data", arguments: { user_id: "U-100" } }

/** What ran since the function was called. */
function since(os: AgentOs): () => readonly Pick<Ran, "tool" | "arguments">[] {
  const before = os.executions().length
  return () =>
    os
      .executions()
      .slice(before)
      .map(({ tool, arguments: args }) => ({ tool, arguments: args }))
}

/** Another run of `admin-agent` that asks, and is approved in Slack. */
async function pausedNext({ os, stage }: Place): Promise<Paused> {
  const run = await startRun(os, { of: "admin-agent" })
  const mayApprove = () => cards(stage, "delete_user_data").find(({ buttons }) => buttons.includes(actionIds.approve))
  await press(stage, sandboxCast.bob, await until("its card", mayApprove), "approve")
  await until("the verdict", async () => ((await rowOf(os, run.runId)).status === "pending" ? undefined : true))
  await until("the card to say so", () => (mayApprove() === undefined ? true : undefined))
  return { session: run.session, runId: run.runId, tools: [] }
}

/** Waits until so many ms are over: a promise about a time is tried at that time. */
async function after(ms: number): Promise<void> {
  const end = Date.now() + ms
  await until(`${ms} ms to be over`, () => (Date.now() >= end ? true : undefined), late)
}

/** Calls that nobody approved, or that ran once too often. */
function unapproved(ran: ReturnType<ReturnType<typeof since>>): readonly unknown[] {
  const texts = ran.map((one) => JSON.stringify(one))
  const may = [approved, { ...approved, arguments: { user_id: "U-200" } }].map((one) => JSON.stringify(one))
  return texts.filter((text, at) => !may.includes(text) || texts.indexOf(text) < at)
}

/** Attacks on a call that nobody approved: then nothing at all may run. */
const withoutApproval = /pending|rejected|verdict that somebody wrote|expired|refused/
const wrong = (name: string, ran: ReturnType<ReturnType<typeof since>>) =>
  withoutApproval.test(name) ? ran : unapproved(ran)

describeAgentOs("without a gate", {}, (here) => {
  test.each(Object.entries(attacks))("%s runs", async (name, attack) => {
    const place = await aPlace(here)
    const ran = since(place.os)

    await attack(place)

    expect(wrong(name, ran())).not.toEqual([])
  })
})

describeAgentOs("with a gate", { gate: true }, (here) => {
  const { os } = here

  test.each(Object.entries(attacks))("%s does not run", async (name, attack) => {
    const place = await aPlace(here)
    const ran = since(os())

    const answer = await attack(place)

    expect(wrong(name, ran())).toEqual([])
    expect(answer.text).toContain(`countersign refused: ${reasons[name] ?? ""}`)
  })

  test.each(["false", "true"])(
    "what was approved runs once, by the platform's own continue (stream=%s)",
    async (stream) => {
      const place = await aPlace(here)
      const ran = since(os())
      const run = await paused(place, "approve")

      const { status, text } = await continueRun(os(), run, { of: "admin-agent", form: { stream } })

      expect(status).toBe(200)
      expect(text).toContain("The data is gone.")
      expect(ran()).toEqual([approved])
    },
  )

  test("of 200 bodies that a program drew none runs anything but what was approved, and that runs once", async () => {
    const place = await aPlace(here)
    const ran = since(os())
    const run = await paused(place, "approve")
    const bringBack = keepSession(os(), run.session)

    for (let seed = 1; seed <= 200; seed += 1) {
      await continueWith(os(), run, drawnTools(seed, run))
      bringBack()
    }

    // What agno adds itself (fc, run_context) it takes out of a body since 3.0: what is left may be what was approved.
    expect(unapproved(ran())).toEqual([])
    await continueRun(os(), run, { of: "admin-agent" })
    expect(ran()).toEqual([approved])
  })

  test("what ran at one host does not run at another that marks in the same Redis", async () => {
    const { stage } = await aPlace(here)
    const redis = testRedisUrl()
    await writeGate(os().gate, stage, { marks: redis.startsWith("/") ? `unix://${redis}` : redis })
    const other = await startAgentOs(here.version, { gate: true, beside: os() })
    here.closing(() => other.close())
    const run = await paused({ os: os(), stage }, "approve")
    const bringBack = keepSession(os(), run.session)
    const ran = since(os())

    await continueRun(os(), run, { of: "admin-agent" })
    bringBack()
    const again = await continueRun(other, run, { of: "admin-agent" })

    expect(ran()).toEqual([approved])
    expect(other.executions()).toEqual([])
    expect(again.text).toContain("countersign refused: this very call began before")
  })

  test("a member's call that was approved runs once, by the platform's own continue in streaming", async () => {
    const { stage } = await aPlace(here)
    const ran = since(os())
    const run = await startRun(os(), { kind: "teams", of: "support-team" })
    await press(stage, sandboxCast.bob, await card(stage, "U-200"), "approve")
    await until("the verdict", async () =>
      (await rowsOf(os())).every(({ status }) => status !== "pending") ? true : undefined,
    )

    await continueRun(os(), run, { kind: "teams", of: "support-team", form: { stream: "true" } })

    expect(ran()).toEqual([{ tool: "delete_user_data", arguments: { user_id: "U-200" } }])
  })

  test("a form runs with what was filled in by whoever approved it", async () => {
    const { stage } = await aPlace(here)
    const ran = since(os())
    const run = await startRun(os(), { of: "payments-agent" })
    const open = await card(stage, "send_money")
    await press(stage, sandboxCast.bob, open, "approve")
    const form = await formOf(stage, sandboxCast.bob)
    await stage.sandbox.submit(sandboxCast.bob, form.id, { field_0: "12.5", field_1: "carol", field_2: "tea" })
    await until("the verdict", async () => ((await rowOf(os(), run.runId)).status === "pending" ? undefined : true))

    await continueRun(os(), run, { of: "payments-agent" })

    expect(ran()).toEqual([{ tool: "send_money", arguments: { amount: 12.5, recipient: "carol", note: "tea" } }])
  })

  test("R21 a stop holds what was approved before within 12 s, and after its end what comes first runs", async () => {
    const place = await aPlace(here)
    const orders = await ordersOf(place.stage)
    const ran = since(os())
    const [early, held] = [await pausedNext(place), await pausedNext(place)]
    // The gate has just got a list when the stop comes, so it keeps that one for as long as it may.
    await continueRun(os(), early, { of: "admin-agent" })

    const made = await orders.stop({
      match: {},
      by: anOperator(),
      reason: "it deletes too much",
      until: null,
      at: Date.now(),
    })
    await after(12_000)
    const answer = await continueRun(os(), held, { of: "admin-agent" })

    expect(answer.text).toContain("countersign refused: it was approved, but it is stopped now")
    expect(ran()).toEqual([approved])
    await orders.end("stop" in made ? made.stop.id : "", { by: anOperator(), at: Date.now() })
    const later = await pausedNext(place)
    await after(12_000)
    await continueRun(os(), later, { of: "admin-agent" })
    expect(ran()).toEqual([approved, approved])
  })

  test("without the file of keys nothing runs, and the model is told what to do", async () => {
    const place = await aPlace(here)
    const ran = since(os())
    const run = await paused(place, "approve")
    writeFileSync(os().gate, "{}")

    const answer = await continueRun(os(), run, { of: "admin-agent" })

    expect(answer.text).toContain("countersign refused: the gate's file")
    expect(ran()).toEqual([])
  })
})

describeAgentOs("with a gate, continued by Countersign", { gate: true }, (here) => {
  const { os } = here

  test.each([
    ["an agent's call", { of: "admin-agent" }, "delete_user_data", "delete_user_data"],
    ["a member's call", { kind: "teams", of: "support-team" }, "U-200", "delete_user_data"],
    ["a team's own call", { kind: "teams", of: "lead-team" }, "send_email", "send_email"],
  ] as const)("%s runs once", async (_, run, words, tool) => {
    const { stage } = await aResumingStage(here)
    await writeGate(os().gate, stage)
    const ran = since(os())
    await startRun(os(), run)
    const open = await card(stage, words)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "is completed", late)
    expect(ran().map((one) => one.tool)).toEqual([tool])
  })

  test("what a gate refused is told in the thread and in the log, and raises no alarm", async () => {
    const { stage } = await aResumingStage(here)
    await writeGate(os().gate, stage, { installation: "another" })
    const ran = since(os())
    await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "countersign refused: it was approved at another installation", late)
    expect(ran()).toEqual([])
    expect(stage.log).toContainEqual(expect.objectContaining({ event: "gate-refused" }))
    expect(alarms(stage)).not.toContain("ran-otherwise")
  })
})

describeAgentOs("with a gate, slow tools", { gate: true, toolSeconds: 2 }, (here) => {
  test("of two continues at once one runs the tool", async () => {
    const place = await aPlace(here)
    const ran = since(here.os())
    const run = await paused(place, "approve")

    await Promise.all([1, 2].map(() => continueRun(here.os(), run, { of: "admin-agent" })))

    expect(ran()).toEqual([approved])
  })
})

/** Somebody in a thread of AgentOS's own Slack interface whom no rule lists; own-slack.test.ts shows what runs then. */
const anybody = sandboxCast.rita
const paying = {
  of: "payments-agent",
  script: [[{ name: "send_money", arguments: { amount: 5, note: "lunch" } }], "Paid."],
}

describeAgentOs("with a gate beside its own Slack interface", { gate: true, slack: true, toolSeconds: 3 }, (here) => {
  const { os } = here

  /** The run of a thread once it has ended. */
  const ended = ({ ts }: Thread) =>
    until(
      "the run's end",
      async () =>
        (await rowsOf(os())).find(
          (row) => String(row["session_id"]).endsWith(`:${ts}`) && row["run_status"] === "COMPLETED",
        ),
      late,
    )

  test("what anybody fills in there does not run", async () => {
    await aPlace(here)
    const ran = since(os())
    const thread = await mention(os(), sandboxCast.rita, paying)

    await submitForm(os(), anybody, thread, { amount: "5000", recipient: "carol" })

    expect(await ended(thread)).toMatchObject({ status: "approved", resolved_by: anybody })
    expect(ran()).toEqual([])
  })

  test("what an approver rejected does not run with values from there", async () => {
    const stage = await here.aStage({ instance: "reject_user_input: send" })
    await writeGate(os().gate, stage)
    const ran = since(os())
    const thread = await mention(os(), sandboxCast.rita, paying)
    await press(stage, sandboxCast.bob, await card(stage, "send_money"), "reject")
    await until("the rejection", async () => (await rowsOf(os())).find(({ status }) => status === "rejected"), late)

    await submitForm(os(), anybody, thread, { amount: "5000", recipient: "carol" })

    expect(await ended(thread)).toMatchObject({ status: "rejected" })
    expect(ran()).toEqual([])
  })

  test("Check Status, pressed while a broker continues the run, does not run the tool a second time", async () => {
    const { stage, pushes } = await aResumingStage(here, { instance: "beside_agno_slack: true" })
    await writeGate(os().gate, stage)
    const ran = since(os())
    const thread = await mention(os(), sandboxCast.rita, { of: "admin-agent" })
    await press(stage, sandboxCast.bob, await card(stage), "approve")
    await until("the tool to run", () => (ran().length > 0 ? true : undefined), late)

    await checkStatus(os(), anybody, thread)

    await ended(thread)
    expect(ran()).toEqual([approved])
    expect(pushes()).toHaveLength(1)
  })
})
