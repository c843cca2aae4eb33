// Notes in order what all parties did: people, faults, replicas, platform and Slack.

import type { Instant } from "./wire.ts"

/** One moment; `at` is ms of simulated time since the start. */
export interface Moment {
  readonly at: number
  readonly who: string
  readonly what: string
  /** Real epoch ms: moments of several processes that are one on the simulated clock stand in this order. */
  readonly real: number
}

/** Takes notes of a seed. */
export interface Timeline {
  /** `when` is the moment as another process saw it. */
  readonly note: (who: string, what: string, when?: Instant) => void
  readonly moments: readonly Moment[]
}

/** Makes an empty timeline that begins now. */
export function createTimeline(now: () => number): Timeline {
  const began = now()
  const moments: Moment[] = []
  const here = (): Instant => ({ at: now(), real: performance.timeOrigin + performance.now() })
  return {
    moments,
    note: (who, what, { at, real } = here()) => void moments.push({ at: at - began, real, who, what }),
  }
}

/** The timeline as lines of text. */
export function timelineText(moments: readonly Moment[]): string {
  const inOrder = moments.toSorted((a, b) => a.real - b.real)
  return inOrder.map(({ at, who, what }) => `${String(at).padStart(8)} ms  ${who.padEnd(10)} ${what}`).join("\n")
}
