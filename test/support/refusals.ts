// Makes Redis servers that answer but take no writes, and mends them as an operator would.
import { mkdir, rmdir } from "node:fs/promises"
import { join } from "node:path"
import type { Redis } from "ioredis"
import { vi } from "vitest"
import type { WriteRefusal } from "../../src/store/redis/write-refusal.ts"
import { limitMs } from "./limits.ts"

/** How a server comes to refuse writes, and how an operator mends it. `folder` is where it keeps its data. */
export interface Refusal {
  readonly word: WriteRefusal
  readonly begin: (redis: Redis, folder: string) => Promise<unknown>
  readonly mend: (redis: Redis, folder: string) => Promise<unknown>
}

/** Saves a snapshot now, and waits until it knows how that went. */
async function save(redis: Redis, status: "ok" | "err"): Promise<void> {
  await redis.call("BGSAVE")
  const isOver = async () => {
    const said = await redis.info("persistence")
    return said.includes(`rdb_last_bgsave_status:${status}`) && said.includes("rdb_bgsave_in_progress:0")
  }
  await vi.waitUntil(isOver, { timeout: limitMs, interval: 25 })
}

/** Each way in which a server that answers takes no writes. */
export const refusals: readonly Refusal[] = [
  {
    word: "OOM",
    begin: (redis) => redis.config("SET", "maxmemory", "1"),
    mend: (redis) => redis.config("SET", "maxmemory", "0"),
  },
  {
    word: "READONLY",
    begin: (redis) => redis.call("REPLICAOF", "127.0.0.1", "1"),
    mend: (redis) => redis.call("REPLICAOF", "NO", "ONE"),
  },
  {
    word: "MISCONF",
    begin: async (redis, folder) => {
      // Where the snapshot belongs stands a folder, so it cannot be put there.
      await mkdir(join(folder, "dump.rdb"))
      await redis.config("SET", "save", "3600 1")
      await save(redis, "err")
    },
    mend: async (redis, folder) => {
      await rmdir(join(folder, "dump.rdb"))
      await save(redis, "ok")
    },
  },
  {
    word: "NOREPLICAS",
    begin: (redis) => redis.config("SET", "min-replicas-to-write", "1"),
    mend: (redis) => redis.config("SET", "min-replicas-to-write", "0"),
  },
  {
    word: "NOPERM",
    begin: (redis) => redis.call("ACL", "SETUSER", "default", "resetkeys", "~another:*"),
    mend: (redis) => redis.call("ACL", "SETUSER", "default", "allkeys"),
  },
  {
    word: "NOAUTH",
    begin: async (redis) => {
      await redis.config("SET", "requirepass", "new")
      // Whoever is logged in stays so.
      await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    },
    mend: (redis) => redis.config("SET", "requirepass", ""),
  },
  {
    word: "MASTERDOWN",
    begin: async (redis) => {
      // A replica that takes no writes would say READONLY first.
      await redis.config("SET", "replica-read-only", "no")
      await redis.config("SET", "replica-serve-stale-data", "no")
      await redis.call("REPLICAOF", "127.0.0.1", "1")
    },
    mend: (redis) => redis.call("REPLICAOF", "NO", "ONE"),
  },
]
