// Votes and the verdict they reach (R1, R3, R7).

import fc from "fast-check"
import { expect, test } from "vitest"
import {
  type Quota,
  standsInFor,
  tally as tallyOf,
  type Vote,
  valuesHash,
  voteContent,
} from "../../../src/domain/case/vote.ts"
import { parseJson } from "../../../src/domain/content/json.ts"
import { aVote } from "../../support/builders.ts"

/** Counts votes that all need the same. */
function tally(votes: readonly Vote[], quotas: readonly Quota[]) {
  return tallyOf(votes, { quotas })
}

const quota = (quorum = 1, name = "all", hash = "h"): Quota => ({ name, hash, quorum })

function under(...names: readonly string[]) {
  return { rules: names.map((name) => ({ name, hash: "h" })) }
}

test("one approval reaches a quorum of one", () => {
  const vote = aVote()

  expect(tally([vote], [quota()])).toEqual({ verdict: "approve", votes: [vote] })
})

test("R1: whoever asked calls back under no rule; with the same mark an approval counts nothing", () => {
  const back = aVote({ verb: "reject", calledBack: true, rules: [] })
  const forged = aVote({ verb: "approve", calledBack: true, rules: [] })

  expect(tally([aVote({ user: "U2" }), back], [quota(2)])).toEqual({ verdict: "reject", votes: [back] })
  expect(tally([forged], [quota()]).verdict).toBeNull()
  expect(tally([back], []).verdict).toBeNull()
})

test("R3: the seal of a vote says that it calls back, and an old vote is sealed as it was", () => {
  expect(voteContent(aVote({ verb: "reject", calledBack: true }))).toMatchObject({ calledBack: true })
  expect(voteContent(aVote({ verb: "reject" }))).not.toHaveProperty("calledBack")
})

test("nothing is reached without votes, and nothing without quotas", () => {
  expect(tally([], [quota()])).toEqual({ verdict: null, progress: [{ rule: "all", have: 0, need: 1 }] })
  expect(tally([aVote()], [])).toEqual({ verdict: null, progress: [] })
  expect(tally([aVote({ verb: "reject" })], []).verdict).toBeNull()
})

test("R1: each quota is reached by its own approvers", () => {
  const quotas = [quota(1, "a"), quota(2, "b")]
  const votes = [aVote({ user: "U1", ...under("a") }), aVote({ user: "U2", ...under("b") })]

  expect(tally(votes, quotas)).toEqual({
    verdict: null,
    progress: [
      { rule: "a", have: 1, need: 1 },
      { rule: "b", have: 1, need: 2 },
    ],
  })
  expect(tally([...votes, aVote({ user: "U3", ...under("b") })], quotas).verdict).toBe("approve")
})

test("R1: one vote counts under every rule that lists its voter", () => {
  expect(tally([aVote(under("a", "b"))], [quota(1, "a"), quota(1, "b")]).verdict).toBe("approve")
})

test("R1: one rejection decides, whatever the quorum and whoever else approved", () => {
  const rejection = aVote({ user: "U3", verb: "reject", ...under("b") })
  const quotas = [quota(1, "a"), quota(3, "b")]

  expect(tally([aVote(under("a")), rejection], quotas)).toEqual({ verdict: "reject", votes: [rejection] })
})

test("a vote under a rule that is not demanded, or has changed, counts for nothing", () => {
  expect(tally([aVote(under("other"))], [quota()]).verdict).toBeNull()
  expect(tally([aVote({ rules: [{ name: "all", hash: "older" }] })], [quota()]).verdict).toBeNull()
  expect(tally([aVote({ verb: "reject", ...under("other") })], [quota()]).verdict).toBeNull()
})

/** A vote of this person for U1, who is away. */
function forU1(user: string, changes: Partial<Vote> = {}) {
  return aVote({ user, rules: [{ name: "all", hash: "h", for: "T1:U1" }], ...changes })
}

test("R1: whoever stands in counts for one, and once with whoever is away: theirs, if there is one", () => {
  const [own, stood, other] = [aVote(), forU1("U2"), aVote({ user: "U3" })]

  expect(tally([stood], [quota()])).toEqual({ verdict: "approve", votes: [stood] })
  expect(tally([own, stood], [quota(2)])).toMatchObject({ verdict: null, progress: [{ have: 1 }] })
  expect(tally([stood, forU1("U4")], [quota(2)])).toMatchObject({ verdict: null, progress: [{ have: 1 }] })
  expect(tally([own, stood, other], [quota(2)])).toEqual({ verdict: "approve", votes: [own, other] })
  expect(tally([own, forU1("U2", { verb: "reject" })], [quota(2)]).verdict).toBeNull()
  expect(tally([forU1("U2", { verb: "reject" })], [quota(2)]).verdict).toBe("reject")
})

test("R7: whoever stands in for two people is one vote under each rule, and one person in a quorum", () => {
  const rules = [
    { name: "a", hash: "h", for: "T1:U1" },
    { name: "b", hash: "h", for: "T1:U2" },
  ]
  const vote = aVote({ user: "U9", rules })

  expect(standsInFor(vote)).toEqual(["T1:U1", "T1:U2"])
  expect(tally([vote], [quota(1, "a"), quota(1, "b")]).verdict).toBe("approve")
  expect(tally([vote], [quota(2, "a"), quota(1, "b")]).verdict).toBeNull()
})

test("R3: the seal of a vote says for whom it stands in, and an old vote is sealed as it was", () => {
  expect(voteContent(forU1("U2"))).toMatchObject({ rules: [{ name: "all", for: "T1:U1" }] })
  expect(voteContent(aVote())["rules"]).toEqual([{ name: "all", hash: "h" }])
})

