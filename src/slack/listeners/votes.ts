// Votes by button, on a card and in Details: a ticket before the ack, or a form where a reason has to be given.
import type { Verb } from "../../domain/judge.ts"
import type { Taken, VoteForm } from "../../flow/inbound.ts"
import type { Press, PressedOn, ReplyTo, Target } from "../../flow/press.ts"
import { slackCodeOf } from "../transport/errors.ts"
import { readNote, readTarget } from "../views/button-values.ts"
import { formView } from "../views/vote-form.ts"
import { acknowledge, type Desk, failureAnswer, type Listener, tell } from "./listener-context.ts"
import { type Click, readClick } from "./payloads.ts"

/** Approve or Reject was pressed. Throws before the ack if the ticket could not be written: then Slack shows its own error. */
export function onVote(verb: Verb): Listener {
  return async (desk, body, ack) => {
    const click = readClick(body, desk.identity)
    const target = readTarget(click.value)
    const replyTo = replyToOf(click)
    const on = pressedOn(click)
    if (target === null || replyTo === null || on === null) {
      desk.log.warn("foreign-button", { user: click.person.user })
      await acknowledge(desk, ack)
      return () => tell(desk, replyTo, { kind: "replaced" })
    }
    const taken = await desk.inbound.take(pressOf({ desk, click, target, verb, on, replyTo }))
    await acknowledge(desk, ack)
    return () => voteOrAsk(desk, taken, { click, target, verb })
  }
}

/** A press that needs a form opens it, and is not carried out. */
async function voteOrAsk(desk: Desk, taken: Taken, asked: Omit<Asked, "form">): Promise<void> {
  const form = await desk.inbound.formOf(taken)
  if (form === null) await desk.inbound.carryOut(taken)
  else await Promise.all([askForm(desk, { ...asked, form }), desk.inbound.drop(taken)])
}

/** "Withdraw my vote" was pressed, in Details: kept as a ticket, like the vote itself. */
export const onWithdraw: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null || replyTo === null || click.view === null) {
    await acknowledge(desk, ack)
    return () => tell(desk, replyTo, { kind: "replaced" })
  }
  const on = { kind: "view", viewId: click.view.id } as const
  const { interaction, person, name, at } = click
  const act = { interaction, person, name, at: at ?? desk.clock(), target, on, surface: "details", replyTo } as const
  const taken = await desk.inbound.take({ ...act, verb: "withdraw" })
  await acknowledge(desk, ack)
  return () => desk.inbound.carryOut(taken)
}

/** How a click can be answered: in its view, else by its response_url. */
export function replyToOf(click: Click): ReplyTo | null {
  const { user } = click.person
  if (click.view !== null) {
    const note = readNote(click.view.note)
    const walk = note?.walk === undefined ? {} : { walk: { route: note.walk.route, at: note.target.caseId } }
    return { kind: "view", viewId: click.view.id, user, ...walk }
  }
  if (click.responseUrl === null || click.channel === null) return null
  return { kind: "response", responseUrl: click.responseUrl, channel: click.channel, user }
}

function pressedOn(click: Click): PressedOn | null {
  if (click.view !== null) return { kind: "view", viewId: click.view.id }
  return click.place === null ? null : { kind: "card", place: click.place }
}

function pressOf(options: {
  readonly desk: Desk
  readonly click: Click
  readonly target: Target
  readonly verb: Verb
  readonly on: PressedOn
  readonly replyTo: ReplyTo
}): Press {
  const { desk, click, target, verb, on, replyTo } = options
  const { interaction, person, name } = click
  const inView = replyTo.kind === "view" && replyTo.walk !== undefined ? "summary" : "details"
  const surface = on.kind === "view" ? inView : "card"
  const at = click.at ?? desk.clock()
  return { interaction, person, name, at, target, on, surface, verb, reason: null, values: null, replyTo }
}

/** A vote that needs a form. */
interface Asked {
  readonly click: Click
  readonly target: Target
  readonly verb: Verb
  readonly form: VoteForm
}

/** Opens the form, above Details where it was pressed there. Its trigger dies after 3 s: then the person is asked to press again. */
export async function askForm(desk: Desk, asked: Asked): Promise<void> {
  const { click, target, verb, form } = asked
  const place = click.place ?? readNote(click.view?.note)?.place ?? null
  const view = formView({ target, verb, place }, verb, form)
  const method = click.view === null ? "views.open" : "views.push"
  try {
    const below = click.view === null ? null : await desk.inbound.view(click.view.id)
    const same = below?.revision === target.revision && below.caseId === target.caseId
    const underneath = click.place === null ? { revealed: false, pages: 0 } : { revealed: false, pages: null }
    const { revealed, pages } = same ? below : underneath
    const answer = await desk.sendNew(view, (shown) =>
      desk.call(method, (client) =>
        client.views[click.view === null ? "open" : "push"]({ trigger_id: click.triggerId, view: shown }),
      ),
    )
    const { caseId, route, revision, digest } = target
    const viewId = answer.view?.id ?? ""
    await desk.inbound.opened({
      viewId,
      person: click.person,
      caseId,
      route,
      revision,
      digest,
      purpose: "form",
      verb,
      revealed,
      pages,
      place,
    })
  } catch (error) {
    desk.log.warn("form-failed", { caseId: target.caseId, error })
    await tell(desk, replyToOf(click), triggerDied(error) ? { kind: "late" } : failureAnswer(error))
  }
}

/** True if a `trigger_id` was too old or used before. */
export function triggerDied(error: unknown): boolean {
  return slackCodeOf(error)?.endsWith("trigger_id") === true
}
