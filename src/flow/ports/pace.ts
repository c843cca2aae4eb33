// Slack's pace: who goes first, and the port that keeps to Slack's limits over all replicas.

/** A method of Slack's Web API, such as `chat.update`. The adapter knows how often each may be called. */
export type SlackMethod = `${string}.${string}`

/**
 * Who goes first if not all can go at once: calls that a decision needs and edits that settle, then new cards, then
 * reminders. A later rank leaves a part of each method's calls per minute to the ranks before it.
 */
export const ranks = {
  decision: { order: 0, share: 1 },
  card: { order: 1, share: 0.8 },
  reminder: { order: 2, share: 0.6 },
} as const

/** A place in that order. */
export type Rank = keyof typeof ranks

/** How long a summary rests between two edits, in ms, so that one edit shows all that happens meanwhile. */
export const summaryRestMs = 3_000

/** How many questions may go to one route in an hour. */
export const questionsAnHour = 10

/**
 * What limits a call: a method, a route's summary (`summary …`), the route of a message (`channel:C…`, `person:U…`), or
 * the questions on a route (`questions …`). If we hold one bucket, that delays no other.
 */
export type RateLimitBucket =
  | `channel:${string}`
  | `person:${string}`
  | `summary ${string}`
  | `questions ${string}`
  | SlackMethod

/** A call that wants to go out. */
export interface SlotRequest {
  /** The call goes when all these buckets have room, and uses up room in each of them. */
  readonly buckets: readonly RateLimitBucket[]
  /** Who asks. If they ask again, they keep their place in line. */
  readonly key: string
  readonly rank: Rank
}

/** Says when Slack may be called next. We keep our own pace, so that Slack never has to refuse. */
export interface Pace {
  /**
   * Asks for a slot. 0: go now, the slot is used up. Else wait this many ms, then ask again: meanwhile somebody with a
   * better rank may have come first. Whoever asks late loses their place in line; we forget them after a minute.
   */
  reserve(asked: SlotRequest): Promise<number>
  /** Moves somebody who waits in a bucket to its front. Does nothing if they do not wait. */
  hurry(bucket: RateLimitBucket, key: string): Promise<void>
  /**
   * Counts a call that goes at once, because a person waits for it. Returns for how many ms Slack still refuses the
   * method, else 0.
   */
  count(method: SlackMethod): Promise<number>
  /** Holds a bucket for this many ms: Slack answered with Retry-After, so nobody may use it before. */
  hold(bucket: RateLimitBucket, ms: number): Promise<void>
}

/** The bucket of a route's messages; null if the text is no route. */
export function rateLimitBucketOf(route: string): RateLimitBucket | null {
  const [kind, id = ""] = route.split(":")
  return kind === "channel" || kind === "person" ? `${kind}:${id}` : null
}

/** The buckets of a new message on a route. */
export function postBuckets(route: string): readonly RateLimitBucket[] {
  const bucket = rateLimitBucketOf(route)
  return bucket === null ? ["chat.postMessage"] : [bucket, "chat.postMessage"]
}
