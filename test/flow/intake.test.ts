// Intake: tickets, answers when something fails, and what each person may see (R8, R11).
import { expect, test } from "vitest"
import { carryOut, createInbound } from "../../src/flow/intake.ts"
import { poll } from "../../src/flow/poll.ts"
import type { Ports } from "../../src/flow/ports.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../support/builders.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { chatFailure, PortFailure } from "../support/port-failure.ts"
import { aPress, aView } from "../support/presses.ts"
import { announced, caseOf, pressed } from "./support.ts"

const storeDown = new PortFailure({ name: "StoreError", code: "unreachable", retryable: true })

/** A listener's way: take, then carry out, with these ports in place of the world's. */
async function listened(world: World, changes: Partial<Ports> = {}) {
  const inbound = createInbound({ ...world.ports, ...changes })
  const ticket = await inbound.take(aPress(world, caseOf(world)))
  await inbound.carryOut(ticket)
  return world.chat.told.map((one) => one.answer)
}

test("a press is a ticket until it was carried out", async () => {
  const world = createWorld()
  await announced(world)
  const inbound = createInbound(world.ports)
  const ticket = await inbound.take(aPress(world, caseOf(world)))
  expect(world.tickets.waiting).toEqual([ticket])

  await inbound.carryOut(ticket)

  expect(world.tickets.waiting).toEqual([])
  expect(caseOf(world).outcome?.kind).toBe("ours")
})

test("a press that cannot be written is not taken", async () => {
  const world = createWorld()
  await announced(world)
  const tickets = { ...world.ports.tickets, write: () => Promise.reject(storeDown) }

  const taken = createInbound({ ...world.ports, tickets }).take(aPress(world, caseOf(world)))

  await expect(taken).rejects.toThrow("unreachable")
})

test("while the platform is down the person is told that the press is tried again, and the ticket stays", async () => {
  const world = createWorld()
  await announced(world)
  world.platform.failGet("timeout")

  expect(await listened(world)).toEqual([{ kind: "platform-down", retrying: true }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("while Slack does not say who somebody is, they are told so, and the ticket stays", async () => {
  const world = createWorld()
  await announced(world)
  world.people.fail(chatFailure("internal_error"))

  expect(await listened(world)).toEqual([{ kind: "slack-down" }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("while Redis is down the person is told that something failed, and the ticket stays", async () => {
  const world = createWorld()
  await announced(world)
  const store = { ...world.ports.store, commit: () => Promise.reject(storeDown) }

  expect(await listened(world, { store })).toEqual([{ kind: "failed", retrying: true }])
  expect(world.tickets.waiting).toHaveLength(1)
})

test("a failure that will not pass is answered, raises an alarm, and its ticket is removed", async () => {
  const world = createWorld()
  await announced(world)
  const people = { ...world.ports.people, look: () => Promise.reject(new TypeError("our mistake")) }

  expect(await listened(world, { people })).toEqual([{ kind: "failed", retrying: false }])
  expect(world.tickets.waiting).toEqual([])
  expect(world.alarmCodes()).toEqual(["press-failed"])
})

test("an answer that Slack does not take keeps nothing from being decided", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  await announced(world)
  const chat = {
    ...world.ports.chat,
    answer: () => Promise.reject(chatFailure("timeout")),
    settleClicked: () => Promise.reject(chatFailure("timeout")),
  }

  await listened(world, { chat })

  expect(caseOf(world).votes).toHaveLength(1)
  expect(world.tickets.waiting).toEqual([])
})

test("a ticket that fires after the crash is carried out, answered and removed", async () => {
  const world = createWorld()
  await announced(world)
  const ticket = await world.ports.tickets.write(aPress(world, caseOf(world)))
  world.clock.forward(15_000)

  await carryOut(world.ports, ticket)

  expect(caseOf(world).outcome?.kind).toBe("ours")
  expect(world.tickets.waiting).toEqual([])
})

test("a reason is wanted as the case's rules say, and not for a case that is over", async () => {
  const world = createWorld({ policy: aPolicy([aRule({ requireReason: "reject" })]) })
  const { id } = await announced(world)
  const inbound = createInbound(world.ports)

  expect(await inbound.wantsReason(id, "reject")).toBe(true)
  expect(await inbound.wantsReason(id, "approve")).toBe(false)
  expect(await inbound.wantsReason("0".repeat(20), "reject")).toBe(false)
  await pressed(world)
  expect(await inbound.wantsReason(id, "reject")).toBe(false)
})

test("a view that was opened is found again by its id, and no other", async () => {
  const world = createWorld()
  const view = aView(await announced(world))
  const inbound = createInbound(world.ports)

  await inbound.opened(view)

  expect(await inbound.view("V1")).toEqual(view)
  expect(await inbound.view("V2")).toBeNull()
})

test("details show the case, and what this person may do with it", async () => {
  const rule = aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })
  const world = createWorld({ policy: aPolicy([rule]) })
  const { id } = await announced(world, anApproval({ userId: "u1@example.com" }))
  const inbound = createInbound(world.ports)

  expect(await inbound.details(id, { team, user: "U1" }, null)).toMatchObject({
    face: { caseId: id, route: "channel:C1", status: { kind: "open" } },
    approve: { ok: false, refusal: { code: "requester" } },
    reject: { ok: true, rules: ["all"] },
  })
})

test("details of an unknown or a frozen case are not shown", async () => {
  const world = createWorld()
  const { id } = await announced(world)
  const inbound = createInbound(world.ports)

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
  const inbound = createInbound(world.ports)

  expect(await inbound.details(id, { team, user: "U3" }, null)).toBeNull()
  expect(await inbound.list({ team, user: "U3" }, { offset: 0, limit: 10 })).toEqual({ faces: [], total: 0 })
})

test("a list shows what waits, newest first, page by page, with how much there is", async () => {
  const world = createWorld()
  for (let at = 0; at < 5; at += 1)
    world.platform.put(anApproval({ id: `a-${at}`, createdAt: world.clock.now() + at * 1_000 }))
  await poll(world.ports, "main")
  const inbound = createInbound(world.ports)

  const page = await inbound.list({ team, user: "U1" }, { offset: 1, limit: 2 })

  expect(page.faces.map((face) => face.approvalId)).toEqual(["a-3", "a-2"])
  expect(page.total).toBe(5)
})

test("what was decided is listed no more", async () => {
  const world = createWorld()
  await announced(world)
  await pressed(world)

  const { total } = await createInbound(world.ports).list({ team, user: "U1" }, { offset: 0, limit: 10 })

  expect(total).toBe(0)
})
