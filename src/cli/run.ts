// countersign run: runs the bot until it is told to stop.
import { startBot } from "../bot.ts"
import { openSigner, readContext } from "./installation/context.ts"
import { remarksOnCalls } from "./installation/known-calls.ts"
import { openRedis } from "./installation/own-redis.ts"
import type { Terminal } from "./terminal.ts"

/** How it is run. */
export interface RunOptions {
  readonly activate: boolean
  /** True: polls once, and only shows who would be asked, and with which card. */
  readonly dryRun: boolean
}

/** Runs the bot until SIGINT or SIGTERM. Its log goes to stdout, one JSON line for each event. */
export async function run(terminal: Terminal, options: RunOptions): Promise<void> {
  if (options.dryRun) return (await import("./dry-run.ts")).dryRun(terminal)
  const context = readContext(terminal, terminal.out)
  // This comes before we open anything. If the bot has to stop while it starts, it tells the other replicas so.
  const told = stopped()
  for (const { what: warning, why, todo } of context.config.warnings)
    context.log.warn("config-warning", { warning, why, todo })
  const redis = await openRedis({ redis: context.config.redis, env: process.env, say: terminal.err })
  try {
    const signer = await openSigner(context)
    const bot = await startBot({
      ...context,
      signer,
      redisUrl: redis.url,
      redisCa: redis.ca,
      activate: options.activate,
    })
    void tellOfCalls(context)
    const signal = await told
    context.log.info("stopping", { signal })
    await bot.close()
  } finally {
    await redis.stop()
  }
  context.log.info("stopped")
}

/** Logs remarks on the rules that only the instances' calls can show. The bot runs meanwhile, whatever this finds. */
async function tellOfCalls({ config, log }: ReturnType<typeof readContext>): Promise<void> {
  try {
    for (const { rule, what, why, todo } of await remarksOnCalls(config))
      log.warn("config-warning", { warning: `rule ${rule}: ${what}`, why, todo })
  } catch (error) {
    log.warn("calls-not-compared", { error })
  }
}

/** Resolves with the first signal to stop. npm also passes signals on, so a second one of that kind means nothing. */
export function stopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal))
  })
}
