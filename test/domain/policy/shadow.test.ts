// Shadows: which rules are never the first to match, found without false alarm.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import { explain, matchesAll, unreachableRules } from "../../../src/domain/policy/explain.ts"
import { matchOf } from "../../../src/domain/policy/policy.ts"
import type { Match } from "../../../src/domain/rule/rule.ts"
import { globMatches } from "../../../src/domain/text/glob.ts"
import { anApproval, aRule } from "../../support/builders.ts"
import { runsOf } from "../../support/runs.ts"

const two = (earlier: Match, later: Match, matchUnknown = true) =>
  unreachableRules([aRule({ name: "earlier", match: earlier }), aRule({ name: "later", match: later, matchUnknown })])

describe("a rule in the shadow of an earlier one", () => {
  test.each<[Match, Match]>([
    [{}, { tool: ["x"] }],
    [{ instance: ["a", "b"] }, { instance: ["b"], agent: ["c"] }],
    [{ source: ["agent"] }, { source: ["agent"] }],
  ])("a rule with %j takes all of %j, always", (earlier, later) => {
    expect(two(earlier, later)).toEqual([{ rule: "later", by: "earlier", always: true }])
  })

  test("is demanded beside it where a field that both name is null, unless it says otherwise", () => {
    expect(two({ tool: ["send_*"] }, { tool: ["send_money"] })).toMatchObject([{ always: false }])
    expect(two({ tool: ["send_*"] }, { tool: ["send_money"] }, false)).toMatchObject([{ always: true }])
  })

  test.each<[Match, Match]>([
    [{ tool: ["send_*"] }, {}],
    [{ tool: ["send_?"] }, { tool: ["send_*"] }],
    [{ tool: ["a*b*"] }, { tool: ["a*"] }],
    [{ tool: ["a?*"] }, { tool: ["a*"] }],
    [{ tool: ["a"] }, { tool: ["a*"] }],
    [{ tool: ["a"] }, { tool: ["a?"] }],
    [{ agent: ["a"] }, { agent: ["a", "b"] }],
    [{ agent: ["a"] }, { agent: ["b"] }],
    [{ agent: ["a*"] }, { agent: ["ab"] }],
    [{ agent: ["a"], tool: ["*"] }, { tool: ["x"] }],
  ])("a rule with %j leaves something of %j", (earlier, later) => {
    expect(two(earlier, later)).toEqual([])
  })

  test("takes nothing that the earlier pattern would not", () => {
    const part = fc.constantFrom("a", "b", "*", "?")
    const glob = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""))
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(glob, glob, text, (wide, narrow, tool) => {
        fc.pre(two({ tool: [wide] }, { tool: [narrow] }).length > 0)
        if (globMatches(narrow, tool)) expect(globMatches(wide, tool)).toBe(true)
      }),
      { numRuns: runsOf(3_000) },
    )
  })
})

test("only a rule without any match takes everything", () => {
  expect(matchesAll(aRule())).toBe(true)
  expect(matchesAll(aRule({ match: { tool: ["*"] } }))).toBe(false)
})

test("an explanation says of each call and rule what matchOf says, up to the first that is certain", () => {
  const rules = [
    aRule({ name: "other", match: { tool: ["x"] } }),
    aRule({ name: "maybe", match: { team: ["t"] } }),
    aRule({ name: "sure", match: { tool: ["delete_*"] } }),
    aRule({ name: "rest" }),
  ]
  const approval = anApproval()

  const { covered, calls, demanded } = explain(approval, rules)

  expect(covered).toBe(true)
  expect(calls[0]?.rules.map(({ rule, verdict }) => [rule, verdict])).toEqual([
    ["other", "no"],
    ["maybe", "possible"],
    ["sure", "yes"],
    ["rest", "not reached"],
  ])
  expect(demanded.map(({ name }) => name)).toEqual(["maybe", "sure"])
  expect(calls[0]?.rules[1]?.fields).toEqual([{ field: "team", wants: ["t"], has: null, verdict: "possible" }])
  expect(openGatedCalls(approval).map((call) => rules.map((rule) => matchOf(rule, approval, call)))).toEqual([
    calls[0]?.rules.map(({ verdict }) => (verdict === "not reached" ? "yes" : verdict)),
  ])
})

test("an explanation reaches no further than a first rule that is certain, and all rules where none is", () => {
  const [sure, other] = [aRule({ name: "sure" }), aRule({ name: "other", match: { tool: ["x"] } })]
  const verdicts = (rules: Parameters<typeof explain>[1]) =>
    explain(anApproval(), rules).calls[0]?.rules.map(({ verdict }) => verdict)

  expect(verdicts([sure, other])).toEqual(["yes", "not reached"])
  expect(verdicts([other, other])).toEqual(["no", "no"])
  expect(explain(anApproval(), [other]).covered).toBe(false)
})
