// Keeps the messages of a channel apart where they leave: one that left late must not make the next arrive too soon.
import type { Clock } from "../../flow/ports.ts"

/** Waits until a message may leave for a channel; never longer than the pace. */
export type Spacing = (channel: string) => Promise<void>

/** What it is made of. */
export interface SpacingOptions {
  /** What lies between two slots of a channel (`slack.pace_ms`). */
  readonly paceMs: number
  readonly clock: Clock
  readonly wait: (ms: number) => Promise<unknown>
}

/** Two messages may be nearer to each other than their slots by so much, so that what was late is made up for, in ms. */
const madeUpMs = 10

/**
 * Makes it. The slots of the pace hold over all replicas, but between its slot and its way out a message is claimed, which takes now and then
 * as long as what Slack leaves: then the next waits here for the rest.
 */
export function createSpacing({ paceMs, clock, wait }: SpacingOptions): Spacing {
  const apartMs = Math.max(0, paceMs - madeUpMs)
  const next = new Map<string, number>()
  return async (channel) => {
    const now = clock()
    // A clock that was set back has nobody wait longer than that.
    const at = Math.min(Math.max(now, next.get(channel) ?? now), now + apartMs)
    for (const [other, free] of next) if (free <= now) next.delete(other)
    next.set(channel, at + apartMs)
    if (at > now) await wait(at - now)
  }
}
