// Absences: which times they may have, when they count, and that a person has one at a time.
import { expect, test } from "vitest"
import {
  actsOfTheDay,
  awayFor,
  isAway,
  maxAbsences,
  maxAwayMs,
  timeProblem,
} from "../../../src/domain/order/absence.ts"
import { withAbsence, withoutAbsence } from "../../../src/domain/order/orders.ts"
import { anAbsence } from "../../support/orders.ts"

const bob = { team: "T1", user: "UBOB" }

test("an absence ends after it begins and after now, at most 180 days later", () => {
  expect(timeProblem({ from: 1_000, until: 2_000 }, 1_500)).toBeNull()
  expect(timeProblem({ from: 2_000, until: 2_000 }, 1_000)).toBe("no-time")
  expect(timeProblem({ from: 1_000, until: 2_000 }, 2_000)).toBe("no-time")
  expect(timeProblem({ from: 1_000, until: 1_000 + maxAwayMs }, 1_000)).toBeNull()
  expect(timeProblem({ from: 1_000, until: 1_001 + maxAwayMs }, 1_000)).toBe("too-long")
  expect(timeProblem({ from: 5_000, until: 1_001 + maxAwayMs }, 1_000)).toBe("too-long")
  expect(timeProblem({ from: 500, until: 501 + maxAwayMs }, 1_000)).toBe("too-long")
})

test("an absence counts from its first moment until just before its last", () => {
  const absence = anAbsence({ from: 1_000, until: 2_000 })

  expect([999, 1_000, 1_999, 2_000].map((now) => isAway(absence, now))).toEqual([false, true, true, false])
})

test("somebody stands in for everybody who named them and is away now, and for nobody else", () => {
  const absences = [
    anAbsence(),
    anAbsence({ id: "a-2", person: "T1:UCAROL" }),
    anAbsence({ id: "a-3", person: "T1:UDAN", from: 5_000 }),
    anAbsence({ id: "a-4", person: "T1:UERIN", standIn: "T1:UCAROL" }),
  ]

  expect(awayFor(absences, bob, 2_000)).toEqual(["T1:UALICE", "T1:UCAROL"])
  expect(awayFor(absences, { ...bob, team: "T2" }, 2_000)).toEqual([])
})

test("a person has one absence at a time, and there are at most five hundred", () => {
  const [first, again] = [anAbsence(), anAbsence({ id: "a-2", standIn: "T1:UCAROL" })]
  const others = Array.from({ length: maxAbsences }, (_, n) => anAbsence({ id: `b-${n}`, person: `T1:U${n}` }))

  expect(withAbsence({ stops: [] }, first)).toEqual({ kind: "begun", orders: { stops: [], absences: [first] } })
  expect(withAbsence({ stops: [], absences: [first] }, again)).toEqual({ kind: "away", absence: first })
  expect(withAbsence({ stops: [], absences: others }, first)).toEqual({ kind: "too-many" })
  expect(withoutAbsence({ stops: [], absences: [first, again] }, "a-1")).toEqual({ stops: [], absences: [again] })
  expect(withoutAbsence({ stops: [], absences: [first] }, "a-1")).toEqual({ stops: [] })
})

test("an act is of the last day until a day has passed", () => {
  const acts = [
    { person: "T1:UALICE", at: 1_000 },
    { person: "T1:UALICE", at: 2_000 },
  ]

  expect(actsOfTheDay(acts, 86_401_000)).toEqual([acts[1]])
})
