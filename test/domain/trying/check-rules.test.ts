// Proofs about rules: each yes has a call that shows it, and a solver finds for every no that there is none.
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { demandOf } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { checkRules, type Proof } from "../../../src/domain/trying/check-rules.ts"
import { recordOf } from "../../../src/domain/trying/sample.ts"
import { aRule, aTiming } from "../../support/builders.ts"
import { runsOf } from "../../support/runs.ts"
import { anyCall, anyRules, demandedBy, plainRules, rulesOf, texts, verdictOf } from "./arbitrary-rules.ts"
import { startOracle } from "./z3-oracle.ts"

const runs = runsOf(30)
const patience = 60_000 + 3_000 * runs

function when(name: string, condition: string, more: Partial<Rule> = {}): Rule {
  return aRule({ name, when: condition, ...more })
}

/** By rule: is it ever the first that is certain, and is it ever demanded? */
function reached(rules: readonly Rule[]) {
  return checkRules(rules, ["main"]).reach.map(({ rule, first, demanded }) => [rule.name, first.kind, demanded.kind])
}

describe("a solver agrees on conditions over single values", () => {
  let oracle: Awaited<ReturnType<typeof startOracle>>
  beforeAll(async () => {
    oracle = await startOracle(texts)
  })
  afterAll(() => oracle.close())

  test(
    "a rule is reached, or a call has none, just where the solver says so",
    async () => {
      await fc.assert(
        fc.asyncProperty(plainRules, async (plain) => {
          const { reach, gap } = checkRules(rulesOf(plain), ["main"])
          const answer = ({ kind }: Proof) => (kind === "untold" ? kind : kind === "yes")

          expect({
            first: reach.map(({ first }) => answer(first)),
            demanded: reach.map(({ demanded }) => answer(demanded)),
            gap: answer(gap.answer),
          }).toEqual(await oracle.check(plain))
        }),
        { numRuns: runs },
      )
    },
    patience,
  )
})

test(
  "no generated call contradicts a no",
  () => {
    fc.assert(
      fc.property(anyRules, fc.array(anyCall, { minLength: 20, maxLength: 20 }), (rules, calls) => {
        const { reach, gap } = checkRules(rules, ["main"])
        for (const demand of calls.map((call) => demandOf(call, rules))) {
          if (gap.answer.kind === "no") expect(demand.covered).toBe(true)
          for (const { rule, demanded, first } of reach) {
            if (demanded.kind === "no") expect(demand.rules).not.toContain(rule)
            if (first.kind === "no") expect(demand.covered && demand.rules.at(-1) === rule).toBe(false)
          }
        }
      }),
      { numRuns: runs },
    )
  },
  patience,
)

test(
  "the matching that decides confirms every witness",
  () => {
    fc.assert(
      fc.property(anyRules, (rules) => {
        const { reach, gap, overlaps, endless } = checkRules(rules, ["main"])
        for (const { rule, first, demanded, instead } of reach) {
          if (first.kind === "yes") expect(demandedBy(first.witness, rules).rules.at(-1)).toBe(rule)
          if (demanded.kind === "yes") expect(demandedBy(demanded.witness, rules).rules).toContain(rule)
          if (instead !== null) expect(demandedBy(instead.witness, rules).rules.at(-1)).toBe(instead.by)
        }
        for (const witness of gap.witnesses) expect(demandedBy(witness, rules).covered).toBe(false)
        for (const { first, second, witness } of overlaps)
          expect([first, second].map((rule) => verdictOf(rule, witness))).toEqual(["yes", "yes"])
        for (const { rule, witness } of endless) expect(demandedBy(witness, rules).rules.at(-1)).toBe(rule)
      }),
      { numRuns: runs },
    )
  },
  patience,
)

