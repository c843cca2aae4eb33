// Does what can happen in the workspace without the app, and sends the events that tell the app.
import type { DeliveryAck } from "../delivery/delivery.ts"
import { SandboxError } from "../workspace/error.ts"
import { messageJson } from "../workspace/message-json.ts"
import type { World } from "../world.ts"

/** Sends an event to the app, and resolves with its ack. */
export function sendEvent(world: World, event: Readonly<Record<string, unknown>>): Promise<DeliveryAck> {
  const { workspace } = world
  const { botUserId, id } = workspace.app
  const installed = {
    enterprise_id: workspace.team.enterprise?.id ?? null,
    team_id: workspace.team.id,
    is_enterprise_install: false,
  }
  const payload = {
    token: "sandbox-verification-token",
    team_id: workspace.team.id,
    api_app_id: id,
    event,
    type: "event_callback",
    event_id: workspace.ids.id("Ev"),
    event_time: Math.floor(workspace.clock() / 1000),
    authorizations: [{ ...installed, user_id: botUserId, is_bot: true }],
    is_ext_shared_channel: false,
  }
  return world.delivery.send({ kind: "events_api", payload })
}

/** Tells the app that it gets no more events this minute, as Slack does above 30,000 an hour. Resolves with the ack. */
export function sendRateLimited({ workspace, delivery }: World): Promise<DeliveryAck> {
  const payload = {
    token: "sandbox-verification-token",
    type: "app_rate_limited",
    team_id: workspace.team.id,
    minute_rate_limited: Math.floor(workspace.clock() / 60_000) * 60,
    api_app_id: workspace.app.id,
  }
  return delivery.send({ kind: "events_api", payload })
}

/** Deletes a message, and tells a subscribed app. False if there is no such message, or the app refused the event. */
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

const otherCompany = "T0ELSEWHERE"

/** Shares a channel, or ends the sharing. False if a subscribed app did not take the event. Throws `no_such_thing`. */
export async function shareChannel(
  { workspace, ...rest }: World,
  channelId: string,
  shared: boolean,
  app: "subscribed" | "not subscribed",
): Promise<boolean> {
  const channel = workspace.channels.get(channelId)
  if (channel === undefined) throw new SandboxError("no_such_thing", `There is no channel ${channelId}`)
  workspace.putChannel({ ...channel, external: shared })
  if (app === "not subscribed") return true
  const told = { channel: channelId, event_ts: workspace.ids.ts() }
  const event = shared
    ? { type: "channel_shared", connected_team_id: otherCompany, ...told }
    : { type: "channel_unshared", previously_connected_team_id: otherCompany, is_ext_shared: false, ...told }
  return (await sendEvent({ workspace, ...rest }, event)).ok
}

/** What somebody does to the app in Slack's settings. */
export type Removal = "app_uninstalled" | "tokens_revoked"

/**
 * Removes the app or revokes its token; then Slack refuses the bot token. Removing sends both events, as Slack does.
 * False if a subscribed app did not take an event.
 */
export async function removeApp(
  world: World,
  removal: Removal,
  app: "subscribed" | "not subscribed",
): Promise<boolean> {
  const { botUserId } = world.workspace.app
  world.install.refused = removal === "app_uninstalled" ? "account_inactive" : "token_revoked"
  if (app === "not subscribed") return true
  const revoked = await sendEvent(world, { type: "tokens_revoked", tokens: { oauth: [], bot: [botUserId] } })
  if (removal === "tokens_revoked") return revoked.ok
  const uninstalled = await sendEvent(world, { type: "app_uninstalled" })
  return revoked.ok && uninstalled.ok
}
