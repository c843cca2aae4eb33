// Whether decisions of the past stand under other rules: by the same people, as strictly as a vote is judged.
import { describe, expect, test } from "vitest"
import type { Decision } from "../../../src/domain/case/vote.ts"
import type { Person } from "../../../src/domain/people/person.ts"
import { policyOf } from "../../../src/domain/policy/policy.ts"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { type DecisionSeen, decisionUnder } from "../../../src/domain/simulation/decision-under.ts"
import { aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { aPast, type Pressed, peopleOf } from "./past.ts"

const old = aRule({ name: "old" })

/** What somebody decided under the rule `old`. */
function decided(...presses: readonly Pressed[]): Decision {
  const { decision } = aPast({ policy: aPolicy([old]), presses })
  if (decision === null) throw new Error("nothing was decided")
  return decision
}

const byOne = decided({ user: "U1", ms: 1 })
const rejected = decided({ user: "U1", ms: 1, verb: "reject" })

/** How it comes out under rules that all ask for certain, unless the test says otherwise. */
function under(decision: Decision, rules: readonly Rule[], changes: Partial<DecisionSeen> = {}) {
  const voters = new Map<string, Person | null>(
    decision.votes.map(({ person }) => [`${person.team}:${person.user}`, aPerson(person)]),
  )
  const replay = { certain: rules, possible: rules, covered: true }
  const people = peopleOf(policyOf(rules, []))
  return decisionUnder({ decision, replay, people, voters, userId: "sa:bot", known: null, identities: [], ...changes })
}

describe("an approval", () => {
  test("stands where its voter is enough", () => {
    expect(under(byOne, [aRule({ name: "new" })])).toEqual({ kind: "stands" })
  })

  test("needs others where the quorum is higher, and says how many each rule has", () => {
    const rules = [aRule({ name: "new" }), aRule({ name: "two", quorum: 2 })]

    expect(under(byOne, rules)).toEqual({
      kind: "needs-others",
      progress: [{ rule: "two", have: 1, need: 2 }],
    })
    expect(under(decided({ user: "U1", ms: 1 }, { user: "U2", ms: 2 }), rules)).toEqual({ kind: "stands" })
  })

  test("needs others where the rule does not list its voter", () => {
    const rule = aRule({ name: "new", approvers: [{ kind: "user", id: "U9" }] })

    expect(under(byOne, [rule])).toEqual({ kind: "needs-others", progress: [{ rule: "new", have: 0, need: 1 }] })
  })

  test("needs others where nobody is listed or nobody may decide", () => {
    expect(under(byOne, [old, aRule({ name: "new", approvers: [] })])).toMatchObject({ kind: "needs-others" })
    expect(under(byOne, [], { replay: { certain: [], possible: [], covered: false } })).toEqual({
      kind: "needs-others",
      progress: [],
    })
  })

  test("needs others where whoever asked may not approve, also under a rule that does not list them", () => {
    const strict = aRule({ name: "strict", forbidSelfApproval: true, approvers: [{ kind: "user", id: "U2" }] })

    expect(under(byOne, [old, strict], { userId: "U1" })).toMatchObject({
      kind: "needs-others",
      progress: [
        { rule: "old", have: 0, need: 1 },
        { rule: "strict", have: 0, need: 1 },
      ],
    })
  })

  test("needs a second person where nobody knows who asked, if the rule says so", () => {
    const rule = aRule({ name: "new", forbidSelfApproval: true, unknownRequester: "two" })

    expect(under(byOne, [rule])).toEqual({ kind: "needs-others", progress: [{ rule: "new", have: 1, need: 2 }] })
    expect(under(byOne, [rule], { userId: "ann@example.com", known: { team: "T1", user: "U5" } })).toEqual({
      kind: "stands",
    })
  })

  test("does not count two accounts of one human twice", () => {
    const two = decided({ user: "U1", ms: 1 }, { user: "U2", ms: 2 })
    const identities = ["U1", "U2"].map((user) => ({ subject: "jane", team: "T1", user }))

    expect(under(two, [aRule({ name: "new", quorum: 2 })], { identities })).toEqual({
      kind: "needs-others",
      progress: [{ rule: "new", have: 1, need: 2 }],
    })
  })

  test("of a guest stands only under a rule that lets guests in", () => {
    const voters = new Map([["T1:U1", aPerson({ guest: true })]])

    expect(under(byOne, [aRule({ name: "new" })], { voters })).toMatchObject({ kind: "needs-others" })
    expect(under(byOne, [aRule({ name: "new", allowGuests: true })], { voters })).toEqual({ kind: "stands" })
    expect(under(byOne, [old], { voters })).toEqual({ kind: "stands" })
  })
})

describe("whoever left since then", () => {
  const empty = { people: new Map<string, ReadonlySet<string>>() }

  test("still counts under the rule that they voted under", () => {
    expect(under(byOne, [old], empty)).toEqual({ kind: "stands" })
  })

  test.each<[string, Person | null]>([
    ["Slack does not know them", null],
    ["they are deactivated", aPerson({ deactivated: true })],
  ])("counts for nobody knows what under another rule: %s", (_, person) => {
    const voters = new Map([["T1:U1", person]])
    const rule = aRule({ name: "new" })
    const others = {
      people: new Map([...peopleOf(policyOf([rule], [])).keys()].map((hash) => [hash, new Set(["T1:U2"])])),
    }

    expect(under(byOne, [rule], { voters, ...others })).toEqual({ kind: "cannot-tell" })
    expect(under(byOne, [{ ...rule, quorum: 2 }], { voters })).toMatchObject({ kind: "needs-others" })
  })
})

describe("a rejection", () => {
  test("stands if one of the rules lists its voter", () => {
    const other = aRule({ name: "other", approvers: [{ kind: "user", id: "U9" }], quorum: 2 })

    expect(under(rejected, [other, aRule({ name: "new", quorum: 2 })])).toEqual({ kind: "stands" })
    expect(under(rejected, [other])).toMatchObject({ kind: "needs-others" })
  })

  test("of whoever asked stands", () => {
    const strict = aRule({ name: "strict", forbidSelfApproval: true })

    expect(under(rejected, [strict], { userId: "U1" })).toEqual({ kind: "stands" })
  })
})

describe("where rules hang on what is unknown,", () => {
  const two = aRule({ name: "two", quorum: 2 })
  const stranger = aRule({ name: "stranger", approvers: [{ kind: "user", id: "U9" }] })
  const people = peopleOf(policyOf([old, two, stranger], []))

  test("an approval stands if it does with all of them", () => {
    const replay = { certain: [], possible: [old, aRule({ name: "new" })], covered: true }

    expect(under(byOne, replay.possible, { replay })).toEqual({ kind: "stands" })
  })

  test("nobody can tell of one that does only without them", () => {
    const replay = { certain: [old], possible: [old, two], covered: true }

    expect(under(byOne, [], { replay, people })).toEqual({ kind: "cannot-tell" })
    expect(under(byOne, [], { replay: { ...replay, certain: [], covered: null }, people })).toEqual({
      kind: "cannot-tell",
    })
  })

  test("an approval needs others if it does not even stand without them", () => {
    const replay = { certain: [two], possible: [two, old], covered: null }

    expect(under(byOne, [], { replay, people })).toMatchObject({ kind: "needs-others" })
  })

  test("a rejection needs one of the certain rules to stand, and all of them to fail", () => {
    const replay = { certain: [stranger], possible: [stranger, old], covered: true }

    expect(under(rejected, [], { replay, people })).toEqual({ kind: "cannot-tell" })
    expect(under(rejected, [], { replay: { ...replay, possible: [stranger] }, people })).toMatchObject({
      kind: "needs-others",
    })
  })
})
