// While people wait for what they pressed, what nobody waits for stands back: threads, other cards, whoever asked.

import { expect, test } from "vitest"
import { createInbound, createRightOfWay } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announced, lines, statusOn } from "../support.ts"

/** A way, what stands back on it, and the time that nobody has to wait longer for. */
function aWay() {
  const timers = new Set<() => void>()
  const way = createRightOfWay((_ms, run) => {
    timers.add(run)
    return () => void timers.delete(run)
  })
  const gone: string[] = []
  const stand = (name: string) => way.clear().then(() => void gone.push(name))
  return { way, stand, gone, timers }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("who stands back goes when the last who waits is through, and leaves no timer behind", async () => {
  const { way, stand, gone, timers } = aWay()
  const [first, second] = [way.enter(), way.enter()]
  const stood = [stand("thread"), stand("home")]

  first()
  await settled()
  expect(gone).toEqual([])

  second()
  await Promise.all(stood)
  expect(gone).toEqual(["thread", "home"])
  expect(timers.size).toBe(0)
  await stand("after")
  expect(gone).toContain("after")
})

test("many who wait are a burst as long as some of them are answered; a few, or many who all wait, are none", () => {
  const { way } = aWay()
  const few = Array.from({ length: 3 }, () => way.enter())
  const sinceFew = way.watch()
  few[0]?.()
  expect(sinceFew()).toBe(false)

  const many = Array.from({ length: 20 }, () => way.enter())
  const since = way.watch()
  expect(since()).toBe(false)
  many[0]?.()
  expect(since()).toBe(true)
  expect(way.watch()()).toBe(false)

  for (const passed of many.slice(1)) passed()
  expect(since()).toBe(false)
})

test("who stands back goes in the end though people press without end", async () => {
  const { way, stand, gone, timers } = aWay()
  way.enter()
  const stood = stand("thread")

  for (const ring of timers) ring()
  await stood

  expect(gone).toEqual(["thread"])
})

test("a press settles its card at once, and its other cards and threads after the presses beside it", async () => {
  const routes = ["C1", "C2"].map((id) => ({ kind: "channel" as const, id }))
  const world = createWorld({ policy: aPolicy([aRule({ routes })]) })
  const [slow, quick] = [await announced(world), await announced(world, anApproval({ id: "a-2", runId: "run-2" }))]
  const answered = Promise.withResolvers<void>()
  const main = world.ports.platforms.get("main")
  if (main === undefined) throw new Error("no platform")
  const late: typeof main = {
    ...main,
    get: async (id) => {
      if (id === slow.approvalId) await answered.promise
      return main.get(id)
    },
  }
  const inbound = createInbound(() => ({ ...world.ports, platforms: new Map([["main", late]]) }))
  const card = (id: string) =>
    world.chat.messages.find(({ model }) => model.caseId === id && model.route === "channel:C1")
  const told = (id: string) => card(id)?.lines.map(({ event }) => event.kind)
  const first = inbound.carryOut(await inbound.take(aPress(world, slow)))
  const second = inbound.carryOut(await inbound.take(aPress(world, quick, { interaction: "second" })))

  await expect.poll(() => card(quick.id)?.model.status.kind).toBe("settled")
  expect(told(quick.id)).toEqual(["opened"])
  await expect.poll(() => world.tickets.waiting).toHaveLength(1)

  answered.resolve()
  await Promise.all([first, second])
  expect(told(quick.id)).toEqual(["opened", "voted", "decided", "resolved"])
  expect([statusOn(world), statusOn(world, "C2")]).toMatchObject([{ kind: "settled" }, { kind: "settled" }])
  const decided = ["voted", "decided", "resolved"]
  expect(lines(world, "C2")).toEqual([...decided, ...decided])
  expect(world.tickets.waiting).toEqual([])
})
