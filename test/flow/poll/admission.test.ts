// R20: a flood buries nothing. Room for cards is limited, the rest waits and is listed, and there is one alarm;
// decisions always go on.

import { expect, test } from "vitest"
import { poll } from "../../../src/flow/poll/poll.ts"
import { list } from "../../../src/flow/query/list.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, aView } from "../../support/presses.ts"
import { carried, caseOf, ledgerKinds, pressed, takeUp } from "../support.ts"

/** This many approvals of an agent, made one second after the other, and polled one by one. */
async function flooded(world: World, count: number, agentId = "agent-1"): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `${agentId} ${index}`
    world.platform.put(anApproval({ id, agentId, createdAt: world.clock.now() }))
    await settledPoll(world)
    world.clock.forward(1_000)
  }
}

async function settledPoll(world: World): Promise<void> {
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)
}

/** The approvals that have cards, in the order in which they were posted. */
function carded(world: World): readonly string[] {
  return world.chat.messages.filter((one) => one.model.status.kind === "open").map((one) => one.model.approvalId)
}

async function approve(world: World, approvalId: string): Promise<void> {
  await carried(world, aPress(world, caseOf(world, approvalId), { interaction: `click on ${approvalId}` }))
  await world.queue.runDue(world.ports)
}

test("R20 open cards are limited for each agent; another agent's are posted all the same", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 2 } })

  await flooded(world, 4)
  await flooded(world, 1, "agent-2")

  expect(carded(world)).toEqual(["agent-1 0", "agent-1 1", "agent-2 0"])
  expect(caseOf(world, "agent-1 3")).toMatchObject({ state: "open", admission: { given: false } })
})

test("R20 open cards are limited for each instance, whatever its agents are called", async () => {
  const world = createWorld({ admission: { perInstance: 3, perAgent: 2 } })

  for (let index = 0; index < 6; index += 1) await flooded(world, 1, `agent-${index}`)

  expect(carded(world)).toEqual(["agent-0 0", "agent-1 0", "agent-2 0"])
})

test("R20 admission that becomes free goes to the case that waits longest, before anything new", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 2 } })
  await flooded(world, 4)
  world.platform.put(anApproval({ id: "new" }))

  await approve(world, "agent-1 0")
  await settledPoll(world)

  expect(carded(world)).toEqual(["agent-1 1", "agent-1 2"])
  expect(ledgerKinds(world, "agent-1 2")).toEqual(["opened", "admitted", "placed"])
  expect(caseOf(world, "new").admission.given).toBe(false)
})

test("R20 a whole flood gets its cards in the end, each once and in order", async () => {
  const world = createWorld({ admission: { perInstance: 3, perAgent: 2 } })
  await flooded(world, 7)

  for (let index = 0; index < 7; index += 1) {
    await approve(world, `agent-1 ${index}`)
    await settledPoll(world)
  }

  const posted = world.chat.messages.filter(({ place }) => place.channel === "C1").map((one) => one.model.approvalId)
  expect(posted).toEqual(Array.from({ length: 7 }, (_, index) => `agent-1 ${index}`))
  expect(world.server.cases().every((one) => one.state === "closed")).toBe(true)
})

test("R20 what waits for admission is listed, and can be decided", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 1 } })
  await flooded(world, 3)
  const asked = { mine: false, filter: {}, offset: 0, limit: 10 }

  const { models, total } = await list(world.ports, { team, user: "U1" }, asked)

  expect(total).toBe(3)
  expect(models.map((model) => model.approvalId)).toEqual(["agent-1 0", "agent-1 1", "agent-1 2"])
  const waiting = caseOf(world, "agent-1 1")
  await world.ports.views.remember(aView(waiting))
  const inView = { on: { kind: "view", viewId: "V1" }, replyTo: { kind: "view", viewId: "V1", user: "U1" } } as const
  await carried(world, aPress(world, waiting, { ...inView, surface: "command" }))
  await world.queue.runAll(world.ports)
  expect(caseOf(world, "agent-1 1")).toMatchObject({ state: "closed", outcome: { kind: "ours", verb: "approve" } })
  expect(world.chat.messages.map((one) => one.model.approvalId)).toEqual(["agent-1 0"])
})

test("R20 a flood raises one alarm, and the next flood another", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 1 } })
  const floods = () => world.alarmCodes().filter((code) => code === "flood").length

  await flooded(world, 6)
  await settledPoll(world)
  expect(floods()).toBe(1)
  for (let index = 0; index < 6; index += 1) {
    await approve(world, `agent-1 ${index}`)
    await settledPoll(world)
  }
  await flooded(world, 2, "agent-2")
  await settledPoll(world)

  expect(floods()).toBe(2)
  expect(world.alarms.findLast((one) => one.code === "flood")).toMatchObject({ instance: "main", waiting: 1 })
})

test("R20 a case that waits is found decided elsewhere, and makes space for nobody", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 1 } })
  await flooded(world, 3)
  world.platform.change("agent-1 1", { status: "rejected", resolvedBy: "boss@example.com" })

  await reconcile(world.ports, caseOf(world, "agent-1 1").id)
  await settledPoll(world)

  expect(caseOf(world, "agent-1 1")).toMatchObject({ state: "closed", outcome: { kind: "elsewhere" } })
  expect(carded(world)).toEqual(["agent-1 0"])
})

test("R20 a process that dies between giving admission and posting leaves the card to the next sweep", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 1 } })
  await flooded(world, 2)
  await approve(world, "agent-1 0")
  await poll(world.ports, "main")
  world.queue.forget()

  await takeUp(world)

  expect(carded(world)).toEqual(["agent-1 1"])
})

test("R20 above 80 % of the memory no new card is made and decisions go on; it raises one alarm", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 1 } })
  await flooded(world, 2)
  world.floods.fill({ used: 81, max: 100 })

  world.platform.put(anApproval({ id: "late", agentId: "agent-2" }))
  await settledPoll(world)
  await settledPoll(world)
  await approve(world, "agent-1 0")
  await settledPoll(world)

  expect(world.platform.row("agent-1 0").status).toBe("approved")
  expect(carded(world)).toEqual([])
  expect(world.alarmCodes().filter((code) => code === "memory-short")).toHaveLength(1)
  world.floods.fill({ used: 80, max: 100 })
  await settledPoll(world)
  expect(carded(world)).toEqual(["agent-1 1", "late"])
})

test("R20 a Redis without a limit of its memory is never short of it", async () => {
  const world = createWorld()
  world.floods.fill({ used: 1e12, max: 0 })
  world.platform.put(anApproval({ createdAt: noon }))

  await settledPoll(world)

  expect(carded(world)).toEqual(["a-1"])
  expect(world.alarmCodes()).toEqual([])
})

test("R20 two polls at once give no more admissions than there is space for", async () => {
  const world = createWorld({ admission: { perInstance: 10, perAgent: 2 } })
  world.platform.put(...Array.from({ length: 5 }, (_, index) => anApproval({ id: `a-${index}` })))

  await Promise.all([poll(world.ports, "main"), poll(world.ports, "main")])
  await world.queue.runDue(world.ports)

  expect(carded(world)).toHaveLength(2)
  expect(world.server.cases().filter((one) => one.admission.given)).toHaveLength(2)
})

test("R20 a vote on a card counts while others wait for admission", async () => {
  const world = createWorld({ admission: { perInstance: 1, perAgent: 1 } })
  world.platform.put(anApproval())
  await settledPoll(world)
  await flooded(world, 2)

  const { answers } = await pressed(world)

  expect(answers).toEqual([])
  expect(world.platform.row("a-1").status).toBe("approved")
})
