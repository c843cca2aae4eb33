// An attacker who reads and writes Redis and has no key. They copy what lies there, and put it back, swap, cut or
// delete it.
import { Redis } from "ioredis"
import { createKeys, type Keys } from "../../src/store/redis/keys.ts"

/** One key as it was: what Redis dumps of it, and in how many ms it would have expired; -1: never. */
interface Held {
  readonly dump: Buffer
  readonly ttlMs: number
}

/** Keys as they were at one moment; null for one that was not there. */
export type Photo = ReadonlyMap<string, Held | null>

/** The acts of the attacker; each happens at once, with nothing in between. `did` tells them in order. */
export interface Attacker {
  readonly redis: Redis
  readonly keys: Keys
  readonly did: readonly string[]
  /** All keys of the installation whose name has this part, in order. */
  readonly named: (part?: string) => Promise<readonly string[]>
  /** Copies keys as they are now. Changes nothing. */
  readonly photograph: (keys: readonly string[]) => Promise<Photo>
  /** Copies everything. */
  readonly photographAll: () => Promise<Photo>
  /** Brings keys back as they were in the photo, also those that were not there. */
  readonly putBack: (photo: Photo) => Promise<void>
  /** Brings everything back as it was in a photo of all: what came since is gone. */
  readonly rollBack: (photo: Photo) => Promise<void>
  readonly remove: (...keys: readonly string[]) => Promise<void>
  readonly swap: (one: string, other: string) => Promise<void>
  /** Copies a key to another name, over what is there. */
  readonly copy: (from: string, to: string) => Promise<void>
  readonly dropField: (hash: string, field: string) => Promise<void>
  readonly setField: (hash: string, field: string, value: string | Buffer) => Promise<void>
  /** What an index says of one case it says of another one from now on. */
  readonly pointElsewhere: (index: string, from: string, to: string) => Promise<void>
  /** Shortens a list to its first members. */
  readonly trim: (list: string, length: number) => Promise<void>
  /** Turns a list around. */
  readonly reverse: (list: string) => Promise<void>
  /** Takes the last entries off the ledger, so that it ends as if they had never been. */
  readonly cutEnd: (entries: number) => Promise<void>
  /** Adds an entry with these fields to the ledger's end, as the next of a chain. */
  readonly append: (fields: readonly Buffer[], chain: string) => Promise<void>
  /** Puts a job back that a photo holds, as one that waits to be run now. */
  readonly queueAgain: (queue: string, job: string, photo: Photo) => Promise<void>
  /** The tickets that lie there now, by id, sealed. */
  readonly tickets: () => Promise<ReadonlyMap<string, Buffer>>
  /** Puts a ticket back as one that is due now. */
  readonly fireAgain: (id: string, sealed: Buffer) => Promise<void>
  readonly close: () => void
}

/**
 * Deletes what ARGV names first, then brings back what follows: key, ms to live, dump. With "*" all of the installation
 * is deleted.
 */
const bringBack = `
local doomed = tonumber(ARGV[2])
if ARGV[1] ~= '' then
  for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end
end
for i = 3, 2 + doomed do redis.call('DEL', ARGV[i]) end
for i = 3 + doomed, #ARGV, 3 do redis.call('RESTORE', ARGV[i], ARGV[i + 1], ARGV[i + 2], 'REPLACE') end`

const swapBoth = `
local one, other = redis.call('DUMP', KEYS[1]), redis.call('DUMP', KEYS[2])
redis.call('DEL', KEYS[1], KEYS[2])
if other then redis.call('RESTORE', KEYS[1], 0, other) end
if one then redis.call('RESTORE', KEYS[2], 0, one) end`

const turnAround = `
local all = redis.call('LRANGE', KEYS[1], 0, -1)
if #all > 0 then
  redis.call('DEL', KEYS[1])
  for _, member in ipairs(all) do redis.call('LPUSH', KEYS[1], member) end
end`

/** A stream remembers its last id, so it is built anew: only then may the same numbers be given again. */
const cutStream = `
local all = redis.call('XRANGE', KEYS[1], '-', '+')
local left = math.max(0, #all - tonumber(ARGV[1]))
redis.call('DEL', KEYS[1])
for i = 1, left do redis.call('XADD', KEYS[1], all[i][1], unpack(all[i][2])) end
redis.call('SET', KEYS[2], left == 0 and '0' or string.match(all[left][1], '^(%d+)'))`

const appendEntry = `
local number = redis.call('INCR', KEYS[2])
redis.call('XADD', KEYS[1], number .. '-0', unpack(ARGV))
redis.call('RPUSH', KEYS[3], number)`

