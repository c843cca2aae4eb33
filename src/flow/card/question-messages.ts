// The messages of a question: posted to whoever is asked, shown as answered, and the answer told to whoever asked.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case, Place, Question } from "../../domain/case/case.ts"
import { personKey } from "../../domain/people/person.ts"
import { notePosted, questionOf } from "../../domain/question/questions.ts"
import { advanceCase } from "../case/commit.ts"
import { withNames } from "../people/names.ts"
import { isPortError, type Ports } from "../ports.ts"

/**
 * Posts the messages of a question that are not on record yet, and notes where they are. `again`: an earlier run may
 * have posted some of them, so it looks for each first. Leaves out what Slack will never take. Returns the newest case.
 * Throws a `PortError` if Slack takes nothing now.
 */
export async function postQuestion(ports: Ports, current: Case, id: string, again: boolean): Promise<Case> {
  let newest = current
  for (const { route, place } of questionOf(current, id)?.messages ?? []) {
    const question = questionOf(newest, id)
    if (place !== null || question === undefined) continue
    const posted = await unlessRefused(ports, newest, () => postOn(ports, newest, { question, route, again }))
    if (posted !== null)
      newest = await advanceCase(ports, newest, (now) => notePosted(now, id, { route, place: posted }))
  }
  return newest
}

interface Posting {
  readonly question: Question
  readonly route: string
  readonly again: boolean
}

async function postOn(ports: Ports, current: Case, { question, route, again }: Posting): Promise<Place> {
  const model = await withNames(ports, cardModelOf(current, route))
  const found = again ? await ports.chat.findQuestion(model, question) : null
  if (found !== null && found !== "unseen") return found
  await ports.pace.count("chat.postMessage")
  return ports.chat.postQuestion(model, question)
}

/** True if at least one message of a question is posted. */
export function isPosted(current: Case, id: string): boolean {
  return questionOf(current, id)?.messages.some(({ place }) => place !== null) === true
}

/**
 * Shows on the messages of a question that it is answered, then tells whoever asked. A second run tells them once more.
 * Leaves out what Slack will never take. Throws a `PortError` if Slack takes nothing now.
 */
export async function tellAnswered(ports: Ports, current: Case, question: Question): Promise<void> {
  await showQuestion(ports, current, question)
  const route = `person:${question.by.user}`
  const model = await withNames(ports, cardModelOf(current, route))
  await unlessRefused(ports, current, async () => {
    await ports.pace.count("chat.postMessage")
    await ports.chat.tellAnswer(personKey(question.by), model, question)
    return null
  })
}

type ShowPorts = Pick<Ports, "chat" | "log" | "pace">

/** Shows the messages of a question as it is now. `blank`: they say no more than that something was asked. */
export async function showQuestion(ports: ShowPorts, current: Case, question: Question, blank?: true): Promise<void> {
  for (const { route, place } of question.messages) {
    if (place === null) continue
    const model = { ...cardModelOf(current, route), ...(blank && { blank }) }
    await unlessRefused(ports, current, async () => {
      await ports.pace.count("chat.update")
      const edited = await ports.chat.updateQuestion(place, model, question)
      if (edited.kind !== "updated") ports.log.warn("question-not-shown", { caseId: current.id, error: edited.error })
      return null
    })
  }
}

/** Null, and a line in the log, for a message that Slack will never take. Throws any other failure. */
async function unlessRefused<T>({ log }: Pick<Ports, "log">, { id }: Case, send: () => Promise<T>): Promise<T | null> {
  try {
    return await send()
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    log.warn("question-not-sent", { caseId: id, error })
    return null
  }
}
