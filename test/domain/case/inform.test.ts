// Who has to be told how a case ended, and where their thread begins.

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import type { CaseEvent } from "../../../src/domain/case/event.ts"
import { hasDecided, inform, isUninformed } from "../../../src/domain/case/notice.ts"
import { emptyCard } from "../../../src/domain/case/steps.ts"
import { aCase, anApproval, aVote, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const ann = { team, user: "U1" }

test("a settled case is uninformed until somebody looked", () => {
  const settled: Case = { ...aCase(), state: "settled" }

  expect([settled, { ...settled, informed: true }, aCase()].map(isUninformed)).toEqual([true, false, false])
})

test("who voted for the decision made the end themselves, and nobody else did", () => {
  const decided: Case = { ...aCase(), decision: { id: "d", verb: "approve", votes: [aVote()], at: noon } }

  expect(hasDecided(decided, ann)).toBe(true)
  expect(hasDecided(decided, { team, user: "U2" })).toBe(false)
  expect(hasDecided(aCase(), ann)).toBe(false)
})

test("a decision elsewhere was the requester's own if the platform names them as they asked", () => {
  const elsewhere = (resolvedBy: string | null, userId: string | null): Case => ({
    ...aCase({ approval: anApproval({ userId }) }),
    outcome: { kind: "elsewhere", status: "approved", resolvedBy, at: noon },
    decision: { id: "d", verb: "approve", votes: [aVote()], at: noon },
  })

  expect(hasDecided(elsewhere("ann@example.com", "ann@example.com"), ann)).toBe(true)
  expect(hasDecided(elsewhere("bob@example.com", "ann@example.com"), ann)).toBe(false)
  expect(hasDecided(elsewhere(null, null), ann)).toBe(false)
})

test.each(["resolved", "elsewhere", "vanished", "recovered"])(
  "a requester's card tells what came after: %s",
  (kind) => {
    const lines = ["opened", kind, "run-over"].map((one) => ({ kind: one, at: noon }) as CaseEvent)
    const current = { ...aCase(), lines }

    expect(inform(current, ann)).toEqual({
      next: {
        ...current,
        cards: [...current.cards, { ...emptyCard("person:U1"), told: 2, from: 2 }],
        informed: true,
      },
      events: [],
    })
  },
)

test("where nobody has to be told, or they have a card already, the cards stay", () => {
  const current = { ...aCase(), cards: [emptyCard("person:U1")] }

  expect(inform(current, null).next).toEqual({ ...current, informed: true })
  expect(inform(current, ann).next).toEqual({ ...current, informed: true })
})
