// Questions about a case, as surfaces may ask of the flow.
import type { CardModel } from "../../../domain/case/card-model.ts"
import type { Question } from "../../../domain/case/case.ts"
import type { AnswerInteraction, AskInteraction } from "../interaction.ts"
import type { Answer } from "../reply.ts"

/** What a press for the form of a question or of an answer gets; `question`: the one to answer, else null. */
export type QuestionFormOrAnswer =
  | {
      readonly kind: "form"
      readonly model: CardModel
      readonly to: Question["to"]
      readonly question: Question | null
    }
  | { readonly kind: "answer"; readonly answer: Answer }

/** What people may do with questions. */
export interface QuestionActs {
  /** The form, for somebody who may ask or answer now. Throws a `PortError` if Slack or Redis does not answer. */
  questionForm(press: AskInteraction | AnswerInteraction): Promise<QuestionFormOrAnswer>
}

/** What somebody who looks at a case sees of its questions. */
export interface CaseQuestions {
  /** Set if this person may ask a question about the case now. */
  readonly mayAsk?: true
  /** What was asked about the case, oldest first; absent if nothing was. */
  readonly questions?: readonly Question[]
}
