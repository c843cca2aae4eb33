// Events: the Home was opened, a message deleted, a channel shared. What is missed is noticed later all the same.
import { z } from "zod"
import { oneIdentity } from "../../domain/person.ts"
import { caseOf } from "../chat/metadata.ts"
import type { ListenerContext } from "./listener-context.ts"

const opened = z.object({ user: z.string().min(1), tab: z.string().default("home") })

/** A person opened the app. A Home that cannot be shown now is shown with the next change. */
export async function onHome(context: ListenerContext, event: unknown, team: string): Promise<void> {
  const { user, tab } = opened.parse(event)
  const { inbound, identity, log } = context
  if (tab !== "home") return
  await inbound
    .openedHome(oneIdentity(identity, { team, user }))
    .catch((error: unknown) => log.warn("home-failed", { user, error }))
}

const previous = z.looseObject({ ts: z.string() })
/** Slack deletes a message, or, where it has a thread, leaves a tombstone in its place. */
const deletion = z.discriminatedUnion("subtype", [
  z.object({ subtype: z.literal("message_deleted"), channel: z.string(), previous_message: previous }),
  z.object({
    subtype: z.literal("message_changed"),
    channel: z.string(),
    message: z.object({ subtype: z.literal("tombstone") }),
    previous_message: previous,
  }),
])

/**
 * Something happened to a message, where the app is subscribed to `message` events: a card that a moderator deletes
 * is noticed at once. Whatever is no deleted card of ours is none of our business.
 */
export async function onMessage({ inbound, log }: ListenerContext, event: unknown): Promise<void> {
  const { data } = deletion.safeParse(event)
  const caseId = data === undefined ? null : caseOf(data.previous_message)
  if (data === undefined || caseId === null) return
  const { channel, previous_message: message } = data
  await inbound
    .deleted(caseId, { channel, ts: message.ts })
    .catch((error: unknown) => log.warn("deletion-not-noted", { caseId, error }))
}

/** A channel was shared with another company, or is our own again: nobody has to wait until it is asked for. */
export async function onSharing({ inbound, log }: ListenerContext, channel: string): Promise<void> {
  await inbound.channelChanged(channel).catch((error: unknown) => log.warn("sharing-not-noted", { channel, error }))
}
