// A simulation over generated history: who was asked comes out exactly, and what cannot is counted by its cause.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { demandOf, type Policy } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { createSimulation, type PastCase } from "../../../src/domain/simulation/simulation.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { runsOf } from "../../support/runs.ts"
import { anyArgs, anyCondition, conditionText, wireText } from "../condition/arbitrary-conditions.ts"
import { aPast, dayMs, limitsOf, listedUnder, past, peopleOf } from "./past.ts"

function simulated(tried: Policy, inForce: Policy, cases: readonly (PastCase | "unreadable")[]) {
  const limits = limitsOf(
    tried,
    inForce,
    cases.filter((one) => one !== "unreadable"),
  )
  const simulation = createSimulation({ tried, inForce, people: peopleOf(tried), limits, now: noon + dayMs })
  for (const one of cases) {
    if (one === "unreadable") simulation.unreadable()
    else simulation.take(one)
  }
  return simulation.report(() => 0.5)
}

const [u1, u2, u3] = ["U1", "U2", "U3"].map((id) => ({ kind: "user" as const, id }))
const people = [u1, u2, u3].filter((one) => one !== undefined)

const anyRule = fc.record({
  when: fc.option(anyCondition.map(conditionText), { nil: undefined }),
  tool: fc.constantFrom(undefined, "pay", "read"),
  approvers: fc.subarray(people, { minLength: 1 }),
  quorum: fc.integer({ min: 1, max: 2 }),
  mask: fc.constantFrom<readonly string[]>([], [], ["a"], ["/[ab]/"]),
})

const anyPolicy = fc.array(anyRule, { minLength: 1, maxLength: 4 }).map((rules) =>
  aPolicy(
    rules.map(({ when, tool, ...rule }, index) =>
      aRule({
        name: `rule-${index}`,
        ...rule,
        match: tool === undefined ? {} : { tool: [tool] },
        ...(when === undefined ? {} : { when }),
      }),
    ),
  ),
)

const anyHistory = fc.array(
  fc.record({
    args: anyArgs.map((args) => parseJson(wireText(args))),
    tool: fc.constantFrom("pay", "read", "x"),
    decided: fc.boolean(),
    kept: fc.integer({ min: 0, max: 3 }).map((kept) => (kept === 0 ? 0 : dayMs)),
    older: fc.integer({ min: 0, max: 3 }).map((older) => older === 0),
  }),
  { minLength: 1, maxLength: 12 },
)

test("the rules in force ask whom each case that can be read whole asked; the others are counted by cause", () => {
  let same = 0
  fc.assert(
    fc.property(anyPolicy, anyPolicy, anyHistory, (inForce, earlier, history) => {
      const causes = { masked: 0, notKept: 0, limit: 0, otherRules: 0, unreadable: 1 }
      const cases = history.map(({ args, tool, decided, kept, older }, index) => {
        const approval = anApproval({
          id: `a-${index}`,
          toolName: tool,
          requirements: [aRequirement(tool, { tool_args: args })],
        })
        const policy = older ? earlier : inForce
        const presses = decided ? [{ user: "U1", ms: 1_000 }] : []
        const current = aPast({ approval, policy, presses, keptMs: kept })
        if (policy.revision !== inForce.revision) causes.otherRules += 1
        else if (decided && kept === 0) causes.notKept += 1
        else if (decided && JSON.stringify(current.kept).includes("▒")) causes.masked += 1
        return past(current, policy)
      })

      const { reproduced, cases: taken } = simulated(inForce, inForce, [...cases, "unreadable"])

      const { masked, notKept, otherRules, unreadable } = causes
      expect(taken).toBe(cases.length + 1)
      expect(reproduced).toMatchObject({ different: 0, named: [], notCompared: causes })
      expect(reproduced.same + masked + notKept + otherRules + unreadable).toBe(taken)
      same += reproduced.same
    }),
    { numRuns: runsOf(200) },
  )
  expect(same).toBeGreaterThan(50)
})

