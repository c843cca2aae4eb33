// Watch: runs that paused again after their approval, and whether anybody is asked (trap 61).

import { expect, test } from "vitest"
import { createWatch } from "../../../src/flow/resume/drift.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"

const resolvedAt = 1_795_185_122_000
const again = anApproval({ status: "approved", runStatus: "PAUSED", resolvedAt, updatedAt: resolvedAt + 1_000 })

test("a run that paused again while nobody is asked raises one alarm, at the second look", async () => {
  const world = createWorld()
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
  ["has ended", { runStatus: "COMPLETED" }],
  ["failed", { runStatus: "ERROR" }],
  ["was rejected", { status: "rejected" }],
  ["says no times", { updatedAt: null }],
])("a run that %s raises none", async (_, changes) => {
  const world = createWorld()
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
  const world = createWorld()
  const requirements = [aRequirement("delete_table", {}, { member_run_id: "member-run" })]
  world.platform.put({ ...again, requirements }, anApproval({ id: "a-2", runId }))
  const watch = createWatch(() => world.ports)

  await watch()
  await watch()

  expect(world.alarms).toEqual([])
})

test("an instance that does not answer stops no other, and is asked the next time", async () => {
  const world = createWorld()
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
