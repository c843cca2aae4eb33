// Votes: by button, or by form if values or a reason are needed. We write a ticket before the ack.
import type { ViewResponseAction } from "@slack/bolt"
import type { ModalView } from "@slack/types"
import type { Verb } from "../../domain/policy/judge.ts"
import type { Taken, VoteForm } from "../../flow/ports/inbound.ts"
import { type InteractionPlace, type Manner, mannerOf, type Press, type ReplyTo } from "../../flow/ports/interaction.ts"
import { maskModel } from "../lines/masking.ts"
import { plainWords } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { answerWords } from "../text/answer-words.ts"
import { subjectOf } from "../text/case/headline.ts"
import { readNote, readTarget, type ViewNote } from "../views/button-values.ts"
import { toldView } from "../views/details.ts"
import { formView, type ReadForm, readForm } from "../views/form/vote-form.ts"
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

/** Somebody pressed Approve or Reject. Throws before the ack if no ticket was written; then Slack shows an error. */
export function onVote(verb: Verb): Listener {
  return async (context, body, ack) => {
    const click = readClick(body, context.identity)
    const target = readTarget(click.value)
    const replyTo = replyToOf(click)
    const on = pressedAt(click)
    if (target === null || replyTo === null || on === null) {
      await acknowledge(context, ack)
      return refuseForeign(context, click)
    }
    const surface = surfaceOf(on, replyTo)
    const vote = { ...sentBy(context, click), target, on, surface, verb, reason: null, values: null, replyTo }
    const taken = await context.inbound.take(vote)
    await acknowledge(context, ack)
    return () => voteOrAsk(context, taken, click, vote)
  }
}

/** Carries the vote out. If it needs a form, opens that instead. */
async function voteOrAsk(context: ListenerContext, taken: Taken, click: Click, vote: Press): Promise<void> {
  const needsForm = await context.inbound.needsForm(taken)
  if (!needsForm) await context.inbound.carryOut(taken)
  else await Promise.all([openForm(context, click, vote), context.inbound.drop(taken)])
}

/** Somebody pressed "Withdraw My Vote" in Details: it becomes a ticket, like the vote itself. */
export const onWithdraw: Listener = async (context, body, ack) => {
  const click = readClick(body, context.identity)
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null || replyTo === null || click.view === null) {
    await acknowledge(context, ack)
    return refuseForeign(context, click)
  }
  const on = { kind: "view", viewId: click.view.id } as const
  const act = { ...sentBy(context, click), target, on, surface: "details", replyTo } as const
  const taken = await context.inbound.take({ ...act, verb: "withdraw" })
  await acknowledge(context, ack)
  return () => context.inbound.carryOut(taken)
}

/** Somebody pressed "Ask Me Again" on a card: it becomes a ticket, like a vote. */
export const onAskAgain: Listener = async (context, body, ack) => {
  const click = readClick(body, context.identity)
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null || replyTo === null || click.place === null) {
    await acknowledge(context, ack)
    return refuseForeign(context, click)
  }
  const on = { kind: "card", place: click.place } as const
  const act = { ...sentBy(context, click), target, on, surface: "card", replyTo } as const
  const taken = await context.inbound.take({ ...act, verb: "ask-again" })
  await acknowledge(context, ack)
  return () => context.inbound.carryOut(taken)
}

/** The requester pressed "Call Back…" in Details: the form asks once more, and takes a reason. */
export const onCallBack = onFormButton({ verb: "reject", calledBack: true })

/** Somebody pressed "Break Glass…" in Details: the form says what that means, and takes a reason. */
export const onBreakGlass = onFormButton({ verb: "approve", glass: true })

/** Somebody pressed "Send Back…" in Details or in the form of a rejection: a form takes what to ask instead. */
export const onSendBack = onFormButton({ verb: "reject", sendBack: true })

/** Listens to a button of Details that opens the form of one kind of vote, also if it stands in another form. */
function onFormButton(wish: Pick<Press, "verb"> & Manner): Listener {
  return onClick((context, click) => {
    const target = readTarget(click.value)
    const on = pressedAt(click)
    const replyTo = replyToOf(click)
    if (target === null || on === null || replyTo === null) return refuseForeign(context, click)
    const { view } = click
    const within = view !== null && isForm(view) ? view.id : null
    const surface = within === null ? surfaceOf(on, replyTo) : "form"
    const press = { ...sentBy(context, click), target, on, surface, reason: null, values: null, ...wish }
    if (within === null) return () => openForm(context, click, press)
    return () => showFormOrAnswer(context, { viewId: within, click, press })
  })
}

/** Somebody pressed Reject on the Home: the form asks once more, and takes a reason. */
export const onHomeReject = onClick((context, click) => {
  const target = readTarget(click.value)
  if (target === null) return refuseForeign(context, click)
  const verb = "reject"
  const press = {
    ...sentBy(context, click),
    target,
    on: null,
    surface: "home",
    verb,
    reason: null,
    values: null,
  } as const
  return () => openForm(context, click, press)
})

/**
 * The form was submitted. If something is missing, the form says so. Else it closes once the ticket is written, and the
 * vote is carried out.
 */
