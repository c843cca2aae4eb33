// The policy: which rules an approval demands (R1), and their hashes (R5, R16).

import fc from "fast-check"
import { expect, test } from "vitest"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import { demandHash, demandOf, matchOf, policyOf } from "../../../src/domain/policy/policy.ts"
import { type Match, ruleHash } from "../../../src/domain/rule/rule.ts"
import { globMatches } from "../../../src/domain/text/glob.ts"
import { anApproval, aRequirement, aRule } from "../../support/builders.ts"

function rule(name: string, match: Match, more: Partial<Parameters<typeof aRule>[0]> = {}) {
  return aRule({ name, match, ...more })
}

function demanded(approval: ReturnType<typeof anApproval>, rules: readonly ReturnType<typeof aRule>[]) {
  const demand = demandOf(approval, rules)
  return { rules: demand.rules.map((one) => one.name), covered: demand.covered }
}

function matched(match: Match, approval = anApproval()) {
  const [call] = openGatedCalls(approval)
  return call === undefined ? undefined : matchOf(rule("r", match), approval, call)
}

test("R1: the first rule that certainly matches is demanded, and none after it", () => {
  const rules = [rule("no", { tool: ["send_*"] }), rule("first", { tool: ["delete_*"] }), rule("rest", {})]

  expect(demanded(anApproval(), rules)).toEqual({ rules: ["first"], covered: true })
})

test("R1: a field that the platform leaves null makes the rules that name it possible, and so demanded", () => {
  const rules = [
    rule("team a", { team: ["a"] }),
    rule("team b", { team: ["b"] }),
    rule("rest", {}),
    rule("after", { team: ["a"] }),
  ]

  expect(demanded(anApproval({ teamId: null }), rules)).toEqual({ rules: ["team a", "team b", "rest"], covered: true })
  expect(demanded(anApproval({ teamId: "b" }), rules)).toEqual({ rules: ["team b"], covered: true })
})

test("R1: match_unknown false exempts a rule from being possible", () => {
  const rules = [rule("team a", { team: ["a"] }, { matchUnknown: false }), rule("rest", {})]

  expect(demanded(anApproval({ teamId: null }), rules)).toEqual({ rules: ["rest"], covered: true })
})

test("R1: a rule that another field certainly excludes is not possible", () => {
  const rules = [rule("other tool", { team: ["a"], tool: ["send_*"] }), rule("rest", {})]

  expect(demanded(anApproval({ teamId: null }), rules)).toEqual({ rules: ["rest"], covered: true })
})

test("R1: a rule is chosen for each gated call by itself", () => {
  const rules = [rule("mails", { tool: ["send_*"] }), rule("deletes", { tool: ["delete_*"] }), rule("rest", {})]
  const requirements = [aRequirement("delete_x"), aRequirement("send_y")]

  expect(demanded(anApproval({ requirements }), rules)).toEqual({ rules: ["mails", "deletes"], covered: true })
})

test("R1: an ungated neighbour and a call that ran demand nothing", () => {
  const rules = [rule("mails", { tool: ["send_*"] }), rule("rest", {})]
  const requirements = [
    aRequirement("delete_x"),
    aRequirement("send_y", { approval_type: null }),
    aRequirement("send_z", { result: "sent" }),
  ]

  expect(demanded(anApproval({ requirements }), rules)).toEqual({ rules: ["rest"], covered: true })
})

test("R1: a member's call is matched by the member as agent, the team's own by no agent", () => {
  const rules = [rule("member", { agent: ["m"] }), rule("rest", {})]
  const ofMember = [aRequirement("a", {}, { member_agent_id: "m" })]

  expect(demanded(anApproval({ agentId: null, toolName: "a", requirements: ofMember }), rules).rules).toEqual([
    "member",
  ])
  expect(
    demanded(anApproval({ agentId: null, toolName: "a", requirements: [aRequirement("a")] }), rules).rules,
  ).toEqual(["member", "rest"])
})

test("R1: where one call has no rule for certain, the demand is not covered", () => {
  const rules = [rule("mails", { tool: ["send_*"] }), rule("possible", { team: ["a"] })]
  const requirements = [aRequirement("delete_x"), aRequirement("send_y")]

  expect(demanded(anApproval({ requirements }), rules)).toEqual({ rules: ["mails", "possible"], covered: false })
  expect(demanded(anApproval(), [])).toEqual({ rules: [], covered: false })
})

