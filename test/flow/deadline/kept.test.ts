// What was approved can be read for a while after the case closed, and then it goes (R15).
import { expect, test } from "vitest"
import { unknownOrderer } from "../../../src/domain/people/orderer.ts"
import type { HoldOf } from "../../../src/domain/policy/shared-config.ts"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import type { Filter } from "../../../src/flow/ports/inbound.ts"
import { details } from "../../../src/flow/query/case-view.ts"
import { history, list } from "../../../src/flow/query/list.ts"
import { anApproval, aPolicy, aRule, team } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { aHold, aStop } from "../../support/orders.ts"
import { announcedWorld, caseOf, ledgerKinds, pressed } from "../support.ts"

const day = 86_400_000
const me = { team, user: "U1" }
const args = { invoice: "INV-2041", lines: [{ text: "Two Chairs" }], total: 12_990, password: "swordfish" }
const policy = aPolicy([aRule({ mask: ["password"] })])

/** A refund that was rejected, since nobody needs to see what is masked for that; its case is closed. */
async function refunded(
  retainArgumentsMs: number,
  blankAfterMs?: number,
  saidHolds: readonly HoldOf[] = [],
): Promise<World> {
  const world = await announcedWorld(
    { policy, retainArgumentsMs, saidHolds, ...(blankAfterMs === undefined ? {} : { blankAfterMs }) },
    anApproval({ toolName: "refund", toolArgs: args }),
  )
  await pressed(world, { verb: "reject" })
  await world.queue.runDue(world.ports)
  expect(caseOf(world)).toMatchObject({ state: "closed", approval: null })
  return world
}

async function pass(world: World, ms: number): Promise<void> {
  world.clock.forward(ms)
  await carryOutDeadlines(world.ports)
}

async function shownArguments(world: World) {
  const shown = await details(world.ports, caseOf(world).id, me, null)
  return shown?.model.approval?.toolArgs ?? null
}

async function found(world: World, filter: Filter): Promise<number> {
  return (await history(world.ports, me, { filter, offset: 0, limit: 5 })).total
}

test("Details shows it until its time is over, then only the digest is left, and the ledger is as it was", async () => {
  const world = await refunded(90 * day)
  const [kinds, { digest }] = [ledgerKinds(world), caseOf(world).revision]
  await pass(world, 90 * day - 1)
  expect(await shownArguments(world)).toMatchObject({ invoice: "INV-2041", total: 12_990 })

  await pass(world, 1)

  expect(await shownArguments(world)).toBeNull()
  expect(caseOf(world)).toMatchObject({ state: "closed", revision: { digest }, outcome: { kind: "ours" } })
  expect(JSON.stringify(caseOf(world))).not.toContain("INV-2041")
  expect(ledgerKinds(world)).toEqual(kinds)
})

test("what the rules mask is gone with the close, whoever asks", async () => {
  const world = await refunded(90 * day)

  expect(JSON.stringify(caseOf(world))).not.toContain("swordfish")
})

test("0: all of it goes as the case closes", async () => {
  const world = await refunded(0)

  expect(await shownArguments(world)).toBeNull()
  expect(JSON.stringify(caseOf(world))).not.toContain("INV-2041")
})

test.each([
  ["before", 30 * day],
  ["after", 120 * day],
  ["with", 90 * day],
])("cards that are blanked %s it keep their own time", async (_when, blankAfterMs) => {
  const world = await refunded(90 * day, blankAfterMs)
  const blank = () => world.chat.messages.every(({ model }) => model.blank === true)

  await pass(world, Math.min(blankAfterMs, 90 * day))
  expect([blank(), (await shownArguments(world)) === null]).toEqual([
    blankAfterMs <= 90 * day,
    blankAfterMs >= 90 * day,
  ])
  await pass(world, 60 * day)

  expect([blank(), await shownArguments(world)]).toEqual([true, null])
})

test.each([
  ["inv-2041", 1],
  ["two chairs", 1],
  ["12990", 1],
  ["invoice", 1],
  ["swordfish", 0],
  ["INV-9999", 0],
])("history finds %j in what is kept", async (text, total) => {
  const world = await refunded(90 * day)

  expect(await found(world, { text })).toBe(total)
  await pass(world, 90 * day)
  expect(await found(world, { text })).toBe(0)
})

test("what still waits is found by what is shown of it, and not by what is masked", async () => {
  const world = await announcedWorld({ policy }, anApproval({ toolName: "refund", toolArgs: args }))
  const waiting = async (text: string) =>
    (await list(world.ports, me, { mine: false, filter: { text }, offset: 0, limit: 5 })).total

  expect([await waiting("INV-2041"), await waiting("swordfish")]).toEqual([1, 0])
})

test("R15 on hold the arguments stay, are looked at once a day, and go when the hold has ended", async () => {
  const world = await refunded(30 * day)
  const kinds = ledgerKinds(world)
  world.order({ stops: [], holds: [aHold({ of: { kind: "tool", value: "ref*" } })] })
  await pass(world, 30 * day)
  await pass(world, day)
  expect(await shownArguments(world)).toMatchObject({ invoice: "INV-2041" })
  expect(caseOf(world).kept?.until).toBe(world.clock.now() + day)

  world.order({ stops: [] })
  await pass(world, day - 1)
  expect(await shownArguments(world)).not.toBeNull()
  await pass(world, 1)

  expect(await shownArguments(world)).toBeNull()
  expect(ledgerKinds(world)).toEqual(kinds)
})

test("R15 a hold that covers other cases keeps nothing, and what is gone does not come back", async () => {
  const world = await refunded(30 * day, undefined, [{ kind: "tool", value: "send_*" }])

  await pass(world, 30 * day)
  world.order({ stops: [], holds: [aHold({ of: { kind: "tool", value: "refund" } })] })
  await pass(world, day)

  expect(await shownArguments(world)).toBeNull()
})

test("R15 retain_arguments 0: a case that closes on hold keeps what the rules do not mask", async () => {
  const world = await refunded(0, undefined, [{ kind: "requester", value: "*" }])

  await pass(world, day)
  await pass(world, day)

  expect(await shownArguments(world)).toMatchObject({ invoice: "INV-2041" })
  expect(JSON.stringify(caseOf(world))).not.toContain("swordfish")
})

test("R17 while nobody knows what was ordered, no arguments go", async () => {
  const world = await refunded(30 * day)
  world.order({ stops: [aStop({ by: unknownOrderer })] })

  await pass(world, 30 * day)

  expect(await shownArguments(world)).not.toBeNull()
})

test("R15 Details and history say of a case that it is on hold, and no card does", async () => {
  const world = await refunded(30 * day, undefined, [{ kind: "tool", value: "refund" }])
  const { id } = caseOf(world)
  const past = async () => (await history(world.ports, me, { filter: {}, offset: 0, limit: 5 })).models
  const held = [(await details(world.ports, id, me, null))?.model, ...(await past())]

  const free = { ...world.ports, saidHolds: [{ kind: "tool", value: "send_*" }] } as const

  expect(held.map((model) => model?.onHold)).toEqual([true, true])
  expect((await details(free, id, me, null))?.model).not.toHaveProperty("onHold")
  expect(world.chat.messages.filter(({ model }) => "onHold" in model)).toEqual([])
})

test("a hold takes nothing from the blanking of cards", async () => {
  const world = await refunded(30 * day, day, [{ kind: "tool", value: "refund" }])

  await pass(world, day)

  expect(world.chat.messages.every(({ model }) => model.blank === true)).toBe(true)
  expect(await shownArguments(world)).not.toBeNull()
})
