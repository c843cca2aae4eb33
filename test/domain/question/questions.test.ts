// Questions about a case: what may be asked and answered, and that nothing else of the case changes.
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import {
  addAnswer,
  addQuestion,
  isAskedOut,
  maxQuestions,
  notePosted,
  questionAt,
} from "../../../src/domain/question/questions.ts"
import { aCase, aQuestion, team } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const given = { interaction: "i", by: { team, user: "UASK" }, at: noon, text: "So." }
const place = { channel: "D1", ts: "2.0" }

function asked(current: Case = aCase(), changes: Parameters<typeof aQuestion>[0] = {}) {
  const step = addQuestion(current, aQuestion(changes))
  if (step === null) throw new Error("nothing can be asked")
  return step
}

test("a question is added with its entry and its line, and the rest of the case stays", () => {
  const before = aCase()

  const { next, events } = asked(before)

  expect(events).toEqual([
    { kind: "asked", interaction: "q-1", person: `${team}:U1`, at: noon, to: "requester", text: "Why this customer?" },
  ])
  expect({ ...next, questions: 0, lines: 0, used: 0 }).toEqual({ ...before, questions: 0, lines: 0, used: 0 })
})

test("five questions are the most, and none is asked about a case that nobody decides any more", () => {
  let current = aCase()
  for (let count = 0; count < maxQuestions; count += 1) current = asked(current, { id: `q-${count}` }).next

  expect(isAskedOut(current)).toBe(true)
  expect(addQuestion(current, aQuestion({ id: "one more" }))).toBeNull()
  for (const state of ["sending", "settled", "closed", "frozen"] as const)
    expect(addQuestion({ ...aCase(), state }, aQuestion())).toBeNull()
})

test("a message is found by its place once that is noted", () => {
  const { next } = asked(aCase(), { messages: [{ route: "person:UASK", place: null }] })
  expect(questionAt(next, place)).toBeNull()

  const posted = notePosted(next, "q-1", { route: "person:UASK", place })?.next ?? next

  expect(questionAt(posted, place)).toMatchObject({ question: { id: "q-1" }, route: "person:UASK" })
  expect(questionAt(posted, null)).toBeNull()
  expect(notePosted(next, "q-2", { route: "person:UASK", place })).toBeNull()
})

test("a second message of two processes counts, too, and is noted once", () => {
  const { next } = asked(aCase(), { messages: [{ route: "person:UASK", place: null }] })
  const [one, other] = [place, { ...place, ts: "3.0" }].map((at) => ({ route: "person:UASK", place: at }))
  const first = notePosted(next, "q-1", one ?? { route: "", place })?.next ?? next

  const second = notePosted(first, "q-1", other ?? { route: "", place })?.next ?? first

  expect(second.questions?.[0]?.messages).toEqual([one, other])
  expect(notePosted(second, "q-1", { route: "person:UASK", place })).toBeNull()
})

test("the first answer counts, and no second one", () => {
  const { next } = asked()

  const answered = addAnswer(next, "q-1", given)

  expect(answered?.events).toMatchObject([
    { kind: "answered", person: `${team}:UASK`, as: "requester", asker: `${team}:U1`, question: "q-1", text: "So." },
  ])
  expect(addAnswer(answered?.next ?? next, "q-1", { ...given, text: "No." })).toBeNull()
  expect(addAnswer(next, "q-2", given)).toBeNull()
  expect(addAnswer({ ...next, state: "sending" }, "q-1", given)).toBeNull()
})
