// What all parties did, in order: people, faults, replicas, platform and Slack.

/** One moment; `at` is ms of simulated time since the start. */
export interface Moment {
  readonly at: number
  readonly who: string
  readonly what: string
}

/** Takes notes of a seed. */
export interface Timeline {
  readonly note: (who: string, what: string) => void
  readonly moments: readonly Moment[]
}

/** Makes an empty timeline that begins now. */
export function createTimeline(now: () => number): Timeline {
  const began = now()
  const moments: Moment[] = []
  return { moments, note: (who, what) => void moments.push({ at: now() - began, who, what }) }
}

/** The timeline as lines of text. */
export function timelineText(moments: readonly Moment[]): string {
  return moments.map(({ at, who, what }) => `${String(at).padStart(8)} ms  ${who.padEnd(10)} ${what}`).join("\n")
}
