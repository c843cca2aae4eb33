// Questions: "Ask…" in Details and "Answer…" on a question's message open a form; what is sent becomes a ticket.
import type { ViewResponseAction } from "@slack/bolt"
import type { AnswerInteraction, AskInteraction } from "../../flow/ports/interaction.ts"
import { readNote, readTarget } from "../views/button-values.ts"
import { replacedView } from "../views/details.ts"
import { questionFormView, readWritten, type Written } from "../views/question-views.ts"
import {
  acknowledge,
  failureAnswer,
  type Listener,
  type ListenerContext,
  onClick,
  openModal,
  refuseForeign,
  replyInView,
  replyToOf,
  tell,
} from "./listener-context.ts"
import { type Click, readSubmission } from "./payloads.ts"
import { answeredAt, answerOf, pressedAt } from "./votes.ts"

/** Somebody pressed "Ask…" in Details. */
export const onAsk = onQuestionButton("ask")

/** Somebody pressed "Answer…" on the message of a question. */
export const onAnswer = onQuestionButton("answer")

/** Somebody sent a question. */
export const onAskForm = onWritten("ask")

/** Somebody sent an answer. */
export const onAnswerForm = onWritten("answer")

type QuestionPress = AskInteraction | AnswerInteraction

function onQuestionButton(verb: Written): Listener {
  return onClick((context, click) => {
    const target = readTarget(click.value)
    const on = pressedAt(click)
    const replyTo = replyToOf(click)
    if (target === null || on === null || replyTo === null) return refuseForeign(context, click)
    const { interaction, person, name } = click
    const surface = on.kind === "card" ? "card" : "details"
    const at = click.at ?? context.clock()
    const press = { interaction, person, name, at, target, on, surface, replyTo, verb, text: "" } as const
    return () => openQuestionForm(context, click, press)
  })
}

function openQuestionForm(context: ListenerContext, click: Click, press: QuestionPress): Promise<void> {
  const { caseId } = press.target
  const opening = { triggerId: click.triggerId, above: click.view !== null, caseId, replyTo: press.replyTo }
  return openModal(context, { ...opening, event: "question-form-failed" }, async (viewId) => {
    try {
      await fillForm(context, viewId, { click, press })
    } catch (error) {
      context.log.warn("question-form-failed", { caseId, error })
      await tell(context, replyInView(viewId, click.person), failureAnswer(error))
    }
  })
}

/** Remembers the view as the form of this act (R18), and shows it; or says why there is nothing to write. */
async function fillForm(
  context: ListenerContext,
  viewId: string,
  { click, press }: { readonly click: Click; readonly press: QuestionPress },
): Promise<void> {
  const { target, person, verb } = press
  const form = await context.inbound.questionForm(press)
  if (form.kind === "answer") return tell(context, replyInView(viewId, person), form.answer)
  const { caseId, route, revision, digest } = target
  const below = readNote(click.view?.note)
  const place = click.place ?? below?.place ?? null
  const walk = below?.walk === undefined ? {} : { walk: below.walk }
  const seen = { reviewed: false, revealed: false, pagesOpened: null, pageSize: "large" } as const
  const about = { viewId, person, caseId, route, revision, digest, place, verb: null, purpose: verb } as const
  await context.inbound.opened({ ...about, ...seen })
  await context.views.show(viewId, questionFormView({ target, verb: null, place, ...walk, ...answerOf(click) }, form))
}

/** A form was sent. It closes once the ticket is written; if its text is not taken, it says why. */
function onWritten(verb: Written): Listener<ViewResponseAction> {
  return async (context, body, ack) => {
    const submission = readSubmission(body, context.identity)
    const { interaction, person, name, view } = submission
    const note = readNote(view.note)
    if (note === null) {
      context.log.warn("foreign-form", { user: person.user })
      await acknowledge(context, ack, { response_action: "update", view: replacedView() })
      return null
    }
    const read = readWritten(submission, verb)
    if (!read.ok) {
      await acknowledge(context, ack, { response_action: "errors", errors: { ...read.errors } })
      return null
    }
    const on = { kind: "view", viewId: view.id } as const
    const act = { interaction, person, name, at: context.clock(), target: note.target, on, surface: "form" } as const
    const replyTo = answeredAt(note, person.user, "")
    const taken = await context.inbound.take({ ...act, verb, text: read.text, replyTo })
    await acknowledge(context, ack)
    return () => context.inbound.carryOut(taken)
  }
}
