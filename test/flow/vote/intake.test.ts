// Intake: tickets, answers when something fails, and what each person may see (R8, R11).

import { expect, test } from "vitest"
import { poll } from "../../../src/flow/poll/poll.ts"
import type { Ports } from "../../../src/flow/ports.ts"
import { carryOut, createInbound } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure, PortFailure } from "../../support/port-failure.ts"
import { aPress, aView } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

const storeDown = new PortFailure({ name: "StoreError", code: "unreachable", retryable: true })

/** A listener's way: take, then carry out, with these ports in place of the world's. */
async function listened(world: World, changes: Partial<Ports> = {}) {
  const inbound = createInbound(() => ({ ...world.ports, ...changes }))
  await inbound.carryOut(await inbound.take(aPress(world, caseOf(world))))
  return world.chat.told.map((one) => one.answer)
}

test("a press is a ticket until it was carried out", async () => {
  const world = await announcedWorld()
  const inbound = createInbound(() => world.ports)
  const taken = await inbound.take(aPress(world, caseOf(world)))
  expect(world.tickets.waiting).toEqual([taken.ticket])

  await inbound.carryOut(taken)

  expect(world.tickets.waiting).toEqual([])
  expect(caseOf(world).outcome?.kind).toBe("ours")
})

test("a press that cannot be written is not taken", async () => {
  const world = await announcedWorld()
  const tickets = { ...world.ports.tickets, write: () => Promise.reject(storeDown) }

  const taken = createInbound(() => ({ ...world.ports, tickets })).take(aPress(world, caseOf(world)))

  await expect(taken).rejects.toThrow("unreachable")
})

