// Redis for tests: the server that all test files share, and servers that a single test may kill and restart.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject, onTestFinished } from "vitest"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { askOwner, type RedisClient } from "../../src/store/redis/owner.ts"
import { freePort } from "./free-port.ts"
import { neverPostponeWrites } from "./written-data.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly redisUrl: string
  }
}

/**
 * The address of the server that all test files share, in a form that ioredis connects to. Use an own, random key
 * prefix on it.
 */
export function testRedisUrl(): string {
  return inject("redisUrl")
}

/** The keys that fit a pattern which begins with an installation's tag, wherever in a cluster they lie. */
export async function keysLike(redis: RedisClient, pattern: string): Promise<string[]> {
  const found = await askOwner(redis, /^\{[^}]*\}/.exec(pattern)?.[0] ?? "", "KEYS", pattern)
  return Array.isArray(found) ? found.map(String) : []
}

/** A server of one test. `url` stays the same over restarts, and so do the data that were written. */
export type OwnRedis = {
  readonly url: string
  readonly folder: string
  /** Ends the server at once (SIGKILL) and waits for its end; what it answered stays. */
  readonly kill: () => Promise<void>
  /** Ends the server gently if it still runs and starts it again over the same data. */
  readonly restart: () => Promise<void>
  /** Ends the server for good and removes its folder. May be called twice. */
  readonly stop: () => Promise<void>
}

/** Starts a server in a fresh folder. Whoever starts it calls `stop`. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-redis-"))
  const start = async () => {
    const started = await startRedis({ folder, env: process.env, log: () => undefined })
    await neverPostponeWrites(started.url)
    return started
  }
  let server = await start()
  return {
    url: server.url,
    folder,
    kill: async () => {
      process.kill(server.pid, "SIGKILL")
      await server.exited
    },
    restart: async () => {
      await server.stop()
      server = await start()
    },
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A Redis of its own for one test. */
export async function anOwnRedis(): Promise<OwnRedis> {
  const server = await startOwnRedis()
  onTestFinished(server.stop)
  return server
}

/** Starts a server that is reached by an address, as `REDIS_URL` wants one; it is stopped when the test ends. */
export async function redisByAddress(): Promise<string> {
  const server = await startRedisByAddress()
  onTestFinished(server.stop)
  return server.url
}

/** Starts such a server for the tests of a file. Whoever starts it calls `stop`. */
export async function startRedisByAddress(): Promise<Pick<OwnRedis, "url" | "stop">> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-redis-"))
  const server = await startRedis({ folder, port: await freePort(), env: process.env, log: () => undefined })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
