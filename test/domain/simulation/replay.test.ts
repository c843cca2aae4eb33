// Rules replayed on what is kept of cases: exact where all can be read, and never sure of what a mask hides.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { type Json, parseJson } from "../../../src/domain/content/json.ts"
import { demandOf } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { contentOf } from "../../../src/domain/simulation/kept-content.ts"
import { isExact, type Replay, replay } from "../../../src/domain/simulation/replay.ts"
import { anApproval, aPolicy, aRequirement, aRule } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { runsOf } from "../../support/runs.ts"
import { anyArgs, anyCondition, conditionText, wireText } from "../condition/arbitrary-conditions.ts"
import { aPast } from "./past.ts"

const nothing = { requester: null, at: null }
const rest = aRule({ name: "rest" })
const secret = aRule({ name: "secret", mask: ["env", "/acct_\\w+/"] })

/** What rules ask of an approval that was decided under `kept`, once it is closed. */
function replayed(rules: readonly Rule[], approval: Approval, kept: Rule, keptMs?: number): Replay {
  const policy = aPolicy([kept])
  const current = aPast({
    approval,
    policy,
    presses: [{ user: "U1", ms: 1 }],
    ...(keptMs === undefined ? {} : { keptMs }),
  })
  return replay(rules, { content: contentOf(current), circumstances: nothing })
}

function names({ certain, possible, covered }: Replay) {
  const named = (rules: readonly Rule[]) => rules.map(({ name }) => name)
  return { certain: named(certain), possible: named(possible), covered }
}

describe("a condition on a masked argument", () => {
  const prod = aRule({ name: "prod", when: 'args.env == "prod"' })

  test("is unknown: its rule may ask, and so may the one after it", () => {
    const found = replayed([prod, rest], anApproval({ toolArgs: { env: "prod" } }), secret)

    expect(names(found)).toEqual({ certain: [], possible: ["prod", "rest"], covered: true })
    expect(isExact(found)).toBe(false)
  })

  test("changes nothing where it does not decide", () => {
    const either = aRule({ name: "either", when: 'args.env == "prod" || args.amount > 5' })

    const found = replayed([either, rest], anApproval({ toolArgs: { env: "prod", amount: 6 } }), secret)

    expect(names(found)).toEqual({ certain: ["either"], possible: ["either"], covered: true })
  })

  test.each<[string, Json]>([
    ["a part of a text", "acct_1 and more"],
    ["a text that looks like a mask", "▒▒▒▒ acct_1"],
    ["an item of a list", ["acct_1"]],
    ["a value below a name", { below: "acct_1" }],
  ])("is unknown for %s", (_, note) => {
    const noted = aRule({
      name: "noted",
      when: 'args.note == "x" || args.note.exists(one, one == "x") || args.note.below == "x"',
    })

    const found = replayed([noted, rest], anApproval({ toolArgs: { note } }), secret)

    expect(found.possible.map(({ name }) => name)).toContain("noted")
    expect(found.certain).toEqual([])
  })
})

test("nobody knows the classes of data of a call if something of it is masked or gone", () => {
  const classed = aRule({
    name: "classed",
    match: { tool: ["pay"] },
    when: '"card" in call.classes || args.amount > 5',
  })
  const approval = anApproval({ toolName: "pay", toolArgs: { env: "prod", amount: 6 } })
  const unknown = { certain: [], possible: ["classed", "rest"], covered: true }

  expect(names(replayed([classed, rest], approval, secret))).toEqual(unknown)
  expect(names(replayed([classed, rest], approval, rest, 0))).toEqual(unknown)
  expect(names(replayed([classed, rest], anApproval({ toolName: "read", toolArgs: { env: "x" } }), secret))).toEqual({
    certain: ["rest"],
    possible: ["rest"],
    covered: true,
  })
})

test("a name that a pattern masks is unknown, also for a rule that leaves unknown names out", () => {
  const approval = anApproval({ toolName: "pay_acct_1", requirements: [aRequirement("pay_acct_1")] })
  const rule = aRule({ name: "pay", match: { tool: ["pay_acct_1"], agent: ["agent-1"] }, matchUnknown: false })

  const found = replayed([rule, rest], approval, secret)

  expect(found.possible.map(({ name }) => name)).toEqual(["pay", "rest"])
  expect(isExact(found)).toBe(false)
})

test("a done call stays done, although its result is masked", () => {
  const done = aRequirement("read", { tool_args: { env: "x" }, result: "acct_1" })
  const approval = anApproval({ toolName: "pay", requirements: [done, aRequirement("pay")] })

  const found = replayed([aRule({ name: "reads", match: { tool: ["read"] } }), rest], approval, secret)

  expect(names(found)).toEqual({ certain: ["rest"], possible: ["rest"], covered: true })
})

