// The card model of a case: its hash changes if and only if something that a card shows changes.

import { expect, test } from "vitest"
import { cardModelHash, cardModelOf, isUnfinished, lags, orphanModel } from "../../../src/domain/case/card-model.ts"
import { leaseCard, rememberCard } from "../../../src/domain/case/card-steps.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { castVote, revise } from "../../../src/domain/case/steps.ts"
import { attemptAgain, close, decide, freeze, loseAnswer, settle } from "../../../src/domain/case/verdict.ts"
import { aCase, anApproval, aPolicy, aRule, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const route = "channel:C1"
const hash = (current: Case) => cardModelHash(cardModelOf(current, route))
const quotas = [{ name: "all", hash: "h", quorum: 2 }]
const decision = { id: "d", verb: "approve", votes: [aVote()], at: noon } as const
const elsewhere = { kind: "elsewhere", status: "approved", resolvedBy: "boss@example.com", at: noon } as const
const event = { ...elsewhere, claimsToBeOurs: false }

/** The same case with its card posted and up to date. */
function shown(current: Case): Case {
  const place = { channel: "C1", ts: "1.1" }
  const done = { place, modelHash: hash(current), revision: current.revision.number, told: current.lines.length }
  return rememberCard(current, route, done, noon).next
}

const moments: readonly (readonly [string, Case])[] = [
  ["open", aCase()],
  ["a vote", castVote(aCase(), aVote(), quotas).next],
  ["a vote with a reason", castVote(aCase(), aVote({ reason: "fine" }), quotas).next],
  ["a rejection", castVote(aCase(), aVote({ verb: "reject" }), quotas).next],
  ["another voter", castVote(aCase(), aVote({ user: "U2" }), quotas).next],
  ["new content", revise(aCase(), anApproval({ toolArgs: {} }), aPolicy(), noon).next],
  ["new rules", revise(aCase(), anApproval(), aPolicy([aRule({ quorum: 2 })]), noon).next],
  ["sending", decide(aCase(), decision, "{}").next],
  [
    "sending a rejection",
    decide(aCase(), { ...decision, verb: "reject", votes: [aVote({ verb: "reject" })] }, "{}").next,
  ],
  ["settled", settle(aCase(), elsewhere, event).next],
  ["settled by somebody else", settle(aCase(), { ...elsewhere, resolvedBy: null }, event).next],
  ["frozen", freeze(aCase(), "why", noon).next],
  ["uncovered", aCase({ policy: aPolicy([]) })],
  ["unapprovable", aCase({ approval: anApproval({ toolArgs: { a: "\ud800" } }) })],
]

test("each moment of a case has a hash of its own", () => {
  expect(new Set(moments.map(([, current]) => hash(current))).size).toBe(moments.length)
})

test.for<readonly [string, Partial<Case>]>([
  ["version", { version: 9 }],
  ["misses", { missing: { times: 1, since: 1 } }],
  ["epoch", { epoch: "other" }],
  ["chain", { chain: { count: 9, mac: "m", era: 1 } }],
  ["lines", { lines: [{ kind: "found", at: 1 }] }],
  ["cards", { cards: [] }],
])("what a card does not show, the %s, does not change its modelHash", ([, change]) => {
  expect(hash({ ...aCase(), ...change })).toBe(hash(aCase()))
})

test("a card model has a hash for each route", () => {
  expect(cardModelHash(cardModelOf(aCase(), "channel:C2"))).not.toBe(hash(aCase()))
})

test.for<readonly [string, string, Case]>([
  ["open", "open", aCase()],
  ["decided", "deciding", decide(aCase(), decision, "{}").next],
  ["decided and sent once more", "sending", attemptAgain(decide(aCase(), decision, "{}").next, noon).next],
  ["decided and not answered", "sending", loseAnswer(decide(aCase(), decision, "{}").next, 1, noon)?.next ?? aCase()],
  ["settled", "settled", settle(aCase(), elsewhere, event).next],
  ["closed", "settled", close(settle(aCase(), elsewhere, event).next, noon).next],
  ["frozen", "frozen", freeze(decide(aCase(), decision, "{}").next, "why", noon).next],
  ["without a rule", "uncovered", aCase({ policy: aPolicy([]) })],
  ["of a run that is over", "run-over", { ...aCase(), reported: { status: "COMPLETED", over: true } }],
  ["of a run that failed, as is only said", "open", { ...aCase(), reported: { status: "ERROR", over: false } }],
  ["not well-formed", "unapprovable", aCase({ approval: anApproval({ toolName: "\ud800" }) })],
])("a case that is %s shows as %s", ([, kind, current]) => {
  expect(cardModelOf(current, route).status.kind).toBe(kind)
})

test("an open card shows how far each rule is", () => {
  const current = castVote(aCase(), aVote(), quotas).next

  expect(cardModelOf(current, route)).toMatchObject({
    status: { kind: "open", progress: [{ rule: "all", have: 1, need: 2 }] },
    votes: [{ user: "U1", verb: "approve", reason: null, at: noon }],
  })
})

test("an orphan shows that it was replaced, and nothing to press", () => {
  expect(orphanModel(aCase(), route, null).status).toEqual({ kind: "replaced", link: null })
  expect(cardModelHash(orphanModel(aCase(), route, null))).not.toBe(hash(aCase()))
})

test("a card lags until it hangs, shows the case, and has every line in its thread", () => {
  const current = aCase()
  const [empty] = current.cards
  const [card] = shown(current).cards
  if (empty === undefined || card === undefined) throw new Error("no card")
  const voted = castVote(shown(current), aVote(), quotas).next

  expect(lags(current, empty)).toBe(true)
  expect(lags(current, card)).toBe(false)
  expect(lags(voted, card)).toBe(true)
  expect(lags(voted, { ...card, modelHash: hash(voted) })).toBe(true)
  expect(lags(voted, { ...card, modelHash: hash(voted), told: voted.lines.length })).toBe(false)
  expect(lags(current, { ...card, lease: { by: "p", until: 0 } })).toBe(true)
})

test("a case is unfinished while a verdict is on its way, a card lags, or its end is not told", () => {
  const done = shown(aCase())

  expect(isUnfinished(aCase())).toBe(true)
  expect(isUnfinished(done)).toBe(false)
  expect(isUnfinished(leaseCard(done, route, { by: "p", until: 0 }).next)).toBe(true)
  expect(isUnfinished(decide(done, decision, "{}").next)).toBe(true)
  const settled = settle(done, elsewhere, event).next
  expect(isUnfinished(shown(settled))).toBe(true)
  expect(isUnfinished(close(settled, noon).next)).toBe(false)
  expect(isUnfinished(shown(freeze(done, "why", noon).next))).toBe(false)
})
