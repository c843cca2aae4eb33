// A moderator deletes messages past the app, which hears of it only if it is subscribed to that.

import { messageJson } from "../workspace/message-json.ts"
import type { World } from "../world.ts"
import { sendEvent } from "./events.ts"

/** Deletes a message, and tells the app if it is subscribed. False if there is no such message, or the app did not take the event. */
export async function deleteMessage(
  world: World,
  place: { readonly channel: string; readonly ts: string },
  app: "subscribed" | "not subscribed",
): Promise<boolean> {
  const { workspace } = world
  const { channel, ts } = place
  const message = workspace.messages.find(channel, ts)
  if (message === undefined) return false
  const previous = messageJson(workspace, message, { metadata: true })
  workspace.messages.remove(channel, ts)
  if (app === "not subscribed") return true
  const stamp = workspace.ids.ts()
  const head = { type: "message", subtype: "message_deleted", hidden: true, channel_type: "channel" }
  const event = { ...head, channel, deleted_ts: ts, previous_message: previous, ts: stamp, event_ts: stamp }
  return (await sendEvent(world, event)).ok
}
