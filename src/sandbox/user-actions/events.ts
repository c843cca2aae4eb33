// Events, as Slack's Events API brings them to the app.
import type { Ack } from "../delivery/delivery.ts"
import type { World } from "../world.ts"

/** Sends an event to the app, and resolves with its ack. */
export function sendEvent(world: World, event: Readonly<Record<string, unknown>>): Promise<Ack> {
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
  return world.courier.send({ kind: "events_api", payload })
}

/** Tells the app that it gets no more events for the rest of the minute, as Slack does above 30,000 an hour; resolves with its ack. */
export function sendRateLimited({ workspace, courier }: World): Promise<Ack> {
  const payload = {
    token: "sandbox-verification-token",
    type: "app_rate_limited",
    team_id: workspace.team.id,
    minute_rate_limited: Math.floor(workspace.clock() / 60_000) * 60,
    api_app_id: workspace.app.id,
  }
  return courier.send({ kind: "events_api", payload })
}