/** Counted anew, slowly: how many of the cases ask each person under the rules. */
function promptsOf(policy: Policy, cases: readonly Case[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { approval, revision } of cases) {
    const { rules } = approval === null ? { rules: [] } : demandOf(approval, policy.rules, revision)
    for (const person of new Set(rules.flatMap((rule) => [...listedUnder(rule)])))
      counts[person] = (counts[person] ?? 0) + 1
  }
  return counts
}

test("each person's prompts are counted exactly, before and after", () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, anyHistory, (tried, inForce, history) => {
      const cases = history.map(({ args, tool }, index) =>
        aPast({
          approval: anApproval({
            id: `a-${index}`,
            toolName: tool,
            requirements: [aRequirement(tool, { tool_args: args })],
          }),
          policy: inForce,
        }),
      )

      const { asked, exact } = simulated(
        tried,
        inForce,
        cases.map((one) => past(one, inForce)),
      )

      const [before, after] = [promptsOf(inForce, cases), promptsOf(tried, cases)]
      const found = (side: "before" | "after" | "atMost") =>
        Object.fromEntries(asked.people.flatMap((one) => (one[side] === 0 ? [] : [[one.person, one[side]]])))
      expect(exact).toBe(cases.length)
      expect([found("before"), found("after"), found("atMost")]).toEqual([before, after, after])
    }),
    { numRuns: runsOf(200) },
  )
})

describe("what a simulation tells", () => {
  const inForce = aPolicy([aRule()])
  const large: Rule = aRule({ name: "large", when: "args.amount > 1000", quorum: 2 })
  const tried = aPolicy([large, aRule()])
  const paid = (id: string, amount: number, more: Partial<Parameters<typeof aPast>[0]> = {}) =>
    aPast({
      approval: anApproval({ id, toolName: "pay", toolArgs: { amount } }),
      policy: inForce,
      presses: [{ user: "U1", ms: 60_000 }],
      ...more,
    })

  test("names the decisions that would have needed others", () => {
    const cases = [paid("small", 5), paid("big", 5_000), paid("gone", 5_000, { keptMs: 0 })]

    const { decisions } = simulated(
      tried,
      inForce,
      cases.map((one) => past(one, inForce)),
    )

    expect(decisions).toMatchObject({ stand: 1, needOthers: 1, cannotTell: 1 })
    expect(decisions.listed).toEqual([
      {
        caseId: cases[1]?.id,
        approval: "big",
        instance: "main",
        tool: "pay",
        verb: "approve",
        at: noon + 60_000,
        people: ["T1:U1"],
        progress: [{ rule: "large", have: 1, need: 2 }],
      },
    ])
  })

  test("counts by cause what it could not replay exactly, and gives a range for it", () => {
    const masked = paid("masked", 5, { policy: aPolicy([aRule({ mask: ["amount"] })]) })
    const cases = [
      past(paid("gone", 5, { keptMs: 0 }), inForce),
      past(masked, inForce, { asked: [] }),
      past(paid("old", 5), inForce, { asked: null }),
    ]

    const { inexact, exact, asked } = simulated(tried, inForce, [...cases, "unreadable"])

    expect(exact).toBe(0)
    expect(inexact).toEqual({ masked: 1, notKept: 1, time: 0, limit: 0, askedUnknown: 1, unreadable: 1 })
    expect(asked.rules).toContainEqual({ rule: "large", before: 0, after: 0, atMost: 2 })
  })

  test("counts a moment that a rule looks at and nobody knows", () => {
    const late = aPolicy([aRule({ name: "late", when: "time.hour > 18", timeZone: "UTC" }), aRule()])
    const one = past(paid("one", 5), inForce, { circumstances: { requester: null, at: null } })

    expect(simulated(late, inForce, [one]).inexact).toMatchObject({ time: 1 })
  })

  test("what was filled in into a form is unknown once the case is closed", () => {
    const fields = [{ name: "amount", field_type: "float", description: "", value: null }]
    const execution = { tool_args: {}, requires_user_input: true, user_input_schema: fields }
    const approval = anApproval({
      toolName: "pay",
      pauseType: "user_input",
      requirements: [aRequirement("pay", execution)],
    })
    const one = past(aPast({ approval, policy: inForce, presses: [{ user: "U1", ms: 1 }] }), inForce)

    const { decisions, exact } = simulated(tried, inForce, [one])

    expect(exact).toBe(1)
    expect(decisions).toMatchObject({ cannotTell: 1, needOthers: 0 })
  })

  test("counts cases that nobody may decide", () => {
    const narrow = aPolicy([aRule({ match: { tool: ["read"] } })])

    const { uncovered, decisions } = simulated(narrow, inForce, [past(paid("one", 5), inForce)])

    expect(uncovered).toEqual({ before: 0, after: 1, atMost: 1 })
    expect(decisions.listed).toMatchObject([{ progress: [] }])
  })

  test("estimates waits from cases that asked the same all the time, undecided ones too", () => {
    const open = paid("open", 5, { presses: [] })
    const changed = { ...paid("changed", 5), revision: { ...paid("changed", 5).revision, number: 2 } }
    const again = { ...paid("again", 5), ended: ["d"] }

    const { waits } = simulated(
      tried,
      inForce,
      [paid("one", 5), open, changed, again].map((one) => past(one, inForce)),
    )

    expect(waits).toMatchObject({ cases: 2 })
    expect(waits.seen.median).toBeNull()
  })

  test("counts each of thousands of cases", () => {
    const one = past(paid("one", 5), inForce)
    const limits = limitsOf(tried, inForce, [])
    const simulation = createSimulation({ tried, inForce, people: peopleOf(tried), limits, now: noon })

    for (let count = 0; count < 5_000; count += 1) simulation.take(one)

    expect(simulation.report(() => 0.5)).toMatchObject({ cases: 5_000, exact: 5_000, decisions: { stand: 5_000 } })
  })
})

