// A call that is sent back: what the model reads of it, by what the platform does with a second call.
import { describe, expect, test } from "vitest"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import { decidedAndDone, explicitOf, gatedApproval, paused, pressedOn } from "../resuming.ts"
import { caseOf } from "../support.ts"

describe("a call that is sent back", () => {
  const proposal = {
    calls: [
      {
        call: openGatedCalls(gatedApproval())[0]?.id ?? null,
        tool: "delete_table",
        choice: "changed",
        args: { table: "old" },
      },
    ],
  }
  const sendingBack = { verb: "reject", sendBack: true, reason: "not that one", values: { proposal } } as const

  test.each([
    [false, "3.1.10", "people are asked anew. If not, say why."],
    [true, null, "people are asked anew. If not, say why."],
    [false, "3.1.1", "Do not call it again in this run, where nobody would be asked."],
    [false, null, "Do not call it again in this run, where nobody would be asked."],
  ])(
    "is refused with a sentence that fits the platform (enforces: %s, AgentOS %s)",
    async (enforcesRejection, version, words) => {
      const world = await paused()
      world.platform.becomes({ enforcesRejection, version })

      await decidedAndDone(world, sendingBack)

      const [entry] = explicitOf(world) as readonly Record<string, unknown>[]
      expect(entry?.["confirmation_note"]).toContain('{"proposed":{"table":"old"},"note":"not that one"}')
      expect(entry?.["confirmation_note"]).toContain(words)
      expect(world.platform.row("a-1")).toMatchObject({ status: "rejected", resolutionData: { proposal } })
      expect(world.runs.executions).toEqual([])
    },
  )

  test("counts only if it is about the calls of the case", async () => {
    const world = await paused()

    const answer = await pressedOn(world, "a-1", { ...sendingBack, values: { proposal: { calls: [] } } })

    expect(JSON.stringify(answer.answers)).toContain('"unseen"')
    expect(caseOf(world).state).toBe("open")
  })
})
