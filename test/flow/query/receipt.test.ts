// The receipt on a settled card: for those who may see the case (R8), from the card on record (R18), and only if it
// verifies.

import { expect, test } from "vitest"
import { leaseCard } from "../../../src/domain/case/card-steps.ts"
import { type Case, cardOn } from "../../../src/domain/case/case.ts"
import { advanceCase } from "../../../src/flow/case/commit.ts"
import type { ReceiptAsk } from "../../../src/flow/ports/inbound.ts"
import { showReceipt } from "../../../src/flow/query/case-view.ts"
import { anApproval, aPerson, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aTarget } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, pressed } from "../support.ts"

async function settled(): Promise<World> {
  const world = await announcedWorld()
  await pressed(world)
  return world
}

function anAsk(current: Case, changes: Partial<ReceiptAsk> & { readonly user?: string } = {}): ReceiptAsk {
  const { user = "U2", ...rest } = changes
  const route = "channel:C1"
  const target = aTarget(current, route)
  return { person: { team, user }, target, place: cardOn(current, route)?.place ?? null, ...rest }
}

test("an approver gets the receipt of the decision, with what it says", async () => {
  const world = await settled()
  const current = caseOf(world)

  const shown = await showReceipt(world.ports, anAsk(current))

  expect(shown).toMatchObject({
    kind: "kept",
    claims: { approval: "a-1", verdict: "approve", decision: current.decision?.id, votes: [{ person: "T1:U1" }] },
  })
})

test("a receipt comes with the reasons of those who decided", async () => {
  const world = await announcedWorld()
  await pressed(world, { verb: "reject", reason: "Wrong IBAN" })

  const shown = await showReceipt(world.ports, anAsk(caseOf(world)))

  expect(shown).toMatchObject({ kind: "kept", reasons: [{ user: "U1", reason: "Wrong IBAN" }] })
})

test("R8 somebody who presses the card and may see no more of it is told why, and with any other button nothing", async () => {
  const world = await settled()
  world.people.set(aPerson({ user: "U9" }), aPerson({ user: "UG", guest: true }))
  const current = caseOf(world)
  const unknown = { kind: "told", answer: { kind: "unknown-case" } }
  const outside = { ...world.ports, people: { ...world.people, inChannel: async () => false } }

  const hidden = (why: string) => ({ kind: "told", answer: { kind: "hidden", why } })
  const elsewhere = { channel: "C1", ts: "9.9" }

  expect(await showReceipt(outside, anAsk(current, { user: "U9" }))).toEqual(hidden("stranger"))
  expect(await showReceipt(world.ports, anAsk(current, { user: "UG" }))).toEqual(hidden("guest"))
  expect(await showReceipt(world.ports, anAsk(current, { user: "UG", place: elsewhere }))).toEqual(unknown)
  expect(await showReceipt(world.ports, anAsk({ ...current, id: "0".repeat(20) }))).toEqual(unknown)
  expect(await showReceipt(world.ports, anAsk({ ...current, installation: "another" }))).toEqual(unknown)
})

test("R18 a button that is not on the card on record shows nothing", async () => {
  const world = await settled()
  const current = caseOf(world)
  const replaced = { kind: "told", answer: { kind: "replaced" } }

  expect(await showReceipt(world.ports, anAsk(current, { place: { channel: "C1", ts: "9.9" } }))).toEqual(replaced)
  expect(await showReceipt(world.ports, anAsk(current, { place: { channel: "C9", ts: "1.1" } }))).toEqual(replaced)
  expect(await showReceipt(world.ports, anAsk(current, { place: null }))).toEqual(replaced)
})

test("whoever presses before the card's place is known gets the receipt if they may see the case, and nothing if not", async () => {
  const world = await settled()
  world.people.set(aPerson({ user: "U9" }))
  const current = caseOf(world)
  await advanceCase(world.ports, current, (now) =>
    leaseCard(now, "channel:C1", { by: "p1", until: Number.MAX_SAFE_INTEGER }),
  )
  const outside = { ...world.ports, people: { ...world.people, inChannel: async () => false } }

  const place = { channel: "C1", ts: "9.9" }
  expect(await showReceipt(world.ports, anAsk(current, { place }))).toMatchObject({ kind: "kept" })
  const unknown = { kind: "told", answer: { kind: "unknown-case" } }
  expect(await showReceipt(outside, anAsk(current, { user: "U9", place }))).toEqual(unknown)
})

test("R14 a receipt that does not verify is not shown, and is an alarm", async () => {
  const world = await settled()
  const ports = { ...world.ports, keptReceipts: { read: async () => ({ kind: "broken" }) as const } }

  expect(await showReceipt(ports, anAsk(caseOf(world)))).toEqual({ kind: "broken" })
  expect(world.alarmCodes()).toContain("receipt-broken")
})

test("there is none of a case that was decided elsewhere, that is open, or whose receipt was erased", async () => {
  const world = createWorld()
  const open = await announced(world)
  expect(await showReceipt(world.ports, anAsk(open))).toEqual({ kind: "gone" })

  world.platform.put(anApproval({ status: "approved", resolvedBy: "somebody" }))
  await pressed(world)
  expect(caseOf(world).outcome?.kind).toBe("elsewhere")
  expect(await showReceipt(world.ports, anAsk(caseOf(world)))).toEqual({ kind: "gone" })

  const other = await settled()
  const ports = { ...other.ports, keptReceipts: { read: async () => ({ kind: "gone" }) as const } }
  expect(await showReceipt(ports, anAsk(caseOf(other)))).toEqual({ kind: "gone" })
})

test("R14 a case that was tampered with shows nothing", async () => {
  const world = await settled()
  const ask = anAsk(caseOf(world))
  world.server.tamper(ask.target.caseId)

  expect(await showReceipt(world.ports, ask)).toEqual({ kind: "told", answer: { kind: "frozen" } })
})
