// What new content or rules leave of a case's time, what is still ahead of it, and who counts once a rule is escalated
// (R13).

import { describe, expect, test } from "vitest"
import type { Demand } from "../../../src/domain/policy/policy.ts"
import {
  approversUnder,
  type CaseTime,
  demandAtLast,
  noTime,
  pendingDeadlines,
  routesUnder,
  timeUnder,
} from "../../../src/domain/policy/timing.ts"
import type { EscalationStep } from "../../../src/domain/rule/rule.ts"
import { aRule, aStep, aTiming } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const further = { routes: [{ kind: "channel", id: "C2" }], approvers: [{ kind: "user", id: "U9" }] } as const
const demand = (timing: Parameters<typeof aTiming>[0], name = "all"): Demand => ({
  rules: [aRule({ name, timing: aTiming(timing) })],
  covered: true,
})

describe("the time of a case whose rules changed", () => {
  const before: CaseTime = { ...noTime, remindedTo: noon + 1, escalated: [{ rule: "all", step: 1, at: noon + 2 }] }
  const under = (timing: Parameters<typeof aTiming>[0], now: number, name?: string, from = before) =>
    timeUnder(from, demand(timing, name), { since: noon, now })

  test("stays escalated only for a rule that should be by now", () => {
    const kept = (...args: Parameters<typeof under>) => under(...args).escalated.length

    expect(kept({ escalate: [aStep(3)] }, noon + 3)).toBe(1)
    expect(kept({ escalate: [aStep(3)] }, noon + 2)).toBe(0)
    expect(kept({ escalate: [aStep(3)] }, noon + 9, "other")).toBe(0)
    expect(kept({ remindAfter: [1] }, noon + 9)).toBe(0)
    expect(kept({ remindAfter: [1], escalate: [aStep(3)], expireAfter: 5 }, noon + 4)).toBe(1)
  })

  test("keeps what was reminded of, and does not expire by itself", () => {
    expect(under({ expireAfter: 3, onExpiry: "reject" }, noon + 9)).toMatchObject({
      remindedTo: noon + 1,
      expired: null,
      deadlines: [{ kind: "expire", at: noon + 3, reject: true }],
    })
    expect(under({}, noon).expired).toBeNull()
  })

  test("stays expired, and owes a rejection only if the rules in force want one", () => {
    const expired = { ...before, expired: { at: noon + 3, rejectAt: noon + 4 } }
    const now = noon + 9

    expect(under({ expireAfter: 3, onExpiry: "reject" }, now, "all", expired).expired).toEqual(expired.expired)
    for (const timing of [{ expireAfter: 3 }, { remindAfter: [1] }, {}])
      expect(under(timing, now, "all", expired).expired).toEqual({ at: noon + 3, rejectAt: null })
  })
})

test("reminders and escalations are ahead of a case until they were made, its expiry until it is over", () => {
  const deadlines = [
    { kind: "remind", at: 1 },
    { kind: "remind", at: 2 },
    { kind: "escalate", at: 3, rule: "a", step: 1 },
    { kind: "escalate", at: 4, rule: "b", step: 1 },
    { kind: "escalate", at: 4.5, rule: "a", step: 2 },
    { kind: "expire", at: 5, reject: false },
  ] as const
  const left = (changes: Partial<CaseTime>) =>
    pendingDeadlines({ ...noTime, deadlines, ...changes }).map(({ at }) => at)

  expect(left({})).toEqual([1, 2, 3, 4, 4.5, 5])
  expect(left({ remindedTo: 1 })).toEqual([2, 3, 4, 4.5, 5])
  expect(left({ escalated: [{ rule: "a", step: 1, at: 3 }] })).toEqual([1, 2, 4, 4.5, 5])
  expect(left({ expired: { at: 5, rejectAt: null } })).toEqual([])
})

test("further approvers and routes count under a rule that is escalated, and only there", () => {
  const rule = aRule({ timing: aTiming({ escalate: [aStep(1, further)] }) })
  const escalated = (...names: readonly string[]): Demand => {
    return { rules: [rule], covered: true, escalated: names.map((name) => ({ rule: name, step: 1 })) }
  }
  const plain: Demand = { rules: [rule], covered: true }

  for (const one of [plain, escalated(), escalated("other")]) {
    expect(approversUnder(one, rule)).toEqual(rule.approvers)
    expect(routesUnder(one, rule)).toEqual(rule.routes)
  }
  expect(approversUnder(escalated("all"), rule)).toEqual([...rule.approvers, ...further.approvers])
  expect(routesUnder(escalated("all"), rule)).toEqual([...rule.routes, ...further.routes])
  expect(approversUnder(escalated("all"), aRule())).toEqual(aRule().approvers)
  expect(routesUnder(escalated("all"), aRule())).toEqual(aRule().routes)
})

test("each step adds its approvers and routes to those of the steps before, and a demand at last has all", () => {
  const more: Partial<EscalationStep> = {
    approvers: [{ kind: "user", id: "U8" }],
    routes: [{ kind: "channel", id: "C8" }],
  }
  const rule = aRule({ timing: aTiming({ escalate: [aStep(1, further), aStep(2, more)] }) })
  const after = (...steps: readonly number[]): Demand => {
    return { rules: [rule], covered: true, escalated: steps.map((step) => ({ rule: "all", step })) }
  }
  const known = (demand: Demand) => [approversUnder(demand, rule).length, routesUnder(demand, rule).length]
  const [people, places] = [rule.approvers.length, rule.routes.length]

  expect(known(after())).toEqual([people, places])
  expect(known(after(1))).toEqual([people + further.approvers.length, places + further.routes.length])
  for (const all of [after(1, 2), after(2), demandAtLast([rule])])
    expect(known(all)).toEqual([people + further.approvers.length + 1, places + further.routes.length + 1])
  expect(known(demandAtLast([aRule()]))).toEqual([people, places])
})
