// The one script that changes records: it compares, then writes record, indexes and entries, all or nothing.

/**
 * KEYS: 1 record, 2 config, 3 ledger, 4 sequence, 5 chain, 6 interaction, 7… indexes. ARGV: expected version, config
 * token ("" = any), "1" if an interaction is consumed, its seconds, entries the chain must have, the MAC of the last of
 * them ("any" = not compared), the entry that the caller knows as the last ("" = none is named), then counted lists:
 * record fields (name, value), entries (body, mac), index writes (command, index, count of arguments, arguments…),
 * limits (index of a set, the most members that it may have before). Replies {word, …}: committed with number and MAC
 * of the entry before the first own one ("" where it had been made before), the MAC of the entry that the caller knew
 * as the last, and id, body and MAC of what others committed since, at most 500; duplicate; config; full; stale with
 * version, sealed and frozen as they are; damaged with what is. A chain that ends otherwise is stale too: Redis came
 * back as it was before, and what happened since has the same version by chance (R17).
 *
 * Redis does not roll a script back, so everything that could fail is checked before the first write: the types of all
 * keys, and that the sequence, the stream and the chain agree. The first write is refused when memory is short; later
 * ones then pass.
 */
export const commitScript = `
local at = 7
local function take() at = at + 1; return ARGV[at] end
local function pairs_of()
  local all = {}
  for i = 1, tonumber(take()) do all[i] = {take(), take()} end
  return all
end
local function writes_of()
  local all = {}
  for i = 1, tonumber(take()) do
    local write = {take(), KEYS[6 + tonumber(take())]}
    for j = 1, tonumber(take()) do write[#write + 1] = take() end
    all[i] = write
  end
  return all
end
local fields, entries, writes, limits = pairs_of(), pairs_of(), writes_of(), pairs_of()

local types = {HSET = 'hash', HDEL = 'hash', SADD = 'set', SREM = 'set', ZADD = 'zset', ZREM = 'zset'}
local function wrong(key, want)
  local have = redis.call('TYPE', key).ok
  return have ~= 'none' and have ~= want
end
for i, want in ipairs({'hash', 'hash', 'stream', 'string', 'list', 'string'}) do
  if wrong(KEYS[i], want) then return {'damaged', KEYS[i]} end
end
for _, write in ipairs(writes) do
  if wrong(write[2], types[write[1]]) then return {'damaged', write[2]} end
end

local now = redis.call('HMGET', KEYS[1], 'version', 'sealed', 'frozen')
for _, field in ipairs(fields) do
  if field[1] == 'sealed' and field[2] == now[2] then return {'committed', '', '', ''} end
end
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[6]) == 1 then return {'duplicate'} end
if ARGV[2] ~= '' and redis.call('HGET', KEYS[2], 'token') ~= ARGV[2] then return {'config'} end
if now[3] or (now[1] or '0') ~= ARGV[1] then
  return {'stale', now[1] or '', now[2] or '', now[3] or ''}
end
for _, limit in ipairs(limits) do
  if redis.call('SCARD', KEYS[6 + tonumber(limit[1])]) >= tonumber(limit[2]) then return {'full'} end
end
local last = redis.call('GET', KEYS[4]) or '0'
local top = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
if (top and top[1] or '0-0') ~= last .. '-0' then return {'damaged', KEYS[4]} end
local tail = redis.call('LINDEX', KEYS[5], -1)
local ending = tail and redis.call('XRANGE', KEYS[3], tail .. '-0', tail .. '-0')[1]
local asLong = ARGV[5] == 'any' or redis.call('LLEN', KEYS[5]) == tonumber(ARGV[5])
if ARGV[6] ~= 'any' and (ending and ending[2][4] or '') ~= ARGV[6] and (asLong or now[1]) then
  return {'stale', now[1] or '', now[2] or '', now[3] or ''}
end
if not asLong then return {'damaged', KEYS[5]} end

local reply = {'committed', last, top and top[2][4] or '', ''}
if ARGV[7] ~= '' and ARGV[7] == last then
  reply[4] = reply[3]
elseif ARGV[7] ~= '' then
  for _, other in ipairs(redis.call('XRANGE', KEYS[3], ARGV[7] .. '-0', '+', 'COUNT', 501)) do
    if other[1] == ARGV[7] .. '-0' then reply[4] = other[2][4] or ''
    else for _, part in ipairs({other[1], other[2][2] or '', other[2][4] or ''}) do reply[#reply + 1] = part end end
  end
end

for i, entry in ipairs(entries) do
  local number = string.format('%.0f', tonumber(last) + i)
  redis.call('XADD', KEYS[3], number .. '-0', 'body', entry[1], 'mac', entry[2])
  redis.call('RPUSH', KEYS[5], number)
end
if #entries > 0 then redis.call('SET', KEYS[4], string.format('%.0f', tonumber(last) + #entries)) end
for _, field in ipairs(fields) do redis.call('HSET', KEYS[1], field[1], field[2]) end
for _, write in ipairs(writes) do redis.call(unpack(write)) end
if ARGV[3] == '1' then redis.call('SET', KEYS[6], '1', 'EX', ARGV[4]) end
return reply
`
