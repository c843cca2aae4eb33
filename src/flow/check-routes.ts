// Check: channels of rules that another company reads too. The operator hears of it before anything is asked there, and what hangs there is covered.
import { channelsIn } from "../domain/policy/channels.ts"
import { type RedrawPorts, redrawAll } from "./exposed.ts"
import { isPortError, type Ports } from "./ports.ts"

export type CheckRoutesPorts = RedrawPorts & Pick<Ports, "policy" | "chat" | "alarm" | "log">

/** How old Slack's word on a channel may be where nothing is written, in ms: so each costs one call a minute over all replicas. */
const oldMs = 60_000

/** Makes the check. It raises an alarm for each such channel; when one becomes exposed, or is our own again, its cards are drawn anew. */
export function createRouteCheck(): (ports: CheckRoutesPorts) => Promise<void> {
  const known = new Set<string>()
  return async (ports) => {
    for (const [channel, rules] of channelsIn(ports.policy.rules)) {
      const route = `channel:${channel}`
      const exposed = await isExposed(ports, route)
      if (exposed === null) continue
      if (exposed) ports.alarm({ code: "channel-shared", channel, rules: rules.map(({ name }) => name) })
      if (exposed === known.has(route)) continue
      await redrawAll(ports, route, exposed)
      if (exposed) known.add(route)
      else known.delete(route)
    }
  }
}

/** Slack says that a channel was shared, or is our own again. It is believed only as far as Slack says the same when it is asked. */
export async function channelChanged(ports: Omit<CheckRoutesPorts, "alarm">, channel: string): Promise<void> {
  if (!channelsIn(ports.policy.rules).has(channel)) return
  const exposed = await isExposed(ports, `channel:${channel}`, 0)
  if (exposed !== null) await redrawAll(ports, `channel:${channel}`, exposed)
}

/** Null where Slack does not tell. */
async function isExposed(
  ports: Pick<Ports, "chat" | "log">,
  route: string,
  maxAgeMs: number = oldMs,
): Promise<boolean | null> {
  try {
    return await ports.chat.exposed(route, maxAgeMs)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("channel-not-checked", { route, error })
    return null
  }
}