test("while the platform is down the person is told that the press is tried again, and the ticket stays", async () => {
  const world = await announcedWorld()
  world.platform.failGet("timeout")

  expect(await listened(world)).toEqual([{ kind: "platform-down" }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("while the platform does not know the approval the person is told that the press is tried again", async () => {
  const world = await announcedWorld()
  world.platform.failGet("missing")

  expect(await listened(world)).toEqual([{ kind: "missing" }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("while the platform refuses our own credential the person is told that it was not their press, and the ticket stays", async () => {
  const world = await announcedWorld()
  world.platform.failGet("unauthorized")

  expect(await listened(world)).toEqual([{ kind: "credential-refused", retrying: true }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("where our credential may not read at all the person is told that, and the press is not tried again", async () => {
  const world = await announcedWorld()
  world.platform.failGet("forbidden")

  expect(await listened(world)).toEqual([{ kind: "credential-refused", retrying: false }])
  expect(world.tickets.waiting).toEqual([])
  expect(world.alarmCodes()).toContain("press-failed")
})

test("while Slack does not say who somebody is, they are told so, and the ticket stays", async () => {
  const world = await announcedWorld()
  world.people.fail(chatFailure("internal_error"))

  expect(await listened(world)).toEqual([{ kind: "slack-down" }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("while Redis is down the person is told that something failed, and the ticket stays", async () => {
  const world = await announcedWorld()
  const store = { ...world.ports.store, commit: () => Promise.reject(storeDown) }

  expect(await listened(world, { store })).toEqual([{ kind: "failed" }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("a failure that will not pass is answered, raises an alarm, and its ticket is removed", async () => {
  const world = await announcedWorld()
  const people = { ...world.ports.people, look: () => Promise.reject(new TypeError("our mistake")) }

  expect(await listened(world, { people })).toEqual([{ kind: "failed-for-good" }])
  expect(world.tickets.waiting).toEqual([])
  expect(world.alarmCodes()).toEqual(["press-failed"])
})

test("an answer that Slack does not take keeps nothing from being decided", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  const chat = {
    ...world.ports.chat,
    answer: () => Promise.reject(chatFailure("timeout")),
    settleClicked: () => Promise.reject(chatFailure("timeout")),
  }

  await listened(world, { chat })

  expect(caseOf(world).votes).toHaveLength(1)
  expect(world.tickets.waiting).toEqual([])
})

test("an answer that nothing else gives is repeated by its ticket, until Slack takes it", async () => {
  const world = await announcedWorld()
  const ticket = await world.tickets.write(aPress(world, caseOf(world)))
  const chat = { ...world.ports.chat, answer: () => Promise.reject(chatFailure("timeout")) }
  world.clock.forward(130_000)

  const outage = carryOut({ ...world.ports, chat }, ticket)

  await expect(outage).rejects.toMatchObject({ code: "unanswered", retryable: true })
  expect([world.tickets.waiting, world.chat.told]).toEqual([[ticket], []])

  world.clock.forward(480_000)
  await carryOut(world.ports, ticket)

  expect(world.chat.told.map((one) => one.answer)).toEqual([{ kind: "late" }])
  expect([world.tickets.waiting, caseOf(world).votes]).toEqual([[], []])
})

test("an answer that Slack will never take ends with its ticket", async () => {
  const world = await announcedWorld()
  const ticket = await world.tickets.write(aPress(world, caseOf(world)))
  const chat = {
    ...world.ports.chat,
    answer: () => Promise.reject(chatFailure("channel_not_found", { retryable: false })),
  }
  world.clock.forward(130_000)

  await carryOut({ ...world.ports, chat }, ticket)

  expect(world.tickets.waiting).toEqual([])
})

test("who presses while only the answer fails is not told besides that the press is tried again", async () => {
  const world = await announcedWorld()
  world.people.set(aPerson({ user: "U9" }))
  const refused = aPress(world, caseOf(world), { person: { team, user: "U9" } })
  const asked: string[] = []
  const answer: Ports["chat"]["answer"] = async (_to, { kind }) => {
    asked.push(kind)
    throw chatFailure("timeout")
  }
  const inbound = createInbound(() => ({ ...world.ports, chat: { ...world.ports.chat, answer } }))

  await inbound.carryOut(await inbound.take(refused))

  expect(asked).toEqual(["refused"])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("a ticket that fires after the crash is carried out, answered and removed", async () => {
  const world = await announcedWorld()
  const ticket = await world.ports.tickets.write(aPress(world, caseOf(world)))
  world.clock.forward(15_000)

  await carryOut(world.ports, ticket)

  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.tickets.waiting).toEqual([])
})

test("a reason is asked for as the case's rules say, and not for a case that is over", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ requireReason: "reject" })]) })
  const { id } = await announced(world)
  const inbound = createInbound(() => world.ports)

  expect(await inbound.form({ caseId: id, route: "channel:C1" }, { verb: "reject" })).toMatchObject({
    reason: { required: true },
  })
  expect(await inbound.form({ caseId: id, route: "channel:C1" }, { verb: "approve" })).toBeNull()
  expect(await inbound.form({ caseId: "0".repeat(20), route: "channel:C1" }, { verb: "reject" })).toBeNull()
  await pressed(world)
  expect(await inbound.form({ caseId: id, route: "channel:C1" }, { verb: "reject" })).toBeNull()
})

test("a view that was opened is found again by its id, and no other", async () => {
  const world = createWorld()
  const view = aView(await announced(world))
  const inbound = createInbound(() => world.ports)

  await inbound.opened(view)

  expect(await inbound.view("V1")).toEqual(view)
  expect(await inbound.view("V2")).toBeNull()
})

test("details show the case, and what this person may do with it", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
  const world = createWorld({ policy: aPolicy([rule]) })
  const { id } = await announced(world, anApproval({ userId: "u1@example.com" }))
  const inbound = createInbound(() => world.ports)

  expect(await inbound.details(id, { team, user: "U1" }, null)).toMatchObject({
    model: { caseId: id, route: "channel:C1", status: { kind: "open" } },
    approve: { ok: false, refusal: { code: "requester" } },
    reject: { ok: true, rules: ["all"] },
  })
})

test("details of an unknown or a frozen case are not shown", async () => {
  const world = createWorld()
  const { id } = await announced(world)
  const inbound = createInbound(() => world.ports)

  expect(await inbound.details("0".repeat(20), { team, user: "U1" }, null)).toBeNull()
  world.server.tamper(id)
  expect(await inbound.details(id, { team, user: "U1" }, null)).toBeNull()
})

test.for([
  { who: "a guest", flags: { guest: true } },
  { who: "somebody of another workspace", flags: { external: true } },
  { who: "a bot", flags: { bot: true } },
  { who: "a deactivated person", flags: { deactivated: true } },
])("R8: $who sees neither details nor lists", async ({ flags }) => {
  const world = createWorld()
  world.people.set(aPerson({ user: "U3", ...flags }))
  const { id } = await announced(world)
  const inbound = createInbound(() => world.ports)

  expect(await inbound.details(id, { team, user: "U3" }, null)).toBeNull()
  expect(await inbound.list({ team, user: "U3" }, { mine: false, filter: {}, offset: 0, limit: 10 })).toEqual({
    models: [],
    total: 0,
    more: false,
  })
})

test("a list shows what waits, oldest first, page by page, with how much there is", async () => {
  const world = createWorld()
  for (let at = 0; at < 5; at += 1)
    world.platform.put(anApproval({ id: `a-${at}`, createdAt: world.clock.now() + at * 1_000 }))
  await poll(world.ports, "main")
  const inbound = createInbound(() => world.ports)

  const page = await inbound.list({ team, user: "U1" }, { mine: false, filter: {}, offset: 1, limit: 2 })

  expect(page.models.map((model) => model.approvalId)).toEqual(["a-1", "a-2"])
  expect(page.total).toBe(5)
})

test("what was decided is listed no more", async () => {
  const world = await announcedWorld()
  await pressed(world)

  const { total } = await createInbound(() => world.ports).list(
    { team, user: "U1" },
    { mine: false, filter: {}, offset: 0, limit: 10 },
  )

  expect(total).toBe(0)
})

const withReasons = aPolicy([aRule({ reasons: ["Wrong amount"] })])

test("R11: a press that needs a form opens it, and its ticket is dropped", async () => {
  const world = await announcedWorld({ policy: withReasons })
  const inbound = createInbound(() => world.ports)
  const taken = await inbound.take(aPress(world, caseOf(world), { verb: "reject" }))

  expect(await inbound.needsForm(taken)).toBe(true)
  await inbound.drop(taken)

  expect(world.tickets.waiting).toEqual([])
  expect(caseOf(world).votes).toEqual([])
})

test("R11: if the process dies before the form opens, the ticket votes nothing, and the person is asked to press again", async () => {
  const world = await announcedWorld({ policy: withReasons })
  const ticket = await world.tickets.write(aPress(world, caseOf(world), { verb: "reject" }))

  await carryOut(world.ports, ticket)

  expect(world.chat.told.map((one) => one.answer)).toEqual([{ kind: "late" }])
  expect([caseOf(world).votes, caseOf(world).state, world.tickets.waiting]).toEqual([[], "open", []])
})

test("a press whose case could not be read beside its ticket is carried out all the same", async () => {
  const world = await announcedWorld()
  let reads = 0
  const read: Ports["store"]["read"] = async (id) => {
    reads += 1
    return reads === 1 ? Promise.reject(storeDown) : world.ports.store.read(id)
  }

  await listened(world, { store: { ...world.ports.store, read } })

  expect(caseOf(world).outcome?.kind).toBe("ours")
})