describe("a wait is estimated", () => {
  const inForce = aPolicy([aRule()])
  const decided = (ms: number, verb: "approve" | "reject" = "approve") =>
    past(aPast({ policy: inForce, presses: [{ user: "U1", ms, verb }] }), inForce)
  const waitsUnder = (rule: Partial<Rule>, cases: readonly PastCase[]) =>
    simulated(aPolicy([aRule({ name: "new", ...rule })]), inForce, cases).waits

  test("as it was, where the same people are asked", () => {
    const { seen, estimated, never } = waitsUnder({}, [decided(60_000)])

    expect(estimated.median).toBe(60_000)
    expect((seen.median ?? 0) / 60_000).toBeCloseTo(1, 1)
    expect(never).toBe(0)
  })

  test("as endless, where whoever decided is the only one and may not approve what they asked for", () => {
    const self = { ...decided(60_000), known: { team: "T1", user: "U1" } }

    expect(waitsUnder({ forbidSelfApproval: true, approvers: [{ kind: "user", id: "U1" }] }, [self])).toMatchObject({
      estimated: { median: null, p90: null },
      never: 1,
    })
  })

  test("as endless, where nobody knows who asked and the rule refuses them", () => {
    expect(waitsUnder({ forbidSelfApproval: true, unknownRequester: "refuse" }, [decided(60_000)]).never).toBe(1)
    expect(waitsUnder({ forbidSelfApproval: true, unknownRequester: "allow" }, [decided(60_000)]).never).toBe(0)
  })

  test("of a rejection by one person, whatever the quorum", () => {
    expect(waitsUnder({ quorum: 2 }, [decided(60_000, "reject")]).estimated.median).toBe(60_000)
  })

  test("of people who were never asked, by the times of all, and it is said to be a guess", () => {
    const alone = aPolicy([aRule({ approvers: [{ kind: "user", id: "U1" }] })])
    const one = past(aPast({ policy: alone, presses: [{ user: "U1", ms: 60_000 }] }), alone)
    const tried = aPolicy([aRule({ approvers: [{ kind: "user", id: "U9" }] })])

    const { estimated, borrowed } = simulated(tried, alone, [one]).waits

    expect((estimated.median ?? 0) / 60_000).toBeCloseTo(1, 1)
    expect(borrowed).toBe(1)
  })
})
