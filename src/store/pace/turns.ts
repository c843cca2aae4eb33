// Whose card is looked at next, over all replicas (port `Turns`): open cases in the order of the list, each after the one before.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Turn, Turns } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"

const lastLook = z.object({ caseId: z.string(), score: z.number(), route: z.string().nullable() })

type LastLook = z.infer<typeof lastLook>

/** Makes the turns of an installation. Every call throws `StoreError` if Redis does not answer. */
export function createTurns({ redis, keys }: { readonly redis: Redis; readonly keys: Keys }): Turns {
  const readLast = async (): Promise<LastLook | null> => {
    const text = await redis.get(keys.looked)
    return text === null ? null : (lastLook.safeParse(JSON.parse(text)).data ?? null)
  }
  return {
    next: (limit) =>
      attempt("see whose turn it is", async () => {
        const last = await readLast()
        const at = last === null ? { start: 0, route: null } : await placeAfter(redis, keys, last)
        const ahead = await redis.zrange(keys.list, `${at.start}`, `${at.start + limit - 1}`)
        // Who comes last is followed by who comes first.
        const left = Math.min(at.start, limit - ahead.length)
        const first = left === 0 ? [] : await redis.zrange(keys.list, "0", `${left - 1}`)
        return [...ahead, ...first].map((caseId): Turn => {
          return { caseId, after: caseId === last?.caseId ? at.route : null }
        })
      }),
    done: (caseId, route) =>
      attempt("note whose turn it was", async () => {
        const score = await redis.zscore(keys.list, caseId)
        if (score === null) return
        await redis.set(keys.looked, JSON.stringify({ caseId, score: Number(score), route } satisfies LastLook))
      }),
  }
}

/** Where the list goes on: in the same case after a route, or at the case behind it; behind its place, if it is not listed any more. */
async function placeAfter(redis: Redis, keys: Keys, { caseId, score, route }: LastLook) {
  const rank = await redis.zrank(keys.list, caseId)
  if (rank === null) return { start: await redis.zcount(keys.list, "-inf", score), route: null }
  return route === null ? { start: rank + 1, route } : { start: rank, route }
}
