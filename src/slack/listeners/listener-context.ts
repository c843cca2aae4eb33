// What every listener works with, and the shape they share: acknowledge within 3 s, then hand back what is left to do.

import type { HomeTeam } from "../../domain/person.ts"
import type { Answer } from "../../flow/answer.ts"
import type { Inbound } from "../../flow/inbound.ts"
import { type Chat, type Clock, isCredentialRefused, type Log, refusalOfSlack } from "../../flow/ports.ts"
import type { ReplyTo } from "../../flow/press.ts"
import type { SendNew } from "../chat/block-fallback.ts"
import type { ViewUpdates } from "../chat/view-updates.ts"
import type { Flight } from "../transport/pending-work.ts"
import type { Respond } from "../transport/response-url.ts"
import type { Call } from "../transport/web-client.ts"

/** Everything a listener may use. */
export interface Desk {
  readonly inbound: Inbound
  readonly call: Call
  readonly sendNew: SendNew
  readonly respond: Respond
  readonly views: ViewUpdates
  readonly chat: Pick<Chat, "answer">
  /** Where the app is installed. */
  readonly identity: HomeTeam
  readonly clock: Clock
  readonly log: Log
  readonly installation: string
  /** Names of the instances, so that an approval's id finds its case. */
  readonly instances: () => readonly string[]
  /** The slash command, such as `/approvals`. */
  readonly command: string
}

/** Bolt's ack; what it may carry depends on what is acknowledged. */
export type Ack<P> = (payload?: P) => Promise<void>

/** What is left to do after the ack, or null. */
export type Rest = (() => Promise<void>) | null

/** One listener: reads the body, keeps what must not be lost, acknowledges, and gives back the rest. */
export type Listener<P = undefined> = (desk: Desk, body: unknown, ack: Ack<P>) => Promise<Rest>

/** Acknowledges. If the socket dropped meanwhile the ack is lost, and nothing else: what was taken is carried out all the same. */
export async function acknowledge<P>(desk: Pick<Desk, "log">, ack: Ack<P>, payload?: P): Promise<void> {
  try {
    await (payload === undefined ? ack() : ack(payload))
  } catch (error) {
    desk.log.warn("ack-lost", { error })
  }
}

/** Runs listeners for Bolt so that a shutdown can wait: first for their acks, then for the rest of their work. */
export function createRunner(desk: Desk, acking: Flight, working: Flight) {
  return <P>(listener: Listener<P>) =>
    async ({ body, ack }: { body: unknown; ack: Ack<P> }): Promise<void> => {
      const rest = await acking.track(listener(desk, body, ack))
      if (rest === null) return
      await working.track(rest()).catch((error: unknown) => desk.log.error("listener-failed", { error }))
    }
}

/** Tells a person something, where a failure to do so changes nothing. */
export async function tell(desk: Pick<Desk, "chat" | "log">, to: ReplyTo | null, answer: Answer): Promise<void> {
  if (to === null) return
  try {
    await desk.chat.answer(to, answer)
  } catch (error) {
    desk.log.warn("answer-failed", { answer: answer.kind, error })
  }
}

/** The answer to a failure before anything was counted. */
export function failureAnswer(error: unknown): Answer {
  const word = refusalOfSlack(error)
  if (word !== null) return { kind: "slack-refuses", word }
  if (error instanceof Error && error.name === "ChatError") return { kind: "slack-down" }
  if (isCredentialRefused(error)) return { kind: "credential-refused", retrying: false }
  if (error instanceof Error && error.name === "PlatformError") return { kind: "platform-down", retrying: false }
  return { kind: "failed", retrying: false }
}
