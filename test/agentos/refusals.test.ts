// Refusals at the real AgentOS: a rejected call never runs, however long the run's calls are (R12).
import { expect, test } from "vitest"
import { alarms, card, cardSaying, press, threadSays } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { isAtLeast } from "./agentos.ts"
import { continueRun, rowOf, startCalls, startRun } from "./drive.ts"
import { aResumingStage, resuming } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const COMPLETED = "is completed"

describeAgentOs("refusing", {}, (here) => {
  const { version, os } = here
  const moneySent = () =>
    os()
      .executions()
      .filter(({ tool }) => tool === "send_money")

  test("R12 a rejected call whose arguments are 1.1 MB in a urlencoded form is refused, and does not run", async () => {
    const { stage, run, open, pushes } = await resuming(here, { of: "note-agent" }, "send_money")

    await press(stage, sandboxCast.bob, open, "reject")

    await threadSays(stage, open, COMPLETED)
    expect(await rowOf(os(), run.runId)).toMatchObject({ status: "rejected", run_status: "COMPLETED" })
    expect(pushes()).toHaveLength(1)
    expect(moneySent()).toEqual([])
  })

  test("R12 the rejection of a call that is too large to show is held, and the platform's gate stops the run", async () => {
    const { stage, pushes } = await aResumingStage(here)
    const pays = { name: "send_money", arguments: { amount: 50, note: "ж".repeat(150_000) } }
    const run = await startCalls(os(), [pays])

    await press(stage, sandboxCast.bob, await card(stage, "Cannot be approved"), "reject")

    expect((await cardSaying(stage, "it does not run")).words).toContain("Held")
    expect(await rowOf(os(), run.runId)).toMatchObject({ status: "pending" })
    expect((await continueRun(os(), run, { of: "scripted-agent" })).status).toBe(403)
    expect(pushes()).toEqual([])
    expect(moneySent()).toEqual([])
  })

  test("R12 beside a long call that ran, the rejection is carried out since 3.0; before, it is held", async () => {
    const { stage, run, open, pushes } = await resuming(here, { of: "wordy-agent" }, "send_money")

    await press(stage, sandboxCast.bob, open, "reject")

    if (isAtLeast(version, "3.0.0")) {
      await threadSays(stage, open, COMPLETED)
      expect(await rowOf(os(), run.runId)).toMatchObject({ status: "rejected" })
    } else {
      expect((await cardSaying(stage, "it does not run")).words).toContain("Held")
      expect(await rowOf(os(), run.runId)).toMatchObject({ status: "pending" })
      expect((await continueRun(os(), run, { of: "wordy-agent" })).status).toBe(403)
      expect(pushes()).toEqual([])
    }
    expect(moneySent()).toEqual([])
  })

  test("a question beside a gated call asks nobody: the card says so, and the run goes on with nothing for an answer", async () => {
    const { stage } = await aResumingStage(here)
    const question = { question: "Which one?", header: "Which", options: [{ label: "This" }, { label: "That" }] }
    const asking = [
      { name: "ask_user", arguments: { questions: [question] } },
      { name: "delete_user_data", arguments: { user_id: "U-1" } },
    ]
    const run = await startCalls(os(), asking, { of: "asking-agent" })
    const open = await card(stage, "the platform will answer it with nothing, so nobody is asked")

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, COMPLETED)
    expect(await rowOf(os(), run.runId)).toMatchObject({ status: "approved" })
  })

  test.each([
    ["agents", "scripted-agent"],
    ["teams", "scripted-team"],
  ] as const)(
    "R12 a second call of %s after a rejection asks, or is refused once; anybody's continue runs nothing",
    async (kind, of) => {
      const { stage, pushes } = await aResumingStage(here)
      const pays = { name: "send_money", arguments: { amount: 50, recipient: "mallory", note: "x" } }
      const script = [[{ name: "delete_user_data", arguments: { user_id: "U-1" } }], [pays], "Done."]
      const run = await startRun(os(), { kind, of, message: JSON.stringify(script) })
      const open = await card(stage, "delete_user_data")

      await press(stage, sandboxCast.bob, open, "reject")

      if (isAtLeast(version, "3.1.2")) {
        await threadSays(stage, open, "its next approval is asked for by itself")
        await card(stage, "send_money")
      } else {
        await threadSays(stage, open, "that call was refused")
        expect(alarms(stage)).toContain("paused-again-unasked")
        expect(pushes()).toHaveLength(2)
      }
      await continueRun(os(), run, { kind, of })
      expect(moneySent()).toEqual([])
    },
  )
})
