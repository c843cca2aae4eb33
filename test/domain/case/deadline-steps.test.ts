// What each step of time does to a case, and what it tells (R12, R13).

import { describe, expect, test } from "vitest"
import { type Case, demandNow } from "../../../src/domain/case/case.ts"
import {
  dueNow,
  escalate,
  escalating,
  expire,
  expiryOf,
  leavePending,
  nextDeadline,
  putOffRejection,
  rejectAgainMs,
  remind,
  withEscalated,
} from "../../../src/domain/case/deadline-steps.ts"
import { aCase, aPolicy, aRule, aStep, aTiming } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const able = { people: ["T1:U1"], more: 2 }
const further = { routes: [{ kind: "channel", id: "C2" }], approvers: [{ kind: "user", id: "U9" }] } as const

function policyWith(...timings: readonly Parameters<typeof aTiming>[0][]) {
  return aPolicy(timings.map((timing, at) => aRule({ name: `rule-${at}`, match: {}, timing: aTiming(timing) })))
}

function timed(...timing: Parameters<typeof aTiming>): Case {
  return aCase({ policy: policyWith(...timing) })
}

const sending = (current: Case): Case => ({ ...current, state: "sending" })

test("a reminder is told with who can decide and by when, and counts up to its moment", () => {
  const current = timed({ remindAfter: [1, 2], expireAfter: 9 })

  const { next, events } = remind(current, able, noon + 1)

  expect(events).toEqual([{ kind: "reminded", at: noon + 1, ...able, by: noon + 9 }])
  expect(next.lines.at(-1)).toEqual(events[0])
  expect(next.time.remindedTo).toBe(noon + 1)
  expect(nextDeadline(next)).toBe(noon + 2)
  expect(remind(timed({ remindAfter: [1] }), able, noon + 1).events).toMatchObject([{ by: null }])
  expect(() => remind(sending(current), able, noon)).toThrow("is sending: it cannot be reminded of")
})

describe("an escalation", () => {
  const current = timed({ remindAfter: [1], escalate: [aStep(3, further)], expireAfter: 9 })
  const steps = [{ rule: "rule-0", step: 1 }]

  test("is due from its moment on, rule by rule, until it was made", () => {
    expect([2, 3, 4].map((ms) => escalating(current, noon + ms))).toEqual([[], steps, steps])
    expect(escalating(withEscalated(current, steps, noon + 3), noon + 4)).toEqual([])
    expect(escalating(timed({ remindAfter: [1], expireAfter: 2 }), noon + 3)).toEqual([])
  })

  test("lets further approvers count, gives their routes cards, and tells it as a reminder too", () => {
    const policy = policyWith({ escalate: [aStep(3, further)] })
    const demand = demandNow(withEscalated(current, steps, noon + 3), policy)

    const { next, events } = escalate(current, { steps, demand, able }, noon + 3)

    expect(demand).toMatchObject({ escalated: steps })
    expect(next.time).toMatchObject({ remindedTo: noon + 3, escalated: [{ rule: "rule-0", step: 1, at: noon + 3 }] })
    expect(next.cards.map((card) => card.route)).toEqual(["channel:C1", "channel:C2"])
    expect(events).toEqual([{ kind: "escalated", at: noon + 3, rules: ["rule-0"], ...able, by: noon + 9 }])
    expect(next.lines.at(-1)).toEqual(events[0])
    expect(() => escalate(sending(current), { steps, demand, able }, noon)).toThrow("it cannot be escalated")
  })

  test("is no part of a demand before it was made", () => {
    expect("escalated" in demandNow(current, policyWith({ escalate: [aStep(3, further)] }))).toBe(false)
  })
})

describe("expiry", () => {
  const rejecting = { expireAfter: 4, onExpiry: "reject" } as const

  test("counts since the deadline, whenever it is noted, and is told", () => {
    const { next, events } = expire(timed({ remindAfter: [1], ...rejecting }), noon + 7)

    expect(next.time.expired).toEqual({ at: noon + 4, rejectAt: noon + 4 })
    expect(events).toEqual([{ kind: "expired", at: noon + 7, rejects: true }])
    expect(next.lines.at(-1)).toEqual(events[0])
    expect(() => expire(sending(next), noon)).toThrow("is sending: it cannot be expired")
  })

  test("expiry that rejects nothing says so, and a case without a deadline expires when told", () => {
    expect(expire(timed({ remindAfter: [1], expireAfter: 4 }), noon + 4)).toMatchObject({
      next: { time: { expired: { at: noon + 4, rejectAt: null } } },
      events: [{ rejects: false }],
    })
    expect(expire(timed({ remindAfter: [1] }), noon + 7).next.time.expired).toEqual({ at: noon + 7, rejectAt: null })
    expect(expiryOf(timed({ remindAfter: [1] }))).toBeNull()
  })

  test("makes its rejection due from the moment that it is owed, and nothing else", () => {
    const owing = putOffRejection(expire(timed(rejecting), noon + 4).next, noon + 5).next
    const due = noon + 5 + rejectAgainMs

    expect(nextDeadline(owing)).toBe(due)
    expect([due - 1, due, due + 1].map((at) => dueNow(owing, at))).toEqual([null, "reject", "reject"])
    expect(dueNow(expire(timed({ expireAfter: 4 }), noon + 4).next, noon + 9)).toBeNull()
  })

  test("leaves a rejection that was put off untold, and one that is not owed alone", () => {
    const owing = expire(timed(rejecting), noon + 4).next
    const open = timed(rejecting)

    expect(putOffRejection(owing, noon + 5).events).toEqual([])
    expect(putOffRejection(open, noon + 5)).toEqual({ next: open, events: [] })
  })

  test("R12: a rejection that would not be enforced is held by nobody, and not owed any more", () => {
    const owing = expire(timed(rejecting), noon + 4).next
    const open = timed(rejecting)

    const { next, events } = leavePending(owing, noon + 5)

    expect(next.time.expired).toEqual({ at: noon + 4, rejectAt: null })
    expect(events).toEqual([{ kind: "held", at: noon + 5, person: null }])
    expect(leavePending(open, noon + 5)).toEqual({ next: open, events: [] })
  })
})
