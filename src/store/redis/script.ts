// Runs a Lua script by its hash, and sends its text only to a server that does not know it.
import { createHash } from "node:crypto"
import type { RedisClient } from "./owner.ts"

/** Runs a script. Texts in the reply are buffers, because sealed data are no text. */
export type RedisScript = (keys: readonly string[], args: readonly (string | number | Buffer)[]) => Promise<unknown>

/** Makes a script for a connection. Rejects with the error of ioredis; wrap the call in `attempt`. */
export function createScript(redis: RedisClient, lua: string): RedisScript {
  // Not for safety: the hash is how Redis names a script.
  const name = createHash("sha1").update(lua).digest("hex")
  return async (keys, args) => {
    const rest = [keys.length, ...keys, ...args]
    try {
      return await redis.callBuffer("EVALSHA", [name, ...rest])
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error
      return await redis.callBuffer("EVAL", [lua, ...rest])
    }
  }
}
