// Forms and the Details modal: opened at once because the trigger dies, filled afterwards.
import type { ViewResponseAction } from "@slack/bolt"
import type { ModalView } from "@slack/types"
import type { Place } from "../../domain/case.ts"
import type { SlackId } from "../../domain/person.ts"
import type { Answer } from "../../flow/answer.ts"
import type { Details, VoteForm } from "../../flow/inbound.ts"
import type { ReplyTo } from "../../flow/press.ts"
import { answerWords } from "../text/answer-words.ts"
import { say } from "../text/spans.ts"
import { readNote, readTarget, targetOf, type ViewNote } from "../views/button-values.ts"
import { answerView, detailsView, toldView } from "../views/details.ts"
import { readForm } from "../views/read-form.ts"
import { decidingView } from "../views/vote-form.ts"
import { acknowledge, type Desk, failureAnswer, type Listener, tell } from "./listener-context.ts"
import { type Click, readClick, readSubmission } from "./payloads.ts"
import { replyToOf, triggerDied } from "./votes.ts"

/** The form was submitted: it says what is missing, or becomes "Deciding" while the vote is carried out. */
export const onForm: Listener<ViewResponseAction> = async (desk, body, ack) => {
  const submission = readSubmission(body, desk.identity)
  const { person, view } = submission
  const note = readNote(view.note)
  const form = note === null ? null : await formAgain(desk, note)
  if (note === null || note.verb === null) {
    await acknowledge(desk, ack, updated(toldView(answerWords({ kind: "replaced" }))))
    return null
  }
  // Without a form the case is not open any more: the vote is carried out all the same, and says what became of it.
  const read =
    form === null ? ({ ok: true, filled: null, reason: null } as const) : readForm(submission, note.verb, form)
  if (!read.ok) {
    await acknowledge(desk, ack, { response_action: "errors", errors: { ...read.errors } })
    return null
  }
  const on = { kind: "view", viewId: view.id } as const
  const { interaction, name } = submission
  const { target, verb } = note
  const act = { interaction, person, name, at: desk.clock(), target, on, surface: "form", verb } as const
  const replyTo = { ...on, user: person.user }
  const taken = await desk.inbound.take({ ...act, reason: read.reason, values: read.filled, replyTo })
  await acknowledge(desk, ack, updated(decidingView()))
  desk.views.acked(view.id)
  return () => desk.inbound.carryOut(taken)
}

/** The form as it stands now. A rejection may always bring a reason. */
function formAgain(desk: Desk, { target, verb }: ViewNote): Promise<VoteForm | null> {
  const { caseId, route } = target
  return verb === "approve" ? desk.inbound.form(caseId, verb, route) : desk.inbound.rejection(caseId, route)
}

/** Details or Review was pressed. */
export const onDetails: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const target = readTarget(click.value)
  await acknowledge(desk, ack)
  const { person, triggerId, place } = click
  const replyTo = replyToOf(click)
  if (target === null) return () => tell(desk, replyTo, { kind: "replaced" })
  const route = target.route === "" ? null : target.route
  const find = (): Promise<Details | null> => desk.inbound.details(target.caseId, person, route)
  const within = click.view
  if (within !== null) {
    const note = readNote(within.note)
    const anew = {
      viewId: within.id,
      person,
      place: note?.place ?? null,
      page: 1,
      seen: 0,
      shown: null,
      revealed: false,
    }
    return () => fill(desk, anew, find)
  }
  return () => openDetails(desk, { person, triggerId, place, replyTo, find })
}

/** Another page of Details was asked for. */
export const onPage: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const note = readNote(click.view?.note)
  await acknowledge(desk, ack)
  if (note === null || click.view === null) return null
  const { id: viewId } = click.view
  const { target, place } = note
  const { person } = click
  return async () => {
    const view = await desk.inbound.view(viewId)
    const { pages: seen, revealed } = view?.caseId === target.caseId ? view : { pages: 0, revealed: false }
    const page = Number(click.value) || 1
    const turned = { page, seen: seen ?? 0, shown: target.digest, revealed }
    await fill(desk, { viewId, person, place, ...turned, ...walkOf(note) }, () => findAgain(desk, click, note))
  }
}

