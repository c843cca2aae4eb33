// The one script that changes records: for each commit it compares, then writes records, indexes and entries, all of it
// or nothing.

/** The field of a record that holds the sequence numbers of its chain's entries, with spaces between. */
export const numbersField = "seq"

/**
 * The script of a commit. An argument names a key by its number; a list is its count and its items.
 *
 * KEYS: 1 config, 2 ledger, 3 sequence, 4… what the arguments name. ARGV: the list of commits. A commit is
 * - the config token, or "" for any
 * - the key of the interaction that is consumed, or "0" for none; for how many seconds it is remembered
 * - the last entry that the caller knows, or "" for none
 * - the list of records
 *
 * A record is
 * - its key, and the key of its chain
 * - "1" for a case. Other records cannot be frozen, and keep their chain's numbers in a list of their own.
 * - the expected version
 * - how many entries the chain must have, or "any"
 * - the MAC of the chain's last entry, as text and as bytes; "any": not compared
 * - the list of fields: name, value
 * - the list of entries: the four fields of the stream
 * - the list of index writes: command, key, the list of arguments
 * - the list of limits: a set or hash; a sorted set whose members do not count, or "0"; the most members afterwards
 *
 * Each commit counts or not by itself. The script replies to each:
 * - `committed`: number and MAC of the entry before the commit's first ("" if the commit had been made before); the MAC
 *   of the last entry that the caller knew; then id, first field's name, body and MAC of each later entry of others (at
 *   most 500 entries)
 * - `duplicate`, `config` or `full`
 * - `stale`: which record, counted from 1, and its fields `version`, `sealed` and `frozen` as they are now. If a chain
 *   ends differently, that is stale, too: then Redis went back to an earlier state, and the version is the same only by
 *   chance (R17).
 * - `damaged`: what is damaged
 * - `error`: Redis' words
 *
 * Redis does not roll a script back. So before the first write of a commit, the script checks whatever could fail: the
 * types of all keys, and that sequence, stream and chains agree. If memory is short, Redis refuses the first write;
 * later writes then pass.
 */
