// countersign hold, as a terminal runs it: what it keeps, also from an erasure, until it is ended (R15).

import { expect, test } from "vitest"
import { aSettledCase } from "../../store/signed-ledger.ts"
import { noon } from "../../store/support.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aTerminalPlace } from "./a-terminal-place.ts"

/** An installation whose config holds one case, on a Redis of its own, and a terminal. */
async function aPlace() {
  const place = await aTerminalPlace()
  const shared = aSharedConfig("rev-2", { hold: [{ kind: "case", value: "INV-1" }] })
  await place.store.config.activate({ activate: false, at: noon, shared })
  return place
}

test("R15 a hold is made, listed, keeps an erasure waiting, and its end carries that out", async () => {
  const { countersign, ...open } = await aPlace()
  const { id } = await aSettledCase(open, { id: "a-1", user: "UBOB" })

  const made = await countersign("hold", "case", "a-1", "--reason", "lawsuit 12")
  const again = await countersign("hold", "case", "a-1", "--reason", "me too")
  const erased = await countersign("people", "erase", "T1:UBOB")
  const listed = await countersign("hold", "list")
  const { config, holds, erasures } = JSON.parse((await countersign("hold", "list", "--json")).out)
  const [hold] = holds
  const ended = await countersign("hold", "end", hold.id)

  expect(made).toMatchObject({ code: 0, out: expect.stringContaining(`On hold: ${hold.id}  case a-1  by operator `) })
  expect(made.out).toContain(": lawsuit 12")
  expect(made.out).toContain("It covers 1 of the cases that are there.")
  expect(made.out).toContain("what is gone does not come back")
  expect(made.out).toContain(`countersign hold end ${hold.id}`)
  expect(again.out).toContain(`On hold already: ${hold.id}`)
  expect(erased.code).toBe(1)
  expect(erased.out).toContain(`left: case ${id} is on hold (case a-1, hold ${hold.id})`)
  expect(listed.out).toContain("config    case INV-1")
  expect(listed.out).toContain("to erase what is on hold of T1:UBOB, ordered by ")
  expect(config).toEqual([{ kind: "case", value: "INV-1" }])
  expect(erasures).toMatchObject([{ person: "T1:UBOB" }])
  expect(JSON.stringify(erasures)).not.toContain("bob@")
  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining(`Ended: ${hold.id}`) })
  expect(ended.out).toContain("erased of T1:UBOB: 3 texts and 1 receipts, in 1 cases")
  expect(JSON.stringify(await open.store.cases.read(id))).not.toContain("Name of UBOB")
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("a hold says how many cases it covers, and when none is there, what to look at", async () => {
  const { countersign, ...open } = await aPlace()
  for (const id of ["a-1", "a-2"]) await aSettledCase(open, { id, user: "UBOB" })

  const all = await countersign("hold", "tool", "*", "--reason", "audit")
  const none = await countersign("hold", "tool", "never_*", "--reason", "audit")
  const nobody = await countersign("hold", "case", "a-3", "--reason", "audit")

  expect(all.out).toContain("It covers 2 of the cases that are there, and those that come.")
  expect(none.out).toContain(
    "It covers none of the cases that are there, and those that come: look at the name of the tool",
  )
  expect(nobody.out).toContain("There is no case a-3: look at its id")
})

test("bad words hold nothing, and no hold that is not there is ended", async () => {
  const { store, countersign } = await aPlace()
  const reasonless = await countersign("hold", "tool", "send_payment")
  const silent = await countersign("hold", "tool", "send_payment", "--reason", " ")
  const nameless = await countersign("hold", "requester", " ", "--reason", "x")
  const long = await countersign("hold", "case", "x".repeat(201), "--reason", "x")
  const none = await countersign("hold", "end", "3fa91c02")

  expect(reasonless.err).toContain("required option '--reason <text>' not specified")
  expect(silent.err).toContain("say why, by --reason")
  expect(nameless.err).toContain("name the requester to keep. Nothing has changed")
  expect(long.err).toContain("the name of the case has more than 200 characters")
  expect(none.err).toContain("no hold 3fa91c02 is in force")
  expect([reasonless, silent, nameless, long, none].map(({ code }) => code)).toEqual([1, 1, 1, 1, 1])
  expect((await store.config.orders.listHolds()).holds).toEqual([])
})
