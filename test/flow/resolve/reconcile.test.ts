// Reconcile and poll: decided elsewhere, gone, new, changed, and what Redis forgot (R10, R17).

import { expect, test } from "vitest"
import { poll } from "../../../src/flow/poll/poll.ts"
import { reconcile, sweep } from "../../../src/flow/resolve/reconcile.ts"
import { carryOut } from "../../../src/flow/vote/interactions.ts"
import { lateMs } from "../../../src/flow/vote/weigh.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { listedAs } from "../../support/memory-platform.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { aPress } from "../../support/presses.ts"
import { announced, announcedWorld, beside, caseOf, decideOn, ledgerKinds, pressed, takeUp } from "../support.ts"

/** A poll, and what it asks for. */
async function polled(world: World): Promise<void> {
  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)
}

test.for(["approved", "rejected", "expired", "cancelled"])(
  "what was %s elsewhere settles every card and says by whom",
  async (status) => {
    const routes = ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const)
    const world = await announcedWorld({ policy: aPolicy([aRule({ routes })]) })
    world.platform.change("a-1", { status, resolvedBy: "u1@example.com" })

    await polled(world)

    const outcome = { kind: "elsewhere", status, resolvedBy: "u1@example.com" }
    expect(caseOf(world)).toMatchObject({ state: "closed", outcome })
    for (const message of world.chat.messages) expect(message.model.status).toMatchObject({ kind: "settled", outcome })
    for (const message of world.chat.messages.filter((one) => one.place.channel !== "DUASK")) {
      expect(message.lines.at(-1)?.event).toMatchObject({ ...outcome, claimsToBeOurs: false })
    }
  },
)

test("a press on what was decided elsewhere is told so, and nothing is sent", async () => {
  const world = await announcedWorld()
  world.platform.change("a-1", { status: "rejected", resolvedBy: "boss@example.com" })

  const { answers } = await pressed(world)

  expect(answers).toMatchObject([
    { kind: "elsewhere", outcome: { status: "rejected", resolvedBy: "boss@example.com" } },
  ])
  expect(world.platform.bodies).toEqual([])
})

test("a vanished approval is believed after three misses over ten seconds, and an alarm is raised", async () => {
  const world = createWorld()
  await beside(world)
  await announced(world)
  world.platform.delete("a-1")

  for (let asked = 0; asked < 5; asked += 1) await reconcile(world.ports, caseOf(world).id)
  expect(caseOf(world).state).toBe("open")
  world.clock.forward(10_000)
  await reconcile(world.ports, caseOf(world).id)

  expect(caseOf(world).outcome).toMatchObject({ kind: "vanished" })
  expect(world.alarmCodes()).toEqual(["approval-vanished"])
})

test("two misses are not believed, however long they lie apart", async () => {
  const world = createWorld()
  await beside(world)
  await announced(world)
  world.platform.failGet("missing", "missing")

  await reconcile(world.ports, caseOf(world).id)
  world.clock.forward(60_000)
  await reconcile(world.ports, caseOf(world).id)

  expect(caseOf(world).state).toBe("open")
})

test("a miss that was followed by an answer counts no more", async () => {
  const world = createWorld()
  await beside(world)
  await announced(world)
  world.platform.failGet("missing", "missing")
  await reconcile(world.ports, caseOf(world).id)
  await reconcile(world.ports, caseOf(world).id)
  world.clock.forward(10_000)

  await reconcile(world.ports, caseOf(world).id)

  expect(caseOf(world).missing).toBeNull()
  expect(ledgerKinds(world)).toEqual(["opened", "placed", "missed", "missed", "found"])
})

test("a vanished approval settles its card by itself once a poll misses it", async () => {
  const world = await announcedWorld()
  await beside(world)
  world.platform.delete("a-1")

  await polled(world)

  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "settled", outcome: { kind: "vanished" } })
})

test("an empty list alone closes nothing", async () => {
  const world = await announcedWorld()
  const empty = { ...world.platform, pending: async function* () {} }

  await poll({ ...world.ports, platforms: new Map([["main", empty]]) }, "main")
  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe("open")
})

test("a press on an approval that the platform does not know at the moment decides nothing, and stays a ticket", async () => {
  const world = await announcedWorld()
  world.platform.failGet("missing")

  await expect(pressed(world)).rejects.toMatchObject({ code: "approval-missing", retryable: true })

  expect(world.tickets.waiting).toHaveLength(1)
  expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
})

/** Carries out the tickets that lie there, as a worker does once their wait is over, and says what people were told. */
async function takenUp(world: World) {
  for (const ticket of world.tickets.waiting) await carryOut(world.ports, ticket)
  return world.chat.told.map(({ answer }) => answer)
}

test("a press while the platform's database is away is carried out once it is back, and not twice", async () => {
  const world = await announcedWorld()
  world.platform.failGet("missing")
  await expect(pressed(world)).rejects.toMatchObject({ code: "approval-missing" })

  world.clock.forward(lateMs)
  await takenUp(world)

  expect(world.tickets.waiting).toEqual([])
  expect(caseOf(world).outcome).toMatchObject({ kind: "ours", verb: "approve" })
  expect(world.platform.effects).toBe(1)
})

test("R11: a press while the platform's database is away for longer than two minutes has to be made again", async () => {
  const world = await announcedWorld()
  world.platform.failGet("missing")
  await expect(pressed(world)).rejects.toMatchObject({ code: "approval-missing" })

  world.clock.forward(lateMs + 1)
  expect(await takenUp(world)).toEqual([{ kind: "late" }])

  expect(world.tickets.waiting).toEqual([])
  expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
})

