// What waits for room, how full the server is, and what the operator was told of it (R20, port `Floods`).
import type { Redis } from "ioredis"
import type { Floods, Memory } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"
import { createScript } from "../redis/script.ts"

/** Agents that are looked at in one go, each by its oldest case. */
const MOST_AGENTS = 1_000

/** KEYS: 1 what waits. ARGV: the most heads. Replies how many wait, and the first member of each agent: it leaps from one to the next. */
const headsScript = `
local heads, from = {}, '-'
while #heads < tonumber(ARGV[1]) do
  local head = redis.call('ZRANGEBYLEX', KEYS[1], from, '+', 'LIMIT', 0, 1)[1]
  if not head then break end
  heads[#heads + 1] = head
  from = '(' .. string.match(head, '^[^:]*') .. ';'
end
return {redis.call('ZCARD', KEYS[1]), heads}
`

/** Makes the record of floods. Every call throws `StoreError` if Redis does not answer. */
export function createFloods({ redis, keys }: { readonly redis: Redis; readonly keys: Keys }): Floods {
  const heads = createScript(redis, headsScript)
  return {
    look: async (instance) => {
      const [answer, facts, told] = await attempt("see how full it is", () =>
        Promise.all([heads([keys.waiting(instance)], [MOST_AGENTS]), redis.info("memory"), redis.hkeys(keys.troubles)]),
      )
      const [waiting, found] = Array.isArray(answer) ? answer : []
      const first = oldestFirst(Array.isArray(found) ? found.map(String) : [])
      return { waiting: Number(waiting), heads: first, memory: memoryIn(facts), told }
    },
    told: async (trouble) => void (await attempt("note a trouble", () => redis.hset(keys.troubles, trouble, "1"))),
    over: async (trouble) => void (await attempt("end a trouble", () => redis.hdel(keys.troubles, trouble))),
  }
}

function memoryIn(facts: string): Memory {
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(facts)?.[1] ?? 0)
  return { used: field("used_memory"), max: field("maxmemory") }
}

/** The case ids of `<agent>:<when made>:<case id>`, by when they were made. */
function oldestFirst(heads: readonly string[]): readonly string[] {
  const parts = heads.map((head) => head.split(":"))
  const sorted = parts.toSorted(([, a = ""], [, b = ""]) => (a < b ? -1 : Number(a > b)))
  return sorted.map(([, , id = ""]) => id)
}
