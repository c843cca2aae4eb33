// A Redis that saves snapshots as an operator takes them: a file, which is kept and put back.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { Redis } from "ioredis"
import { onTestFinished } from "vitest"
import { findRedis } from "../../../src/setup/redis/find-redis.mjs"
import { freePort } from "../../support/free-port.ts"
import { aFolder } from "../../support/opened.ts"

/** The server. */
export interface SavingRedis {
  readonly url: string
  /** Keeps a snapshot of what it holds now. */
  readonly keep: () => Promise<void>
  /** Stops it, puts the snapshot in the place of its data, and starts it. */
  readonly putBack: () => Promise<void>
}

/** Starts it in a folder of its own; it goes with the test. */
export async function aSavingRedis(): Promise<SavingRedis> {
  const folder = aFolder("saving")
  const program = await findRedis({ env: process.env, log: () => undefined })
  const port = await freePort()
  const args = ["--dir", folder, "--port", String(port), "--save", "3600 1", "--appendonly", "no"]
  const ask = async (work: (redis: Redis) => Promise<unknown>): Promise<void> => {
    const redis = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null })
    redis.on("error", () => undefined)
    await work(redis).finally(() => redis.disconnect())
  }
  const start = async () => {
    const server = spawn(program.command, args, { env: { PATH: process.env["PATH"], ...program.env }, stdio: "ignore" })
    const ended = once(server, "exit")
    await ask((redis) => redis.ping())
    return async () => {
      server.kill("SIGTERM")
      await ended
    }
  }
  let stop = await start()
  onTestFinished(() => stop())
  const [data, kept] = [join(folder, "dump.rdb"), join(folder, "kept.rdb")]
  return {
    url: `redis://127.0.0.1:${port}`,
    keep: async () => {
      await ask((redis) => redis.save())
      copyFileSync(data, kept)
    },
    putBack: async () => {
      await stop()
      copyFileSync(kept, data)
      stop = await start()
    },
  }
}
