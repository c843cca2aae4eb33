// Teams within teams: a call is continued through the team at the top, whatever is between; and runs that are nowhere.
import { describe, expect, test } from "vitest"
import { resume } from "../../../src/flow/resume/resume.ts"
import { aRequirement } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aRun } from "../../support/memory-runs.ts"
import { asksInput, decidedAndDone, gatedApproval, paused } from "../resuming.ts"
import { announced, caseOf, pressed } from "../support.ts"

/** `a-1` is about the call of a member this many teams below team-1; the session does not list the member's run. */
async function nested(depth: number, version = "3.1.10", execution = {}): Promise<World> {
  const world = createWorld({ conduct: { resume: "decided" } })
  world.platform.becomes({ enforcesRejection: false, version })
  const call = { tool_args: { table: "customers" }, ...execution }
  const requirements = [aRequirement("delete_table", call, { member_run_id: "run-1", member_agent_id: "agent-1" })]
  const chain = Array.from({ length: depth }, (_, level) => `team-run-${level + 2}`)
  const member = aRun({ id: "run-1", parentId: chain.at(-1) ?? "team-run-1" }, "delete_table", call)
  const team = (id: string, below: ReturnType<typeof aRun>) => aRun({ id, tools: [], requirements, members: [below] })
  const tree = chain.reduceRight((below, id) => team(id, below), member)
  const at = (index: number) => ({ runner: "teams" as const, component: `team-${index}`, runId: `team-run-${index}` })
  world.runs.put({ ...at(1), sessionId: "session-1" }, team("team-run-1", tree))
  world.runs.put({ ...at(9), sessionId: "session-1" }, aRun({ id: "team-run-9", status: "COMPLETED", tools: [] }))
  world.runs.hand("run-1", { ...at(9), guessed: true }, { ...at(1), guessed: true })
  await announced(world, gatedApproval({ requirements: [aRequirement("delete_table", call)] }))
  return world
}

describe("a member of a team within a team", () => {
  test.each([1, 2, 5])("is continued through the team at the top, %i teams above its own", async (depth) => {
    const world = await nested(depth)

    await decidedAndDone(world)

    expect(world.runs.posts).toMatchObject([{ address: { component: "team-1", runId: "team-run-1" } }])
    expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "completed" } })
  })

  test("is not continued before 2.9.0, which would lose it: nobody can continue it", async () => {
    const world = await nested(1, "2.7.2")

    await decidedAndDone(world)

    expect(world.runs.posts).toEqual([])
    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", nobody: true })
  })

  test("R12 before 2.9.0 a rejection of what asks for input is held there", async () => {
    const world = await nested(1, "2.7.2", asksInput)

    await decidedAndDone(world, { verb: "reject" })

    expect(world.platform.bodies).toEqual([])
  })
})

describe("a run that is nowhere", () => {
  test("is said within 2 s, where the platform shows its approval; nobody can continue one whose session is gone", async () => {
    const world = await paused()
    await pressed(world)
    world.runs.failRead("missing", "missing")
    world.runs.loseSession("session-1")

    const first = await resume(world.ports, caseOf(world).id)
    const second = await resume(world.ports, caseOf(world).id)

    expect(first).toBeLessThanOrEqual(2_000)
    expect(second).toBeNull()
    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", nobody: true })
    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "not-resumed", nobody: true })
  })

  test("trap 2: is believed later where the platform does not show the approval either", async () => {
    const world = await paused()
    await pressed(world)
    world.runs.failRead(..."1234".split("").map(() => "missing" as const))
    world.runs.loseSession("session-1")
    const platform = { ...world.platform, ofRun: async () => [] }
    const ports = { ...world.ports, platforms: new Map([["main", platform]]) }

    const seen = []
    for (let look = 0; look < 4; look += 1) seen.push(await resume(ports, caseOf(world).id))

    expect(seen).toEqual([4_000, 4_000, 4_000, null])
    expect(caseOf(world).resumption).not.toHaveProperty("nobody")
  })
})
