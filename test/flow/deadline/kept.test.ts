// What was approved can be read for a while after the case closed, and then it goes (R15).
import { expect, test } from "vitest"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import type { Filter } from "../../../src/flow/ports/inbound.ts"
import { details } from "../../../src/flow/query/case-view.ts"
import { history, list } from "../../../src/flow/query/list.ts"
import { anApproval, aPolicy, aRule, team } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { announcedWorld, caseOf, ledgerKinds, pressed } from "../support.ts"

const day = 86_400_000
const me = { team, user: "U1" }
const args = { invoice: "INV-2041", lines: [{ text: "Two Chairs" }], total: 12_990, password: "swordfish" }
const policy = aPolicy([aRule({ mask: ["password"] })])

/** A refund that was rejected, since nobody needs to see what is masked for that; its case is closed. */
async function refunded(retainArgumentsMs: number, blankAfterMs?: number): Promise<World> {
  const world = await announcedWorld(
    { policy, retainArgumentsMs, ...(blankAfterMs === undefined ? {} : { blankAfterMs }) },
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
