// Deleted messages, where the app is subscribed to `message` events: a card that a moderator deletes is noticed at once.
import { z } from "zod"
import { caseIn } from "../chat/case-in.ts"
import type { Desk } from "./listener-context.ts"

const previous = z.record(z.string(), z.unknown())
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

/** Something happened to a message. Whatever is no deleted card of ours is none of our business. */
export async function onMessage(desk: Pick<Desk, "inbound" | "log">, event: unknown): Promise<void> {
  const parsed = deletion.safeParse(event)
  if (!parsed.success) return
  const { channel, previous_message: message } = parsed.data
  const caseId = caseIn(message)
  const { ts } = message
  if (caseId === null || typeof ts !== "string") return
  try {
    await desk.inbound.deleted(caseId, { channel, ts })
  } catch (error) {
    desk.log.warn("deletion-not-noted", { caseId, error })
  }
}
