// Reviewers of broken glass: "It Was Right" by a press, "It Was Not…" by a form with a reason. Each becomes a ticket.
import type { ViewResponseAction } from "@slack/bolt"
import type { ReviewInteraction } from "../../flow/ports/interaction.ts"
import { readNote, readTarget } from "../views/button-values.ts"
import { replacedView } from "../views/details.ts"
import { readReviewReason, reviewFormView } from "../views/form/vote-form.ts"
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
import { type Click, readClick, readSubmission } from "./payloads.ts"

/** The press of a reviewer on a card; null if it names nothing of ours. */
function pressOf({ clock }: ListenerContext, click: Click, right: boolean): ReviewInteraction | null {
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null || replyTo === null || click.place === null) return null
  const { interaction, person, name, at, place } = click
  const on = { kind: "card", place } as const
  const act = { interaction, person, name, at: at ?? clock(), target, on, surface: "card", replyTo } as const
  return { ...act, verb: "review", right, reason: null }
}

/** A reviewer pressed "It Was Right". Throws before the ack if no ticket was written; then Slack shows an error. */
export const onGlassRight: Listener = async (context, body, ack) => {
  const click = readClick(body, context.identity)
  const press = pressOf(context, click, true)
  if (press === null) {
    await acknowledge(context, ack)
    return refuseForeign(context, click)
  }
  const taken = await context.inbound.take(press)
  await acknowledge(context, ack)
  return () => context.inbound.carryOut(taken)
}

/** A reviewer pressed "It Was Not…": the form takes the reason. */
export const onGlassWrong = onClick((context, click) => {
  const press = pressOf(context, click, false)
  if (press === null) return refuseForeign(context, click)
  const { caseId } = press.target
  const opening = { triggerId: click.triggerId, caseId, replyTo: press.replyTo, event: "review-form-failed" }
  return () =>
    openModal(context, opening, async (viewId) => {
      try {
        await fillReviewForm(context, viewId, press)
      } catch (error) {
        context.log.warn("review-form-failed", { caseId, error })
        await tell(context, replyInView(viewId, click.person), failureAnswer(error))
      }
    })
})

/** Remembers the view as the form of this review (R18), and shows it; or says why the person may not review. */
async function fillReviewForm(context: ListenerContext, viewId: string, press: ReviewInteraction): Promise<void> {
  const asked = await context.inbound.askReview(press)
  const { target, person, on, replyTo } = press
  if (asked.kind === "answer") return tell(context, replyInView(viewId, person), asked.answer)
  const { caseId, route, revision, digest } = target
  const place = on.kind === "card" ? on.place : null
  const seen = { reviewed: false, revealed: false, pagesOpened: null, pageSize: "large" } as const
  const about = { viewId, person, caseId, route, revision, digest, place, verb: null, purpose: "glass-review" } as const
  await context.inbound.opened({ ...about, ...seen })
  const answer =
    replyTo.kind === "response" ? { answer: { responseUrl: replyTo.responseUrl, channel: replyTo.channel } } : {}
  await context.views.show(viewId, reviewFormView({ target, verb: null, place, ...answer }, asked.model))
}

/** The form of a review was submitted. It closes once the ticket is written. */
export const onGlassReview: Listener<ViewResponseAction> = async (context, body, ack) => {
  const submission = readSubmission(body, context.identity)
  const { interaction, person, name, view } = submission
  const note = readNote(view.note)
  if (note === null) {
    context.log.warn("foreign-form", { user: person.user })
    await acknowledge(context, ack, { response_action: "update", view: replacedView() })
    return null
  }
  const reason = readReviewReason(submission)
  if (!reason.ok) {
    await acknowledge(context, ack, { response_action: "errors", errors: { ...reason.errors } })
    return null
  }
  const { user } = person
  const { answer } = note
  const back =
    answer !== undefined && "responseUrl" in answer
      ? ({ kind: "response", ...answer, user } as const)
      : ({ kind: "direct", user, about: "" } as const)
  const on = { kind: "view", viewId: view.id } as const
  const act = { interaction, person, name, at: context.clock(), target: note.target, on, surface: "form" } as const
  const said = { verb: "review", right: false, reason: reason.reason, replyTo: back } as const
  const taken = await context.inbound.take({ ...act, ...said })
  await acknowledge(context, ack)
  return () => context.inbound.carryOut(taken)
}
