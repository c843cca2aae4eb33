// Runs that stand still while no approval asks anybody: one alarm each, over all replicas, until they go on.

import { expect, test } from "vitest"
import { lookForUnasked, unaskedRuns } from "../../../src/flow/poll/unasked.ts"
import type { Platform, SessionRun } from "../../../src/flow/ports.ts"
import { anApproval, aRequirement, aSessionRun } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"

const minute = 60_000
const waits = (id: string, tool = "clear_cache") => ({
  tool_call_id: id,
  tool_name: tool,
  requires_confirmation: true,
  confirmed: null,
  result: null,
})
const stuck = (more: Partial<SessionRun> = {}) =>
  aSessionRun({ agentId: "cache-agent", tools: [waits("c-1")], ...more })

/** A world in which these runs of one session were saved just now. */
function aWorldOf(...runs: readonly SessionRun[]): World {
  const world = createWorld()
  world.platform.sessions({ "session-1": runs })
  world.platform.touch("session-1")
  return world
}

/** This many looks, five minutes apart. */
async function looked(world: World, times = 1): Promise<readonly string[]> {
  for (let look = 0; look < times; look += 1) {
    world.clock.forward(5 * minute)
    await lookForUnasked(world.ports)
  }
  return world.alarmCodes()
}

test("a run that is paused for five minutes without an approval is one alarm with tool and remedy", async () => {
  const world = aWorldOf(stuck())
  await lookForUnasked(world.ports)
  expect(world.alarms).toEqual([])

  await looked(world, 4)

  expect(world.alarms).toEqual([
    {
      code: "run-paused-unasked",
      instance: "main",
      agent: "cache-agent",
      run: "run-1",
      session: "session-1",
      tools: ["clear_cache"],
      hint: expect.stringContaining("add @approval to the tool"),
    },
  ])
  expect(await unaskedRuns(world.ports, "main")).toBe(
    "runs wait and no approval asks anybody: run-1 of cache-agent (clear_cache)",
  )
})

test("five minutes count from when its session changed last, also in the first look", async () => {
  const world = aWorldOf(stuck())

  world.clock.forward(5 * minute - 1)
  await lookForUnasked(world.ports)
  expect(world.alarms).toEqual([])
  expect(await looked(world)).toEqual(["run-paused-unasked"])

  const late = aWorldOf(stuck())
  expect(await looked(late)).toEqual(["run-paused-unasked"])
})

test("when the run goes on the alarm is over, and another pause of it is another alarm", async () => {
  const world = aWorldOf(stuck())
  await looked(world)

  world.platform.sessions({ "session-1": [stuck({ status: "COMPLETED" })] })
  world.platform.touch("session-1")
  await looked(world)
  expect(await unaskedRuns(world.ports, "main")).toBeNull()

  world.platform.sessions({ "session-1": [stuck({ tools: [waits("c-2", "drop_cache")] })] })
  world.platform.touch("session-1")
  await looked(world, 2)
  expect(world.alarms).toMatchObject([{ tools: ["clear_cache"] }, { tools: ["drop_cache"] }])
})

test("a session that is gone, or went on without a sign that it changed, ends the alarm too", async () => {
  const world = aWorldOf(stuck())
  await looked(world)

  world.platform.sessions({})
  await looked(world)

  expect(await unaskedRuns(world.ports, "main")).toBeNull()
})

/** What a 2.x says while its database is away: lists are empty, and a session has no runs. */
const away = { changedSessions: async () => [], session: async () => [], ofRun: async () => [] }

/**
 * A world in which a run stands still, and another session changed a minute later: so the run's is not listed as
 * changed any more.
 */
function aWorldThatWentOn(): World {
  const world = aWorldOf(stuck())
  world.clock.forward(minute)
  world.platform.sessions({
    "session-1": [stuck()],
    "session-2": [aSessionRun({ runId: "run-2", status: "COMPLETED" })],
  })
  world.platform.touch("session-2")
  return world
}

/** A look while the platform answers so. */
async function lookedWhile(world: World, odd: Partial<Platform>): Promise<void> {
  world.clock.forward(5 * minute)
  await lookForUnasked({ ...world.ports, platforms: new Map([["main", { ...world.platform, ...odd }]]) })
}

test("a run that paused before an outage is told after it, though its session did not change meanwhile", async () => {
  const world = aWorldThatWentOn()
  await lookForUnasked(world.ports)

  await lookedWhile(world, away)
  expect(world.alarmCodes()).toEqual([])

  expect(await looked(world, 2)).toEqual(["run-paused-unasked"])
})

test("an outage ends no alarm", async () => {
  const world = aWorldThatWentOn()
  await looked(world)

  await lookedWhile(world, away)

  expect(await unaskedRuns(world.ports, "main")).toContain("run-1")
  expect(await looked(world, 2)).toEqual(["run-paused-unasked"])
})

test("a database that goes away in the middle of a look makes it forget no run, and no session that was not read yet", async () => {
  const world = aWorldThatWentOn()
  let lists = 0
  const changedSessions = async (page: number) => ((lists += 1) === 1 ? world.platform.changedSessions(page) : [])
  await lookedWhile(world, { ...away, changedSessions })
  expect(world.alarmCodes()).toEqual([])

  expect(await looked(world)).toEqual(["run-paused-unasked"])
})

