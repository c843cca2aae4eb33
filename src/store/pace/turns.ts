// Turns over all replicas: which card is next (port `Turns`), and who continues a run (port `Continues`).
import { z } from "zod"
import type { Continues, Turn, Turns } from "../../flow/ports.ts"
import { attempt, StoreError } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"
import type { RedisClient } from "../redis/owner.ts"
import { createScript } from "../redis/script.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"

const lastLook = z.object({ caseId: z.string(), score: z.number(), route: z.string().nullable() })

type LastLook = z.infer<typeof lastLook>

/** Makes the turns: open cases in the order of the list. Throws `StoreError` if Redis does not answer. */
export function createTurns({ redis, keys }: Pick<SealedPlace, "redis" | "keys">): Turns {
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
        // After the last case comes the first.
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

/** Where the list goes on: at the same case after a route, at the next case, or after its place if the case is gone. */
async function placeAfter(redis: RedisClient, keys: Keys, { caseId, score, route }: LastLook) {
  const rank = await redis.zrank(keys.list, caseId)
  if (rank === null) return { start: await redis.zcount(keys.list, "-inf", score), route: null }
  return route === null ? { start: rank + 1, route } : { start: rank, route }
}

/** How long we remember who continues a run, in ms: no run stays paused for longer without somebody looking. */
const ownerKeptMs = 30 * 86_400_000

/** KEYS: decisions. ARGV: for how many ms, then the value of each. Replies 1 if all are the caller's now, else 0. */
const takeScript = `
for i, key in ipairs(KEYS) do
  local now = redis.call('GET', key)
  if now and now ~= ARGV[i + 1] then return 0 end
end
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[i + 1], 'PX', ARGV[1]) end
return 1
`

/** Makes the record of who continues a run, over all replicas. Throws `StoreError`: no answer, `tampered` (R14). */
export function createContinues({ redis, keys, seal }: SealedPlace): Continues {
  const take = createScript(redis, takeScript)
  const written = (decision: string, caseId: string) => `${caseId}.${seal.mac("continued", { decision, case: caseId })}`
  return {
    take: async (decisions, caseId) => {
      const values = decisions.map((decision) => written(decision, caseId))
      const names = decisions.map((decision) => keys.continued(decision))
      return (await attempt("take a run", () => take(names, [ownerKeptMs, ...values]))) === 1
    },
    takenBy: async (decision) => {
      const value = await attempt("read who continues a run", () => redis.get(keys.continued(decision)))
      if (value === null) return null
      const [caseId = ""] = value.split(".")
      if (value === written(decision, caseId)) return caseId
      throw new StoreError("tampered", `read who continues a run: decision ${decision} was not taken by us`)
    },
  }
}
