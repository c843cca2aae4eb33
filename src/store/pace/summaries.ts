// The summaries that hang, and the cases that wait for a card of their own (port `Summaries`): sealed, one a route.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import type { Log, Summaries, Summary } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { openText } from "../redis/codec.ts"
import type { Keys } from "../redis/keys.ts"
import { createScript } from "../redis/script.ts"

const stored: z.ZodType<Summary> = z.object({
  version: z.number(),
  id: z.string(),
  route: z.string(),
  begunAt: z.number(),
  place: z.object({ channel: z.string(), ts: z.string() }).nullable(),
  cases: z.array(z.string()),
  face: z.string().nullable(),
  claim: z.object({ by: z.string(), until: z.number() }).nullable(),
})

/** KEYS: 1 hash of the summary, 2 routes that have one. ARGV: expected version, next version, sealed ("" = none more), route. */
const saveScript = `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[2], ARGV[4])
else
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'sealed', ARGV[3])
  redis.call('SADD', KEYS[2], ARGV[4])
end
return 1
`

/** What the summaries are made of. */
export interface SummariesOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly log: Log
}

/** Makes the summaries of an installation. One that we did not seal is none; it is logged, and overwritten by the next. */
export function createSummaries({ redis, keys, seal, log }: SummariesOptions): Summaries {
  const run = createScript(redis, saveScript)
  const save = async (route: string, versions: readonly [number, number], sealed: Buffer | "") => {
    const names = [keys.summary(route), keys.summaries]
    return (await attempt("write a summary", () => run(names, [...versions, sealed, route]))) === 1
  }
  return {
    read: async (route) => {
      const key = keys.summary(route)
      const sealed = await attempt("read a summary", () => redis.hgetBuffer(key, "sealed"))
      if (sealed === null) return null
      const read = stored.safeParse(openText(seal, { purpose: "summary", context: key, sealed }))
      if (read.success && read.data.route === route) return read.data
      log.error("summary_tampered", { route })
      await attempt("forget a summary", () => redis.del(key))
      return null
    },
    save: (next) => {
      const sealed = seal.encrypt("summary", JSON.stringify(next), keys.summary(next.route))
      return save(next.route, [next.version - 1, next.version], sealed)
    },
    end: ({ route, version }) => save(route, [version, version], ""),
    routes: () => attempt("list summaries", () => redis.smembers(keys.summaries)),
    uncarded: (route, limit) =>
      attempt("read cases without a card", () => redis.zrange(keys.uncarded(route), "0", String(limit - 1))),
  }
}
