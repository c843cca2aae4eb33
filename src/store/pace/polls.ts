// How polls go, for all replicas (port `Polls`): one sealed field for each instance and each end, since the platform's words may name people.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import type { PollFailure, Polls, PollsKnown, Sighting } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { openText } from "../redis/codec.ts"
import type { Keys } from "../redis/keys.ts"

const storedSuccess = z.object({ at: z.number() })
const storedFailure: z.ZodType<PollFailure> = z.object({ at: z.number(), why: z.string(), refused: z.boolean() })
const storedSighting: z.ZodType<Sighting> = z.object({ at: z.number(), named: z.array(z.string()).nullable() })

/** What fields begin with; the instance, or the trouble, comes after it. */
const began = { polled: "polled ", failed: "failed ", saw: "saw ", told: "told " } as const

/** Makes the record of polls. What we did not seal is passed over, and overwritten by the next poll. */
export function createPolls(parts: { readonly redis: Redis; readonly keys: Keys; readonly seal: Seal }): Polls {
  const { redis, seal } = parts
  const key = parts.keys.polls
  const contextOf = (field: string) => `${key} ${field}`
  const put = async (field: string, value: object): Promise<void> => {
    const sealed = seal.encrypt("poll", JSON.stringify(value), contextOf(field))
    await attempt("note a poll", () => redis.hset(key, field, sealed))
  }
  const open = <Value>(schema: z.ZodType<Value>, field: string, sealed: Buffer | undefined): Value | null => {
    if (sealed === undefined) return null
    return schema.safeParse(openText(seal, { purpose: "poll", context: contextOf(field), sealed })).data ?? null
  }
  const knownIn = (fields: Readonly<Record<string, Buffer>>): PollsKnown => ({
    of: (instance) => {
      const [polled, failed, saw] = [began.polled + instance, began.failed + instance, began.saw + instance]
      return {
        polledAt: open(storedSuccess, polled, fields[polled])?.at ?? null,
        failure: open(storedFailure, failed, fields[failed]),
        sighting: open(storedSighting, saw, fields[saw]),
      }
    },
    told: new Set(
      Object.keys(fields).flatMap((field) => (field.startsWith(began.told) ? [field.slice(began.told.length)] : [])),
    ),
  })
  return {
    read: async () => knownIn(await attempt("read how polls go", () => redis.hgetallBuffer(key))),
    succeeded: (instance, at) => put(began.polled + instance, { at }),
    failed: (instance, { at, why, refused }) => put(began.failed + instance, { at, why, refused }),
    saw: (instance, { at, named }) => put(began.saw + instance, { at, named }),
    told: async (trouble) => void (await attempt("note a trouble", () => redis.hset(key, began.told + trouble, "1"))),
    over: async (trouble) => void (await attempt("end a trouble", () => redis.hdel(key, began.told + trouble))),
  }
}
