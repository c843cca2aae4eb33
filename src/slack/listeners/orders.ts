// Stops in Slack: by command, by form and from Details; and the end of one, which asks first (R21).
import type { ViewResponseAction } from "@slack/bolt"
import type { ModalView } from "@slack/types"
import { readStop } from "../../domain/order/read-stop.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import { viewIds } from "../ids.ts"
import { rich } from "../lines/spans.ts"
import { stopOutcomeBlocks, stopOutcomeMessage } from "../lists/stop-messages.ts"
import { answerWords, loadingLine } from "../text/answer-words.ts"
import { endedStopLine, endingLines, orderLabels } from "../text/order-words.ts"
import { rejectOutcomeLines } from "../text/reject-words.ts"
import { readTarget } from "../views/button-values.ts"
import { answerView, modal, toldView } from "../views/details.ts"
import {
  endView,
  readRejectNote,
  readStopForm,
  rejectView,
  type StopStart,
  startAfter,
  stopForm,
} from "../views/stop-form.ts"
import { words } from "../views/words.ts"
import {
  acknowledge,
  ephemeral,
  failureAnswer,
  type Listener,
  type ListenerContext,
  onClick,
  openModal,
  refuseForeign,
  replyToOf,
} from "./listener-context.ts"
import { type Command, readSubmission } from "./payloads.ts"

/** `stop` was typed. Words that can be read stop at once; for others the form opens, and nothing is stopped yet. */
export async function stopTyped(context: ListenerContext, command: Command, typed: readonly string[]): Promise<void> {
  const { person, responseUrl, triggerId, channel } = command
  const read = readStop(typed)
  if (read.kind !== "stop") {
    const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
    return openStopForm(context, { triggerId, replyTo, above: false }, async () => startAfter(typed, read))
  }
  const message = await context.inbound.stop({ person, stop: read.stop }).then(
    (outcome) => stopOutcomeMessage(outcome, context.command),
    (error: unknown) => {
      context.log.warn("stop-failed", { error })
      return words(answerWords(failureAnswer(error)))
    },
  )
  await context.respond(responseUrl, ephemeral(message))
}

/** "Stop This Agent…" was pressed in Details: the form opens above it, with the agent. */
export const onStopAgent = onClick((context, click) => {
  const target = readTarget(click.value)
  const replyTo = replyToOf(click)
  if (target === null) return refuseForeign(context, click)
  const { person, triggerId, view } = click
  return () =>
    openStopForm(context, { triggerId, replyTo, above: view !== null }, async () => {
      const details = await context.inbound.details(target.caseId, person, target.route)
      return { said: null, what: details?.stopWords ?? "", why: "" }
    })
})

interface Opening {
  readonly triggerId: string
  readonly replyTo: ReplyTo | null
  readonly above: boolean
}

function openStopForm(context: ListenerContext, opening: Opening, start: () => Promise<StopStart>): Promise<void> {
  const { title } = orderLabels
  return openModal(context, { ...opening, title, event: "stop-form-failed" }, async (viewId) => {
    await context.views.show(viewId, stopForm(await start()))
  })
}

/** The form was submitted. If it says no stop, it says why; else it stops, and the answer takes its place. */
export const onStopForm: Listener<ViewResponseAction> = async (context, body, ack) => {
  const submission = readSubmission(body, context.identity)
  const filled = readStopForm(submission)
  if (!filled.ok) {
    await acknowledge(context, ack, { response_action: "errors", errors: { ...filled.errors } })
    return null
  }
  const { title } = orderLabels
  await acknowledge(context, ack, { response_action: "update", view: toldView(loadingLine, { title }) })
  const { person, view } = submission
  return () =>
    answerIn(context, view.id, title, async () => {
      const outcome = await context.inbound.stop({ person, stop: filled.stop })
      return modal({ callback: viewIds.told, title, blocks: stopOutcomeBlocks(outcome, context.command) })
    })
}

/** "End…" was pressed: a modal lists what goes on. Nothing ends before it is submitted. */
export const onEndStop = onClick((context, click) => {
  const { person, value: stop, triggerId, view } = click
  const opening = { title: orderLabels.endTitle, triggerId, above: view !== null, replyTo: replyToOf(click) }
  return () =>
    openModal(context, { ...opening, event: "end-not-shown" }, (viewId) =>
      answerIn(context, viewId, orderLabels.endTitle, async () =>
        endView(await context.inbound.ending({ person, stop }), stop),
      ),
    )
})

/** The end was submitted. The person is judged anew, whatever the modal showed. */
export const onEndForm: Listener<ViewResponseAction> = async (context, body, ack) => {
  const { person, view } = readSubmission(body, context.identity)
  const title = orderLabels.endTitle
  await acknowledge(context, ack, { response_action: "update", view: toldView(loadingLine, { title }) })
  return () => answerIn(context, view.id, title, () => endedView(context, person, view.note))
}

async function endedView({ inbound }: ListenerContext, person: SlackId, stop: string): Promise<ModalView> {
  const outcome = await inbound.endStop({ person, stop })
  const lines = outcome.kind === "ended" ? [endedStopLine(outcome.stop)] : endingLines(outcome)
  return modal({ callback: viewIds.told, title: orderLabels.endTitle, blocks: lines.map((line) => rich(line)) })
}

/** "Reject What Waits…" was pressed: a modal says how many that is. Nothing is rejected before it is submitted. */
export const onRejectWaiting = onClick((context, click) => {
  const { person, value: stop, triggerId, view } = click
  const title = orderLabels.rejectTitle
  const opening = { title, triggerId, above: view !== null, replyTo: replyToOf(click) }
  return () =>
    openModal(context, { ...opening, event: "rejection-not-shown" }, (viewId) =>
      answerIn(context, viewId, title, async () => rejectView(await context.inbound.rejecting({ person, stop }), stop)),
    )
})

/** That was confirmed. Each case is rejected by itself, so a long list takes a while; the answer comes at the end. */
export const onRejectForm: Listener<ViewResponseAction> = async (context, body, ack) => {
  const { person, view, interaction } = readSubmission(body, context.identity)
  const title = orderLabels.rejectTitle
  const pressedAt = context.clock()
  await acknowledge(context, ack, { response_action: "update", view: toldView(loadingLine, { title }) })
  const { stop, shownAt } = readRejectNote(view.note)
  return () =>
    answerIn(context, view.id, title, async () => {
      const outcome = await context.inbound.rejectWaiting({ person, stop, interaction, shownAt, pressedAt })
      const lines = rejectOutcomeLines(outcome)
      return modal({ callback: viewIds.told, title, blocks: lines.map((line) => rich(line)) })
    })
}

/** Shows in a modal what an act comes to, or that it failed. */
async function answerIn(
  context: ListenerContext,
  viewId: string,
  title: string,
  act: () => Promise<ModalView>,
): Promise<void> {
  const view = await act().catch((error: unknown) => {
    context.log.warn("order-failed", { error })
    return answerView(failureAnswer(error), { title })
  })
  await context.views.show(viewId, view)
}
