// Slack's pace: who goes first, and the port that keeps to Slack's limits over all replicas.

/** A method of Slack's Web API, such as `chat.update`. The adapter knows how often each may be called. */
export type SlackMethod = `${string}.${string}`

/**
 * Who goes first if not all can go at once: calls that a decision needs and settling edits, then new cards, then
 * reminders. Later ranks leave a part of each method's minute to those before them.
 */
export const ranks = {
  decision: { order: 0, share: 1 },
  card: { order: 1, share: 0.8 },
  reminder: { order: 2, share: 0.6 },
} as const

/** The place in line. */
export type Rank = keyof typeof ranks

/** How long a summary rests between two edits, in ms: everything that happens meanwhile is one edit. */
export const summaryRestMs = 3_000

/**
 * What limits a message: `channel:C…` and `person:U…` are the route it goes to; a method; `summary …` is the summary of
 * a route. A bucket that is held delays no other.
 */
export type RateLimitBucket = `channel:${string}` | `person:${string}` | `summary ${string}` | SlackMethod

/** One message that wants to go out. */
export interface SlotRequest {
  /** The call goes when all of them have room, and then counts on all of them. */
  readonly buckets: readonly RateLimitBucket[]
  /** In whose name: if they ask again, they keep their place in line. */
  readonly key: string
  readonly rank: Rank
}

/** Says when Slack may be called next. We keep our own pace, so that Slack never has to refuse. */
export interface Pace {
  /**
   * Asks for a slot. 0: go now, the slot is used up. Else wait this many ms, then ask again: meanwhile somebody of a
   * better rank may have come first. Whoever comes late loses their place in line; after a minute they are forgotten.
   */
  reserve(asked: SlotRequest): Promise<number>
  /** Moves somebody who waits in a bucket to its front. Does nothing if they do not wait. */
  hurry(bucket: RateLimitBucket, key: string): Promise<void>
  /**
   * Counts a call that a person waits for, so it never waits. Returns the ms for which Slack still refuses the method,
   * else 0.
   */
  count(method: SlackMethod): Promise<number>
  /** Slack refused with Retry-After: nobody uses the bucket before that. */
  hold(bucket: RateLimitBucket, ms: number): Promise<void>
}

/** The bucket of a route's messages; null if it is no route. */
export function rateLimitBucketOf(route: string): RateLimitBucket | null {
  const [kind, id = ""] = route.split(":")
  return kind === "channel" || kind === "person" ? `${kind}:${id}` : null
}

/** What a new message on a route is limited by. */
export function postBuckets(route: string): readonly RateLimitBucket[] {
  const bucket = rateLimitBucketOf(route)
  return bucket === null ? ["chat.postMessage"] : [bucket, "chat.postMessage"]
}
