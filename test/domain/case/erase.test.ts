// Erasing a person from a case: what is theirs goes, what is others' stays, and that they voted stays.

import { expect, test } from "vitest"
import type { Case, Outcome } from "../../../src/domain/case/case.ts"
import { type Erased, eraseFrom, isNamed } from "../../../src/domain/case/erasure.ts"
import { filledWith } from "../../../src/domain/send-back/counterproposal.ts"
import { aCase, anApproval, aQuestion, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const erased: Erased = { person: "T1:U1", names: new Set(["u1@example.com"]) }
const theirs = aVote({ reason: "mine", values: { amount: 1 } })
const others = aVote({ user: "U2", reason: "other", values: { amount: 1 } })
const gone = { name: "(erased)", subject: "(erased)", reason: null, values: null, mac: "" }

function caseWith(changes: Partial<Case>): Case {
  return { ...aCase({ approval: anApproval({ userId: "else@example.com" }) }), ...changes }
}

test("their votes lose name, subject, reason, values and seal, in the case and in its decision", () => {
  const decision = { id: "d", verb: "approve", votes: [others, theirs], at: noon } as const

  const next = eraseFrom(caseWith({ votes: [theirs, others], decision }), erased)

  expect(next.votes).toEqual([{ ...theirs, ...gone }, others])
  expect(next.decision).toEqual({ ...decision, votes: [others, { ...theirs, ...gone }] })
})

test("R22 the reason of their rejection goes from each case that was rejected by it, and nobody else's", () => {
  const of = (person: string) =>
    ({
      id: "d",
      verb: "reject",
      votes: [],
      at: noon,
      by: "again",
      as: { case: "c", decision: "d0", person },
      reason: "mine",
      until: noon,
    }) as const
  const sending = { body: "{}", attempts: [] }

  const next = eraseFrom(caseWith({ decision: of("T1:U1"), sending }), erased)

  expect(next).toMatchObject({ decision: { ...of("T1:U1"), reason: null }, sending: null })
  expect(eraseFrom(caseWith({ decision: of("T1:U2"), sending }), erased)).toMatchObject({
    decision: of("T1:U2"),
    sending,
  })
})

test.each<[string, Outcome, Outcome]>([
  ["by them", outcomeBy("U1@example.com"), outcomeBy("(erased)")],
  ["by somebody else", outcomeBy("u2@example.com"), outcomeBy("u2@example.com")],
  ["by nobody", outcomeBy(null), outcomeBy(null)],
  ["gone", { kind: "vanished", at: noon }, { kind: "vanished", at: noon }],
])("an outcome made %s", (_by, before, after) => {
  expect(eraseFrom(caseWith({ outcome: before, votes: [theirs] }), erased).outcome).toEqual(after)
})

function outcomeBy(resolvedBy: string | null): Outcome {
  return { kind: "elsewhere", status: "approved", resolvedBy, at: noon }
}

test("they are erased as the requester too", () => {
  const current = aCase({ approval: anApproval({ userId: "u1@example.com" }) })

  expect(eraseFrom(current, erased)).toEqual({ ...current, summary: { ...current.summary, requester: "(erased)" } })
})

test.each([
  ["as the requester", { userId: "u1@example.com" }, false],
  ["in an argument", { toolArgs: { to: ["ask U1@example.com first"] } }, false],
  ["in the name of an argument", { toolArgs: { "u1@example.com": 1 } }, false],
  ["nowhere", { toolArgs: { to: "u2@example.com" } }, true],
] as const)("arguments that are kept go where they name them: %s", (_where, changes, stay) => {
  const kept = { approval: anApproval({ userId: "else@example.com", ...changes }), until: noon + 1 }
  const current = caseWith({ votes: [theirs], kept })

  expect(eraseFrom(current, erased).kept).toEqual(stay ? kept : undefined)
})

test("the cards that name them are due at once, and those of a case without them are not", () => {
  const current = caseWith({ votes: [theirs] })
  const [card] = current.cards
  if (card === undefined) throw new Error("the case has no card")
  const hanging = { ...current, cards: [{ ...card, place: { channel: "C1", ts: "1.2" } }] }

  expect(eraseFrom(hanging, erased).time.blankAt).toBe(0)
  expect(eraseFrom(current, erased).time.blankAt).toBeUndefined()
  expect(eraseFrom({ ...hanging, votes: [others] }, erased).time.blankAt).toBeUndefined()
})

test("a case without them is the very same", () => {
  const current = caseWith({ votes: [others] })

  expect(eraseFrom(current, erased)).toBe(current)
})

test.each<[string | null, boolean]>([
  ["T1:U1", true],
  ["slack:T1:U1", true],
  ["U1@Example.com", true],
  [" u1\u200B@example.com", true],
  ["U1", false],
  ["other@example.com", false],
  ["refused: U1@example.com, or nobody.", true],
  ["xu1@example.com.test", false],
  [null, false],
])("the text %s names the person or does not: %s", (text, names) => {
  expect(isNamed(text, erased)).toBe(names)
})

test("what they asked and answered goes, and what others did stays", () => {
  const answer = (user: string) => ({ interaction: "i", by: { team: "T1", user }, at: noon, text: `of ${user}` })
  const questions = [
    aQuestion({ answer: answer("U2") }),
    aQuestion({ by: { team: "T1", user: "U2" }, answer: answer("U1") }),
  ]

  const next = eraseFrom(caseWith({ questions }), erased)

  expect(next.questions?.map(({ text, answer: given }) => [text, given?.text])).toEqual([
    ["(erased)", "of U2"],
    ["Why this customer?", "(erased)"],
  ])
})

test("what they proposed instead of a call goes, and what names them goes with the arguments that are kept", () => {
  const kept = { approval: anApproval({ toolArgs: { amount: 1 } }), until: noon }
  const filled = filledWith({ calls: [{ call: null, tool: "pay", choice: "changed", args: { to: "u1@example.com" } }] })
  const plain = filledWith({ calls: [{ call: null, tool: "pay", choice: "changed", args: { amount: 2 } }] })
  const sentBackBy = (vote: typeof theirs) => ({ id: "d", verb: "reject", votes: [vote], at: noon }) as const

  expect(eraseFrom(caseWith({ kept: { ...kept, filled } }), erased).kept).toBeUndefined()
  const own = caseWith({ kept: { ...kept, filled: plain }, decision: sentBackBy(theirs) })
  expect(eraseFrom(own, erased).kept).toEqual(kept)
  const foreign = caseWith({ kept: { ...kept, filled: plain }, decision: sentBackBy(others) })
  expect(eraseFrom(foreign, erased)).toBe(foreign)
  const before = ["T1:U1", "T1:U2"].map((by) => ({ call: 0, by, values: { amount: 3 } }))
  const chained = caseWith({ kept: { ...kept, filled: plain, earlier: before }, decision: sentBackBy(others) })
  expect(eraseFrom(chained, erased).kept).toEqual({ ...kept, filled: plain, earlier: before.slice(1) })
})
