// A case that waits: for admission, and on a summary for a card of its own.

import { expect, test } from "vitest"
import { cardModelHash, cardModelOf, isUnfinished, lags } from "../../../src/domain/case/card-model.ts"
import { admit, hangOnSummary, leaveSummary, rememberCard } from "../../../src/domain/case/card-steps.ts"
import { type Case, cardOn, ownPlace } from "../../../src/domain/case/case.ts"
import { aCase, anApproval } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const route = "channel:C1"
const place = { channel: "C1", ts: "1.1" }
const own = { channel: "C1", ts: "2.2" }
const shown = { place, revision: 1, modelHash: "f" }
const hanging = hangOnSummary(aCase(), route, shown, noon).next
const card = (current: Case) => {
  const found = cardOn(current, route)
  if (found === undefined) throw new Error("no card")
  return found
}

test("a case without admission has nothing to post, and is no unfinished work", () => {
  const waiting = { ...aCase(), admission: { agent: "a", given: false } }

  expect([lags(waiting, card(waiting)), isUnfinished(waiting)]).toEqual([false, false])
  const { next, events } = admit(waiting, noon)
  expect([lags(next, card(next)), isUnfinished(next)]).toEqual([true, true])
  expect(events).toEqual([{ kind: "admitted", at: noon }])
})

test("admission is given to cases that wait only", () => {
  expect(() => admit({ ...aCase(), state: "settled" }, noon)).toThrow("it cannot be admitted")
})

test("a case that hangs on a summary has no card of its own, wants one while it is open, and is entered once", () => {
  expect(ownPlace(card(hanging))).toBeNull()
  expect(lags(hanging, card(hanging))).toBe(true)
  expect(hangOnSummary(aCase(), route, shown, noon).events).toEqual([
    { kind: "summarised", at: noon, route, place, revision: 1 },
  ])
  expect(hangOnSummary(hanging, route, { ...shown, modelHash: "g" }, noon).events).toEqual([])
})

test("what hangs on a summary lacks no line there before it ended, only what its line shows", () => {
  const current = { ...hanging, state: "sending" as const }
  const upToDate = { ...card(current), modelHash: cardModelHash(cardModelOf(current, route)), told: 0 }

  expect(current.lines.length).toBeGreaterThan(0)
  expect(lags(current, upToDate)).toBe(false)
  expect(lags(current, { ...upToDate, modelHash: "f" })).toBe(true)
  expect(lags({ ...current, state: "settled" }, upToDate)).toBe(true)
  expect(lags(current, { ...upToDate, summary: false })).toBe(true)
})

test("a case's own card takes the place of its line on the summary", () => {
  const { next, events } = rememberCard(hanging, route, { place: own, modelHash: "f", revision: 1 }, noon)

  expect(card(next)).toMatchObject({ place: own, summary: false })
  expect(events).toMatchObject([{ kind: "placed", place: own }])
})

test("what was done without a card of its own leaves it on the summary", () => {
  expect(card(rememberCard(hanging, route, { told: 3 }, noon).next)).toMatchObject({ place, summary: true, told: 3 })
})

test("when the summary is gone it waits for a card as before", () => {
  expect(card(leaveSummary(hanging, route).next)).toEqual(card(aCase()))
})

test("cases of one agent count together, by ids before names", () => {
  const agentOf = (changes: Parameters<typeof anApproval>[0]) =>
    aCase({ approval: anApproval(changes) }).admission.agent

  expect(agentOf({})).toMatch(/^[0-9a-f]{16}$/)
  expect(agentOf({ id: "a-2", sourceName: "Another name" })).toBe(agentOf({}))
  expect(agentOf({ agentId: "agent-2" })).not.toBe(agentOf({}))
  expect(agentOf({ agentId: null, teamId: "team-1" })).toBe(
    agentOf({ agentId: null, teamId: "team-1", sourceName: null }),
  )
})

test("admission is given while a verdict is on its way, too", () => {
  expect(admit({ ...aCase(), state: "sending" }, noon).next.admission.given).toBe(true)
})

test("a route without a card hangs nowhere, and leaving a summary is not entered", () => {
  const current = aCase()
  const elsewhere = "channel:C9"

  expect(hangOnSummary(current, elsewhere, shown, noon)).toMatchObject({
    next: current,
    events: [{ kind: "summarised", at: noon, route: elsewhere, place, revision: 1 }],
  })
  expect(cardOn(hangOnSummary(current, route, shown, noon).next, route)).toMatchObject({
    summary: true,
    modelHash: "f",
  })
  expect(leaveSummary(hanging, route).events).toEqual([])
})
