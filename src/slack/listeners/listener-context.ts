// What every listener works with, and what each does: acknowledge within 3 s, then return what is left to do.
import type { HomeTeam, SlackId } from "../../domain/people/person.ts"
import type { Inbound } from "../../flow/ports/inbound.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import type { Answer, ShowFailure } from "../../flow/ports/reply.ts"
import { type Chat, type Clock, isCredentialRefused, isPortError, type Log, refusalOfSlack } from "../../flow/ports.ts"
import type { SendWithFallback } from "../chat/block-fallback.ts"
import type { ViewUpdates } from "../chat/view-updates.ts"
import { loadingLine } from "../text/answer-words.ts"
import { slackCodeOf } from "../transport/errors.ts"
import type { PendingWork } from "../transport/pending-work.ts"
import type { Respond } from "../transport/response-url.ts"
import type { SlackCall } from "../transport/web-client.ts"
import { readNote } from "../views/button-values.ts"
import type { Message } from "../views/card.ts"
import { type ToldOptions, toldView } from "../views/details.ts"
import { type Click, readClick } from "./payloads.ts"

/** Everything a listener may use. */
export interface ListenerContext {
  readonly inbound: Inbound
  readonly call: SlackCall
  readonly sendWithFallback: SendWithFallback
  readonly respond: Respond
  readonly views: ViewUpdates
  readonly chat: Pick<Chat, "answer">
  readonly identity: HomeTeam
  readonly clock: Clock
  readonly log: Log
  readonly installation: string
  /** Names of the instances, so that an approval's id finds its case. */
  readonly instances: () => readonly string[]
  /** The slash command, such as `/approvals`. */
  readonly command: string
}

/** Bolt's ack. What it may carry depends on the delivery. */
export type Ack<P> = (payload?: P) => Promise<void>

/** What is left to do after the ack, or null. */
export type Rest = (() => Promise<void>) | null

/** One listener: reads the body, saves what must not be lost, acknowledges, and returns the rest. */
export type Listener<P = undefined> = (context: ListenerContext, body: unknown, ack: Ack<P>) => Promise<Rest>

/** Acknowledges. If the socket dropped meanwhile, only the ack is lost: we carry out what we took all the same. */
export async function acknowledge<P>(context: Pick<ListenerContext, "log">, ack: Ack<P>, payload?: P): Promise<void> {
  try {
    await (payload === undefined ? ack() : ack(payload))
  } catch (error) {
    context.log.warn("ack-lost", { error })
  }
}

/** The listener of a button that decides nothing: acknowledges at once, then returns `rest`. */
export function onClick(rest: (context: ListenerContext, click: Click) => Rest): Listener {
  return async (context, body, ack) => {
    const click = readClick(body, context.identity)
    await acknowledge(context, ack)
    return rest(context, click)
  }
}

/** A message that only the asker sees. */
export type EphemeralMessage = Message & { readonly response_type: "ephemeral" }

/** Makes a message that only the asker sees. */
export function ephemeral({ text, blocks }: Message): EphemeralMessage {
  return { response_type: "ephemeral", text, blocks }
}

/** Runs listeners for Bolt, so that a shutdown can wait: first for their acks, then for the rest of their work. */
export function createRunner(context: ListenerContext, acking: PendingWork, working: PendingWork) {
  return <P>(listener: Listener<P>) =>
    async ({ body, ack }: { body: unknown; ack: Ack<P> }): Promise<void> => {
      const rest = await acking.track(listener(context, body, ack))
      if (rest === null) return
      await working.track(rest()).catch((error: unknown) => context.log.error("listener-failed", { error }))
    }
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

/** How an open modal is answered. */
export function replyInView(viewId: string, person: SlackId): ReplyTo {
  return { kind: "view", viewId, user: person.user }
}

/** Tells a person something. If we cannot tell it, nothing else changes. */
export async function tell(
  context: Pick<ListenerContext, "chat" | "log">,
  to: ReplyTo | null,
  answer: Answer,
): Promise<void> {
  if (to === null) return
  try {
    await context.chat.answer(to, answer)
  } catch (error) {
    context.log.warn("answer-failed", { answer: answer.kind, error })
  }
}

/**
 * What is left to do for a button that names nothing of ours, or stands where none of ours does (R18): its person is
 * told. The log says who pressed it.
 */
export function refuseForeign(context: ListenerContext, click: Click): () => Promise<void> {
  context.log.warn("foreign-button", { user: click.person.user })
  return () => tell(context, replyToOf(click), { kind: "replaced" })
}

/**
 * Opens a modal at once, because its trigger expires, and then fills it. A failure is logged under `event`, and the
 * person is told.
 */
export async function openModal(
  context: ListenerContext,
  options: ToldOptions & {
    readonly triggerId: string
    /** True: above the modal in which somebody pressed. Default false. */
    readonly above?: boolean
    readonly replyTo: ReplyTo | null
    readonly event: string
    readonly caseId?: string
  },
  fill: (viewId: string) => Promise<void>,
): Promise<void> {
  const { triggerId: trigger_id, above = false, replyTo, event, caseId } = options
  const how = above ? "push" : "open"
  try {
    const view = toldView(loadingLine, options)
    const answer = await context.call(`views.${how}`, (client) => client.views[how]({ trigger_id, view }))
    await fill(answer.view?.id ?? "")
  } catch (error) {
    context.log.warn(event, { caseId, error })
    await tell(context, replyTo, triggerAnswer(error))
  }
}

/** The answer if opening a modal failed: its `trigger_id` was too old or used before, or something else went wrong. */
export function triggerAnswer(error: unknown): Answer {
  return slackCodeOf(error)?.endsWith("trigger_id") === true ? { kind: "late" } : failureAnswer(error)
}

/** The answer if something could not be shown. */
export function failureAnswer(error: unknown): Answer {
  return { kind: "not-shown", failure: showFailureOf(error) }
}

function showFailureOf(error: unknown): ShowFailure {
  const word = refusalOfSlack(error)
  if (word !== null) return { cause: "slack-refuses", word }
  if (isCredentialRefused(error)) return { cause: "credential-refused" }
  const source = isPortError(error) ? error.source : undefined
  if (source === "slack") return { cause: "slack-down" }
  return { cause: source === "platform" ? "platform-down" : "failed" }
}