describe("of content that is not kept", () => {
  const gone = (rules: readonly Rule[]) =>
    names(replayed(rules, anApproval({ toolName: "pay", agentId: "a" }), rest, 0))

  test("instance and tool are still known", () => {
    const other = aRule({ name: "other", match: { tool: ["read"] } })
    const pay = aRule({ name: "pay", match: { tool: ["pay"], instance: ["main"] } })

    expect(gone([other, pay, rest])).toEqual({ certain: ["pay"], possible: ["pay"], covered: true })
  })

  test.each([
    ["an agent", { match: { agent: ["a"] } }],
    ["a kind of source", { match: { source: ["agent"] } }],
    ["an argument", { when: "args.amount > 5" }],
  ])("%s is unknown, also where the rule leaves unknown names out", (_, rule) => {
    expect(gone([aRule({ name: "asks", matchUnknown: false, ...rule }), rest])).toEqual({
      certain: [],
      possible: ["asks", "rest"],
      covered: true,
    })
  })

  test("the tools of several calls are unknown", () => {
    const requirements = [aRequirement("pay"), aRequirement("read")]
    const rule = aRule({ name: "read", match: { tool: ["read"] } })

    const found = replayed([rule, rest], anApproval({ toolName: "pay", requirements }), rest, 0)

    expect(names(found)).toEqual({ certain: [], possible: ["read", "rest"], covered: true })
  })

  test("nobody knows whether a rule takes each call, if the last one may not", () => {
    expect(gone([aRule({ name: "asks", match: { agent: ["a"] } })])).toEqual({
      certain: [],
      possible: ["asks"],
      covered: null,
    })
  })
})

test("a rule that only adds is asked for certain if what it looks at is known, and may be asked if it is not", () => {
  const adds = aRule({ name: "late", when: "time.hour >= 18", timeZone: "UTC" })
  const content = contentOf(aPast({ policy: aPolicy() }))
  const evening = noon + 8 * 3_600_000

  const known = replay([adds, rest], { content, circumstances: { requester: null, at: evening } })
  const unknown = replay([adds, rest], { content, circumstances: nothing })

  expect(names(known)).toEqual({ certain: ["late", "rest"], possible: ["late", "rest"], covered: true })
  expect(names(unknown)).toEqual({ certain: ["rest"], possible: ["late", "rest"], covered: true })
})

const anyRules = fc
  .array(
    fc.record({
      when: fc.option(anyCondition.map(conditionText), { nil: undefined }),
      match: fc.constantFrom({}, { tool: ["pay"] }, { tool: ["p*"] }, { agent: ["agent-1"] }, { source: ["team"] }),
      matchUnknown: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rules) =>
    rules.map(({ when, ...rule }, index) =>
      aRule({ name: `rule-${index}`, ...rule, ...(when === undefined ? {} : { when }) }),
    ),
  )

const anyRecord = fc
  .record({
    args: anyArgs.map((args) => parseJson(wireText(args))),
    tool: fc.constantFrom("pay", "read", null),
    agentId: fc.constantFrom("agent-1", null),
  })
  .map(({ args, tool, agentId }) => {
    const requirements = [aRequirement(tool ?? "pay", { tool_args: args, tool_name: tool })]
    return anApproval({ toolName: tool, agentId, requirements })
  })

const anyMask = fc.array(fc.constantFrom("a", "b", "l", "o", "a b", "/a/", "/[A-Z]/", "/p/", "/\\d/"), { maxLength: 3 })

test("whatever is masked or gone, rules that ask for certain did ask, and those that asked may", () => {
  const runs = runsOf(1_500)
  const seen = { exact: 0, inexact: 0 }

  fc.assert(
    fc.property(anyRules, anyRecord, anyMask, fc.boolean(), (rules, approval, mask, gone) => {
      const truth = demandOf(approval, rules)
      const found = replayed(rules, approval, aRule({ mask }), gone ? 0 : 1)

      expect(truth.rules).toEqual(expect.arrayContaining([...found.certain]))
      expect(found.possible).toEqual(expect.arrayContaining([...truth.rules]))
      if (found.covered !== null) expect(found.covered).toBe(truth.covered)
      if (!gone && mask.length === 0) expect(isExact(found)).toBe(true)
      seen[isExact(found) ? "exact" : "inexact"] += 1
    }),
    { numRuns: runs },
  )

  expect(Math.min(seen.exact, seen.inexact)).toBeGreaterThan(runs / 20)
})
