// What people see on their screens in a seed, and what they did so far.
import { caseIdOf } from "../../src/domain/case/case.ts"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { OpenView } from "../../src/sandbox/workspace/views.ts"
import { actionIds, metadataTypes, viewIds } from "../../src/slack/ids.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Verb } from "./schedule.ts"
import type { Stage } from "./stage.ts"
import type { Said } from "./talks.ts"

/** The Slack ids of those who act. */
export const cast = { alice: sandboxCast.alice, bob: sandboxCast.bob, rita: sandboxCast.rita } as const

/** One approval with all that was done about it. */
export interface Asked {
  readonly number: number
  readonly tool: string
  readonly id: string
  /** Whose run it is, a Slack user id, or null. */
  readonly requester: string | null
  /** What would run, the newest last. */
  readonly targets: string[]
  /** True once an operator decided it on the platform. */
  elsewhere: boolean
  /** The approval after which the same program asked for this one. */
  readonly follows?: Asked
}

/** A press as the person made it, with what their screen showed. */
export interface Pressed {
  readonly asked: Asked
  readonly person: string
  readonly verb: Verb
  readonly shown: string
  readonly place: { readonly channel: string; readonly ts: string }
  /** The card as it was on their screen; null in a modal. */
  readonly card: PostedMessage | null
  /** When it was made, simulated epoch ms. */
  readonly at: number
  /** True once Slack saw the ack. */
  acked: boolean
  /** True if it was made in a modal, which then says what became of it. */
  readonly inModal: boolean
  /** Tells the oracle of it, where there is one. */
  carriedOut?: (at: number, replaces: false) => void
}

/** What was done so far. */
export interface Doings {
  readonly asked: Asked[]
  readonly pressed: Pressed[]
  /** What people said beside votes. */
  readonly said: Said[]
}

/** How long somebody waits for what a press shows, and between two looks whether a case is decided. */
export const glanceMs = 2_000

/** Details of a case, opened on its card, once they have a button; null if they never do. */
export async function detailsOffering(
  stage: Stage,
  asked: Asked,
  { who, route }: { readonly who: string; readonly route: number },
  action: string,
) {
  const { sandbox, channels } = stage
  const card = cardsOf(stage, asked, channels[route] ?? "").at(-1)
  if (card === undefined || !has(card.blocks, actionIds.details)) return null
  const place = { channel: card.channelId, ts: card.ts }
  const opened = await sandbox.click(who, place, actionIds.details)
  const view = opened.ok ? await viewOffering(stage, who, action) : null
  // A person has one modal at a time: another story may have opened this one.
  return view === null || !says(view, asked.tool) ? null : { view, place }
}

/** The form that is open for a person, by default that of a vote; null if none opens. */
export function formFor({ sandbox }: Stage, who: string, callback: string = viewIds.form) {
  const look = () => {
    const view = sandbox.openView(who)
    return view?.definition.callback_id === callback ? view : undefined
  }
  return sandbox.waitFor(look, { limitMs: glanceMs }).catch(() => null)
}

/** The person's modal once it has a button; null if none comes. */
export function viewOffering({ sandbox }: Stage, who: string, action: string) {
  const offered = () => {
    const view = sandbox.openView(who)
    return view !== undefined && has(view.definition.blocks, action) ? view : undefined
  }
  return sandbox.waitFor(offered, { limitMs: glanceMs }).catch(() => null)
}

/** True if a modal names the tool. */
export function says({ definition }: OpenView, tool: string): boolean {
  return new RegExp(`\\b${tool}\\b`).test(wordsOf(definition.blocks))
}

/** True if blocks have a button. */
export function has(blocks: unknown, action: string): boolean {
  return JSON.stringify(blocks).includes(`"${action}"`)
}

/** The cards of an approval in a channel. */
export function cardsOf({ sandbox, installation }: Stage, { id }: Asked, channel: string): readonly PostedMessage[] {
  const caseId = caseIdOf(installation, "main", id)
  const isOwn = ({ metadata }: PostedMessage) =>
    metadata?.event_type === metadataTypes.card && JSON.stringify(metadata).includes(caseId)
  return sandbox.messages(channel).filter(isOwn)
}

/** Those of them that can be pressed: to do this, or anything. Under a stop there is no Approve. */
export function liveCards(stage: Stage, asked: Asked, channel: string, verb?: Verb): readonly PostedMessage[] {
  const offers = (message: PostedMessage) => verb === undefined || has(message.blocks, actionIds[verb])
  return cardsOf(stage, asked, channel).filter((one) => isLive(one) && offers(one))
}

/** True if a message is a card of the tool. */
export function isOf(message: PostedMessage, tool: string): boolean {
  return new RegExp(`\\b${tool}\\b`).test(saysOf(message))
}

/** All words of a message. */
export function saysOf(message: PostedMessage): string {
  return `${message.text} ${wordsOf(message.blocks)}`
}

/** True if a message can be pressed: it has a button that votes. What asks for input has only one. */
export function isLive(message: PostedMessage): boolean {
  return has(message.blocks, actionIds.approve) || has(message.blocks, actionIds.reject)
}

/** What would run, as a card says. */
export function targetOn(message: PostedMessage): string {
  return targetIn(message.blocks)
}

/** What would run, as blocks say. */
export function targetIn(blocks: PostedMessage["blocks"]): string {
  return /T\d+-v\d+/.exec(wordsOf(blocks))?.[0] ?? "nothing"
}
