// A channel is shared with another company (Slack Connect), or is not any more, of which a subscribed app hears.

import { sendEvent } from "./user-actions/events.ts"
import { SandboxError } from "./workspace/error.ts"
import type { World } from "./world.ts"

/** The other company. */
const ELSEWHERE = "T0ELSEWHERE"

/** Shares a channel or ends that. False if a subscribed app did not take the event. Throws `no_such_thing`. */
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
    ? { type: "channel_shared", connected_team_id: ELSEWHERE, ...told }
    : { type: "channel_unshared", previously_connected_team_id: ELSEWHERE, is_ext_shared: false, ...told }
  return (await sendEvent({ workspace, ...rest }, event)).ok
}