test("a rejection that counts for nothing is no part of an approval", () => {
  const approval = aVote()

  const result = tally([approval, aVote({ user: "U2", verb: "reject", ...under("other") })], [quota()])

  expect(result).toEqual({ verdict: "approve", votes: [approval] })
})

test("R7: a quorum counts distinct people", () => {
  const votes = [aVote(), aVote({ subject: "second@example.com" })]

  expect(tally(votes, [quota(2)])).toEqual({ verdict: null, progress: [{ rule: "all", have: 1, need: 2 }] })
})

test("R7: a quorum counts distinct subjects", () => {
  const votes = [aVote(), aVote({ user: "U2", subject: "u1@example.com" })]

  expect(tally(votes, [quota(2)]).verdict).toBeNull()
})

test.for(["U1@Example.com", "u1@example.com ", "u1\u200B@example.com"])(
  "R7: the subjects u1@example.com and %j are one",
  (subject) => {
    const votes = [aVote(), aVote({ user: "U2", subject })]

    expect(tally(votes, [quota(2)]).verdict).toBeNull()
  },
)

test("R3: votes with different values never add up, and those without values neither", () => {
  const votes = [{ amount: 1 }, { amount: 2 }, null].map((values, at) => aVote({ user: `U${at}`, values }))

  expect(tally(votes, [quota(2)])).toEqual({ verdict: null, progress: [{ rule: "all", have: 1, need: 2 }] })
})

test("R3: a vote without values is sealed without a hash of them", () => {
  expect(voteContent(aVote())).toMatchObject({ values: null })
  expect(voteContent(aVote({ values: { a: 1 } }))).toMatchObject({ values: valuesHash({ a: 1 }) })
})

test("R3: values that a double confuses are different", () => {
  const values = ["9007199254740992", "9007199254740993"].map((text) => ({ amount: parseJson(text) }))

  expect(valuesHash(values[0] ?? null)).not.toBe(valuesHash(values[1] ?? null))
  expect(
    tally(
      values.map((one, at) => aVote({ user: `U${at}`, values: one })),
      [quota(2)],
    ).verdict,
  ).toBeNull()
})

test("R3: among votes with different values, those that agree decide", () => {
  const votes = [1, 2, 2].map((amount, at) => aVote({ user: `U${at}`, values: { amount } }))

  expect(tally(votes, [quota(2)])).toEqual({ verdict: "approve", votes: votes.slice(1) })
})

const someVotes: fc.Arbitrary<readonly Vote[]> = fc
  .array(
    fc.record({
      verb: fc.constantFrom("approve", "approve", "approve", "reject"),
      subject: fc.constantFrom("a", "b", "c", "d"),
      values: fc.constantFrom(null, null, { a: 1 }, { a: 2 }),
      rules: fc.subarray(["a", "b", "c"]).map((names) => under(...names).rules),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map((vote, at) => aVote({ ...vote, verb: vote.verb === "reject" ? "reject" : "approve", user: `U${at}` })),
  )

const someQuotas: fc.Arbitrary<readonly Quota[]> = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom("a", "b")).map(([quorum, name]) => quota(quorum, name)),
  { maxLength: 3 },
)

test("the order of votes never changes the verdict", () => {
  const shuffled = someVotes.chain((votes) =>
    fc.tuple(fc.constant(votes), fc.shuffledSubarray([...votes], { minLength: votes.length })),
  )
  fc.assert(
    fc.property(shuffled, someQuotas, ([votes, other], quotas) => {
      expect(tally(other, quotas).verdict).toBe(tally(votes, quotas).verdict)
    }),
  )
})

test("an approval always has, for each quota, as many people and subjects as it needs, of one mind", () => {
  fc.assert(
    fc.property(someVotes, someQuotas, (votes, quotas) => {
      const result = tally(votes, quotas)
      fc.pre(result.verdict === "approve")

      expect(new Set(result.votes.map((vote) => valuesHash(vote.values))).size).toBe(1)
      for (const { name, quorum } of quotas) {
        const counted = result.votes.filter(
          (vote) => vote.verb === "approve" && vote.rules.some((one) => one.name === name),
        )
        expect(new Set(counted.map((vote) => vote.person.user)).size).toBeGreaterThanOrEqual(quorum)
        expect(new Set(counted.map((vote) => vote.subject)).size).toBeGreaterThanOrEqual(quorum)
      }
    }),
  )
})

test("one more approval never takes a verdict away", () => {
  fc.assert(
    fc.property(someVotes, someQuotas, (votes, quotas) => {
      const more = [...votes, aVote({ user: "U99", subject: "z", ...under("a", "b") })]

      if (tally(votes, quotas).verdict !== null) expect(tally(more, quotas).verdict).toBe(tally(votes, quotas).verdict)
    }),
  )
})

test("R3: everything that a vote is bound to is in what its seal covers", () => {
  const changes: readonly Partial<Vote>[] = [
    { installation: "other" },
    { caseId: "other" },
    { revision: 2 },
    { digest: "e".repeat(64) },
    { rules: [{ name: "all", hash: "other" }] },
    { person: { team: "T2", user: "U1" } },
    { person: { team: "T1", user: "U2" } },
    { name: "other" },
    { subject: "other" },
    { verb: "reject" },
    { reason: "other" },
    { values: { a: 1 } },
    { revealed: true },
    { surface: "details" },
    { interaction: "other" },
    { at: 1 },
  ]

  const contents = [aVote(), ...changes.map((change) => aVote(change))].map((vote) => JSON.stringify(voteContent(vote)))

  expect(new Set(contents).size).toBe(changes.length + 1)
  expect(JSON.stringify(voteContent(aVote({ mac: "other" })))).toBe(contents[0])
})
