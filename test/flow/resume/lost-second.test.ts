// R17 where runs are continued: what Redis lost may be that a run was continued already. Then no approved call is let
// run once more.
import { expect, test } from "vitest"
import type { Commit } from "../../../src/flow/ports.ts"
import { sweep } from "../../../src/flow/resolve/reconcile.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { resume } from "../../../src/flow/resume/resume.ts"
import type { World } from "../../support/memory-ports.ts"
import { pairPaused, paused, pressedOn } from "../resuming.ts"
import { caseOf, pressed } from "../support.ts"

const forgotten = {
  kind: "withheld",
  why: "Redis lost its last second, and nobody knows whether it was continued already",
}

test("R17 an approved run whose continue may be lost is not continued, and the card says who must", async () => {
  const world = await paused()
  await pressed(world)
  world.server.touch(caseOf(world).id)

  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world).resumption).toMatchObject(forgotten)
  expect(world.alarmCodes()).toEqual(["not-resumed"])
})

test("R17 the same, where the sweep began the case anew before", async () => {
  const world = await paused()
  await pressed(world)
  world.server.touch(caseOf(world).id)
  await sweep(world.ports)

  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world).resumption).toMatchObject(forgotten)
})

test("R17 a run that went on meanwhile is told by how it stands, as ours", async () => {
  const world = await paused()
  await pressed(world)
  world.server.touch(caseOf(world).id)
  world.runs.change("run-1", { status: "COMPLETED" })

  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "completed", by: "us" } })
})

test("R12 R17 a rejected call is refused all the same, since to refuse it twice lets nothing run", async () => {
  const world = await paused()
  await pressed(world, { verb: "reject" })
  world.server.touch(caseOf(world).id)

  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toHaveLength(1)
  expect(world.runs.executions).toEqual([])
})

test("R17 a run whose verdict was on its way when the second was lost is not continued either", async () => {
  const world = await paused()
  world.platform.failResolve({ kind: "unheard", applied: true })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await pressed(world)
  world.server.touch(caseOf(world).id)

  await resolve(world.ports, caseOf(world).id)
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world)).toMatchObject({ outcome: { kind: "ours" }, resumption: forgotten })
})

test("R17 a run whose continue found out itself that a second is lost is not continued either", async () => {
  const world = await paused()
  await pressed(world)
  const { store } = world.ports
  const commit = async (order: Commit) => {
    const done = await store.commit(order)
    if (order.events.some(({ kind }) => kind === "continued")) world.server.touch(order.next.id)
    return done
  }

  await resume({ ...world.ports, store: { ...store, commit } }, caseOf(world).id)
  await world.queue.runAll(world.ports, 3_600_000)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "unknown" } })
})

test("R17 a run is not continued if a case beside it was touched: it may have been, in that case's name", async () => {
  const world = await pairPaused()
  await decidedBoth(world)
  world.server.touch(caseOf(world, "a-2").id)

  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toEqual([])
  expect(caseOf(world, "a-1").resumption).toMatchObject(forgotten)
})

async function decidedBoth(world: World): Promise<void> {
  await pressed(world)
  await pressedOn(world, "a-2")
}
