// Recall: what Redis forgot whole, and the platform has with our mark, gets its case again (R17).

import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { createWatch } from "../../../src/flow/resume/drift.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, announcedWorld, caseOf, ledgerKinds, pressed } from "../support.ts"

/** A world in which Redis forgot an approval that was announced and decided; the platform and Slack did not. */
async function forgotten(): Promise<World> {
  const world = createWorld()
  const before = world.server.snapshot()
  await announced(world)
  await pressed(world)
  world.clock.forward(5_000)
  world.server.restart(before)
  world.queue.forget()
  return world
}

/** Looks at decided runs once, and does what follows. */
async function looked(world: World): Promise<void> {
  await createWatch(() => world.ports)()
  await world.queue.runAll(world.ports)
}

test("R17 a decision of ours that Redis forgot with its whole case is recovered, on the card that hangs already", async () => {
  const world = await forgotten()
  const cards = world.chat.messages.length

  await looked(world)

  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours", verb: "approve" } })
  expect(ledgerKinds(world)).toEqual(expect.arrayContaining(["opened", "recovered", "closed"]))
  expect(world.chat.messages).toHaveLength(cards)
  expect(world.alarmCodes()).toEqual(["decision-recalled"])
})

test("R17 a decision that Redis forgot is recovered once", async () => {
  const world = await forgotten()

  await looked(world)
  await looked(world)

  expect(ledgerKinds(world).filter((kind) => kind === "recovered")).toHaveLength(1)
})

test.each<readonly [string, (world: World) => void]>([
  ["was decided by somebody else", (world) => change(world, { resolutionData: null })],
  ["claims to be ours and is not", (world) => change(world, { status: "rejected" })],
  ["was resolved longer ago than Redis may forget", (world) => world.clock.forward(600_000)],
  ["says no time", (world) => change(world, { resolvedAt: null })],
])("a record that %s is nobody's case", async (_, make) => {
  const world = await forgotten()
  make(world)

  await looked(world)

  expect(world.server.cases()).toEqual([])
  expect(world.alarms).toEqual([])
})

test("while Redis runs as it did nothing is recalled: a case that is gone was removed", async () => {
  const world = await announcedWorld()
  await pressed(world)
  const process = { ...world.ports, store: { ...world.ports.store, read: async () => null } }

  await createWatch(() => process)()
  await world.queue.runAll(world.ports)

  expect(ledgerKinds(world)).not.toContain("recovered")
  expect(world.alarms).toEqual([])
})

function change(world: World, changes: Partial<Approval>): void {
  world.platform.change("a-1", changes)
}
