// Says when we may call Slack next: one pace for all replicas (port `Pace`).
import {
  type Pace,
  questionsAnHour,
  type Rank,
  type RateLimitBucket,
  ranks,
  summaryRestMs,
} from "../../flow/ports/pace.ts"
import { attempt, StoreError } from "../errors.ts"
import { createScript, type RedisScript } from "../redis/script.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { countScript, holdScript, hurryScript, reserveScript } from "./pace-script.ts"

/** What the pace needs. */
export interface PaceOptions extends Pick<SealedPlace, "redis" | "keys"> {
  /** The least ms between two messages of a channel; Slack allows one a second. 0: we wait only if Slack refuses. */
  readonly paceMs: number
  /** How many calls a minute Slack allows, for each of its methods that has a limit. */
  readonly callsAMinute: Readonly<Record<string, number>>
  /** Epoch ms, one clock for all replicas. Default: that of Redis. */
  readonly clock?: (() => number) | undefined
}

/** A minute, plus the most by which the travel times of two calls differ: so Slack never gets too many in a minute. */
const minuteMs = 60_000 + 2_000

/** This many calls in this many ms; 0 calls: no limit. */
interface Limit {
  readonly calls: number
  readonly windowMs: number
}

/** Makes the pace of an installation. Throws `StoreError` if Redis does not answer. */
export function createPace({ redis, keys, clock = () => -1, ...limits }: PaceOptions): Pace {
  const timed = (lua: string) => inNumbers(createScript(redis, lua), clock)
  const [reserve, hurry, count, hold] = [
    timed(reserveScript),
    timed(hurryScript),
    timed(countScript),
    timed(holdScript),
  ]
  const namesOf = (bucket: RateLimitBucket) => Object.values(keys.pace(bucket))
  return {
    reserve: ({ buckets, key, rank }) => {
      const { order } = ranks[rank]
      const asked = buckets.flatMap((bucket) => limitFor(limitOf(bucket, limits), rank))
      return reserve("reserve a slot", buckets.flatMap(namesOf), [key, order, ...asked])
    },
    hurry: async (bucket, key) => void (await hurry("hurry in a bucket", namesOf(bucket), [key])),
    count: (method) => {
      const { calls, windowMs } = limitOf(method, limits)
      return count("count a call", namesOf(method), [calls, windowMs])
    },
    hold: async (bucket, ms) => {
      const { windowMs } = limitOf(bucket, limits)
      await hold("hold a bucket", namesOf(bucket), [Math.ceil(ms), windowMs])
    },
  }
}

const unlimited: Limit = { calls: 0, windowMs: 1 }

function limitOf(
  bucket: RateLimitBucket,
  { paceMs, callsAMinute }: Pick<PaceOptions, "paceMs" | "callsAMinute">,
): Limit {
  if (bucket.startsWith("questions ")) return { calls: questionsAnHour, windowMs: 3_600_000 }
  if (paceMs === 0) return unlimited
  const calls = callsAMinute[bucket]
  if (calls !== undefined) return { calls, windowMs: minuteMs }
  return { calls: 1, windowMs: bucket.startsWith("summary ") ? summaryRestMs : paceMs }
}

/** A limit as arguments of the script: calls, how many of them the rank may use, ms. */
function limitFor({ calls, windowMs }: Limit, rank: Rank): readonly number[] {
  return [calls, Math.max(1, Math.floor(calls * ranks[rank].share)), windowMs]
}

type Numbers = (what: string, keys: readonly string[], args: readonly (string | number)[]) => Promise<number>

/** A script that gets the time and answers a number. */
function inNumbers(script: RedisScript, clock: () => number): Numbers {
  return async (what, keys, args) => {
    const answer = await attempt(what, () => script(keys, [...args, clock()]))
    if (typeof answer === "number") return answer
    throw new StoreError("redis-refused", `${what}: Redis answered no number`)
  }
}