export const onForm: Listener<ViewResponseAction> = async (context, body, ack) => {
  const submission = readSubmission(body, context.identity)
  const { person, view, interaction, name } = submission
  const note = readNote(view.note)
  const form = note === null ? null : await formAgain(context, note)
  if (note === null || note.verb === null) {
    context.log.warn("foreign-form", { user: person.user })
    await acknowledge(context, ack, updated(toldView(answerWords({ kind: "replaced" }))))
    return null
  }
  const { target, verb } = note
  const back = mannerOf(note)
  // Without a form, the case is no longer open. We still carry the vote out, and its answer says why.
  const read = form === null ? nothingRead : readForm(submission, verb, form)
  if (!read.ok) {
    await acknowledge(context, ack, { response_action: "errors", errors: { ...read.errors } })
    return null
  }
  const on = { kind: "view", viewId: view.id } as const
  const act = { interaction, person, name, at: context.clock(), target, on, surface: "form", verb, ...back } as const
  const replyTo = answeredAt(note, person.user, form === null ? "" : formSubject(form))
  const lasting = read.lasting === true ? ({ lasting: true } as const) : {}
  const taken = await context.inbound.take({ ...act, ...lasting, reason: read.reason, values: read.filled, replyTo })
  await acknowledge(context, ack)
  return () => context.inbound.carryOut(taken)
}

const nothingRead: ReadForm = { ok: true, filled: null, reason: null }

/** Where we answer a form after it closed: where it was opened; if that was the Home, by direct message. */
export function answeredAt({ answer, walk, target }: ViewNote, user: string, about: string): ReplyTo {
  if (answer === undefined) return { kind: "direct", user, about }
  if ("responseUrl" in answer) return { kind: "response", ...answer, user }
  const reviewed = walk === undefined ? {} : { walk: { route: walk.route, at: target.caseId } }
  return { kind: "view", viewId: answer.below, user, ...reviewed }
}

function formSubject({ model }: VoteForm): string {
  return plainWords(subjectOf(maskModel(model).model, createTextFitter()))
}

/** The form as it is now. */
async function formAgain({ inbound }: ListenerContext, note: ViewNote): Promise<VoteForm | null> {
  const { target, verb } = note
  return verb === null ? null : inbound.form(target, { verb, ...mannerOf(note) })
}

function updated(view: ModalView): { readonly response_action: "update"; readonly view: ModalView } {
  return { response_action: "update", view }
}

/** Where a click was made; null on a Home. */
export function pressedAt(click: Click): InteractionPlace | null {
  if (click.view !== null) return { kind: "view", viewId: click.view.id }
  return click.place === null ? null : { kind: "card", place: click.place }
}

function surfaceOf(on: InteractionPlace, replyTo: ReplyTo): Press["surface"] {
  if (on.kind === "card") return "card"
  return replyTo.kind === "view" && replyTo.walk !== undefined ? "summary" : "details"
}

function sentBy({ clock }: ListenerContext, { interaction, person, name, at }: Click) {
  return { interaction, person, name, at: at ?? clock() }
}

/**
 * Opens a modal at once, above Details if the button was there. The modal then becomes the form or, for somebody whose
 * vote would not count, says why. If the trigger expired (3 s), asks for another press.
 */
function openForm(context: ListenerContext, click: Click, press: Press): Promise<void> {
  const { target } = press
  const opening = { triggerId: click.triggerId, above: click.view !== null, caseId: target.caseId }
  return openModal(context, { ...opening, replyTo: replyToOf(click), event: "form-failed" }, (viewId) =>
    showFormOrAnswer(context, { viewId, click, press }),
  )
}

/** A view that becomes a form, the click that asked for it, and what the form is for. */
interface Asking {
  readonly viewId: string
  readonly click: Click
  readonly press: Press
}

/** Makes an open view the form, or lets it say why the vote would not count. */
async function showFormOrAnswer(context: ListenerContext, asking: Asking): Promise<void> {
  const { viewId, click, press } = asking
  const inForm = replyInView(viewId, click.person)
  try {
    const asked = await context.inbound.ask(press)
    if (asked.kind === "answer") return await tell(context, inForm, asked.answer)
    await showForm(context, asking, asked.form)
  } catch (error) {
    context.log.warn("form-failed", { caseId: press.target.caseId, error })
    await tell(context, inForm, failureAnswer(error))
  }
}

/** Remembers the view as the form of one vote (R18), with what the person saw below it (R4), and shows the form. */
async function showForm(context: ListenerContext, { viewId, click, press }: Asking, form: VoteForm): Promise<void> {
  const { target, verb } = press
  const { caseId, route, revision, digest } = target
  const below = readNote(click.view?.note)
  const place = click.place ?? below?.place ?? null
  const walk = below?.walk === undefined ? {} : { walk: below.walk }
  const shown = click.view === null ? null : await context.inbound.view(click.view.id)
  const same = shown?.revision === revision && shown.digest === digest && shown.caseId === caseId
  const pages = { pagesOpened: click.place === null ? 0 : null, pageSize: "large" } as const
  const { revealed, pagesOpened, pageSize } = same ? shown : { revealed: false, ...pages }
  const back = mannerOf(press)
  const about = { person: click.person, caseId, route, revision, digest, verb, ...back, place }
  await context.inbound.opened({ viewId, ...about, revealed, pagesOpened, pageSize, purpose: "form", reviewed: false })
  const note = { target, verb, ...back, place, ...walk, ...answerOf(click) }
  await context.views.show(viewId, formView(note, verb, { ...form, ...(click.view && { begun: click.view }) }))
}

/** True if a view is the form of a vote. */
function isForm(view: NonNullable<Click["view"]>): boolean {
  return (readNote(view.note)?.verb ?? null) !== null
}

/**
 * How we answer a form after it closed: as we would answer the click that opened it. If it took the place of another
 * form, as we would have answered that one.
 */
export function answerOf({ view, responseUrl, channel }: Click): Pick<ViewNote, "answer"> {
  if (view !== null && isForm(view)) {
    const { answer } = readNote(view.note) ?? {}
    return answer === undefined ? {} : { answer }
  }
  if (view !== null) return { answer: { below: view.id } }
  return responseUrl === null || channel === null ? {} : { answer: { responseUrl, channel } }
}