export const commitScript = `
local at = 0
local function take() at = at + 1; return ARGV[at] end
local function key() return KEYS[tonumber(take())] end
local function list_of(read)
  local all = {}
  for i = 1, tonumber(take()) do all[i] = read() end
  return all
end
local function pair() return {take(), take()} end
local function entry() return {take(), take(), take(), take()} end
local function limit() return {key(), key() or false, tonumber(take())} end
local function members(name, less)
  local count = redis.call(redis.call('TYPE', name).ok == 'hash' and 'HLEN' or 'SCARD', name)
  return count - (less and redis.call('ZCARD', less) or 0)
end
local function write()
  local all = {take(), key()}
  for _ = 1, tonumber(take()) do all[#all + 1] = take() end
  return all
end
local function record()
  local one = {key = key(), chain = key(), case = take() == '1', version = take()}
  one.count = take()
  one.mac, one.raw = take(), take()
  one.fields, one.entries, one.writes, one.limits = list_of(pair), list_of(entry), list_of(write), list_of(limit)
  return one
end

local types = {HSET = 'hash', HDEL = 'hash', SADD = 'set', SREM = 'set', ZADD = 'zset', ZREM = 'zset'}
local function wrong(name, want)
  local have = redis.call('TYPE', name).ok
  return have ~= 'none' and have ~= want
end
local function commit()
  local config, interaction, seconds, known = take(), KEYS[tonumber(take())], take(), take()
  local records = list_of(record)

  for i, want in ipairs({'hash', 'stream', 'string'}) do
    if wrong(KEYS[i], want) then return {'damaged', KEYS[i]} end
  end
  if interaction and wrong(interaction, 'string') then return {'damaged', interaction} end
  for _, one in ipairs(records) do
    if wrong(one.key, 'hash') then return {'damaged', one.key} end
    if wrong(one.chain, 'list') then return {'damaged', one.chain} end
    for _, index in ipairs(one.writes) do
      if wrong(index[2], types[index[1]]) then return {'damaged', index[2]} end
    end
  end

  for _, one in ipairs(records) do
    one.now = redis.call('HMGET', one.key, 'version', 'sealed', 'frozen', '${numbersField}')
    if not one.case then one.now[3], one.now[4] = false, false end
    for _, field in ipairs(one.fields) do
      if field[1] == 'sealed' and field[2] == one.now[2] then return {'committed', '', '', ''} end
    end
  end
  if interaction and redis.call('EXISTS', interaction) == 1 then return {'duplicate'} end
  if config ~= '' and redis.call('HGET', KEYS[1], 'token') ~= config then return {'config'} end
  local function stale(i)
    local now = records[i].now
    return {'stale', tostring(i), now[1] or '', now[2] or '', now[3] or ''}
  end
  for i, one in ipairs(records) do
    if one.now[3] or (one.now[1] or '0') ~= one.version then return stale(i) end
  end
  local added = {}
  for _, one in ipairs(records) do
    for _, most in ipairs(one.limits) do
      local before = added[most[1]] or members(most[1], most[2])
      if before >= most[3] then return {'full'} end
      added[most[1]] = before + 1
    end
  end
  local last = redis.call('GET', KEYS[3]) or '0'
  local top = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
  if (top and top[1] or '0-0') ~= last .. '-0' then return {'damaged', KEYS[3]} end
  for i, one in ipairs(records) do
    local count, tail
    if one.case then
      local inside = one.now[4] or ''
      count, tail = select(2, string.gsub(inside, '%d+', '')), string.match(inside, '%d+$')
    else
      count, tail = redis.call('LLEN', one.chain), redis.call('LINDEX', one.chain, -1)
    end
    local asLong = one.count == 'any' or count == tonumber(one.count)
    if one.mac ~= 'any' then
      local ending = tail and redis.call('XRANGE', KEYS[2], tail .. '-0', tail .. '-0')[1]
      local mac = ending and ending[2][4] or ''
      if mac ~= one.mac and mac ~= one.raw and (asLong or one.now[1]) then return stale(i) end
    end
    if not asLong then return {'damaged', one.chain} end
  end

  local reply = {'committed', last, top and top[2][4] or '', ''}
  if known ~= '' and known == last then
    reply[4] = reply[3]
  elseif known ~= '' then
    for _, other in ipairs(redis.call('XRANGE', KEYS[2], known .. '-0', '+', 'COUNT', 501)) do
      if other[1] == known .. '-0' then reply[4] = other[2][4] or ''
      else
        local found = other[2]
        for _, part in ipairs({other[1], found[1], found[2] or '', found[4] or ''}) do reply[#reply + 1] = part end
      end
    end
  end

  local end_at = tonumber(last)
  for _, one in ipairs(records) do
    local numbers = {}
    for _, entry in ipairs(one.entries) do
      end_at = end_at + 1
      numbers[#numbers + 1] = string.format('%.0f', end_at)
      redis.call('XADD', KEYS[2], numbers[#numbers] .. '-0', unpack(entry))
    end
    if #numbers > 0 and one.case then
      if one.now[4] then table.insert(numbers, 1, one.now[4]) end
      one.fields[#one.fields + 1] = {'${numbersField}', table.concat(numbers, ' ')}
    elseif #numbers > 0 then
      redis.call('RPUSH', one.chain, unpack(numbers))
    end
  end
  if end_at > tonumber(last) then redis.call('SET', KEYS[3], string.format('%.0f', end_at)) end
  for _, one in ipairs(records) do
    local fields = {}
    for _, field in ipairs(one.fields) do fields[#fields + 1] = field[1]; fields[#fields + 1] = field[2] end
    if #fields > 0 then redis.call('HSET', one.key, unpack(fields)) end
    for _, index in ipairs(one.writes) do redis.call(unpack(index)) end
  end
  if interaction then redis.call('SET', interaction, '1', 'EX', seconds) end
  return reply
end

local replies = {}
for i = 1, tonumber(take()) do
  local done, reply = pcall(commit)
  if not done then
    local said = tostring(type(reply) == 'table' and reply.err or reply)
    reply = {'error', string.match(said, '%u%u%u+ .*') or said}
  end
  replies[i] = reply
end
return replies
`
