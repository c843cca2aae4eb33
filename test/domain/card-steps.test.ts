// The steps of a card: claimed, placed, in trouble, abandoned.
import { expect, test } from "vitest"
import { abandonClaim, cardShows, claimCard, rememberCard, troubleOn } from "../../src/domain/card-steps.ts"
import { cardOn } from "../../src/domain/case.ts"
import { aCase } from "../support/builders.ts"
import { noon } from "../support/clock.ts"

const route = "channel:C1"
const place = { channel: "C1", ts: "1.1" }

test("a claim is taken, and given back with what was done", () => {
  const claimed = claimCard(aCase(), route, { by: "p1", until: noon + 1 })
  expect(cardOn(claimed.next, route)?.claim).toEqual({ by: "p1", until: noon + 1 })
  expect(claimed.events).toEqual([])

  const { next, events } = rememberCard(claimed.next, route, { place, face: "f", revision: 1, told: 2 }, noon)

  expect(cardOn(next, route)).toEqual({
    route,
    place,
    summary: false,
    face: "f",
    revision: 1,
    told: 2,
    claim: null,
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

test("an abandoned claim stays, expired, and one that is not there stays away", () => {
  const claimed = claimCard(aCase(), route, { by: "p1", until: noon + 9 }).next

  expect(cardOn(abandonClaim(claimed, route, noon).next, route)?.claim).toEqual({ by: "p1", until: noon })
  expect(cardOn(abandonClaim(aCase(), route, noon).next, route)?.claim).toBeNull()
})

test("a route in trouble gives its claim back and says when to try again", () => {
  const claimed = claimCard(aCase(), route, { by: "p1", until: noon + 9 }).next
  const trouble = { why: "is_archived", retryAt: noon + 60_000 }

  expect(cardOn(troubleOn(claimed, route, trouble).next, route)).toMatchObject({ claim: null, trouble })
})

test("a card that a click showed anew keeps its claim", () => {
  const claimed = claimCard(aCase(), route, { by: "p1", until: noon + 9 }).next

  const { next } = cardShows(claimed, route, { revision: 3, face: "f" })

  expect(cardOn(next, route)).toMatchObject({ revision: 3, face: "f", claim: { by: "p1" } })
})

test("steps on a route that the case does not have change nothing", () => {
  const current = aCase()

  expect(claimCard(current, "channel:C9", { by: "p", until: 1 }).next).toEqual(current)
  expect(cardOn(current, "channel:C9")).toBeUndefined()
})
