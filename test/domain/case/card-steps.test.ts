// The steps of a card: leased, placed, in trouble, abandoned.

import { expect, test } from "vitest"
import {
  abandonLease,
  cardShows,
  doubtCard,
  leaseCard,
  rememberCard,
  troubleOn,
} from "../../../src/domain/case/card-steps.ts"
import { cardOn, ownPlace } from "../../../src/domain/case/case.ts"
import { markOf } from "../../../src/domain/content/run-report.ts"
import { aCase, aPolicy, aRule } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const route = "channel:C1"
const place = { channel: "C1", ts: "1.1" }

test("a lease is taken, and given back with what was done", () => {
  const leased = leaseCard(aCase(), route, { by: "p1", until: noon + 1 })
  expect(cardOn(leased.next, route)?.lease).toEqual({ by: "p1", until: noon + 1 })
  expect(leased.events).toEqual([])

  const { next, events } = rememberCard(leased.next, route, { place, modelHash: "f", revision: 1, told: 2 }, noon)

  expect(cardOn(next, route)).toEqual({
    route,
    place,
    summary: false,
    modelHash: "f",
    revision: 1,
    told: 2,
    lease: null,
    trouble: null,
    reposts: 0,
  })
  expect(events).toEqual([{ kind: "placed", at: noon, route, place, revision: 1 }])
})

test("a card is entered as placed when it hangs in a new place only", () => {
  const placed = rememberCard(aCase(), route, { place, revision: 1 }, noon).next

  expect(rememberCard(placed, route, { place, told: 1 }, noon).events).toEqual([])
  expect(rememberCard(placed, route, { place: { ...place, ts: "2.2" } }, noon).events).toMatchObject([
    { kind: "placed" },
  ])
  expect(rememberCard(placed, route, { told: 5 }, noon).next.cards[0]).toMatchObject({ place, told: 5 })
})

test("an abandoned lease stays, expired, and one that is not there stays away", () => {
  const leased = leaseCard(aCase(), route, { by: "p1", until: noon + 9 }).next

  expect(cardOn(abandonLease(leased, route, noon).next, route)?.lease).toEqual({ by: "p1", until: noon })
  expect(cardOn(abandonLease(aCase(), route, noon).next, route)?.lease).toBeNull()
})

test("a route in trouble gives its lease back and says when to try again", () => {
  const leased = leaseCard(aCase(), route, { by: "p1", until: noon + 9 }).next
  const trouble = { why: "is_archived", retryAt: noon + 60_000 }

  expect(cardOn(troubleOn(leased, route, trouble).next, route)).toMatchObject({ lease: null, trouble })
})

test("a card that a click showed anew keeps its lease", () => {
  const leased = leaseCard(aCase(), route, { by: "p1", until: noon + 9 }).next

  const { next } = cardShows(leased, route, { revision: 3, modelHash: "f" })

  expect(cardOn(next, route)).toMatchObject({ revision: 3, modelHash: "f", lease: { by: "p1" } })
})

test("steps on a route that the case does not have change nothing", () => {
  const current = aCase()

  expect(leaseCard(current, "channel:C9", { by: "p", until: 1 }).next).toEqual(current)
  expect(cardOn(current, "channel:C9")).toBeUndefined()
})

test("only the route's card of several is changed, and judged by where it hung", () => {
  const routes = ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const)
  const both = aCase({ policy: aPolicy([aRule({ routes })]) })
  const first = rememberCard(both, route, { place, revision: 1 }, noon).next

  const second = rememberCard(first, "channel:C2", { place, revision: 2 }, noon)

  expect(second.events).toEqual([{ kind: "placed", at: noon, route: "channel:C2", place, revision: 2 }])
  expect(second.next.cards.map((card) => card.revision)).toEqual([1, 2])
})

test("a card that was taken from its place is entered nowhere", () => {
  const placed = rememberCard(aCase(), route, { place, revision: 1 }, noon).next

  const { next, events } = rememberCard(placed, route, { place: null }, noon)

  expect(cardOn(next, route)).toMatchObject({ place: null, revision: 1 })
  expect(events).toEqual([])
})

test("a card in doubt shows nobody knows what, and keeps its place", () => {
  const placed = rememberCard(aCase(), route, { place, revision: 1, modelHash: "f" }, noon).next

  const { next, events } = doubtCard(placed, route)

  const doubted = cardOn(next, route)
  expect(doubted).toMatchObject({ place, modelHash: `?${placed.version}` })
  expect(events).toEqual([])
})

test("what concerns a route without a card changes nothing, and places what was posted there", () => {
  const current = aCase()
  const elsewhere = "channel:C9"

  expect(abandonLease(current, elsewhere, noon)).toEqual({ next: current, events: [] })
  expect(leaseCard(current, elsewhere, { by: "p1", until: noon })).toEqual({ next: current, events: [] })
  expect(rememberCard(current, elsewhere, { place }, noon)).toEqual({
    next: current,
    events: [{ kind: "placed", at: noon, route: elsewhere, place, revision: 0 }],
  })
})

test("claims, models and troubles are our book-keeping: nothing of them is entered", () => {
  const current = aCase()
  const steps = [
    cardShows(current, route, { revision: 1, modelHash: "f" }),
    troubleOn(current, route, null),
    abandonLease(current, route, noon),
  ]

  expect(steps.flatMap((step) => step.events)).toEqual([])
})

test("a place is a card's own unless the case hangs on a summary there", () => {
  const placed = cardOn(rememberCard(aCase(), route, { place }, noon).next, route)

  expect(ownPlace(placed)).toEqual(place)
  expect(ownPlace(placed && { ...placed, summary: true })).toBeNull()
  expect(ownPlace(undefined)).toBeNull()
})

test("a case is marked with its digest and the beginning of the policy that it was compared under", () => {
  expect(markOf("digest", "0123456789abcdef", null)).toBe("digest.0123456789ab")
  expect(markOf("digest", "0123456789abcdef", "CANCELLED")).toBe("digest.0123456789ab.CANCELLED")
})