/** "Reveal Masked Values" was pressed: the ledger says so first, then the view shows them from its first page. */
export const onReveal: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const note = readNote(click.view?.note)
  await acknowledge(desk, ack)
  if (note === null || click.view === null) return null
  const { id: viewId } = click.view
  const { person } = click
  const { place, target } = note
  return async () => {
    try {
      const revealed = await desk.inbound.reveal(viewId, person)
      const anew = { viewId, person, place, page: 1, seen: 0, shown: target.digest, revealed, ...walkOf(note) }
      await fill(desk, anew, () => findAgain(desk, click, note))
    } catch (error) {
      desk.log.warn("reveal-failed", { caseId: target.caseId, error })
      await tellInView(desk, viewId, person, failureAnswer(error))
    }
  }
}

function findAgain(desk: Desk, click: Click, { target }: ViewNote): Promise<Details | null> {
  return desk.inbound.details(target.caseId, click.person, target.route === "" ? null : target.route)
}

/** Opens Details with what `find` finds. */
export async function openDetails(
  desk: Desk,
  options: {
    readonly person: SlackId
    readonly triggerId: string
    readonly place: Place | null
    readonly replyTo: ReplyTo | null
    readonly find: () => Promise<Details | null>
  },
): Promise<void> {
  const { person, triggerId, place, replyTo, find } = options
  try {
    const view = toldView([say("Loading…")])
    const answer = await desk.call("views.open", (client) => client.views.open({ trigger_id: triggerId, view }))
    const viewId = answer.view?.id ?? ""
    await fill(desk, { viewId, person, place, page: 1, seen: 0, shown: null, revealed: false }, find)
  } catch (error) {
    desk.log.warn("details-failed", { error })
    await tell(desk, replyTo, triggerDied(error) ? { kind: "late" } : failureAnswer(error))
  }
}

/** What fills a view with a case. */
export interface Filling {
  readonly viewId: string
  readonly person: SlackId
  readonly place: Place | null
  readonly page: number
  /** Pages that were opened before, from the first, as the sealed view has it. */
  readonly seen: number
  /** The digest (its beginning) that those pages showed. */
  readonly shown: string | null
  /** True once the person had the masks of this content opened. */
  readonly revealed: boolean
  readonly walk?: ViewNote["walk"]
}

function walkOf({ walk }: ViewNote): Pick<Filling, "walk"> {
  return walk === undefined ? {} : { walk }
}

/** Remembers the view for its person and shows the page (R18). New content makes all pages unseen (R4). */
export async function fill(desk: Desk, filling: Filling, find: () => Promise<Details | null>): Promise<void> {
  const { viewId, person, place } = filling
  try {
    const details = await find()
    if (details === null) return await desk.views.show(viewId, answerView({ kind: "unknown-case" }))
    const { face } = details
    const { caseId, route, revision, digest } = targetOf(face)
    const same = filling.shown === digest
    const revealed = same && filling.revealed
    const [page, seen] = same ? [filling.page, filling.seen] : [1, 0]
    const changed = filling.shown !== null && !same
    const view = detailsView({ ...filling, details, page, seen, revealed, changed })
    const pages = Math.max(seen, Math.min(page, seen + 1))
    const opened = { viewId, person, caseId, route, revision, digest, place, revealed, pages }
    await desk.inbound.opened({ ...opened, purpose: "details", verb: null })
    await desk.views.show(viewId, view)
  } catch (error) {
    desk.log.warn("details-failed", { error })
    await tellInView(desk, viewId, person, failureAnswer(error))
  }
}

export async function tellInView(desk: Desk, viewId: string, person: SlackId, answer: Answer): Promise<void> {
  await tell(desk, { kind: "view", viewId, user: person.user }, answer)
}

function updated(view: ModalView): { readonly response_action: "update"; readonly view: ModalView } {
  return { response_action: "update", view }
}
