// The rights that a user of Redis needs, and the smallest ACL that gives them.
import type { Redis } from "ioredis"
import { attempt } from "../errors.ts"
import { createKeys } from "./keys.ts"
import { ownerNode, type RedisClient } from "./owner.ts"

/** Every command that the store and BullMQ send or call in scripts, in a harmless form; `KEY` is one of our keys. */
const used = `
bzpopmin KEY 1
client setname countersign
del KEY
eval return 1 KEY
evalsha 0000000000000000000000000000000000000000 1 KEY
exists KEY
expire KEY 1
get KEY
getdel KEY
hdel KEY a
hexists KEY a
hget KEY a
hgetall KEY
hincrby KEY a 1
hkeys KEY
hlen KEY
hmget KEY a
hmset KEY a 1
hscan KEY 0
hset KEY a 1
hsetnx KEY a 1
incr KEY
info server
lindex KEY 0
llen KEY
lpop KEY
lpos KEY a
lpush KEY a
lrange KEY 0 0
lrem KEY 0 a
ltrim KEY 0 0
persist KEY
pexpire KEY 1
pexpireat KEY 1
pttl KEY
rename KEY KEY
rpop KEY
rpoplpush KEY KEY
rpush KEY a
sadd KEY a
scan 0
scard KEY
set KEY a
smembers KEY
srem KEY a
time
type KEY
xadd KEY * a 1
xrange KEY - +
xrevrange KEY + -
xtrim KEY MAXLEN 1
zadd KEY 1 a
zcard KEY
zcount KEY 0 1
zlexcount KEY - +
zpopmin KEY
zrange KEY 0 0
zrangebylex KEY - +
zrangebyscore KEY 0 1
zrank KEY a
zrem KEY a
zremrangebyrank KEY 0 0
zremrangebyscore KEY 0 1
zrevrange KEY 0 0
zrevrangebyscore KEY 1 0
zscore KEY a`
  .trim()
  .split("\n")
  .map((line) => line.split(" "))

/** What only a cluster's client sends. */
const ofCluster = [["asking"], ["cluster", "info"], ["cluster", "slots"], ["readonly"], ["readwrite"]]

/** What cannot be tried inside a transaction. */
const ofTransactions = ["multi", "exec"]

/** The kinds of Redis, as `readRedisAddress` tells them. */
export type RedisKind = "server" | "cluster" | "sentinel"

/** The rules of the smallest ACL for an installation, as `ACL SETUSER` takes them after name and password. */
export function smallestAcl(installation: string, kind: RedisKind): string {
  const commands = triesFor(kind).map(rightOf)
  const all = [...new Set([...commands, ...ofTransactions])].toSorted()
  return ["resetchannels", `~${createKeys(installation).tag}*`, "-@all", ...all.map((name) => `+${name}`)].join(" ")
}

/** A command's right: `zadd`, or `client|setname` where a part of a command is enough. */
function rightOf([command = "", part = ""]: readonly string[]): string {
  return command === "client" || command === "cluster" ? `${command}|${part}` : command
}

function triesFor(kind: RedisKind): readonly (readonly string[])[] {
  return kind === "cluster" ? [...used, ...ofCluster] : used
}

/**
 * Finds which of these rights a connection's user lacks. This changes nothing: a server judges each command when it
 * joins a transaction, and we discard that transaction. Throws `StoreError` if Redis does not answer.
 */
export async function missingRights(
  redis: RedisClient,
  { installation, kind }: { readonly installation: string; readonly kind: RedisKind },
): Promise<readonly string[]> {
  const { tag } = createKeys(installation)
  const alone = ownerNode(redis, tag)?.duplicate({ retryStrategy: null })
  if (alone === undefined) return []
  alone.on("error", () => undefined)
  try {
    await attempt("look at rights", () => alone.connect())
    const missing: string[] = []
    for (const tried of [["exec"], ["multi"], ...triesFor(kind)]) {
      const lacked = await refusedRight(alone, tried, `${tag}:rights`)
      if (lacked !== null) missing.push(lacked)
      // Without a transaction the rest would be carried out.
      if (lacked === "multi") break
    }
    return [...new Set(missing)]
  } finally {
    alone.disconnect()
  }
}

/** The right to a command that the user lacks; null: none. Any other complaint means that the user has the right. */
async function refusedRight(redis: Redis, tried: readonly string[], key: string): Promise<string | null> {
  const [command = "", ...rest] = tried.map((word) => (word === "KEY" ? key : word))
  const said = await attempt("look at rights", () =>
    redis.call(command, ...rest).then(
      () => "",
      (error: unknown) => {
        if (error instanceof Error && error.name === "ReplyError") return error.message
        throw error
      },
    ),
  )
  if (/NOPERM.*\bkeys?\b/i.test(said)) return `~${key.replace(/:rights$/, "")}*`
  return /NOPERM|unknown command/i.test(said) ? rightOf(tried) : null
}
