// The messages of questions, in memory: which hangs where, and who was told which answer.
import type { CardModel } from "../../src/domain/case/card-model.ts"
import type { Place, Question } from "../../src/domain/case/case.ts"
import type { Chat, Clock } from "../../src/flow/ports.ts"
import { editedAs } from "./memory-edits.ts"

/** A message that asks a question, as it is now. */
export interface QuestionMessage {
  readonly place: Place
  model: CardModel
  question: Question
}

/** What a test sees of questions. */
export interface MemoryQuestions extends Pick<Chat, "postQuestion" | "findQuestion" | "updateQuestion" | "tellAnswer"> {
  readonly questions: readonly QuestionMessage[]
  /** Who was told which answer. */
  readonly answersTold: readonly { readonly to: string; readonly text: string }[]
}

/** Makes them. `write` meets the faults of a channel. */
export function createMemoryQuestions(options: {
  readonly clock: Clock
  readonly channelOf: (route: string) => string
  readonly write: <T>(channel: string, act: () => T) => Promise<T>
}): MemoryQuestions {
  const { clock, channelOf, write } = options
  const questions: QuestionMessage[] = []
  const answersTold: { to: string; text: string }[] = []
  return {
    questions,
    answersTold,
    postQuestion: (model, question) =>
      write(channelOf(model.route), () => {
        const place = { channel: channelOf(model.route), ts: `${Math.floor(clock() / 1_000)}.q${questions.length}` }
        questions.push({ place, model, question })
        return place
      }),
    findQuestion: async (model, { id }) =>
      questions.find((one) => one.question.id === id && one.model.route === model.route)?.place ?? null,
    updateQuestion: async (place, model, question) => {
      const message = questions.find((one) => one.place.channel === place.channel && one.place.ts === place.ts)
      const edit = () => write(place.channel, () => void (message && Object.assign(message, { model, question })))
      return editedAs(message === undefined ? "message_not_found" : null, edit)
    },
    tellAnswer: (to, _model, { answer }) =>
      write(channelOf(`person:${to.split(":")[1]}`), () => void answersTold.push({ to, text: answer?.text ?? "" })),
  }
}
