// Rejections of runs whose calls are long: what the platform would not take is not sent, or held (R12).
import { describe, expect, test } from "vitest"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import { aRequirement } from "../../support/builders.ts"
import { aRun } from "../../support/memory-runs.ts"
import { asksInput, decidedAndDone, explicitOf, gatedApproval, paused } from "../resuming.ts"
import { caseOf } from "../support.ts"

const rejecting = { verb: "reject", reason: "too much" } as const

describe("R12 a run whose calls are long", () => {
  /** A run that made a call of 600,000 characters, which is over, beside the one that asks for input. */
  const longRun = () => {
    const key = "x".repeat(600_000)
    const over = executionIn(aRequirement("look_up", { tool_args: { key }, result: key, requires_confirmation: null }))
    return { tools: [over, ...aRun({}, "delete_table", asksInput).tools] }
  }

  test("a rejection is held where the platform would not take the refusal: the run's calls are too long", async () => {
    const world = await paused({ execution: asksInput, run: longRun() })
    world.platform.becomes({ enforcesRejection: false, version: "2.9.0" })

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
    expect(world.runs.posts).toEqual([])
    expect(world.chat.messages[0]?.model.status).toEqual({ kind: "held" })
  })

  test("from 3.0 on only what waits is sent back, so the same rejection is carried out", async () => {
    const world = await paused({ execution: asksInput, run: longRun() })
    world.platform.becomes({ enforcesRejection: false, version: "3.0.0" })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
    expect(explicitOf(world)).toMatchObject([{ tool_name: "delete_table", confirmed: false }])
  })

  test("a rejected confirmation that cannot be sent back is left to others: its record refuses it", async () => {
    const long = aRun().tools.map((tool) => ({ ...tool, tool_args: { table: "ж".repeat(600_000) } }))
    const [requirement = {}] = gatedApproval().requirements ?? []
    const args = { tool_args: { table: "ж".repeat(600_000) } }
    const requirements = [{ ...requirement, tool_execution: { ...executionIn(requirement), ...args } }]
    const world = await paused({ run: { tools: long }, approval: { requirements } })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", why: expect.stringContaining("1 MiB") })
  })
})
