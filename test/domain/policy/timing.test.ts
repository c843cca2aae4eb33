// The deadlines that rules make, and what the steps of time do to a case (R13).

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cardModelHash, cardModelOf } from "../../../src/domain/case/card-model.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import {
  dueNow,
  escalate,
  expire,
  nextDeadline,
  putOffRejection,
  remind,
} from "../../../src/domain/case/deadline-steps.ts"
import { castVote, revise, StepError, takeUpAgain, voidVote, withdrawVote } from "../../../src/domain/case/steps.ts"
import { close, decide, reopen, settle } from "../../../src/domain/case/verdict.ts"
import { type Decision } from "../../../src/domain/case/vote.ts"
import { type Demand, demandHash } from "../../../src/domain/policy/policy.ts"
import { deadlinesOf, isOver, noTime, overdueForReview, timeUnder } from "../../../src/domain/policy/timing.ts"
import { ruleHash } from "../../../src/domain/rule/rule.ts"
import { aCase, anApproval, aPolicy, aRule, aStep, aTiming, aVote, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const minute = 60_000
const nobody = { people: [], more: 0 }

function demand(...rules: Demand["rules"]): Demand {
  return { rules, covered: true }
}

function timedCase(...timings: Parameters<typeof aTiming>): Case {
  return aCase({ policy: aPolicy([aRule({ timing: aTiming(...timings) })]) })
}

test("an escalation is not taken back by a revision under a clock that is behind, and is by a rule that wants it later", () => {
  const rule = (after: number) => aRule({ name: "all", timing: aTiming({ escalate: [aStep(after)] }) })
  const escalated = [{ rule: "all", step: 1, at: noon + 3 * minute }]
  const before = { ...noTime, deadlines: deadlinesOf(demand(rule(3 * minute)), noon), escalated }
  const behind = { since: noon, now: noon + 2 * minute }

  expect(timeUnder(before, demand(rule(3 * minute)), behind).escalated).toEqual(escalated)
  expect(timeUnder(before, demand(rule(4 * minute)), behind).escalated).toEqual([])
})

const byExpiry: Decision = { id: "d", verb: "reject", votes: [], at: noon, by: "expiry" }

describe("the deadlines of a demand", () => {
  test("are all reminders and escalations, each once, and the earliest expiry, in order", () => {
    const first = aRule({ name: "a", timing: aTiming({ remindAfter: [minute, 5 * minute], expireAfter: 9 * minute }) })
    const escalation = { escalate: [aStep(3 * minute)], expireAfter: 8 * minute }
    const second = aRule({ name: "b", timing: aTiming({ remindAfter: [minute], ...escalation }) })

    expect(deadlinesOf(demand(first, second, aRule({ name: "c" })), noon)).toEqual([
      { kind: "remind", at: noon + minute },
      { kind: "escalate", at: noon + 3 * minute, rule: "b", step: 1 },
      { kind: "remind", at: noon + 5 * minute },
      { kind: "expire", at: noon + 8 * minute, reject: false },
    ])
    expect(deadlinesOf(demand(aRule()), noon)).toEqual([])
  })

  test("count working hours where a rule has some, each rule its own", () => {
    // Noon of 21 November 2026 is a Saturday.
    const workingHours = { timeZone: "UTC", days: [1], from: 9 * 60, to: 17 * 60, holidays: [] }
    const working = aRule({ name: "a", timing: aTiming({ expireAfter: 60 * minute, workingHours }) })
    const always = aRule({ name: "b", timing: aTiming({ remindAfter: [60 * minute] }) })

    expect(deadlinesOf(demand(working, always), noon)).toEqual([
      { kind: "remind", at: noon + 60 * minute },
      { kind: "expire", at: Date.UTC(2026, 10, 23, 10), reject: false },
    ])
  })

  test.each([
    ["one that says so", ["reject"], true, true],
    ["all that expire", ["reject", "reject"], true, true],
    ["one of two", ["reject", "leave"], true, false],
    ["all, where a call has no rule", ["reject"], false, false],
  ] as const)("R13 an expiry rejects only if every rule says so: %s", (_name, says, covered, reject) => {
    const rules = says.map((onExpiry, index) =>
      aRule({ name: `${index}`, timing: aTiming({ expireAfter: (index + 1) * minute, onExpiry }) }),
    )

    expect(deadlinesOf({ rules: [...rules, aRule()], covered }, noon)).toEqual([
      { kind: "expire", at: noon + minute, reject },
    ])
  })

  test("belong to the rule: its hash changes with them, and stays what it was without any", () => {
    const hashes = [
      aRule(),
      ...[
        {},
        { remindAfter: [1] },
        { expireAfter: 1 },
        { expireAfter: 1, onExpiry: "reject" },
        { escalate: [aStep(1)] },
        { escalate: [aStep(1, { approvers: [{ kind: "user", id: "U9" }] })] },
        { escalate: [aStep(1, { routes: [{ kind: "person", id: "U9" }] })] },
        { workingHours: { timeZone: "UTC", days: [1], from: 0, to: 60, holidays: [] } },
        { workingHours: { timeZone: "UTC", days: [1], from: 0, to: 60, holidays: ["2026-12-25"] } },
      ].map((changes) => aRule({ timing: aTiming(changes as Parameters<typeof aTiming>[0]) })),
    ].map(ruleHash)

    expect(new Set(hashes).size).toBe(hashes.length)
    expect("timing" in aRule()).toBe(false)
    expect(demandHash({ ...demand(aRule()), escalated: [{ rule: "all", step: 1 }] })).toBe(demandHash(demand(aRule())))
  })
})

test("a rule is overdue for its review once that day is over in the last time zone", () => {
  const rules = [aRule({ name: "dated", reviewBy: "2027-06-30" }), aRule({ name: "undated" })]
  const overdueAt = (at: string) => overdueForReview(rules, Date.parse(at)).map(({ name }) => name)

  expect(overdueAt("2027-06-30T12:00:00Z")).toEqual([])
  expect(overdueAt("2027-07-01T11:59:59Z")).toEqual([])
  expect(overdueAt("2027-07-01T12:00:00Z")).toEqual(["dated"])
})

describe("what is due", () => {
  test("is the one thing that leaves the others nothing to do", () => {
    const later = { approvers: [{ kind: "user", id: "U3" }] } as const
    const current = timedCase({ remindAfter: [1, 3], escalate: [aStep(2, later)], expireAfter: 4, onExpiry: "reject" })

    expect([0, 1, 2, 3, 4].map((ms) => dueNow(current, noon + ms))).toEqual([
      null,
      "remind",
      "escalate",
      "escalate",
      "expire",
    ])
    expect(dueNow(expire(current, noon + 4).next, noon + 4)).toBe("reject")
  })

  test("is told by the case, and is nothing on one that is not open", () => {
    const current = timedCase({ remindAfter: [minute], expireAfter: 2 * minute })
    const reminded = remind(current, nobody, noon + minute).next
    const expired = expire(reminded, noon + 2 * minute).next
    const outcome = { kind: "vanished", at: noon } as const

    expect([current, reminded, expired].map(nextDeadline)).toEqual([noon + minute, noon + 2 * minute, null])
    expect(nextDeadline(settle(current, outcome, { kind: "vanished", at: noon }).next)).toBeNull()
    expect(dueNow({ ...current, state: "frozen" }, noon + minute)).toBeNull()
  })

  test("a rejection that was put off is due a minute later; one that is not owed never is", () => {
    const owing = expire(timedCase({ expireAfter: minute, onExpiry: "reject" }), noon + minute).next
    const leaving = expire(timedCase({ expireAfter: minute }), noon).next

    expect(nextDeadline(putOffRejection(owing, noon).next)).toBe(noon + minute)
    expect(nextDeadline(putOffRejection(leaving, noon).next)).toBeNull()
  })
})

describe("R13 an expired case", () => {
  const expired = expire(timedCase({ expireAfter: minute, onExpiry: "reject" }), noon + minute).next
  const left = expire(timedCase({ expireAfter: minute }), noon + minute).next

  test("takes no vote, gives none back, and is decided by none", () => {
    const voted = { ...expired, votes: [aVote()] }
    const byVotes: Decision = { id: "d", verb: "approve", votes: [aVote()], at: noon }

    expect(() => castVote(expired, aVote(), [])).toThrow(StepError)
    expect(() => withdrawVote(voted, { team, user: "U1" }, "click", noon)).toThrow(StepError)
    expect(() => decide(voted, byVotes, "{}")).toThrow(StepError)
    expect(voidVote(voted, { team, user: "U1" }, "not-approver", noon).next.votes).toEqual([])
  })

  test("is decided by its expiry as a rejection without votes, where one is owed, and in no other way", () => {
    expect(decide(expired, byExpiry, "{}").events).toMatchObject([
      { kind: "decided", verb: "reject", people: [], subject: "countersign:expiry", by: "expiry" },
    ])
    fc.assert(
      fc.property(fc.constantFrom("approve", "reject"), fc.boolean(), fc.boolean(), (verb, votes, owed) => {
        const planted: object = { verb, votes: votes ? [aVote({ verb })] : [] }
        const decision: Decision = { ...byExpiry, ...planted }
        const attempt = () => decide(owed ? expired : left, decision, "{}")
        if (verb === "reject" && !votes && owed) expect(attempt).not.toThrow()
        else expect(attempt).toThrow(StepError)
      }),
    )
    expect(() => decide(timedCase({ expireAfter: minute, onExpiry: "reject" }), byExpiry, "{}")).toThrow(StepError)
  })

  test("stays so when its rejection ends without effect, which is then owed again later", () => {
    const sending = decide(expired, byExpiry, "{}").next
    const open = reopen(sending, "403", noon + 2 * minute).next

    expect(open.time.expired).toEqual({ at: noon + minute, rejectAt: noon + 3 * minute })
    expect(cardModelOf(open, "channel:C1")).toMatchObject({
      status: { kind: "expired", rejecting: true },
      failure: "403",
    })
  })

  test("stays so under new content and other rules, and is rejected only if those in force say so", () => {
    const content = anApproval({ toolArgs: { table: "orders" } })
    const longer = aPolicy([aRule({ timing: aTiming({ expireAfter: 90 * minute }) })])

    const revised = revise(expired, content, longer, noon + 2 * minute).next
    const without = revise(expired, content, aPolicy(), noon + 2 * minute).next

    expect(revised.time).toMatchObject({
      expired: { at: noon + minute, rejectAt: null },
      deadlines: [{ kind: "expire" }],
    })
    expect(without.time).toMatchObject({ expired: { rejectAt: null }, deadlines: [] })
    expect(isOver(without.time, noon)).toBe(true)
  })

  test("cannot expire while its verdict is on its way", () => {
    expect(() => expire(decide(expired, byExpiry, "{}").next, noon)).toThrow(StepError)
  })
})

describe("a case's deadlines", () => {
  test("count from its opening whatever the content becomes, and anew when it is taken up again", () => {
    const policy = aPolicy([aRule({ timing: aTiming({ expireAfter: minute }) })])
    const current = aCase({ policy })
    const content = anApproval({ toolArgs: { table: "orders" } })
    const gone = { kind: "vanished", at: noon } as const
    const closed = close(settle(current, gone, { kind: "vanished", at: noon }).next, noon).next

    expect(revise(current, content, policy, noon + 30_000).next.time.deadlines).toEqual(current.time.deadlines)
    expect(takeUpAgain(closed, anApproval(), policy, noon + 10 * minute).next).toMatchObject({
      openedAt: noon + 10 * minute,
      time: { deadlines: [{ at: noon + 11 * minute }], expired: null },
    })
  })

  test("an escalation survives new content, and adds cards only where none are", () => {
    const routes = ["C1", "C2"].map((id) => ({ kind: "channel", id }) as const)
    const policy = aPolicy([aRule({ timing: aTiming({ escalate: [aStep(minute, { routes })] }) })])
    const rule = policy.rules[0] ?? aRule()
    const at = noon + minute

    const steps = [{ rule: "all", step: 1 }]
    const asked = { steps, demand: { ...demand(rule), escalated: steps }, able: nobody }
    const escalated = escalate(aCase({ policy }), asked, at).next
    const revised = revise(escalated, anApproval({ toolArgs: {} }), policy, at + 1).next

    expect(escalated.cards.map((card) => card.route)).toEqual(["channel:C1", "channel:C2"])
    expect(revised.time.escalated).toEqual([{ rule: "all", step: 1, at }])
    expect(revised.cards).toHaveLength(2)
  })
})

test("a modelHash says by when, whether it was escalated and that time ran out", () => {
  const plain = cardModelOf(aCase(), "channel:C1")
  const timed = cardModelOf(timedCase({ expireAfter: minute, onExpiry: "reject" }), "channel:C1")

  expect(timed.time).toEqual({ decideBy: noon + minute, thenReject: true, escalatedAt: null, ranOut: false })
  expect(
    new Set([plain, timed, { ...plain, time: { ...plain.time, escalatedAt: noon } }].map(cardModelHash)).size,
  ).toBe(3)
  expect(aCase().time).toEqual(noTime)
})
