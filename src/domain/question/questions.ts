// Questions about a case: asked by somebody who may vote, answered once. Nothing of its decision changes. Pure.

import { cardStatusOf } from "../case/card-model.ts"
import { isRejectable, isSamePlace } from "../case/card-steps.ts"
import type { Case, Place, Question, Step } from "../case/case.ts"
import { stepTo, withUsed } from "../case/steps.ts"
import { personKey } from "../people/person.ts"

/** The longest question and the longest answer, in UTF-16 units. */
export const longestText = { question: 500, answer: 2_000 } as const

/** How many questions may be asked about one case. */
export const maxQuestions = 5

/** True while there is something to ask about a case: people may still decide it. */
export function isAskable(current: Case): boolean {
  return current.state === "open" && isRejectable(cardStatusOf(current))
}

/** True if no more questions may be asked about a case. */
export function isAskedOut({ questions = [] }: Pick<Case, "questions">): boolean {
  return questions.length >= maxQuestions
}

/** The question of that id; undefined if the case has none. */
export function questionOf({ questions = [] }: Pick<Case, "questions">, id: string): Question | undefined {
  return questions.find((one) => one.id === id)
}

/** The question that a message asks, and the message's route; null if the message is not on record. */
export function questionAt(
  { questions = [] }: Pick<Case, "questions">,
  place: Place | null,
): { readonly question: Question; readonly route: string } | null {
  const all = questions.flatMap((question) => question.messages.map((message) => ({ question, message })))
  const found = all.find(({ message }) => isSamePlace(message.place, place))
  return found === undefined ? null : { question: found.question, route: found.message.route }
}

/** Adds a question, whose messages are still to be posted. Null if nothing can be asked about the case any more. */
export function addQuestion(current: Case, question: Question): Step | null {
  if (!isAskable(current) || isAskedOut(current)) return null
  const { id: interaction, by, at, to, text } = question
  const act = { interaction, person: personKey(by), at }
  const next = { ...current, questions: [...(current.questions ?? []), question] }
  return stepTo(withUsed(next, act), [{ kind: "asked", ...act, to, text }])
}

/**
 * Notes where a question was posted on a route; null if the question is gone, or if that is noted. If two processes
 * posted it there, both messages count.
 */
export function notePosted(
  current: Case,
  id: string,
  posted: { readonly route: string; readonly place: Place },
): Step | null {
  const question = questionOf(current, id)
  if (question === undefined || questionAt(current, posted.place) !== null) return null
  const others = question.messages.filter(({ route, place }) => route !== posted.route || place !== null)
  return stepTo(withQuestion(current, { ...question, messages: [...others, posted] }), [])
}

/** Notes the answer to a question. Null if the question has one already, or if nobody decides the case any more. */
export function addAnswer(current: Case, id: string, answer: NonNullable<Question["answer"]>): Step | null {
  const question = questionOf(current, id)
  if (question === undefined || question.answer !== undefined || !isAskable(current)) return null
  const { interaction, by, at, text } = answer
  const act = { interaction, person: personKey(by), at }
  const next = withQuestion(current, { ...question, answer })
  const about = { as: question.to, asker: personKey(question.by), question: id }
  return stepTo(withUsed(next, act), [{ kind: "answered", ...act, ...about, text }])
}

function withQuestion(current: Case, changed: Question): Case {
  return { ...current, questions: (current.questions ?? []).map((one) => (one.id === changed.id ? changed : one)) }
}
