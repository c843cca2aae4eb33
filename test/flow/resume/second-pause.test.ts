// A run that pauses again after a rejection, and asks nobody: what it waits for then is refused, once (R12).
import { describe, expect, test } from "vitest"
import type { Run } from "../../../src/domain/content/run.ts"
import type { World } from "../../support/memory-ports.ts"
import { aRun } from "../../support/memory-runs.ts"
import { asksInput, decidedAndDone, explicitOf, gatedApproval, paused, pressedOn } from "../resuming.ts"
import { announced, caseOf, ledgerKinds } from "../support.ts"

const rejecting = { verb: "reject", reason: "no" } as const

/** The second pause: the rejected call, refused, and another one that waits. */
function pausedAgain(tool = "send_money", execution: Parameters<typeof aRun>[2] = {}): Partial<Run> {
  const over = aRun().tools.map((one) => ({ ...one, confirmed: false, tool_call_error: true }))
  return { status: "PAUSED", tools: [...over, ...aRun({}, tool, execution).tools] }
}

const endOf = (world: World) => caseOf(world).resumption

describe("R12 a second pause that asks nobody, after a rejection", () => {
  test.each([
    ["a confirmation", {}],
    ["what asks for input", asksInput],
  ] as const)("is refused: %s", async (_, execution) => {
    const world = await paused()
    world.runs.leadTo(pausedAgain("send_money", execution))

    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(2)
    expect(explicitOf(world, 1)?.at(-1)).toMatchObject({
      tool_name: "send_money",
      confirmed: false,
      confirmation_note: "Nobody was asked about this call, so it was refused.",
    })
    expect(world.runs.executions).toEqual([])
    expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
    expect(endOf(world)).toMatchObject({
      kind: "ended",
      end: { kind: "completed", by: "us", detail: expect.stringContaining("that call was refused") as string },
    })
    expect(ledgerKinds(world).slice(-4)).toEqual(["continued", "continued", "run-ended", "closed"])
  })

  test("is refused once: the alarm tells of a third one, and it waits", async () => {
    const world = await paused()
    world.runs.leadTo(pausedAgain(), pausedAgain("send_more"))

    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(2)
    expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "unasked" } })
    expect(world.alarmCodes()).toEqual(["paused-again-unasked", "paused-again-unasked"])
  })

  test("is refused too where the first answer was lost, and the run tells of it", async () => {
    const world = await paused()
    world.runs.failContinue({ kind: "unheard", applied: true })
    world.runs.leadTo(pausedAgain())

    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(2)
    expect(world.runs.executions).toEqual([])
    expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "completed" } })
  })

  test("is refused later where that never left us", async () => {
    const world = await paused()
    world.runs.leadTo(pausedAgain())
    world.runs.beforeContinue(() => undefined)
    world.runs.beforeContinue(() => world.runs.failContinue({ kind: "unheard", applied: false, code: "unreachable" }))
    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(3)
    expect(explicitOf(world, 2)?.at(-1)).toMatchObject({ tool_name: "send_money" })
    expect(world.runs.executions).toEqual([])
    expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "completed" } })
  })

  test("is left alone where it asks by now", async () => {
    const world = await paused()
    world.runs.leadTo(pausedAgain())
    world.runs.beforeContinue(() => announced(world, gatedApproval({ id: "a-2" }, "send_money")).then(() => undefined))

    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(1)
    expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "paused" } })
  })

  test.each(["approve", "reject"] as const)(
    "is left alone where it asked, and people said %s meanwhile",
    async (verb) => {
      const world = await paused()
      world.runs.leadTo(pausedAgain())
      // The answer to our continue comes only once that second call is decided, and not yet continued.
      world.runs.beforeContinue(async () => {
        await announced(world, gatedApproval({ id: "a-2" }, "send_money"))
        await pressedOn(world, "a-2", { verb, reason: "later" })
      })

      await decidedAndDone(world, rejecting)

      expect(world.alarmCodes()).toEqual([])
      expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "paused" } })
      expect(world.runs.posts).toHaveLength(2)
      // An empty continue goes by the record that people approved.
      const refused = { tool_name: "send_money", confirmation_note: expect.stringContaining("later") as string }
      expect(explicitOf(world, 1)).toEqual(verb === "approve" ? null : [expect.objectContaining(refused)])
      expect(caseOf(world, "a-2").resumption).toMatchObject({ kind: "ended", end: { kind: "completed" } })
    },
  )

  test("is left alone where the call is not gated: the app itself asks for it", async () => {
    const world = await paused()
    world.runs.leadTo(pausedAgain("clear_cache", { approval_type: null }))

    await decidedAndDone(world, rejecting)

    expect(world.runs.posts).toHaveLength(1)
    expect(endOf(world)).toMatchObject({ kind: "ended", end: { kind: "unasked" } })
  })

  test("is left alone after an approval: the alarm tells of it", async () => {
    const world = await paused()
    world.runs.leadTo(pausedAgain())

    await decidedAndDone(world)

    expect(world.runs.posts).toHaveLength(1)
    expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
  })
})
