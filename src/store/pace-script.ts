// The scripts that pace a channel's messages over all replicas, by the clock of Redis.

/** Both scripts begin so. KEYS: 1 state (hash: next, last, hold), 2 slots (sorted set: who waits until when); ARGV[1]: pace in ms. */
const head = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local pace, lapse = tonumber(ARGV[1]), 60000
local state = redis.call('HMGET', KEYS[1], 'next', 'last', 'hold')
local next, last, hold = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or 0)
local function keep()
  redis.call('HSET', KEYS[1], 'next', next, 'last', last, 'hold', hold)
  local over = math.max(next, hold, last + pace, now) + lapse
  redis.call('PEXPIREAT', KEYS[1], over)
  redis.call('PEXPIREAT', KEYS[2], over)
end
`

/**
 * ARGV[2]: in whose name. Replies 0 when a message may go out now, else the ms to wait. A slot is used no sooner than a full pace after the
 * message before it, however late that one came; who comes too early gets the later slot.
 */
export const reserveScript = `${head}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - lapse)
local slot = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or -1)
if slot < 0 then
  slot = math.max(next, hold, last + pace, now)
  next = slot + pace
else
  slot = math.max(slot, hold, last + pace)
end
if slot <= now then
  last = now
  redis.call('ZREM', KEYS[2], ARGV[2])
else
  redis.call('ZADD', KEYS[2], slot, ARGV[2])
end
keep()
return math.max(slot - now, 0)
`

/** ARGV[2]: for how many ms nobody posts. All who wait move back together, in their order. */
export const holdScript = `${head}
hold = math.max(hold, now + tonumber(ARGV[2]))
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local shift = hold - (tonumber(first) or next)
if shift > 0 then
  local waiting = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
  for i = 1, #waiting, 2 do redis.call('ZADD', KEYS[2], waiting[i + 1] + shift, waiting[i]) end
  next = next + shift
end
keep()
return 0
`
