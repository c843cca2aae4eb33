// The judgement on one person: each way to be refused, and under which rules a vote counts (R1, R5, R6, R7).

import { expect, test } from "vitest"
import type { Person } from "../../../src/domain/people/person.ts"
import type { RequesterMatch } from "../../../src/domain/people/requester.ts"
import {
  type Approvers,
  judge,
  judgeCallBack,
  quorumOf,
  type Verb,
  wantsReason,
} from "../../../src/domain/policy/judge.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { aPerson, aRule } from "../../support/builders.ts"

interface Given {
  readonly person?: Person
  readonly verb?: Verb
  readonly rules?: readonly Rule[]
  readonly covered?: boolean
  /** Who is listed, by rule name; U1 under `all` unless said otherwise. */
  readonly listed?: Readonly<Record<string, readonly string[]>>
  readonly conflicts?: Approvers["conflicts"]
  readonly requester?: RequesterMatch
}

function judged(given: Given) {
  const { person = aPerson(), verb = "approve", rules = [aRule()], covered = true, requester = "other" } = given
  const listed = given.listed ?? { all: ["T1:U1"] }
  const byRule = new Map(Object.entries(listed).map(([name, keys]) => [name, new Set(keys)]))
  const approvers = { byRule, conflicts: given.conflicts ?? new Map() }
  const judgement = judge({ person, verb, demand: { rules, covered }, approvers, requester })
  return judgement.ok ? judgement.rules : judgement.refusal
}

test("an approver may vote under the rule that lists them", () => {
  expect(judged({})).toEqual(["all"])
})

test("R1: a vote counts under every demanded rule that lists its voter, and under no other", () => {
  const rules = ["a", "b", "c"].map((name) => aRule({ name }))

  expect(judged({ rules, listed: { a: ["T1:U1"], b: ["T1:U2"], c: ["T1:U1", "T1:U2"] } })).toEqual(["a", "c"])
})

test("where one of two rules has no approver nobody approves, and an approver of the other still rejects", () => {
  const rules = [aRule(), aRule({ name: "b" })]
  const listed = { all: ["T1:U1"], b: [] }

  expect(judged({ rules, listed, verb: "approve" })).toEqual({ code: "no-approvers" })
  expect(judged({ rules, listed, verb: "reject" })).toEqual(["all"])
  expect(judged({ rules, listed, verb: "reject", person: aPerson({ user: "U9" }) })).toEqual({ code: "not-approver" })
})

test.for<readonly [string, Given, object]>([
  ["a bot", { person: aPerson({ bot: true }) }, { code: "bot" }],
  ["a deactivated person", { person: aPerson({ deactivated: true }) }, { code: "deactivated" }],
  ["anybody where a call has no rule", { covered: false }, { code: "not-covered" }],
  ["anybody where no rule is demanded", { rules: [], covered: false }, { code: "not-covered" }],
  ["anybody where a rule has no approver", { listed: { all: [] } }, { code: "no-approvers" }],
  ["anybody where a rule is not listed at all", { listed: {} }, { code: "no-approvers" }],
  ["a stranger", { person: aPerson({ user: "U9" }) }, { code: "not-approver" }],
  ["the same user id of another team", { person: aPerson({ team: "T2" }) }, { code: "not-approver" }],
  ["a guest", { person: aPerson({ guest: true }) }, { code: "guest" }],
  ["somebody of another workspace", { person: aPerson({ external: true }) }, { code: "external" }],
  [
    "somebody whose e-mail means two people",
    { conflicts: new Map([["T1:U1", "u1@example.com"]]) },
    { code: "conflicting-email", email: "u1@example.com" },
  ],
])("%s is refused, for rejecting too", ([, given, refusal]) => {
  expect(judged(given)).toEqual(refusal)
  expect(judged({ ...given, verb: "reject" })).toEqual(refusal)
})

