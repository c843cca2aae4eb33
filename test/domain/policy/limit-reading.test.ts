// Readings of limits: whatever calls come in whatever order, one person never lets through more than a limit says.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { type JsonObject } from "../../../src/domain/content/json.ts"
import { amountAsText } from "../../../src/domain/limit/amount.ts"
import { raisedRule } from "../../../src/domain/limit/limit.ts"
import { emptySum, type SumState, sumName, totalOf, withAdded } from "../../../src/domain/limit/sum.ts"
import { chargesOf, noneIsPassed, readLimits, sumsFor, windowOf } from "../../../src/domain/policy/limit-reading.ts"
import { demandHash, demandOf, standbyOf } from "../../../src/domain/policy/policy.ts"
import type { Rule, RuleLimit } from "../../../src/domain/rule/rule.ts"
import { anApproval, aRequirement, aRule } from "../../support/builders.ts"

const hour = 3_600_000
const start = 1_800_000_000_000

function limited(name: string, more: Partial<RuleLimit> = {}, rule: Partial<Rule> = {}): Rule {
  const asks = { quorum: 2, approvers: aRule().approvers, routes: aRule().routes }
  const limit = { sum: "args.amount", per: "args.to", windowMs: hour, above: "1000", asks, ...more }
  return aRule({ name, limit, ...rule })
}

function calling(...calls: readonly JsonObject[]): Approval {
  const requirements = calls.map((args, at) => aRequirement("pay", { tool_call_id: `c-${at}`, tool_args: args }))
  return anApproval({ toolName: "pay", toolArgs: null, requirements })
}

const sums = (state: SumState | null, ...rules: readonly Rule[]) =>
  new Map(sumsFor(calling({}), rules, {}).map((id) => [sumName(id), state]))

/** What a reading says where the sum is as given. */
function read(approval: Approval, state: SumState | null, ...rules: readonly Rule[]) {
  return readLimits(approval, { rules, known: {}, sums: sums(state, ...rules), now: start })
}

describe("a limit that is read", () => {
  test("adds up the calls of one owner, and keeps others apart", () => {
    const approval = calling({ amount: 600, to: "Bob" }, { amount: 400.5, to: " BOB" }, { amount: 5, to: "Eve" })

    expect(read(approval, emptySum(hour, start), limited("pay"))).toMatchObject([
      {
        rule: "pay",
        passed: true,
        sums: [
          { call: 0, before: "0", adds: "1000.5" },
          { call: 2, before: "0", adds: "5" },
        ],
      },
    ])
  })

  test("is passed where nobody knows the sum, and where a part of it is unknown", () => {
    const approval = calling({ amount: 1, to: "Bob" })

    expect(read(approval, null, limited("pay"))).toMatchObject([{ passed: true, doubt: "unknown" }])
    expect(read(approval, emptySum(hour, start, start + 1), limited("pay"))).toMatchObject([
      { passed: true, doubt: "unknown" },
    ])
    expect(read(approval, emptySum(hour, start, start), limited("pay"))).toMatchObject([{ passed: false }])
  })

  test("counts a call once for a sum that two of its rules add to", () => {
    const first = limited("first", {}, { match: { tool: ["pay"], team: ["t"] } })
    const both = [first, limited("second", { sum: 'args["amount"]' })]
    const approval = calling({ amount: 5, to: "Bob" })

    expect(chargesOf(approval, both, {})).toHaveLength(1)
    expect(sumsFor(approval, both, {})).toHaveLength(1)
    expect(windowOf(sumsFor(approval, both, {})[0] ?? { instance: "", sum: "", per: null }, both)).toBe(hour)
  })

  test("demands a rule of its own after the one that has it, and never changes the hash of the demand", () => {
    const rule = limited("pay")
    const approval = calling({ amount: 5, to: "Bob" })
    const low = demandOf(approval, [rule], { limits: noneIsPassed([rule]) })
    const high = demandOf(approval, [rule], { limits: [] })

    expect(low.rules.map(({ name }) => name)).toEqual(["pay"])
    expect(high.rules.map(({ name }) => name)).toEqual(["pay", "pay, above its limit"])
    expect(demandHash(low)).toBe(demandHash(high))
    expect(standbyOf(low)).toEqual([raisedRule(rule)])
    expect(standbyOf(high)).toEqual([])
  })

  test("demands a rule that reminds, expires and escalates by none of its own", () => {
    const raised = raisedRule(limited("pay", {}, { when: "args.amount > 5" }))

    expect(raised).toMatchObject({ name: "pay, above its limit", quorum: 2, match: {} })
    for (const key of ["limit", "timing", "when", "timeZone"]) expect(raised).not.toHaveProperty(key)
    expect(raisedRule(aRule())).toBeNull()
  })
})

/** What an agent may write: amounts in cents, and other things. */
const anyCall = fc.record({
  amount: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 60_000 }).map((cents) => cents / 100) },
    fc.constantFrom<JsonObject[string]>(null, "999", -1, [5]),
  ),
  to: fc.constantFrom<JsonObject[string]>("Bob", "bob ", "ＢＯＢ", "Eve", null, 7, "7"),
})

test("whatever comes, what one person decides alone never adds up to more than the limit", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyCall, { minLength: 1, maxLength: 3 }), { maxLength: 25 }), (cases) => {
      const rule = limited("pay")
      const cents = new Map<string, number>()
      let state = emptySum(hour, start)
      for (const calls of cases) {
        const approval = calling(...calls)
        const [reading] = read(approval, state, rule)
        // Two people decide it, or one alone: either way it counts.
        const charges = chargesOf(approval, [rule], {})
        const adding = charges.flatMap(({ whose, amount }) => (amount === null ? [] : [{ whose, amount }]))
        state = withAdded(state, adding, start).state
        if (reading?.passed !== false) continue
        for (const { amount, to } of calls) {
          const whose = JSON.stringify(to).replaceAll('"', "").normalize("NFKC").trim().toLowerCase()
          cents.set(whose, (cents.get(whose) ?? 0) + Math.round(Number(amount) * 100))
        }
      }

      for (const alone of cents.values()) expect(alone).toBeLessThanOrEqual(100_000)
      for (const charge of Object.keys(state.amounts))
        expect(Number(amountAsText(totalOf(state, charge, start)))).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 300 },
  )
})
