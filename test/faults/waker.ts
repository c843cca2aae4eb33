// Does by simulated time what Redis does by real time: wakes workers when a job is due, releases the locks of dead
// processes, and makes the others look for those jobs.
import type { Redis } from "ioredis"

/** The workers of an installation. */
export interface Sleepers {
  /** What the keys of its queues begin with. */
  readonly prefix: string
  /** By how much each of their clocks is ahead of the world's, in ms. */
  readonly skewsMs: readonly number[]
}

/** Looks at the queues at a moment of the simulated time, epoch ms. */
export type Waker = (redis: Redis, now: number) => Promise<void>

const queues = ["present", "resolve", "resume", "reconcile", "remind", "summarise", "sweep", "poll-main"]
/** After so many ms production's workers look by themselves, whatever sign they missed. */
const againMs = 1_000
/** How often one of the processes may look for jobs of dead ones. */
const stalledMs = 5_000

/** The queues with work: for each its name, and since when. BullMQ keeps a delayed job's time times 4,096. */
const look = `
local due = {}
for _, name in ipairs(cjson.decode(ARGV[2])) do
  local queue = KEYS[1] .. ":" .. name
  local first = redis.call("ZRANGE", queue .. ":delayed", 0, 0, "WITHSCORES")[2]
  local at = first and math.floor(tonumber(first) / 4096)
  if at and at <= tonumber(ARGV[1]) then due[#due + 1] = { name, at }
  elseif redis.call("LLEN", queue .. ":wait") + redis.call("ZCARD", queue .. ":prioritized") > 0 then due[#due + 1] = { name, 0 } end
end
return due`

/** How long a lock holds that nobody renews, in ms, as in production. */
const lockMs = 10_000

/** The locks of all jobs that run: for each its key, and when it would expire by real time. */
const locks = `
local held = {}
for _, name in ipairs(cjson.decode(ARGV[1])) do
  for _, id in ipairs(redis.call("LRANGE", KEYS[1] .. ":" .. name .. ":active", 0, -1)) do
    local lock = KEYS[1] .. ":" .. name .. ":" .. id .. ":lock"
    local at = redis.call("PEXPIRETIME", lock)
    if at > 0 then held[#held + 1] = { lock, tostring(at) } end
  end
end
return held`

/** Lets go what nobody has renewed for so long: whoever renews a lock moves its end. */
function createReleaser(prefix: string): Waker {
  let seen = new Map<string, { readonly expiry: string; readonly since: number }>()
  return async (redis, now) => {
    const held = (await redis.eval(locks, 1, prefix, JSON.stringify(queues))) as readonly (readonly [string, string])[]
    const before = seen
    seen = new Map()
    for (const [lock, expiry] of held) {
      const known = before.get(lock)
      const since = known?.expiry === expiry ? known.since : now
      if (now - since >= lockMs) await redis.del(lock)
      else seen.set(lock, { expiry, since })
    }
  }
}

/** Makes the waker of an installation, or one that wakes nobody and only asks whether Redis answers. */
export function createWaker(sleepers: Sleepers | null): Waker {
  if (sleepers === null) return async (redis) => void (await redis.ping())
  const woken = new Map<string, number>()
  let stalledAt = 0
  const { prefix, skewsMs } = sleepers
  const aheadMs = Math.max(...skewsMs)
  const release = createReleaser(prefix)
  return async (redis, now) => {
    const due = await redis.eval(look, 1, prefix, now + aheadMs, JSON.stringify(queues))
    if (now - stalledAt >= stalledMs) {
      stalledAt = now
      await release(redis, now)
      await redis.del(queues.map((name) => `${prefix}:${name}:stalled-check`))
    }
    for (const [name, at] of due as readonly [string, number][]) {
      const last = woken.get(name) ?? 0
      // A job is due by one clock after the other.
      const fresh = skewsMs.some((skewMs) => at - skewMs > last && at - skewMs <= now)
      if (!fresh && now - last < againMs) continue
      woken.set(name, now)
      // The sign that BullMQ itself gives when a job waits.
      await redis.zadd(`${prefix}:${name}:marker`, 0, "0")
    }
  }
}
