// The server that holds an installation: the only one, or in a cluster the one that owns its hash tag (R17).
import { Cluster, Command, type Redis } from "ioredis"

/** What Redis and Redis Cluster share. A command that names a key goes to the server that holds it. */
export type RedisClient = Redis | Cluster

/** Runs any command where the key is. */
const relayScript = "return redis.call(unpack(ARGV))"

/**
 * Asks the server that holds a tag for something without a key, such as `INFO` or `SCAN`: else any server of a cluster
 * would answer. Rejects with the error of ioredis; wrap the call in `attempt`.
 */
export function askOwner(redis: RedisClient, tag: string, command: string, ...rest: readonly string[]) {
  return redis instanceof Cluster ? redis.eval(relayScript, 1, tag, command, ...rest) : redis.call(command, ...rest)
}

/** Asks that server for one section of `INFO`. Rejects as `askOwner` does. */
export async function askInfo(redis: RedisClient, tag: string, section: string): Promise<string> {
  return String(await askOwner(redis, tag, "INFO", section))
}

/** Asks that server for one part of a `SCAN`. Rejects as `askOwner` does. */
export async function scanOwner(
  redis: RedisClient,
  tag: string,
  { from, match }: { readonly from: string; readonly match: string },
): Promise<[cursor: string, found: string[]]> {
  const answer = await askOwner(redis, tag, "SCAN", from, "MATCH", match, "COUNT", "500")
  const [cursor, found] = Array.isArray(answer) ? answer : []
  return [String(cursor), Array.isArray(found) ? found.map(String) : []]
}

/** Which server of a cluster holds a tag, as we know it now: this changes when another server first answers. */
export function ownerOf(redis: RedisClient, tag: string): string | undefined {
  return redis instanceof Cluster ? redis.slots[slotOf(tag)]?.[0] : undefined
}

function slotOf(tag: string): number {
  return new Command("get", [tag]).getSlot()
}

/** The connection to the server that holds a tag; undefined while none is known. */
export function ownerNode(redis: RedisClient, tag: string): Redis | undefined {
  if (!(redis instanceof Cluster)) return redis
  const owner = ownerOf(redis, tag)
  return redis.nodes("master").find(({ options: { host, port } }) => `${host}:${port}` === owner)
}

/** True while the server that holds a tag answers. */
export function isReady(redis: RedisClient, tag: string): boolean {
  return redis.status === "ready" && ownerNode(redis, tag)?.status === "ready"
}

/**
 * Remembers for `keptMs` what the server that holds a tag answered. Forgets the answer earlier if it may have changed:
 * the connection broke, or another server took over.
 */
export function remembered<T>(
  redis: RedisClient,
  { tag, ask, keptMs }: { readonly tag: string; readonly ask: () => Promise<T>; readonly keptMs: number },
): () => Promise<T> {
  let known: { readonly askedAt: number; readonly owner: string | undefined; readonly answer: Promise<T> } | undefined
  for (const event of ["close", "+node", "-node"])
    redis.on(event, () => {
      known = undefined
    })
  return () => {
    const owner = ownerOf(redis, tag)
    if (known !== undefined && known.owner === owner && performance.now() - known.askedAt < keptMs) return known.answer
    const asked = { askedAt: performance.now(), owner, answer: ask() }
    known = asked
    asked.answer.catch(() => {
      if (known === asked) known = undefined
    })
    return asked.answer
  }
}
