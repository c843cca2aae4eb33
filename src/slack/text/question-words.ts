// Questions about a case and their answers, in words: on buttons and forms, in messages, threads, Details and answers.
import type { Question } from "../../domain/case/case.ts"
import { longestText } from "../../domain/question/questions.ts"
import type { Answer, AnswerRefusal, AskRefusal } from "../../flow/ports/reply.ts"
import { bold, type Line, mention, mentionOf, moment, quote, type Span, say, sentence } from "../lines/spans.ts"
import { createTextFitter, type TextFitter } from "../lines/text-fitter.ts"

/** Titles and labels of the two forms, and what the form of a question says, by whom it goes to. */
export const questionForms = {
  ask: { title: "Ask", label: "Your question", submit: "Send" },
  answer: { title: "Answer", label: "Your answer", submit: "Send" },
} as const

const unchanged = "The time goes on, votes stay, and no agent reads it."

/** What a question is, before somebody writes one. */
export const askWords: Readonly<Record<Question["to"], string>> = {
  requester: `This goes to whoever asked for it, and stands in the thread. ${unchanged}`,
  listed: `Nobody knows for certain who asked for this, so it goes to those whom the rules name for that. ${unchanged}`,
}

/** What an answer is, before somebody writes one. */
export const answerHint = "People who decide read it in the thread and in Details, under your name. No agent reads it."

/** Why a text is not taken. */
export const writtenHints = {
  empty: "Please write something that people can see.",
  "null-character": "This holds a null character, which cannot be kept. Please remove it.",
  question: `This is too long: ${longestText.question} characters are the most.`,
  answer: `This is too long: ${longestText.answer} characters are the most.`,
} as const

/** How long a quoted text may be once all of it is visible. */
const quoteUnits = 2_400
/** How much of one's own words an answer of ours gives back. */
const saidUnits = 2_100

/** Somebody who answered, and by what right (R6). */
function answerer(who: Span, as: Question["to"]): Line {
  return as === "requester" ? sentence`${who}, named by the platform as the requester,` : [who]
}

/** The line of the thread that a question was asked. */
export function askedEvent(
  { person, to, text }: { readonly person: string; readonly to: Question["to"]; readonly text: string },
  fitter: TextFitter,
): Line {
  const whom = to === "requester" ? "whoever asked for this" : "those whom the rules name for questions"
  return sentence`${mentionOf(person)} asks ${whom}: ${quote(fitter.word(text, quoteUnits))}`
}

/** The line of the thread that a question was answered. */
export function answeredEvent(
  event: { readonly person: string; readonly as: Question["to"]; readonly asker: string; readonly text: string },
  fitter: TextFitter,
): Line {
  const who = answerer(mentionOf(event.person), event.as)
  return sentence`${who} answers ${mentionOf(event.asker)}: ${quote(fitter.word(event.text, quoteUnits))}`
}

/** What stands above a question in its message. `headline`: of its case. */
export function questionLine({ by }: Question, headline: Line): Line {
  return [...sentence`${mention(by.user)} has a question about this: `, ...headline]
}

/** What stands above the answer. */
export function answeredLine({ to, answer }: Question): Line {
  if (answer === undefined) return []
  return sentence`${answerer(mention(answer.by.user), to)} answered ${moment(answer.at)}:`
}

/** What stands above the answer in the message to whoever asked. */
export function toldLine({ to, answer }: Question, headline: Line): Line {
  const who = answer === undefined ? [say("Somebody")] : answerer(mention(answer.by.user), to)
  return [...sentence`${who} answered your question about this: `, ...headline]
}

/** Below a question that waits for an answer. */
export const answerNote = "Whoever may decide this waits for your answer. The first one counts."

/** In place of a question about a case that is over. */
export const blankQuestion = "A question about an approval was asked here. The approval is over."

/** The head of all questions and answers in Details. */
export const askedAndAnswered: Line = [bold("Asked and answered"), say(" · not part of what is approved")]

/** The two labels of one question in Details: above its text, and above its answer. */
export function questionLabels(question: Question): readonly [Line, Line] {
  const { by, at, answer } = question
  const asked = sentence`${mention(by.user)} asked ${moment(at)}:`
  return [asked, answer === undefined ? [say("Nobody has answered yet.")] : answeredLine(question)]
}

const notAsked: Readonly<Record<AskRefusal, string>> = {
  over: "Nobody decides this any more, so your question was not sent.",
  changed: "What would run has changed since this was shown, so your question was not sent. Please look at it again.",
  "not-voter": "Only people who may decide this can ask about it, so your question was not sent.",
  nobody: "There is nobody to ask about this, so your question was not sent.",
  "asked-out": "Five questions were asked about this already, so yours was not sent.",
  "too-often": "Whoever would be asked had ten questions within an hour, so yours was not sent. Please ask later.",
  "not-posted": "Slack takes no message to whoever would be asked. Your question stands in the thread alone.",
}

const notAnswered: Readonly<Record<AnswerRefusal, string>> = {
  over: "Nobody decides this any more, so your answer is not needed and was not kept.",
  "not-asked": "This question is not for you to answer, or not any more.",
  answered: "This question is answered already, so your answer was not kept.",
  "shared-channel": "This channel is shared with another company now, so nothing can be answered here.",
}

type AnswerOf<K extends Answer["kind"]> = Extract<Answer, { readonly kind: K }>

/** The answers to acts on questions. What somebody wrote in vain comes back to them. */
export const questionAnswers = {
  "question-asked": ({ to }: AnswerOf<"question-asked">): Line => [
    say(
      to === "requester"
        ? "Your question is sent to whoever asked for this. You will be told the answer."
        : "Your question is sent to those whom the rules name for that. You will be told the answer.",
    ),
  ],
  "not-asked": ({ why, said }: AnswerOf<"not-asked">): Line => [say(notAsked[why]), ...givenBack(said)],
  "answer-given": ({ asker }: AnswerOf<"answer-given">): Line =>
    sentence`Thank you: your answer is kept, and ${mention(asker.user)} is told.`,
  "not-answered": ({ why, said, first }: AnswerOf<"not-answered">): Line => {
    if (first === undefined) return [say(notAnswered[why]), ...givenBack(said)]
    const fitter = createTextFitter()
    const other = sentence` ${mention(first.by.user)} wrote: ${quote(fitter.word(first.text, saidUnits))}`
    return [say(notAnswered[why]), ...other, ...givenBack(said)]
  },
} as const

function givenBack(said: string): Line {
  return said === "" ? [] : sentence` You wrote: ${quote(createTextFitter().word(said, saidUnits))}`
}

/** True for the answers to acts on questions: they hold what nobody should lose. */
export function isAboutQuestion({ kind }: Answer): boolean {
  return Object.hasOwn(questionAnswers, kind)
}
