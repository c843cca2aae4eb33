// The answer to a question: the first one counts, under the Slack account that gave it, and whoever asked is told.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case, Question } from "../../domain/case/case.ts"
import { isUsed } from "../../domain/case/steps.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { addAnswer, isAskable, questionAt, questionOf } from "../../domain/question/questions.ts"
import { maskText } from "../../domain/text/mask.ts"
import { tellAnswered } from "../card/question-messages.ts"
import { advance, readCase } from "../case/commit.ts"
import { freshMs } from "../people/eligibility.ts"
import { withNames } from "../people/names.ts"
import { mayAnswer } from "../people/whom-to-ask.ts"
import type { AnswerInteraction } from "../ports/interaction.ts"
import type { QuestionFormOrAnswer } from "../ports/question/question-acts.ts"
import type { Answer, AnswerRefusal, Decided } from "../ports/reply.ts"
import { FlowError, type Ports } from "../ports.ts"
import { isForeign } from "./checks.ts"
import { answered, caseOf, type Or } from "./weigh.ts"

/** Notes the answer. A second run of the same delivery goes on where the first one ended. */
export async function answerQuestion(ports: Ports, current: Case, interaction: AnswerInteraction): Promise<Decided> {
  const { interaction: id, person: by, text } = interaction
  if (isUsed(current, id)) return toldAnswer(ports, current, interaction)
  const judged = await judgeAnswering(ports, current, interaction)
  if (judged.kind === "answered") return judged.decided
  const { question } = judged
  const done = await advance(
    ports,
    current,
    (now) => {
      const shown = maskText(text, now.revision.look.mask)
      return addAnswer(now, question.id, { interaction: id, by, at: ports.clock(), text: shown })
    },
    id,
  )
  if (done.kind === "duplicate") return toldBefore(ports, current, interaction)
  if (done.kind === "unchanged") return refusedNow(done.case, question.id, interaction)
  await ports.jobs.present(current.id)
  return toldAnswer(ports, done.case, interaction)
}

/** What a press on a question's message gets: the form, if the same person may answer now. */
export async function askForAnswer(ports: Ports, press: AnswerInteraction): Promise<QuestionFormOrAnswer> {
  const seen = await caseOf(ports, press, {})
  if (seen.kind === "answered") return { kind: "answer", answer: seen.decided.answer }
  const judged = await judgeAnswering(ports, seen.case, press)
  if (judged.kind === "answered") return { kind: "answer", answer: judged.decided.answer }
  const { question } = judged
  const model = await withNames(ports, cardModelOf(seen.case, press.target.route))
  return { kind: "form", model, to: question.to, question }
}

function notAnswered(why: AnswerRefusal, { text: said }: AnswerInteraction): Answer {
  return { kind: "not-answered", why, said }
}

/** Tells whoever asked, and shows the answer on the question's messages. */
async function toldAnswer(ports: Ports, current: Case, interaction: AnswerInteraction): Promise<Decided> {
  const question = current.questions?.find((one) => one.answer?.interaction === interaction.interaction)
  if (question === undefined) return { answer: notAnswered("not-asked", interaction), case: current }
  await tellAnswered(ports, current, question)
  return { answer: { kind: "answer-given", asker: question.by }, case: current }
}

async function toldBefore(ports: Ports, current: Case, interaction: AnswerInteraction): Promise<Decided> {
  const now = await readCase(ports, current.id)
  if (now === null || now === "frozen") return { answer: notAnswered("over", interaction), case: null }
  return toldAnswer(ports, now, interaction)
}

/** Why an answer came too late: somebody else gave one, or the case is decided. */
function refusedNow(current: Case, id: string, interaction: AnswerInteraction): Decided {
  const first = questionOf(current, id)?.answer
  if (first === undefined) return { answer: notAnswered("over", interaction), case: current }
  return { answer: { kind: "not-answered", why: "answered", said: interaction.text, first }, case: current }
}

/** The question of the message that was pressed (R18), if this person may answer it now; or why not. */
async function judgeAnswering(
  ports: Ports,
  current: Case,
  interaction: AnswerInteraction,
): Promise<Or<{ readonly question: Question }>> {
  const no = (why: AnswerRefusal) => answered(notAnswered(why, interaction), current)
  const found = await questionPressed(ports, current, interaction)
  if (found === null) return no("not-asked")
  const { question, route } = found
  if (!(await mayAnswer(ports, current, interaction.person, { to: question.to, route }))) return no("not-asked")
  if (await ports.chat.exposed(route, freshMs)) return no("shared-channel")
  const over = !isAskable(current) || isOver(current.time, ports.clock())
  if (question.answer !== undefined || over)
    return answered(refusedNow(current, question.id, interaction).answer, current)
  return { kind: "on", question }
}

/** The question that was pressed: by its message, or by the view that we opened above that message. */
async function questionPressed(ports: Ports, current: Case, interaction: AnswerInteraction) {
  const { on, target } = interaction
  const view = on.kind === "view" ? await ports.views.read(on.viewId) : null
  if (on.kind === "view" && isForeign(current, interaction, view)) return null
  const found = questionAt(current, on.kind === "card" ? on.place : (view?.place ?? null))
  // Somebody pressed before we had noted where the message is.
  const posting = current.questions?.some(({ messages }) => messages.some(({ place }) => place === null)) === true
  if (found === null && on.kind === "card" && posting) throw new FlowError("card-unknown", current.id)
  return found?.route === target.route ? found : null
}
