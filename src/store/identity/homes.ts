// Whose Home is kept up to date (port `Homes`). Nothing is judged by it: what a Home shows is judged for its person each time.
import type { Redis } from "ioredis"
import type { SlackId } from "../../domain/person.ts"
import { personKey } from "../../domain/person.ts"
import type { Homes } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"

/** How long a Home that nobody opens again is kept up to date, in ms. */
const KEPT_MS = 7 * 86_400_000
const CHANGED_S = 3_600

/** Makes the record of opened Homes. Every call throws `StoreError` if Redis does not answer. */
export function createHomes({ redis, keys }: { readonly redis: Redis; readonly keys: Keys }): Homes {
  const { opened, shown, changed } = keys.homes
  return {
    opened: async (id, at) => {
      await attempt("remember a Home", async () => {
        await redis.zadd(opened, at, personKey(id))
        await redis.zremrangebyscore(opened, "-inf", at - KEPT_MS)
      })
    },
    list: async (limit) => {
      const members = await attempt("list Homes", () => redis.zrevrange(opened, 0, limit - 1))
      return members.map(idOf)
    },
    shown: async (id, hash) => void (await attempt("note a Home", () => redis.hset(shown, personKey(id), hash))),
    lastShown: (id) => attempt("read a Home", () => redis.hget(shown, personKey(id))),
    changed: async () => void (await attempt("mark Homes", () => redis.set(changed, "1", "EX", CHANGED_S))),
    takeChanged: async () => (await attempt("read the mark of Homes", () => redis.getdel(changed))) !== null,
  }
}

function idOf(key: string): SlackId {
  const at = key.indexOf(":")
  return { team: key.slice(0, at), user: key.slice(at + 1) }
}