test("a guest may vote where a rule of theirs says so, and only under that rule", () => {
  const rules = [aRule({ name: "a", allowGuests: true }), aRule({ name: "b" })]
  const listed = { a: ["T1:U1"], b: ["T1:U1"] }

  expect(judged({ rules, listed, person: aPerson({ guest: true }) })).toEqual(["a"])
  expect(judged({ rules, listed, person: aPerson({ guest: true, external: true }) })).toEqual({ code: "external" })
})

test("somebody of another workspace may vote where a rule says so", () => {
  const rules = [aRule({ allowExternal: true })]

  expect(judged({ rules, person: aPerson({ external: true }) })).toEqual(["all"])
})

const strict = (unknownRequester: Rule["unknownRequester"]) => aRule({ forbidSelfApproval: true, unknownRequester })

test.for<readonly [RequesterMatch, Rule, unknown]>([
  ["same", aRule(), ["all"]],
  ["same", strict("allow"), { code: "requester", rule: "all" }],
  ["same", strict("refuse"), { code: "requester", rule: "all" }],
  ["other", strict("refuse"), ["all"]],
  ["unknown", aRule({ unknownRequester: "refuse" }), ["all"]],
  ["unknown", strict("allow"), ["all"]],
  ["unknown", strict("two"), ["all"]],
  ["unknown", strict("refuse"), { code: "unknown-requester", rule: "all" }],
])("R6: a requester who is %s", ([requester, rule, wanted]) => {
  expect(judged({ requester, rules: [rule] })).toEqual(wanted)
  expect(judged({ requester, rules: [rule], verb: "reject" })).toEqual(["all"])
})

test("R1: a flag that one demanded rule sets is set for voters under any of them", () => {
  const rules = [aRule(), aRule({ name: "strict", forbidSelfApproval: true, unknownRequester: "refuse" })]
  const listed = { all: ["T1:U1"], strict: ["T1:U2"] }

  expect(judged({ rules, listed, requester: "same" })).toEqual({ code: "requester", rule: "strict" })
  expect(judged({ rules, listed, requester: "unknown" })).toEqual({ code: "unknown-requester", rule: "strict" })
})

test("R6: two doubles the quorum of one only, and only where nobody knows who asked", () => {
  expect(quorumOf(strict("two"), "unknown")).toBe(2)
  expect(quorumOf({ ...strict("two"), quorum: 3 }, "unknown")).toBe(3)
  expect(quorumOf(strict("two"), "other")).toBe(1)
  expect(quorumOf(strict("allow"), "unknown")).toBe(1)
  expect(quorumOf(aRule({ unknownRequester: "two" }), "unknown")).toBe(1)
})

test.for<readonly [Rule["requireReason"], boolean, boolean]>([
  ["never", false, false],
  ["approve", true, false],
  ["reject", false, true],
  ["always", true, true],
])("a rule with require_reason %s", ([requireReason, approve, reject]) => {
  const rules = [aRule(), aRule({ requireReason })]

  expect([wantsReason(rules, "approve"), wantsReason(rules, "reject")]).toEqual([approve, reject])
})

test.each([
  { who: "whoever asked", given: {}, says: [] },
  { who: "nobody, where the claim means no account", given: { requester: null }, says: "not-requester" },
  { who: "nobody but that account", given: { requester: { team: "T1", user: "U2" } }, says: "not-requester" },
  {
    who: "no account of the same id elsewhere",
    given: { requester: { team: "T2", user: "U1" } },
    says: "not-requester",
  },
  { who: "no guest whom no rule lets in", given: { barrier: "guest" as const }, says: "guest" },
  { who: "nobody who may not see it", given: { barrier: "stranger" as const }, says: "not-requester" },
  { who: "no deactivated account", given: { person: aPerson({ deactivated: true }) }, says: "deactivated" },
  { who: "nobody, where a call has no rule", given: { demand: { rules: [], covered: false } }, says: "not-covered" },
])("R1: a request is called back by $who", ({ given, says }) => {
  const requester = { team: "T1", user: "U1" }
  const asked = { person: aPerson(), demand: { rules: [aRule()], covered: true }, barrier: null, requester }

  const judgement = judgeCallBack({ ...asked, ...given })

  expect(judgement.ok ? judgement.rules : judgement.refusal.code).toEqual(says)
})
