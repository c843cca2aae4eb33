// Teams within teams at the real AgentOS, and a run whose session is gone.
import { expect, test } from "vitest"
import { press, threadSays } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { isAtLeast } from "./agentos.ts"
import { sql } from "./drive.ts"
import { resuming } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const NOBODY = "The run cannot go on, and nobody can continue it"

describeAgentOs("teams within teams", {}, (here) => {
  const { version, os } = here

  test.each([
    ["outer-team", "approve"],
    ["deep-team", "approve"],
    ["outer-team", "reject"],
  ] as const)("a call of a member at the bottom of %s: %s goes through the team at the top", async (of, verb) => {
    const before = os().executions().length
    const { stage, run, open, pushes } = await resuming(here, { kind: "teams", of })

    await press(stage, sandboxCast.bob, open, verb)

    const goesOn = isAtLeast(version, "2.9.0")
    await threadSays(stage, open, goesOn ? "is completed" : NOBODY)
    expect(pushes()).toEqual(goesOn ? [`/teams/${of}/runs/${run.runId}/continue`] : [])
    expect(os().executions()).toHaveLength(goesOn && verb === "approve" ? before + 1 : before)
  })

  test("of a run whose session somebody deleted, it is said soon that nobody can continue it", async () => {
    const { stage, run, open, pushes } = await resuming(here, { of: "admin-agent" })
    sql(os(), "DELETE FROM agno_sessions WHERE session_id = ?", run.session)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, NOBODY)
    expect(pushes()).toEqual([])
  })
})
