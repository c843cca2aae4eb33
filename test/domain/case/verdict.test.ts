// The steps of a case from the decision to its end (R9, R10, R14, R15).

import { describe, expect, test } from "vitest"
import { cardModelOf } from "../../../src/domain/case/card-model.ts"
import { cardShows, rememberCard } from "../../../src/domain/case/card-steps.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { wake } from "../../../src/domain/case/notice.ts"
import { StepError } from "../../../src/domain/case/steps.ts"
import {
  accountAttempt,
  allAccountedFor,
  attemptAgain,
  close,
  comparedUnder,
  decide,
  forgetMisses,
  found,
  freeze,
  loseAnswer,
  miss,
  reopen,
  settle,
  subjectOf,
} from "../../../src/domain/case/verdict.ts"
import { type Decision } from "../../../src/domain/case/vote.ts"
import { aCase, anApproval, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const decision: Decision = {
  id: "d1",
  verb: "approve",
  votes: [aVote(), aVote({ user: "U2", reason: "fine", values: { secret: "hunter2" } })],
  at: noon,
}
const outcome = { kind: "elsewhere", status: "rejected", resolvedBy: null, at: noon } as const
const event = { ...outcome, claimsToBeOurs: false }
const gone = { kind: "vanished", at: noon } as const
const states: readonly Case["state"][] = ["open", "sending", "settled", "closed", "frozen"]

function sending(): Case {
  return decide({ ...aCase(), votes: decision.votes }, decision, "{}").next
}

function settled(): Case {
  return settle(sending(), outcome, event).next
}

test("R9: a decision freezes the body, with a first attempt that nobody can account for yet", () => {
  const { next, events } = decide(aCase(), decision, '{"status":"approved"}')

  expect(next).toMatchObject({
    state: "sending",
    decision,
    sending: { body: '{"status":"approved"}', attempts: [{ at: noon, result: "unaccounted" }] },
  })
  expect(events).toMatchObject([
    {
      kind: "decided",
      decision: "d1",
      people: ["T1:U1", "T1:U2"],
      subject: "u2@example.com",
      reason: "fine",
      digest: next.revision.digest,
    },
  ])
})

test("R9: a verdict may end only when every attempt is accounted for", () => {
  const first = sending()
  expect(allAccountedFor(first)).toBe(false)

  const refused = accountAttempt(first, 1, { result: "403" }, noon)
  expect(allAccountedFor(refused.next)).toBe(true)
  expect(refused.events).toEqual([{ kind: "attempted", at: noon, decision: "d1", attempt: 1, result: "403" }])

  const again = attemptAgain(refused.next, noon + 1)
  expect(allAccountedFor(again.next)).toBe(false)
  expect(again.next.sending?.body).toBe(first.sending?.body)
})

test("R9: an attempt that was never accounted for stays so, whatever later ones come to", () => {
  const twice = attemptAgain(sending(), noon + 1).next

  const refused = accountAttempt(twice, 2, { result: "403" }, noon + 2).next

  expect(refused.sending?.attempts.map((one) => one.result)).toEqual(["unaccounted", "refused"])
  expect(allAccountedFor(refused)).toBe(false)
})

test("R9: a case without a verdict on its way is never all accounted for", () => {
  expect(allAccountedFor(aCase())).toBe(false)
})

test("R9: a verdict that ended leaves the case open, without votes", () => {
  const { next, events } = reopen(sending(), "403", noon)

  expect(next).toMatchObject({ state: "open", votes: [], decision: null, sending: null })
  expect(events).toEqual([{ kind: "reopened", at: noon, decision: "d1", why: "403" }])
  expect(next.lines.at(-1)).toEqual(events[0])
})

test("a case settles with its outcome, and the body is forgotten", () => {
  const next = settled()

  expect(next).toMatchObject({ state: "settled", outcome, sending: null, missing: null, decision: { id: "d1" } })
  expect(settle(aCase(), outcome, event).next.state).toBe("settled")
})

test("R15: a closed case keeps neither content nor values", () => {
  const { next, events } = close(settled(), noon)

  expect(next).toMatchObject({ state: "closed", approval: null, lines: [] })
  expect(JSON.stringify(next)).not.toContain("hunter2")
  expect(next.decision?.votes.map((vote) => vote.person.user)).toEqual(["U1", "U2"])
  expect(events).toEqual([{ kind: "closed", at: noon }])
})

test("a closed case does not keep until when a gate lets its call run: no card says it any more", () => {
  const before = settled()
  const good = { ...before, decision: { ...before.decision, expiresAt: noon + 5 } as Decision }

  expect(close(good, noon).next.decision).toEqual(close(before, noon).next.decision)
})

describe("R15: what was approved", () => {
  const times = { blankAfterMs: null, retainArgumentsMs: 1_000 }
  const secret = () => {
    const current = settled()
    return { ...current, revision: { ...current.revision, look: { ...current.revision.look, mask: ["password"] } } }
  }

  test("stays for a while, without what the rules mask and what the platform says besides", () => {
    const current = secret()
    const approval = anApproval({
      toolArgs: { password: "swordfish", invoice: "INV-2041" },
      requirements: null,
      context: { note: "swordfish" },
    })
    const { next } = close({ ...current, approval }, noon, times)

    expect(next).toMatchObject({ state: "closed", approval: null, kept: { until: noon + 1_000 } })
    expect(next.kept?.approval).toMatchObject({ toolArgs: { invoice: "INV-2041" }, context: null })
    expect(JSON.stringify(next)).not.toContain("swordfish")
    expect(cardModelOf(next, "")).toMatchObject({ kept: true, approval: { toolArgs: { invoice: "INV-2041" } } })
  })

  test("stays no longer where the case woke for a notice and closed once more, and goes where it had new content", () => {
    const { next: first } = close(settled(), noon, times)
    const woken = wake(first, noon + 5)

    expect(close(woken, noon + 10, times).next.kept).toEqual(first.kept)
    expect(close({ ...woken, approval: anApproval() }, noon + 10).next.kept).toBeUndefined()
  })
})

test("what is gone may come back: it keeps its verdict and what people filled in, not its content", () => {
  const { next } = close(settle(sending(), gone, gone).next, noon)

  expect(next).toMatchObject({ state: "closed", approval: null, lines: [], sending: sending().sending })
  expect(next.decision?.votes).toEqual(decision.votes)
})

test("misses while we knew of no other approval and misses while we did do not add up", () => {
  const alone = miss(miss(aCase(), noon, true).next, noon + 5, true).next
  expect(alone.missing).toEqual({ times: 2, since: noon, alone: true })

  const others = miss(alone, noon + 9).next
  expect(others.missing).toEqual({ times: 1, since: noon + 9 })
  expect(forgetMisses(others)?.next.missing).toBeNull()
  expect(forgetMisses(aCase())).toBeNull()
})

test("misses add up from the first, until the approval is found", () => {
  const twice = miss(miss(aCase(), noon).next, noon + 5)

  expect(twice.next.missing).toEqual({ times: 2, since: noon })
  expect(twice.events).toEqual([{ kind: "missed", at: noon + 5, times: 2 }])
  expect(found(twice.next, noon + 6).next.missing).toBeNull()
})

test("R14: a frozen case sends nothing any more", () => {
  const { next, events } = freeze(sending(), "a bad seal", noon)

  expect(next).toMatchObject({ state: "frozen", sending: null })
  expect(events).toEqual([{ kind: "frozen", at: noon, why: "a bad seal" }])
})

test("R17: a compared case remembers under which run of Redis, and what its cards show is not known any more", () => {
  const [route, place] = ["channel:C1", { channel: "C1", ts: "1.1" }]
  const shown = cardShows(rememberCard(aCase(), route, { place }, noon).next, route, {
    revision: 1,
    modelHash: "f",
  }).next

  expect(comparedUnder(shown, "epoch-2", "p2")).toMatchObject({
    next: { epoch: "epoch-2", revision: { policy: "p2" }, cards: [{ place, modelHash: null }] },
    events: [],
  })
  expect(comparedUnder(shown, shown.epoch, "p2").next.cards).toEqual(shown.cards)
})

const steps: readonly (readonly [string, readonly Case["state"][], (current: Case) => unknown])[] = [
  ["decided", ["open"], (current) => decide(current, decision, "{}")],
  ["sent again", ["sending"], (current) => attemptAgain(current, noon)],
  ["accounted for", ["sending"], (current) => accountAttempt(current, 1, { result: "403" }, noon)],
  ["reopened", ["sending"], (current) => reopen(current, "403", noon)],
  ["settled", ["open", "sending"], (current) => settle(current, outcome, event)],
  ["closed", ["settled"], (current) => close(current, noon)],
]

test.for(steps)("a case can be %s from its legal states only", ([name, legal, step]) => {
  for (const state of states) {
    const current = { ...sending(), state }
    if (legal.includes(state)) expect(() => step(current)).not.toThrow()
    else {
      expect(() => step(current)).toThrow(StepError)
      expect(() => step(current)).toThrow(`is ${state}: it cannot be ${name}`)
    }
  }
})

test("R9: each of two POSTs that are out at once is accounted for by its own answer", () => {
  const both = attemptAgain(sending(), noon + 1).next

  const second = accountAttempt(both, 2, { result: "403" }, noon + 2).next
  expect(allAccountedFor(second)).toBe(false)
  expect(allAccountedFor(accountAttempt(second, 1, { result: "403" }, noon + 3).next)).toBe(true)
})

test("what decides is entered under the name and reason of whoever came last, with nothing that was not said", () => {
  const votes = ["U1", "U2", "U3"].map((user) => aVote({ user, reason: `reason of ${user}` }))
  const { next, events } = decide(aCase(), { ...decision, votes }, "{}")

  expect(events).toStrictEqual([
    {
      kind: "decided",
      at: noon,
      decision: "d1",
      verb: "approve",
      people: ["T1:U1", "T1:U2", "T1:U3"],
      subject: "u3@example.com",
      reason: "reason of U3",
      digest: next.revision.digest,
    },
  ])
  expect(next.sending).toStrictEqual({ body: "{}", attempts: [{ at: noon, result: "unaccounted" }] })
})

test("R13: what comes from votes names the last of them, what comes from expiry nobody", () => {
  const votes = ["U1", "U2", "U3"].map((user) => aVote({ user }))

  expect(subjectOf({ ...decision, votes })).toBe("u3@example.com")
  expect(subjectOf({ ...decision, votes: [] })).toBeNull()
  expect(subjectOf({ ...decision, verb: "reject", votes: [], by: "expiry" })).toBe("countersign:expiry")
})

test.for([
  { what: "no votes", planted: { votes: [] } },
  { what: "a vote for something else", planted: { votes: [aVote(), aVote({ user: "U2", verb: "reject" })] } },
  { what: "votes and the expiry", planted: { by: "expiry" } },
  { what: "an expiry that approves", planted: { votes: [], by: "expiry" } },
  { what: "somebody who is neither", planted: { verb: "reject", votes: [], by: "operator" } },
])("nothing is decided by $what", ({ planted }) => {
  const time = { ...aCase().time, expired: { at: noon, rejectAt: noon } }
  const made = { ...decision, ...planted } as Decision

  for (const current of [aCase(), { ...aCase(), time }]) {
    expect(() => decide(current, made, "{}")).toThrow(StepError)
    expect(() => decide(current, made, "{}")).toThrow("it cannot be decided by nobody")
  }
})

test("R13: what may not decide at this time says so", () => {
  const byExpiry: Decision = { ...decision, verb: "reject", votes: [], by: "expiry" }
  const current = aCase()

  expect(() => decide(current, byExpiry, "{}")).toThrow(
    `case ${current.id} is open: it cannot be decided so at this time`,
  )
})

test("R9 R14: one more POST is one more attempt that nobody can account for, and an entry, so that the record before it is older", () => {
  const step = attemptAgain(sending(), noon + 1)

  expect(step.next.sending?.attempts).toEqual([
    { at: noon, result: "unaccounted" },
    { at: noon + 1, result: "unaccounted" },
  ])
  expect(step.events).toEqual([{ kind: "sent", at: noon + 1, decision: "d1", attempt: 2 }])
})

test("R9: a POST whose answer will not come any more is unheard, and no other one is", () => {
  const step = loseAnswer(attemptAgain(sending(), noon + 1).next, 2, noon + 2)

  expect(step?.next.sending?.attempts.map(({ at, result }) => [at, result])).toEqual([
    [noon, "unaccounted"],
    [noon + 1, "unheard"],
  ])
  expect(step?.events).toEqual([{ kind: "unheard", at: noon + 2, decision: "d1", attempt: 2 }])
})

test("R9: an answer is lost only while it is waited for", () => {
  const refused = accountAttempt(sending(), 1, { result: "403" }, noon).next

  expect([loseAnswer(refused, 1, noon), loseAnswer(sending(), 2, noon), loseAnswer(aCase(), 1, noon)]).toEqual([
    null,
    null,
    null,
  ])
})

test("a case that should be sending and holds no verdict stays as it is", () => {
  for (const odd of [
    { ...sending(), sending: null },
    { ...sending(), decision: null },
  ]) {
    expect(accountAttempt(odd, 1, { result: "403" }, noon)).toEqual({ next: odd, events: [] })
  }
  const empty = { ...sending(), sending: null }
  expect(attemptAgain(empty, noon)).toEqual({ next: empty, events: [] })
  expect(reopen({ ...sending(), decision: null }, "403", noon).events).toMatchObject([
    { kind: "reopened", decision: "" },
  ])
})

test("an approval that is there after all is entered", () => {
  expect(found(miss(aCase(), noon).next, noon + 1).events).toEqual([{ kind: "found", at: noon + 1 }])
})
