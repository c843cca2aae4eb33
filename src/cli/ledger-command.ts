// The ledger commands: they find the installation's Redis, ask, and say what was found.
import { readContext } from "./context.ts"
import { verificationWords, verifyLedger } from "./ledger.ts"
import { borrowRedis } from "./own-redis.ts"
import type { Terminal } from "./terminal.ts"

/** Verifies the ledger; exit code 1 if something does not hold. */
export async function ledgerVerify(terminal: Terminal): Promise<void> {
  const { config, key, random, log } = readContext(terminal.err)
  const redis = await borrowRedis({ redis: config.redis, env: process.env, say: terminal.err })
  try {
    const verification = await verifyLedger({
      redisUrl: redis.url,
      key,
      installation: config.installation,
      random,
      log,
    })
    terminal.out(verificationWords(verification))
    if (verification.problem !== null) process.exitCode = 1
  } finally {
    await redis.stop()
  }
}
