// Watch: runs that paused again after their approval, and whether anybody is asked (trap 61).

import { describe, expect, test } from "vitest"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { createWatch } from "../../../src/flow/resume/drift.ts"
import { anApproval, aRequirement, aSessionRun } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"

const resolvedAt = 1_795_185_122_000
const again = anApproval({ status: "approved", runStatus: "PAUSED", resolvedAt, updatedAt: resolvedAt + 2_000 })

/** Before 3.1.2, where a later gated call has no approval. */
function anOldWorld() {
  const world = createWorld()
  world.platform.becomes({ enforcesRejection: false, version: "2.9.0" })
  return world
}

async function watchedTwice(world: World, ports: Ports = world.ports): Promise<void> {
  const watch = createWatch(() => ports)
  await watch()
  await watch()
}

test("a run that paused again while nobody is asked raises one alarm, at the second look", async () => {
  const world = anOldWorld()
  world.platform.put(again)
  const watch = createWatch(() => world.ports)

  await watch()
  expect(world.alarms).toEqual([])
  await watch()
  await watch()

  expect(world.alarms).toMatchObject([
    { code: "paused-again-unasked", instance: "main", approval: "a-1", run: "run-1" },
  ])
})

test.each([
  ["was not continued yet", { updatedAt: resolvedAt }],
  ["was stored in the next second", { updatedAt: resolvedAt + 1_000 }],
  ["has ended", { runStatus: "COMPLETED" }],
  ["failed", { runStatus: "ERROR" }],
  ["was rejected", { status: "rejected" }],
  ["says no times", { updatedAt: null }],
])("a run that %s raises none", async (_, changes) => {
  const world = anOldWorld()
  world.platform.put({ ...again, ...changes })
  const watch = createWatch(() => world.ports)

  await watch()
  await watch()

  expect(world.alarms).toEqual([])
})

test.each([
  ["the run", "run-1"],
  ["a member's run", "member-run"],
])("a pending approval of %s is a new case and no alarm", async (_, runId) => {
  const world = anOldWorld()
  const requirements = [aRequirement("delete_table", {}, { member_run_id: "member-run" })]
  world.platform.put({ ...again, requirements }, anApproval({ id: "a-2", runId }))
  const watch = createWatch(() => world.ports)

  await watch()
  await watch()

  expect(world.alarms).toEqual([])
})

test.each(["3.1.2", "3.1.10", "4.0.0"])(
  "at AgentOS %s each gated call has an approval: the times alone raise none",
  async (version) => {
    const world = createWorld()
    world.platform.becomes({ enforcesRejection: false, version })
    world.platform.put(again)

    await watchedTwice(world)

    expect(world.alarms).toEqual([])
  },
)

describe("where the run's own calls can be read", () => {
  const requirements = [aRequirement("delete_table")]
  const waiting = (...tools: readonly string[]) => ({
    "session-1": [aSessionRun({ runId: "run-1", tools: tools.map((tool) => executionIn(aRequirement(tool))) })],
  })

  test("a run that still waits for what was approved raises none, whatever the times say, and is read once", async () => {
    const world = anOldWorld()
    world.platform.sessions(waiting("delete_table"))
    world.platform.put({ ...again, requirements, updatedAt: resolvedAt + 60_000 })

    await watchedTwice(world)

    expect(world.alarms).toEqual([])
    expect(world.platform.sessionReads).toBe(1)
  })

  test("a run that waits for another call within the next second raises one", async () => {
    const world = createWorld()
    world.platform.sessions(waiting("send_email"))
    world.platform.put({ ...again, requirements, updatedAt: resolvedAt + 1_000 })

    await watchedTwice(world)

    expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
  })

  test("a run that another approval was decided about raises none", async () => {
    const world = anOldWorld()
    world.platform.sessions(waiting("delete_table", "send_email"))
    world.platform.put(
      { ...again, requirements },
      { ...again, id: "a-2", status: "rejected", requirements: [aRequirement("send_email")] },
    )

    await watchedTwice(world)

    expect(world.alarms).toEqual([])
  })

  test("a session that does not answer leaves it to the times, and stops nothing else", async () => {
    const world = anOldWorld()
    world.platform.put(again)
    const silent = { ...world.platform, session: () => Promise.reject(platformFailure()) }

    await watchedTwice(world, { ...world.ports, platforms: new Map([["main", silent]]) })

    expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
  })
})

test("an instance that does not answer stops no other, and is asked the next time", async () => {
  const world = anOldWorld()
  world.platform.put(again)

  const down = { ...world.platform, approved: () => Promise.reject(platformFailure()) }
  const platforms = new Map([
    ["down", down],
    ["main", world.platform],
  ])
  const watch = createWatch(() => ({ ...world.ports, platforms }))

  await watch()
  await watch()

  expect(world.alarms).toMatchObject([{ instance: "main" }])
})
