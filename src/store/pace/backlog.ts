// The backlog (R20): what waits for admission (port `Backlog`), and its summaries (port `Summaries`).
import { summaryRecordSchema } from "../../flow/ports/record/port-records.ts"
import type { Backlog, Log, Memory, Summaries } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { askInfo } from "../redis/owner.ts"
import { createScript } from "../redis/script.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

/** How many agents we look at in one go, each by its oldest case. */
const maxAgents = 1_000

/** KEYS: 1 what waits. ARGV: the most heads. Replies how many wait, and the first member of each agent. */
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

/** Makes the record of the backlog. Every call throws `StoreError` if Redis does not answer. */
export function createBacklog({ redis, keys }: Pick<SealedPlace, "redis" | "keys">): Backlog {
  const heads = createScript(redis, headsScript)
  return {
    look: async (instance) => {
      const [answer, facts, told] = await attempt("see how full it is", () =>
        Promise.all([
          heads([keys.waiting(instance)], [maxAgents]),
          askInfo(redis, keys.tag, "memory"),
          redis.hkeys(keys.troubles),
        ]),
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

/** KEYS: 1 summary's hash, 2 summarised routes. ARGV: expected version, next version, sealed ("": remove it), route. */
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

/** Makes the summaries, sealed, one for each route. If a summary is not ours, we log that and remove the summary. */
export function createSummaries({ redis, keys, seal, log }: SealedPlace & { readonly log: Log }): Summaries {
  const values = createSealedValues(seal, "summary", summaryRecordSchema)
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
      const read = values.open(key, sealed)
      if (read?.route === route) return read
      log.error("summary-tampered", { route })
      await attempt("forget a summary", () => redis.del(key))
      return null
    },
    save: (next) => {
      const sealed = values.seal(keys.summary(next.route), next)
      return save(next.route, [next.version - 1, next.version], sealed)
    },
    end: ({ route, version }) => save(route, [version, version], ""),
    routes: () => attempt("list summaries", () => redis.smembers(keys.summaries)),
    uncarded: (route, limit) =>
      attempt("read cases without a card", () => redis.zrange(keys.uncarded(route), "0", String(limit - 1))),
  }
}
