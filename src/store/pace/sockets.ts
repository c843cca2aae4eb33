// The sockets that the replicas have open to Slack (port `Sockets`). It says what to tell an operator, and grants nothing.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Clock, OwnSocket, Sockets } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import type { Keys } from "../redis/keys.ts"

/**
 * How long a socket counts after it was last heard of, in ms. It is not taken off when it closes: Slack too may count the socket of a
 * process that was killed for a while.
 */
const KEPT_MS = 60_000

const stored = z.object({ until: z.number(), foreign: z.int().min(0) })

/** What the record is made of. */
export interface SocketsOptions {
  readonly redis: Redis
  readonly keys: Pick<Keys, "sockets">
  /** One clock for all replicas. */
  readonly clock: () => Promise<Clock>
}

/** Makes the record of an installation's sockets. */
export function createSockets(options: SocketsOptions): Sockets {
  const { redis, keys, clock } = options
  return {
    note: async ({ id, foreign }) => {
      const now = (await clock())()
      const value = JSON.stringify({ until: now + KEPT_MS, foreign })
      await attempt("note a socket", () =>
        Promise.all([redis.hset(keys.sockets, id, value), redis.pexpire(keys.sockets, KEPT_MS)]),
      )
      const { live, ended } = await readSockets(options, now)
      if (ended.length > 0) await attempt("forget sockets", () => redis.hdel(keys.sockets, ...ended))
      return live.length
    },
  }
}

/** The sockets that count at `now`, and the ids of those that count no more. */
export async function readSockets(
  { redis, keys }: Pick<SocketsOptions, "redis" | "keys">,
  now: number,
): Promise<{ readonly live: readonly OwnSocket[]; readonly ended: readonly string[] }> {
  const all = await attempt("read the sockets", () => redis.hgetall(keys.sockets))
  const live: OwnSocket[] = []
  const ended: string[] = []
  for (const [id, value] of Object.entries(all)) {
    const { until, foreign } = parsed(value)
    if (until > now) live.push({ id, foreign })
    else ended.push(id)
  }
  return { live, ended }
}

/** What is not ours to read counts for nothing. */
function parsed(value: string): z.infer<typeof stored> {
  try {
    return stored.parse(JSON.parse(value))
  } catch {
    return { until: 0, foreign: 0 }
  }
}