test("a press on an approval that turns out to be gone is answered so", async () => {
  const world = await announcedWorld()
  await beside(world)
  world.platform.delete("a-1")
  await expect(pressed(world)).rejects.toMatchObject({ code: "approval-missing" })

  await world.queue.runAll(world.ports)
  const told = await takenUp(world)

  expect(told).toEqual([{ kind: "elsewhere", outcome: expect.objectContaining({ kind: "vanished" }) }])
  expect(world.tickets.waiting).toEqual([])
})

test("a press while the platform is down stays a ticket", async () => {
  const world = await announcedWorld()
  world.platform.failGet("timeout")

  await expect(pressed(world)).rejects.toMatchObject({ code: "timeout" })

  expect(world.tickets.waiting).toHaveLength(1)
})

test("R17: after a restart of Redis a case is compared with the platform before a vote on it counts", async () => {
  const world = createWorld()
  const current = await announced(world)
  world.server.restart()
  world.platform.change("a-1", { toolArgs: { table: "orders" } })

  const { answer } = await decideOn(world.ports, aPress(world, current))

  expect(answer).toMatchObject({ kind: "changed" })
  expect(caseOf(world).epoch).toBe("epoch-2")
})

test("R17: after a restart of Redis a vote on an unchanged case counts, and the case remembers the comparison", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  world.server.restart()

  const { case: after } = await pressed(world)

  expect(after).toMatchObject({ epoch: "epoch-2", votes: [{ person: { user: "U1" } }] })
})

test("R17: a decision of ours that Redis lost is taken up again from the platform's record", async () => {
  const world = await announcedWorld()
  const before = world.server.snapshot()
  await pressed(world)
  const decisionId = caseOf(world).decision?.id
  world.server.restart(before)
  world.queue.forget()

  await polled(world)

  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "ours", verb: "approve", decisionId } })
  expect(ledgerKinds(world)).toContain("recovered")
  expect(world.alarmCodes()).not.toContain("forged-resolution")
})

test("R17: a press after Redis lost the decision is told of it, and sends nothing", async () => {
  const world = createWorld()
  const current = await announced(world)
  const before = world.server.snapshot()
  await pressed(world)
  world.server.restart(before)

  const { answer } = await decideOn(world.ports, aPress(world, current, { user: "U2", verb: "reject" }))

  expect(answer).toMatchObject({ kind: "already", verb: "approve" })
  expect(world.platform.bodies).toHaveLength(1)
})

test("R17: a vote that Redis lost is cast again, once", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const before = world.server.snapshot()
  await pressed(world)
  world.server.restart(before)

  const { case: after } = await pressed(world)

  expect(after.votes).toHaveLength(1)
})

test("a poll opens one case per approval, over all pages, and again none", async () => {
  const world = createWorld({ pageSize: 7 })
  world.platform.put(...Array.from({ length: 30 }, (_, at) => anApproval({ id: `a-${at}` })))

  await polled(world)
  await polled(world)

  expect(world.server.cases()).toHaveLength(30)
  expect(world.chat.messages).toHaveLength(30)
})

test("an item that cannot be read costs its neighbours nothing, and is reported", async () => {
  const world = createWorld()
  world.platform.put(anApproval())
  world.platform.unreadable({ id: "a-2", why: "status: must be text" })

  await polled(world)

  expect(world.server.cases()).toHaveLength(1)
  expect(world.alarms).toMatchObject([{ code: "unreadable-approval", approval: "a-2", why: "status: must be text" }])
})

test("a poll of an instance that the config does not know says so", async () => {
  const world = createWorld()

  await expect(poll(world.ports, "other")).rejects.toThrow('no instance "other" in the config')
})

test("a poll that fails half-way has opened what it read", async () => {
  const world = createWorld()
  const failing = {
    ...world.platform,
    pending: async function* () {
      yield { approvals: [listedAs(anApproval())], unreadable: [] }
      throw platformFailure()
    },
  }

  await expect(poll({ ...world.ports, platforms: new Map([["main", failing]]) }, "main")).rejects.toThrow("timeout")

  expect(world.server.cases()).toHaveLength(1)
})

test("a case that Redis has frozen is left alone by sweep and reconcile", async () => {
  const world = createWorld()
  const current = await announced(world)
  world.server.tamper(current.id)

  await reconcile(world.ports, current.id)
  await sweep(world.ports)
  await takeUp(world)

  expect(world.platform.bodies).toEqual([])
  expect(world.queue.waiting).toEqual([])
})

test("R5: a poll under a changed rule shows every open case anew, and a poll after it has nothing to do", async () => {
  const world = await announcedWorld()
  const stricter = aPolicy([aRule({ quorum: 2 })])
  world.server.activate(stricter.revision)
  const ports = world.process(stricter)

  await poll(ports, "main")
  await world.queue.runAll(ports)

  expect(caseOf(world).revision).toMatchObject({ number: 2, quotas: [{ quorum: 2 }] })
  expect(world.chat.messages[0]?.model).toMatchObject({ revision: 2, rules: [{ name: "all", quorum: 2 }] })
  await poll(ports, "main")
  expect(world.queue.waiting).toEqual([])
})

test("a poll under a policy that changed elsewhere makes no new revision", async () => {
  const world = await announcedWorld()
  const other = aPolicy([aRule(), aRule({ name: "other" })])
  world.server.activate(other.revision)
  const ports = world.process(other)

  await poll(ports, "main")
  await world.queue.runAll(ports)
  await poll(ports, "main")

  expect(caseOf(world).revision).toMatchObject({ number: 1, policy: other.revision })
  expect(world.queue.waiting).toEqual([])
})
