// Scripts that pace rate-limit buckets over all replicas. The last of ARGV is the time; -1: the clock of Redis counts.

/**
 * Each bucket has four keys: state (hash: seq, hold), taken (list of moments, newest first), line (sorted set: who
 * waits, by rank and arrival), due (sorted set: who waits, by when to ask). Whoever is a second late counts as gone. A
 * limit of 0 is no limit: nothing is counted and nobody waits in line, but the bucket can be held.
 */
const head = `
local time = redis.call('TIME')
local now = tonumber(ARGV[#ARGV])
if now < 0 then now = time[1] * 1000 + math.floor(time[2] / 1000) end
local lapse, grace = 60000, 1000
local function expire(bucket, over)
  for i = 1, 4 do redis.call('PEXPIREAT', bucket[i], math.ceil(over) + lapse) end
end
local function bucket_at(i)
  return {KEYS[i * 4 - 3], KEYS[i * 4 - 2], KEYS[i * 4 - 1], KEYS[i * 4]}
end
local function take(bucket, limit, window)
  if limit == 0 then return end
  redis.call('LPUSH', bucket[2], now)
  redis.call('LTRIM', bucket[2], 0, limit - 1)
  expire(bucket, now + window)
end
`

/**
 * ARGV: key, order of its rank, then for each bucket its limit, how much of it this rank may use, and its window in ms.
 * Replies 0 and uses a slot of each bucket, or replies in how many ms all buckets should have a slot.
 */
export const reserveScript = `${head}
local me, order = ARGV[1], tonumber(ARGV[2])
local function due_on(bucket, limit, allowed, window)
  local hold = tonumber(redis.call('HGET', bucket[1], 'hold') or 0)
  if limit == 0 then return math.max(hold, now) end
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', bucket[4], '-inf', now - lapse)) do
    redis.call('ZREM', bucket[3], gone)
    redis.call('ZREM', bucket[4], gone)
  end
  local own = tonumber(redis.call('ZSCORE', bucket[3], me) or -1)
  if own < 0 or own >= (order + 1) * 1e12 then
    redis.call('ZADD', bucket[3], order * 1e12 + redis.call('HINCRBY', bucket[1], 'seq', 1), me)
    redis.call('ZADD', bucket[4], now, me)
  end
  local ahead = 0
  for _, who in ipairs(redis.call('ZRANGE', bucket[3], 0, -1)) do
    if who == me then break end
    if tonumber(redis.call('ZSCORE', bucket[4], who) or 0) + grace >= now then ahead = ahead + 1 end
  end
  local taken = {}
  for _, at in ipairs(redis.call('LRANGE', bucket[2], 0, limit - 1)) do
    if tonumber(at) > now - window then table.insert(taken, 1, tonumber(at)) end
  end
  local missing = ahead - (allowed - #taken)
  local at = now
  if missing >= 0 and #taken == 0 then at = now + window * math.floor(ahead / allowed) end
  if missing >= 0 and #taken > 0 then at = taken[missing % #taken + 1] + window * (math.floor(missing / #taken) + 1) end
  return math.max(at, hold > now and hold + window * math.floor(ahead / allowed) or now)
end

local due = now
for i = 1, #KEYS / 4 do
  local n = i * 3
  due = math.max(due, due_on(bucket_at(i), tonumber(ARGV[n]), tonumber(ARGV[n + 1]), tonumber(ARGV[n + 2])))
end
for i = 1, #KEYS / 4 do
  local bucket, limit, window = bucket_at(i), tonumber(ARGV[i * 3]), tonumber(ARGV[i * 3 + 2])
  if due <= now then
    redis.call('ZREM', bucket[3], me)
    redis.call('ZREM', bucket[4], me)
    take(bucket, limit, window)
  elseif limit > 0 then
    redis.call('ZADD', bucket[4], due, me)
    expire(bucket, due + window)
  end
end
return math.max(math.ceil(due - now), 0)
`

/** ARGV[1]: the key that should be first in line. */
export const hurryScript = `${head}
local bucket = bucket_at(1)
if redis.call('ZSCORE', bucket[3], ARGV[1]) then
  local first = redis.call('ZRANGE', bucket[3], 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', bucket[3], math.min(tonumber(first), 1e12) - 1, ARGV[1])
end
return 0
`

/** ARGV: limit, its window in ms. Replies for how many ms the bucket is held, or counts a call and replies 0. */
export const countScript = `${head}
local bucket = bucket_at(1)
local hold = tonumber(redis.call('HGET', bucket[1], 'hold') or 0)
if hold > now then return hold - now end
take(bucket, tonumber(ARGV[1]), tonumber(ARGV[2]))
return 0
`

/** ARGV: for how many ms nobody may use the bucket; the window of its limit in ms. */
export const holdScript = `${head}
local bucket = bucket_at(1)
local hold = math.max(tonumber(redis.call('HGET', bucket[1], 'hold') or 0), now + tonumber(ARGV[1]))
redis.call('HSET', bucket[1], 'hold', hold)
expire(bucket, hold + tonumber(ARGV[2]))
return 0
`
