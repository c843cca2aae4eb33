// Ask: somebody who may vote asks whoever asked for the run. The question stands in the thread, and nothing of the
// decision changes: no clock stops, and no vote falls.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case } from "../../domain/case/case.ts"
import { isUsed } from "../../domain/case/steps.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { addQuestion, isAskable, isAskedOut, questionOf } from "../../domain/question/questions.ts"
import { maskText } from "../../domain/text/mask.ts"
import { isPosted, postQuestion } from "../card/question-messages.ts"
import { advance, readCase } from "../case/commit.ts"
import { withNames } from "../people/names.ts"
import { mayAsk, type WhomToAsk, whomToAsk } from "../people/whom-to-ask.ts"
import type { AskInteraction } from "../ports/interaction.ts"
import type { QuestionFormOrAnswer } from "../ports/question/question-acts.ts"
import type { Answer, AskRefusal, Decided } from "../ports/reply.ts"
import type { Ports } from "../ports.ts"
import { placeOf } from "./checks.ts"
import { answered, caseOf, type Or } from "./weigh.ts"

/** Asks the question. A second run of the same delivery goes on where the first one ended. */
export async function askQuestion(ports: Ports, current: Case, interaction: AskInteraction): Promise<Decided> {
  if (isUsed(current, interaction.interaction)) return sent(ports, current, interaction, true)
  const judged = await judgeAsking(ports, current, interaction)
  if (judged.kind === "answered") return judged.decided
  const { to, routes } = judged.whom
  const free = await routesWithRoom(ports, routes)
  if (free.length === 0) return { answer: notAsked("too-often", interaction), case: current }
  const { interaction: id, person: by, text } = interaction
  const done = await advance(
    ports,
    current,
    (now) => {
      // What the rules hide stays hidden, whoever repeats it.
      const shown = maskText(text, now.revision.look.mask)
      const messages = free.map((route) => ({ route, place: null }))
      return addQuestion(now, { id, by, at: ports.clock(), text: shown, to, messages })
    },
    id,
  )
  if (done.kind === "duplicate") return sentBefore(ports, current, interaction)
  if (done.kind === "unchanged") return { answer: notAsked(whyUnasked(done.case), interaction), case: done.case }
  await ports.jobs.present(current.id)
  return sent(ports, done.case, interaction, false)
}

/** What a press for the form of a question gets: the form, if the same person may ask now. */
export async function askForQuestion(ports: Ports, press: AskInteraction): Promise<QuestionFormOrAnswer> {
  const seen = await caseOf(ports, press, {})
  if (seen.kind === "answered") return { kind: "answer", answer: seen.decided.answer }
  const judged = await judgeAsking(ports, seen.case, press)
  if (judged.kind === "answered") return { kind: "answer", answer: judged.decided.answer }
  const model = await withNames(ports, cardModelOf(seen.case, press.target.route))
  return { kind: "form", model, to: judged.whom.to, question: null }
}

function notAsked(why: AskRefusal, { text: said }: AskInteraction): Answer {
  return { kind: "not-asked", why, said }
}

function whyUnasked(current: Case): AskRefusal {
  return isAskable(current) && isAskedOut(current) ? "asked-out" : "over"
}

/** Posts what is not posted yet, and says so. */
async function sent(ports: Ports, current: Case, interaction: AskInteraction, again: boolean): Promise<Decided> {
  const newest = await postQuestion(ports, current, interaction.interaction, again)
  const question = questionOf(newest, interaction.interaction)
  if (question === undefined || !isPosted(newest, question.id))
    return { answer: notAsked("not-posted", interaction), case: newest }
  return { answer: { kind: "question-asked", to: question.to }, case: newest }
}

async function sentBefore(ports: Ports, current: Case, interaction: AskInteraction): Promise<Decided> {
  const now = await readCase(ports, current.id)
  if (now === null || now === "frozen") return { answer: notAsked("over", interaction), case: null }
  return sent(ports, now, interaction, true)
}

/** Where it was pressed (R18), and whom this person may ask now; or the answer that says why nobody. */
async function judgeAsking(
  ports: Ports,
  current: Case,
  interaction: AskInteraction,
): Promise<Or<{ readonly whom: WhomToAsk }>> {
  const no = (why: AskRefusal) => answered(notAsked(why, interaction), current)
  const placed = await placeOf(ports, current, interaction)
  if (!placed.ok && placed.answer.kind === "changed") return no("changed")
  if (!placed.ok) return answered(placed.answer, current)
  if (!isAskable(current) || isOver(current.time, ports.clock())) return no("over")
  if (isAskedOut(current)) return no("asked-out")
  if (!(await mayAsk(ports, current, interaction.person))) return no("not-voter")
  const whom = await whomToAsk(ports, current, interaction.person)
  return whom === null ? no("nobody") : { kind: "on", whom }
}

/** The routes on which somebody may be asked once more in this hour. */
async function routesWithRoom({ pace }: Pick<Ports, "pace">, routes: readonly string[]): Promise<readonly string[]> {
  const waits = await Promise.all(
    routes.map((route) => pace.reserve({ buckets: [`questions ${route}`], key: "question", rank: "decision" })),
  )
  return routes.filter((_, at) => waits[at] === 0)
}
