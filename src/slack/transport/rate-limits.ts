// Slack's rate limits: the calls a minute of each Web API method, and the time between two messages of a channel.
import type { Clock } from "../../flow/ports.ts"

/**
 * How many calls a minute Slack allows a workspace for each method (https://docs.slack.dev/apis/web-api/rate-limits;
 * tiers 2, 3, 4: 20, 50, 100). `chat.postMessage` has no tier: "several hundred", and about one a second in a channel.
 */
export const callsAMinute = {
  "chat.postMessage": 300,
  "chat.update": 50,
  "chat.postEphemeral": 100,
  "views.open": 100,
  "views.push": 100,
  "views.update": 100,
  "views.publish": 100,
  "users.info": 100,
  "users.lookupByEmail": 50,
  "usergroups.list": 20,
  "conversations.open": 50,
  "conversations.info": 50,
  "conversations.history": 50,
  "conversations.replies": 50,
  "conversations.members": 100,
} as const

/** True for a method that has a limit of its own. */
export function isLimited(method: string): method is keyof typeof callsAMinute {
  return Object.hasOwn(callsAMinute, method)
}

/** Waits until a channel's rate-limit bucket has a slot, but no longer than the pace. */
export type ChannelLimiter = (channel: string) => Promise<void>

/** Two messages may be this much closer than their slots, in ms, so that a late message can be made up for. */
const madeUpMs = 10

/** Makes the limiter. Replicas share the slots. A message needs a lease, so it may leave late; the next waits here. */
export function createChannelLimiter(options: {
  /** The time between two slots of a channel (`slack.pace_ms`). */
  readonly paceMs: number
  readonly clock: Clock
  readonly wait: (ms: number) => Promise<unknown>
}): ChannelLimiter {
  const { paceMs, clock, wait } = options
  const apartMs = Math.max(0, paceMs - madeUpMs)
  const next = new Map<string, number>()
  return async (channel) => {
    const now = clock()
    // If the clock was set back, nobody waits longer than one pace.
    const at = Math.min(Math.max(now, next.get(channel) ?? now), now + apartMs)
    for (const [other, free] of next) if (free <= now) next.delete(other)
    next.set(channel, at + apartMs)
    if (at > now) await wait(at - now)
  }
}
