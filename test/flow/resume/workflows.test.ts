// Runs of workflows: continued where the platform goes by each record, and nowhere else.
import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { createSessionLook } from "../../../src/flow/poll/sessions.ts"
import { anApproval, aRequirement, aSessionRun } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aRun } from "../../support/memory-runs.ts"
import { decidedAndDone, paused } from "../resuming.ts"
import { caseOf } from "../support.ts"

const address = { runner: "workflows", component: "month-end", sessionId: "session-1", runId: "w-1" } as const
const waits = aRequirement("delete_table", { tool_args: { table: "customers" } }, { member_run_id: "run-1" })
const ofStep = { workflowId: "month-end" }
const ofFunction = { sourceType: "workflow", workflowId: "month-end", agentId: null, runId: "w-1" }

/** A workflow that waits at one step, on a platform that goes by each record or does not. */
async function aFlow(enforcesRejection: boolean, approval: Partial<Approval> = ofStep): Promise<World> {
  const world = await paused({ approval })
  world.platform.becomes({ enforcesRejection, version: null })
  world.runs.put(address, aRun({ id: "w-1", tools: [], requirements: [waits] }))
  world.runs.hand("run-1", { runner: "workflows", component: "month-end", runId: "w-1" })
  return world
}

const withheld = (why: string) => ({ kind: "withheld", why })

test.each([ofStep, ofFunction, { sourceType: "workflow" }])(
  "trap 69: a workflow's run is never resumed where the platform does not go by its approvals: %j",
  async (approval) => {
    const world = await aFlow(false, approval)

    await decidedAndDone(world)

    const why = expect.stringMatching(/does not let a workflow go by its approvals|does not name the workflow/)
    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", why })
    expect(world.runs.posts).toEqual([])
  },
)

test.each([
  ["approve", ofStep],
  ["approve", ofFunction],
  ["reject", ofFunction],
] as const)(
  "a workflow's run is continued once, by its record alone, where the platform goes by it: %s %j",
  async (verb, approval) => {
    const world = await aFlow(true, approval)

    await decidedAndDone(world, { verb })

    expect(world.runs.posts).toMatchObject([{ address, explicit: null }])
    expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "completed" } })
    expect(world.alarms).toEqual([])
  },
)

test("a workflow that paused again at a later step is told, although it no longer waits for this one", async () => {
  const world = await aFlow(true)
  const members = [aRun({ id: "run-1", status: "COMPLETED" }), aRun({ id: "run-2" })]
  const requirements = [aRequirement("other", {}, { member_run_id: "run-2" })]
  world.runs.leadTo({ status: "PAUSED", requirements, members })
  world.platform.put(anApproval({ id: "a-2", runId: "run-2", workflowId: "month-end" }))

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "paused" } })
})

test("a workflow that waits for somebody else's call is not continued", async () => {
  const world = await aFlow(true)
  world.runs.change("w-1", { requirements: [aRequirement("delete_table", {}, { member_run_id: "run-7" })] })

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject(withheld("the run that it belongs to does not wait for it"))
  expect(world.runs.posts).toEqual([])
})

test("a workflow's step whose workflow nobody can find is withheld, not guessed", async () => {
  const world = await paused({ approval: ofStep })
  world.platform.becomes({ enforcesRejection: true, version: null })

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  expect(world.runs.posts).toEqual([])
})

test("a step that its session names is withheld at once where nothing is enforced, without a look at its run", async () => {
  const world = await aFlow(false, {})
  world.platform.sessions({ "session-1": [aSessionRun({ runId: "w-1", workflowId: "month-end" })] })
  await poll(world.ports, "main", { round: createSessionLook(() => world.ports)("main") })
  world.runs.failRead("forbidden")

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject(withheld("the platform does not let a workflow go by its approvals"))
})
