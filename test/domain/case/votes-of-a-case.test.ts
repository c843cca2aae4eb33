// What becomes of the votes of a case: withdrawn, held, and not taken any more; and who looked at what.

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import {
  castVote,
  heldBy,
  noteHeld,
  noteReveal,
  StepError,
  voidVote,
  withdrawVote,
} from "../../../src/domain/case/steps.ts"
import { aCase, aVote, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const ann = { team, user: "U1" }

/** A case with these votes, under a quota that each of them counts for. */
function voted(...votes: Case["votes"]): Case {
  const current = aCase()
  return { ...current, votes, revision: { ...current.revision, quotas: [{ name: "all", hash: "h", quorum: 2 }] } }
}

test("a voter takes their own vote back, with the click that did it, and nobody else's", () => {
  const other = aVote({ user: "U2" })

  const { next, events } = withdrawVote(voted(aVote(), other), ann, "click-2", noon)

  expect(next.votes).toEqual([other])
  expect(events).toEqual([{ kind: "withdrawn", at: noon, person: "T1:U1", interaction: "click-2" }])
  expect(next.lines.at(-1)).toEqual(events[0])
})

test("R13: no vote is given or taken back after the case expired, and the error says so", () => {
  const current = aCase()
  const expired = { ...current, time: { ...current.time, expired: { at: noon, rejectAt: null } } }
  const refused = (step: string) => `case ${current.id} is open: it cannot be ${step} after it expired`

  expect(() => castVote(expired, aVote(), [])).toThrow(refused("voted on"))
  expect(() => withdrawVote(expired, ann, "click", noon)).toThrow(refused("relieved of a vote"))
  expect(voidVote({ ...expired, votes: [aVote()] }, ann, "why", noon).next.votes).toEqual([])
})

test("R12: an open case is held by the rejection that counts", () => {
  const rejection = aVote({ user: "U2", verb: "reject" })
  const held = voted(aVote(), rejection)

  expect(heldBy(held)).toEqual(rejection)
  expect(heldBy({ ...held, state: "sending" })).toBeNull()
  expect(heldBy(voted(aVote(), aVote({ user: "U3" })))).toBeNull()
  expect(heldBy(voted(aVote()))).toBeNull()
})

test("R12: a rejection that is held is entered and told", () => {
  const { next, events } = noteHeld(aCase(), ann, noon)

  expect(events).toEqual([{ kind: "held", at: noon, person: "T1:U1" }])
  expect(next.lines.at(-1)).toEqual(events[0])
})

test("R4: who had masked values shown to them is entered, with what they saw, and told nobody", () => {
  const current = aCase()
  const { number: revision, digest } = current.revision

  const { next, events } = noteReveal(current, ann, noon)

  expect(events).toEqual([{ kind: "revealed", at: noon, person: "T1:U1", revision, digest }])
  expect(next).toEqual(current)
})

test("a step error is known by its name", () => {
  expect(new StepError("closed", aCase()).name).toBe("StepError")
})