test.for<readonly [Match, string]>([
  [{}, "yes"],
  [{ instance: ["main"] }, "yes"],
  [{ instance: ["x", "main"] }, "yes"],
  [{ instance: ["x"] }, "no"],
  [{ agent: ["agent-1"] }, "yes"],
  [{ agent: ["AGENT-1"] }, "no"],
  [{ workflow: ["w"] }, "possible"],
  [{ workflow: ["w"], agent: ["x"] }, "no"],
  [{ pause: ["confirmation"] }, "yes"],
  [{ pause: ["user_input"] }, "no"],
  [{ source: ["agent"] }, "yes"],
  [{ source: ["team"] }, "no"],
  [{ tool: ["send_*", "delete_*"] }, "yes"],
  [{ tool: [] }, "no"],
])("R1: %j matches the default approval: %s", ([match, wanted]) => {
  expect(matched(match)).toBe(wanted)
})

test("R1: an unknown tool or pause makes a rule possible", () => {
  expect(matched({ tool: ["*"] }, anApproval({ toolName: null }))).toBe("possible")
  expect(matched({ pause: ["confirmation"] }, anApproval({ pauseType: null }))).toBe("possible")
})

test("R1: a rule that cannot be told from the first certain one never loses anybody: more is asked, never less", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })
  const match = fc.record({ team: names, agent: names }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(match, { maxLength: 5 }), fc.constantFrom("a", "b", "c"), (matches, teamId) => {
      const rules = matches.map((one, at) => rule(`r${at}`, one))
      const known = demandOf(anApproval({ teamId, agentId: "a" }), rules)
      const unknown = demandOf(anApproval({ teamId: null, agentId: "a" }), rules)

      expect(known.covered || !unknown.covered).toBe(true)
      if (unknown.covered) expect(unknown.rules).toEqual(expect.arrayContaining([...known.rules]))
    }),
  )
})

test.for<readonly [string, string, boolean]>([
  ["delete_*", "delete_table", true],
  ["delete_*", "delete_", true],
  ["delete_*", "undelete_x", false],
  ["*", "", true],
  ["a?c", "abc", true],
  ["a?c", "a\u{1f600}c", true],
  ["a?c", "ac", false],
  ["a.c", "abc", false],
  ["(x|y)[z]$^+\\{2}", "(x|y)[z]$^+\\{2}", true],
  ["Delete", "delete", false],
  ["a*", "a\nb", true],
])("the glob %s on %s: %s", ([glob, text, wanted]) => {
  expect(globMatches(glob, text)).toBe(wanted)
})

test("a glob without wildcards matches itself alone", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (glob, text) => {
      fc.pre(!/[*?]/.test(glob))

      expect(globMatches(glob, text)).toBe(glob === text)
      expect(globMatches(`${glob}*`, glob + text)).toBe(true)
    }),
  )
})

test("R5: every part of a rule is in its hash", () => {
  const changes: Partial<Parameters<typeof aRule>[0]>[] = [
    { name: "other" },
    { match: { tool: ["x"] } },
    { matchUnknown: false },
    { routes: [] },
    { routes: [{ kind: "channel", id: "C2" }] },
    { approvers: [] },
    { approvers: [{ kind: "user", id: "U1" }] },
    { approvers: [{ kind: "user", id: "U3" }] },
    { reasons: ["a"] },
    { reasons: ["b"] },
    { mask: ["a"] },
    { mask: ["b"] },
    { risk: "low" },
    { danger: true },
    { quorum: 2 },
    { forbidSelfApproval: true },
    { unknownRequester: "two" },
    { requireReason: "always" },
    { allowGuests: true },
    { allowExternal: true },
    { allowSharedChannel: true },
    { showFirst: ["a"] },
    { showFirst: ["b"] },
    { say: "a" },
    { say: "b" },
    { argumentsInDetails: true },
    { requestInDetails: true },
    { resultToRequester: true },
    { reviewBy: "2027-06-30" },
  ]

  const hashes = [aRule(), ...changes.map((change) => aRule(change))].map(ruleHash)

  expect(new Set(hashes).size).toBe(changes.length + 1)
})

test("R5: the hash of a demand changes with its rules, and with whether it covers all calls", () => {
  const demands = [
    { rules: [aRule()], covered: true },
    { rules: [aRule()], covered: false },
    { rules: [aRule({ quorum: 2 })], covered: true },
    { rules: [], covered: true },
  ]

  expect(new Set(demands.map(demandHash)).size).toBe(4)
})

test("R16: the revision of a policy is the same for the same rules, and another for any other", () => {
  const identities = [{ subject: "robot", team: "T1", user: "U1" }]

  expect(policyOf([aRule()], identities).revision).toBe(policyOf([aRule()], [...identities]).revision)
  expect(policyOf([aRule()], []).revision).not.toBe(policyOf([aRule()], identities).revision)
  const others = identities.map((one) => ({ ...one, user: "U2" }))
  expect(policyOf([aRule()], others).revision).not.toBe(policyOf([aRule()], identities).revision)
  expect(policyOf([rule("a", {}), rule("b", {})], []).revision).not.toBe(
    policyOf([rule("b", {}), rule("a", {})], []).revision,
  )
})
