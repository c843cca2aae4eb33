// What people see of a question: the message that asks, the one that tells the answer, and the form of either.
import type { KnownBlock, ModalView } from "@slack/types"
import { escapeMrkdwn, plain, preformatted } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Question } from "../../domain/case/case.ts"
import { hasVisibleText } from "../../domain/content/visible-text.ts"
import { longestText } from "../../domain/question/questions.ts"
import type { QuestionFormOrAnswer } from "../../flow/ports/question/question-acts.ts"
import { actionIds, formIds, viewIds } from "../ids.ts"
import { maskModel } from "../lines/masking.ts"
import { type Line, mrkdwn, rich, say } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { buttonWords } from "../text/button-words.ts"
import { headlineOf } from "../text/case/headline.ts"
import { requiredLabel } from "../text/form-words.ts"
import {
  answeredLine,
  answerHint,
  answerNote,
  askWords,
  blankQuestion,
  questionForms,
  questionLine,
  toldLine,
  writtenHints,
} from "../text/question-words.ts"
import { type ViewNote, writeNote } from "./button-values.ts"
import type { Message } from "./card.ts"
import { caseButton } from "./case-buttons.ts"
import { modal } from "./details.ts"
import type { FormValues } from "./form/vote-form.ts"
import { words } from "./words.ts"

/** How much of a text a message shows once all of it is visible. */
const textUnits = 2_400
/** How much of it stands in the text for notifications. */
const notedUnits = 500

/**
 * The message that asks. It holds no more of the call than the headline of its card. Once the question is answered, the
 * answer stands in place of the button.
 */
export function questionMessage(truth: CardModel, question: Question): Message {
  if (truth.blank === true) return words([say(blankQuestion)])
  const { model } = maskModel(truth)
  const head = questionLine(question, headlineOf(model, createTextFitter()))
  const asked = [rich(head), literal(question.text)]
  const text = textWith(head, question.text)
  if (question.answer !== undefined)
    return { text, blocks: [...asked, rich(answeredLine(question)), literal(question.answer.text)] }
  const button = caseButton(model, actionIds.answer, buttonWords.answer)
  return {
    text,
    blocks: [...asked, rich([say(answerNote)]), { type: "actions", block_id: "answer", elements: [button] }],
  }
}

/** The message that tells the answer to whoever asked. */
export function answerMessage(truth: CardModel, question: Question): Message {
  const head = toldLine(question, headlineOf(maskModel(truth).model, createTextFitter()))
  const answer = question.answer?.text ?? ""
  const blocks = [rich(head), literal(question.text), rich(answeredLine(question)), literal(answer)]
  return { text: textWith(head, answer), blocks }
}

/** What a person wrote, as they wrote it. */
function literal(text: string): KnownBlock {
  return preformatted(createTextFitter().text(text, textUnits))
}

function textWith(head: Line, text: string): string {
  return `${mrkdwn(head)}\n${escapeMrkdwn(createTextFitter().text(text, notedUnits))}`
}

/** What a form asks for. */
export type Written = keyof typeof questionForms

/** The form of a question or, if there is one to answer, of its answer. */
export function questionFormView(note: ViewNote, form: Extract<QuestionFormOrAnswer, { kind: "form" }>): ModalView {
  const { question, to } = form
  const kind: Written = question === null ? "ask" : "answer"
  const headline = headlineOf(maskModel(form.model).model, createTextFitter())
  const above: readonly KnownBlock[] =
    question === null
      ? [rich(headline), rich([say(askWords[to])])]
      : [rich(questionLine(question, headline)), literal(question.text)]
  const { title, label, submit } = questionForms[kind]
  const length = longestText[kind === "ask" ? "question" : "answer"]
  const field: KnownBlock = {
    type: "input",
    block_id: formIds.reason,
    label: plain(requiredLabel(label)),
    ...(kind === "answer" && { hint: plain(answerHint) }),
    element: { type: "plain_text_input", action_id: formIds.value, multiline: true, max_length: length },
  }
  const blocks = [...above, field]
  const view = modal({ callback: viewIds[kind], title, note: writeNote(note), blocks })
  return { ...view, submit: plain(submit), close: plain(buttonWords.cancel) }
}

/** What was written, without white space around it; or the sentence beside its field that says why it is not taken. */
export function readWritten(submission: FormValues, kind: Written) {
  const text = submission.value(formIds.reason, formIds.value).trim()
  const most = kind === "ask" ? "question" : "answer"
  const refused = (why: keyof typeof writtenHints) =>
    ({ ok: false, errors: { [formIds.reason]: writtenHints[why] } }) as const
  if (text.includes("\0")) return refused("null-character")
  if (!hasVisibleText(text)) return refused("empty")
  return text.length > longestText[most] ? refused(most) : ({ ok: true, text } as const)
}
