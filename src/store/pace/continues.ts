// In whose name decided runs are continued: one owner over all replicas (port `Continues`).
import type { Redis } from "ioredis"
import type { Seal } from "../../domain/seal.ts"
import type { Continues } from "../../flow/ports.ts"
import { attempt, StoreError } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"
import { createScript } from "../redis/script.ts"

/** How long an owner is remembered, in ms; longer than any run stays paused without somebody looking. */
const keptMs = 30 * 86_400_000

/** KEYS: the decisions; ARGV[1]: for how many ms; ARGV[2] onwards: the value of each. Replies 1 if all are the caller's now, else 0. */
const takeScript = `
for i, key in ipairs(KEYS) do
  local now = redis.call('GET', key)
  if now and now ~= ARGV[i + 1] then return 0 end
end
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[i + 1], 'PX', ARGV[1]) end
return 1
`

/** Makes the owners of an installation. Throws `StoreError`: Redis does not answer, or `tampered`: what it holds was not written by us (R14). */
export function createContinues(parts: { readonly redis: Redis; readonly keys: Keys; readonly seal: Seal }): Continues {
  const { redis, keys, seal } = parts
  const take = createScript(redis, takeScript)
  const written = (decision: string, caseId: string) => `${caseId}.${seal.mac("continued", { decision, case: caseId })}`
  return {
    take: async (decisions, caseId) => {
      const values = decisions.map((decision) => written(decision, caseId))
      const names = decisions.map((decision) => keys.continued(decision))
      return (await attempt("take a run", () => take(names, [keptMs, ...values]))) === 1
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
