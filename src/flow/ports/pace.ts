// Slack's pace: who goes first, and the port that keeps to Slack's limits over all replicas.

/** A method of Slack's Web API, such as `chat.update`. How often each may be called knows its adapter. */
export type SlackMethod = `${string}.${string}`

/**
 * Who goes first where not all can go at once: what a decision needs and what settles, then new cards, then reminders.
 * The later ones leave a part of each method's minute to those before them.
 */
export const ranks = {
  decision: { order: 0, share: 1 },
  card: { order: 1, share: 0.8 },
  reminder: { order: 2, share: 0.6 },
} as const

/** The place in line. */
export type Rank = keyof typeof ranks

/** How long a summary rests between two edits, so that what happens meanwhile is one edit, in ms. */
export const summaryRestMs = 3_000

/**
 * What a message is limited by: `channel:C…` and `person:U…`, the route it goes to; a method; `summary …`, the summary
 * of a route. What is held on one bucket waits on no other.
 */
export type RateLimitBucket = `channel:${string}` | `person:${string}` | `summary ${string}` | SlackMethod

/** One message that wants to go out. */
export interface SlotRequest {
  /** It goes when all of them have room, and then counts on all of them. */
  readonly buckets: readonly RateLimitBucket[]
  /** In whose name: who asks again keeps their place in line. */
  readonly key: string
  readonly rank: Rank
}

/** Says when Slack may be called next: own pacing, so that Slack never has to refuse. */
export interface Pace {
  /**
   * Asks for a slot. 0: go now, the slot is used up. Else how many ms to wait, and then to ask again: meanwhile
   * somebody of a better rank may have come in between. Who comes late loses the place in line, who does not come for a
   * minute is forgotten.
   */
  reserve(asked: SlotRequest): Promise<number>
  /** Moves somebody who waits in a bucket to the front of it. Does nothing for who does not wait. */
  hurry(bucket: RateLimitBucket, key: string): Promise<void>
  /** Counts a call that a person waits for, so it never waits. Ms for which Slack still refuses the method, else 0. */
  count(method: SlackMethod): Promise<number>
  /** Slack refused with Retry-After: nobody uses the bucket before. */
  hold(bucket: RateLimitBucket, ms: number): Promise<void>
}

/** The bucket of a route's messages; null for what is no route. */
export function bucketOf(route: string): RateLimitBucket | null {
  const [kind, id = ""] = route.split(":")
  return kind === "channel" || kind === "person" ? `${kind}:${id}` : null
}

/** What a new message on a route is limited by. */
export function postBuckets(route: string): readonly RateLimitBucket[] {
  const bucket = bucketOf(route)
  return bucket === null ? ["chat.postMessage"] : [bucket, "chat.postMessage"]
}