/** Makes an attacker on a server. Whoever makes one closes it. */
export function createAttacker({ url, installation }: { url: string; installation: string }): Attacker {
  const redis = new Redis({ path: url, maxRetriesPerRequest: null, retryStrategy: () => 20 })
  redis.on("error", () => undefined)
  const keys = createKeys(installation)
  const everything = `${keys.tag.replaceAll(/[{}]/g, "\\$&")}*`
  const did: string[] = []
  const acted = (words: string) => void did.push(words)
  const short = (key: string) => key.replace(`${keys.tag}:`, "")
  const named = async (part = "") => (await redis.keys(everything)).filter((key) => key.includes(part)).toSorted()
  const photograph = async (those: readonly string[]): Promise<Photo> => {
    const held = await Promise.all(those.map((key) => heldAt(redis, key)))
    return new Map(those.map((key, index) => [key, held[index] ?? null]))
  }
  const bring = (photo: Photo, over: string) => redis.call("EVAL", bringBack, 0, ...bringing(photo, over))
  return {
    redis,
    keys,
    did,
    named,
    photograph,
    photographAll: async () => photograph(await named()),
    putBack: async (photo) => {
      await bring(photo, "")
      acted(`put back ${[...photo.keys()].map(short).join(", ")}`)
    },
    rollBack: async (photo) => {
      await bring(photo, everything)
      acted("rolled all of Redis back")
    },
    remove: async (...those) => {
      await redis.del(...those)
      acted(`deleted ${those.map(short).join(", ")}`)
    },
    swap: async (one, other) => {
      await redis.eval(swapBoth, 2, one, other)
      acted(`swapped ${short(one)} and ${short(other)}`)
    },
    copy: async (from, to) => {
      await redis.copy(from, to, "REPLACE")
      acted(`copied ${short(from)} to ${short(to)}`)
    },
    dropField: async (hash, field) => {
      await redis.hdel(hash, field)
      acted(`deleted ${field} of ${short(hash)}`)
    },
    setField: async (hash, field, value) => {
      await redis.hset(hash, field, value)
      acted(`set ${field} of ${short(hash)}`)
    },
    pointElsewhere: async (index, from, to) => {
      for (const member of await redis.zrange(index, "0", "-1"))
        if (member.endsWith(`:${from}`))
          await redis.multi().zrem(index, member).zadd(index, 0, member.replace(from, to)).exec()
      acted(`made ${short(index)} name ${to} for ${from}`)
    },
    trim: async (list, length) => {
      await (length === 0 ? redis.del(list) : redis.ltrim(list, 0, length - 1))
      acted(`trimmed ${short(list)} to ${length}`)
    },
    reverse: async (list) => {
      await redis.eval(turnAround, 1, list)
      acted(`turned ${short(list)} around`)
    },
    cutEnd: async (entries) => {
      await redis.eval(cutStream, 2, keys.ledger, keys.sequence, entries)
      acted(`cut ${entries} entries off the ledger's end`)
    },
    append: async (fields, chain) => {
      await redis.eval(appendEntry, 3, keys.ledger, keys.sequence, chain, ...fields)
      acted(`added an old entry to the ledger, as one of ${short(chain)}`)
    },
    queueAgain: async (queue, job, photo) => {
      const base = `${keys.queue}:${queue}`
      const held = photo.get(`${base}:${job}`)
      if (held == null) throw new Error(`the photo holds no job ${job} of ${queue}`)
      await redis
        .multi()
        .restore(`${base}:${job}`, 0, held.dump, "REPLACE")
        .lpush(`${base}:wait`, job)
        .zadd(`${base}:marker`, 0, "0")
        .exec()
      acted(`queued ${job} of ${queue} again`)
    },
    tickets: async () => new Map(Object.entries(await redis.hgetallBuffer(keys.tickets.sealed))),
    fireAgain: async (id, sealed) => {
      await redis.multi().hset(keys.tickets.sealed, id, sealed).zadd(keys.tickets.due, 0, id).exec()
      acted(`made ${id} due again`)
    },
    close: () => redis.disconnect(),
  }
}

async function heldAt(redis: Redis, key: string): Promise<Held | null> {
  const both = await redis.multi().dumpBuffer(key).pttl(key).exec()
  const [dump, ttl] = (both ?? []).map(([, value]) => value)
  return Buffer.isBuffer(dump) ? { dump, ttlMs: Number(ttl) } : null
}

function bringing(photo: Photo, over: string): (string | number | Buffer)[] {
  const gone = [...photo].flatMap(([key, held]) => (held === null ? [key] : []))
  const back = [...photo].flatMap(([key, held]) =>
    held === null ? [] : [key, held.ttlMs < 0 ? 0 : Math.max(1, held.ttlMs), held.dump],
  )
  return [over, gone.length, ...gone, ...back]
}
