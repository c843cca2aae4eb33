// Finds the data that a Redis server has written in its folder: since Redis 7 another folder, before that one file.
import { cp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Redis } from "ioredis"

/** Copies what is written now to a folder `kept` beside it, in the place of what was copied before. */
export async function keepData(folder: string): Promise<void> {
  await rm(join(folder, "kept"), { recursive: true, force: true })
  for (const name of await writtenIn(folder))
    await cp(join(folder, name), join(folder, "kept", name), { recursive: true })
}

/** Puts back what was copied last, in the place of all that was written since. The server must not run. */
export async function putBackData(folder: string): Promise<void> {
  for (const name of await writtenIn(folder)) await rm(join(folder, name), { recursive: true })
  for (const name of await writtenIn(join(folder, "kept")))
    await cp(join(folder, "kept", name), join(folder, name), { recursive: true })
}

async function writtenIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("appendonly"))
}

/**
 * With `everysec` Redis may answer before it writes, if the disk is busy; a kill then loses what it answered. Here a
 * test says what a kill loses. The disk must not decide it.
 * https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 */
export async function neverPostponeWrites(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => null })
  redis.on("error", () => undefined)
  try {
    await redis.config("SET", "appendfsync", "no")
  } finally {
    redis.disconnect()
  }
}