describe("never reached", () => {
  test("a rule whose calls several others take together is found, with the one that takes a call of it", () => {
    const rules = [
      when("large", "args.amount > 500"),
      when("small", "args.amount <= 500"),
      when("whole", "args.amount == 7"),
    ]

    const [, , whole] = checkRules(rules, ["main"]).reach

    expect(whole).toMatchObject({
      first: { kind: "no" },
      demanded: { kind: "yes" },
      instead: { by: { name: "small" } },
    })
    expect(whole?.instead?.witness.args).toEqual({ amount: 7 })
  })

  test("a rule whose condition contradicts itself takes nothing, and is asked where nobody can tell", () => {
    expect(reached([when("never", "args.amount > 5 && args.amount < 5.0")])).toEqual([["never", "no", "yes"]])
    expect(reached([when("never", "args.amount > 5 && args.amount < 6")])).toEqual([["never", "yes", "yes"]])
  })

  test("a rule behind one for all calls is not even asked beside it", () => {
    expect(reached([aRule({ name: "all" }), when("late", "args.amount > 5")])[1]).toEqual(["late", "no", "no"])
  })

  test("a rule that only adds is demanded, and takes nothing", () => {
    expect(reached([when("guests", "requester.guest == true"), aRule({ name: "rest" })])).toEqual([
      ["guests", "no", "yes"],
      ["rest", "yes", "yes"],
    ])
  })

  test.each([
    ["the order of texts", 'args.name > "m" && args.name < "n" && args.name > "mz"'],
    ["a text in letters beyond ASCII", 'args.name == "é" && args.name == "à"'],
    ["a value and what is below it", "args.a == 1 && args.a.b == 1"],
    ["a value that stands beside the items of a list", "args.l.exists(one, args.a == 1) && args.a == 2"],
  ])("where a condition looks at %s nobody can tell", (_, condition) => {
    expect(checkRules([when("odd", condition)], ["main"]).reach[0]?.first.kind).toBe("untold")
  })
})

describe("a gap", () => {
  test("a missing value falls between two conditions that share all numbers", () => {
    const rules = [when("large", "args.amount > 500"), when("small", "args.amount <= 500")]

    const { answer, witnesses } = checkRules(rules, ["main"]).gap

    expect(answer.kind).toBe("yes")
    expect(witnesses.map(({ args }) => args)).toEqual([{}])
  })

  test("a tool that no rule names is a witness, and so is a field that the platform does not tell", () => {
    const rules = [aRule({ match: { tool: ["send_*"], agent: ["a"] } })]

    const { witnesses } = checkRules(rules, ["main"]).gap

    expect(witnesses.map(recordOf)).toMatchObject([{ tool_name: "another_tool" }, { agent_id: "a" }])
    expect(recordOf(witnesses[1] ?? expect.fail())).not.toHaveProperty("tool_name")
  })

  test("there is none where all words of a tool have a rule, whatever its conditions look at", () => {
    const rules = [when("odd", 'args.name > "m"', { match: { tool: ["a"] } }), aRule({ name: "rest" })]

    expect(checkRules(rules, ["main"]).gap).toEqual({ answer: { kind: "no" }, witnesses: [] })
  })
})

test("two rules overlap where both take a call, and the first one counts", () => {
  const rules = [aRule({ name: "a", match: { tool: ["send_*"] } }), aRule({ name: "b", match: { tool: ["*_money"] } })]

  const { overlaps } = checkRules(rules, ["main"])

  expect(overlaps).toMatchObject([
    { first: { name: "a" }, second: { name: "b" }, witness: { names: { tool: "send_money" } } },
  ])
})

test("a rule waits for ever where neither it nor one that is asked with it expires", () => {
  const timing = aTiming({ expireAfter: 1 })
  const rules = [when("large", "args.amount > 5", { timing }), aRule({ name: "rest" })]

  const { endless } = checkRules(rules, ["main"])

  expect(endless.map(({ rule, witness }) => [rule.name, witness.args])).toEqual([["rest", { amount: 5 }]])
})

test("a condition on the time is widened by a minute, and where nobody knows who asked", () => {
  const night = when("night", "time.hour >= 18", { timeZone: "Europe/Berlin" })
  const guests = when("guests", "requester.guest == true")

  const { widened } = checkRules([night, guests, aRule({ name: "rest" })], ["main"])

  expect(widened.map(({ rule, witness }) => [rule.name, witness.circumstances.requester])).toMatchObject([
    ["night", expect.anything()],
    ["guests", { guest: null }],
  ])
})

test("a rule that only adds is weak beside one that asks more, and not beside one for other calls", () => {
  const guests = (tool: string) => when("guests", "requester.guest == true", { match: { tool: [tool] } })
  const two = aRule({ name: "two", match: { tool: ["send_*"] }, quorum: 2 })
  const weakIn = (rules: readonly Rule[]) => checkRules(rules, ["main"]).weak

  expect(weakIn([guests("*_money"), two])).toMatchObject([
    { rule: { name: "guests" }, to: { name: "two" }, witness: { names: { tool: "send_money" } } },
  ])
  expect(weakIn([guests("refund_*"), two])).toEqual([])
})
