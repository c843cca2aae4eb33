// The Redis of an installation: the one at REDIS_URL, or a server of our own in the data folder.
import { once } from "node:events"
import { createConnection } from "node:net"
import type { Config } from "../../config.ts"
import { socketPathFor } from "../../setup/redis/socket-path.mjs"
import { startRedis } from "../../setup/redis/start-redis.mjs"

/** The address of Redis, and how to leave it. */
export interface Redis {
  readonly url: string
  /** A CA in PEM to trust beside the usual ones; null: no other CA. */
  readonly ca: string | null
  stop(): Promise<void>
}

interface RedisOptions {
  readonly redis: Config["redis"]
  readonly env: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

/** Starts our own server, unless `REDIS_URL` names one. Throws if it cannot, or if Countersign runs in that folder. */
export async function openRedis({ redis, env, say }: RedisOptions): Promise<Redis> {
  if (redis.kind === "url") return { url: redis.url, ca: redis.ca, stop: async () => {} }
  return { ...(await startRedis({ folder: redis.folder, env, log: say })), ca: null }
}

/** Finds Redis for a command that only reads: if a Countersign runs in that folder, its server; else starts our own. */
export async function borrowRedis(options: RedisOptions): Promise<Redis> {
  const { redis } = options
  if (redis.kind === "own") {
    const socket = socketPathFor(redis.folder)
    if (await answers(socket)) return { url: socket, ca: null, stop: async () => {} }
  }
  return openRedis(options)
}

async function answers(socket: string): Promise<boolean> {
  const connection = createConnection(socket)
  const connected = once(connection, "connect").then(() => true)
  return connected.catch(() => false).finally(() => connection.destroy())
}