test("replicas look once together", async () => {
  const world = aWorldOf(stuck())
  const other = world.process(world.ports.policy)
  world.clock.forward(5 * minute)

  await Promise.all([lookForUnasked(world.ports), lookForUnasked(other)])
  await lookForUnasked(other)

  expect(world.alarmCodes()).toEqual(["run-paused-unasked"])
  expect(world.platform.sessionReads).toBe(1)
})

const asking = aRequirement("clear_cache", { tool_call_id: "c-1" })

test.each([
  ["is pending", { status: "pending" as const, requirements: [] }],
  ["named the call, and was decided", { status: "rejected" as const, requirements: [asking] }],
  ["names no calls that could be told apart", { status: "pending" as const, requirements: null }],
])("a run of which an approval %s is not told", async (_, row) => {
  const world = aWorldOf(stuck())
  world.platform.put(anApproval({ runId: "run-1", ...row }))

  expect(await looked(world, 3)).toEqual([])
})

test("a run that was asked about and then paused for another call is told", async () => {
  const world = aWorldOf(stuck({ tools: [waits("c-2", "drop_cache")] }))
  world.platform.put(anApproval({ runId: "run-1", status: "rejected", requirements: [asking] }))

  expect(await looked(world)).toEqual(["run-paused-unasked"])
})

test("what the watch tells of a run is not told again", async () => {
  const world = aWorldOf(stuck({ tools: [waits("c-2")] }))
  const moved = { status: "approved" as const, runStatus: "PAUSED", resolvedAt: 1_000, updatedAt: 2_000 }
  world.platform.put(anApproval({ runId: "run-1", ...moved, requirements: [asking] }))

  expect(await looked(world, 2)).toEqual([])
})

test("a team waits for its member's approval, a workflow for its step's", async () => {
  const member = stuck({ runId: "member-run", parentRunId: "team-run" })
  const team = aSessionRun({ runId: "team-run", teamId: "support-team" })
  const steps = [{ runId: "step-run", tools: [waits("c-3")] }]
  const flow = aSessionRun({ runId: "flow-run", workflowId: "month-end", steps })
  const asked = aWorldOf(team, member, flow)
  asked.platform.put(anApproval({ id: "a-1", runId: "member-run", requirements: [asking] }))
  asked.platform.put(
    anApproval({ id: "a-2", runId: "step-run", requirements: [aRequirement("clear_cache", { tool_call_id: "c-3" })] }),
  )
  const unasked = aWorldOf(team, member, flow)

  expect(await looked(asked, 2)).toEqual([])
  await looked(unasked, 2)
  expect(unasked.alarms).toMatchObject([
    { team: "support-team", run: "team-run", tools: ["clear_cache"] },
    { workflow: "month-end", run: "flow-run", tools: ["clear_cache"] },
  ])
})

test("where no call and no approval says what it waits for, it is told without a tool", async () => {
  const world = aWorldOf(stuck({ agentId: null, tools: [] }))

  await looked(world)

  expect(world.alarms).toMatchObject([{ agent: null, tools: [] }])
  expect(await unaskedRuns(world.ports, "main")).toContain("run-1 of an unnamed agent (no tool is named)")
})

test("a credential that may not see sessions costs nothing and raises nothing", async () => {
  const world = aWorldOf(stuck())
  world.platform.sessions(null)

  expect(await looked(world, 3)).toEqual([])
  expect(world.platform.sessionReads).toBe(0)
})

test("an instance that fails is left for the next look, and what was found before is kept", async () => {
  const world = aWorldOf(stuck())
  const failing = { ...world.platform, session: () => Promise.reject(platformFailure("server")) }
  world.clock.forward(5 * minute)
  await lookForUnasked({ ...world.ports, platforms: new Map([["main", failing]]) })
  expect(world.alarms).toEqual([])

  expect(await looked(world)).toEqual(["run-paused-unasked"])
})

test("a flood of sessions is read in portions, the newest first, and none of them is lost", async () => {
  const world = createWorld()
  const ids = Array.from({ length: 50 }, (_, at) => `session-${at}`)
  world.platform.sessions(Object.fromEntries(ids.map((id) => [id, [stuck({ runId: `run of ${id}` })]])))
  for (const id of ids) world.platform.touch(id)

  await looked(world)
  expect(world.platform.sessionReads).toBe(20)
  await looked(world, 2)

  expect(new Set(world.alarms.map(({ run }) => run)).size).toBe(50)
  expect(world.alarms).toHaveLength(50)
  expect(await unaskedRuns(world.ports, "main")).toMatch(/ and 45 more$/)
})

test("after a day a run that still stands is remembered, and no problem of ours any more", async () => {
  const world = aWorldOf(stuck())
  await looked(world)

  expect(await looked(world, 12 * 24)).toEqual(["run-paused-unasked"])

  expect(await unaskedRuns(world.ports, "main")).toBeNull()
})
