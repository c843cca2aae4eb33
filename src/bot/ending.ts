// How a bot ends: everything, if it is told to stop; only its own work, if a newer Countersign replaced it.
import type { Log } from "../log.ts"
import type { Closer } from "../repeat.ts"
import { tookOver } from "../store/config/config-revision.ts"

/** What one bot opened and began, and why it takes on nothing more. */
export interface Ending {
  /** What the bot closes when it stops, in reverse order. */
  readonly closers: Closer[]
  /** Adds to `closers` work that also ends when the bot retires. The work ends once, whichever comes first. */
  readonly work: (close: Closer) => void
  /** Says that the bot has begun all its work. */
  readonly begun: () => void
  /** Says that somebody told the bot to stop. */
  readonly stopping: () => void
  /** Says that a newer Countersign took over. A second call does nothing. */
  readonly retire: () => void
  /** Why the bot retired, in words; null if it did not. */
  readonly retired: () => string | null
  /** Why the bot takes on nothing more, in words; null if it still takes work. */
  readonly leaving: () => string | null
  /** Ends everything, once. */
  readonly close: Closer
}

/**
 * Makes an `Ending`. A bot that retires is not ready, but its process runs until the new version is rolled out. If the
 * process ended by itself, an orchestrator would start it again and again, and each start would be refused.
 */
export function createEnding(log: Log): Ending {
  const closers: Closer[] = []
  const work: Closer[] = []
  let [isBegun, isStopping, isRetired] = [false, false, false]
  const endWork = async (): Promise<void> => {
    log.warn("retired", { why: tookOver })
    for (const close of work.toReversed()) await close().catch((error: unknown) => log.warn("not-ended", { error }))
    log.info("retired-and-idle")
  }
  const retired = () => (isRetired ? tookOver : null)
  return {
    closers,
    work: (close) => {
      const ended = once(close)
      closers.push(ended)
      work.push(ended)
    },
    begun: () => {
      isBegun = true
      if (isRetired) void endWork()
    },
    stopping: () => {
      isStopping = true
    },
    retire: () => {
      if (isRetired) return
      isRetired = true
      if (isBegun) void endWork()
    },
    retired,
    leaving: () => (isStopping ? "it was told to stop and ends what it has begun" : retired()),
    close: once(async () => {
      for (const close of closers.toReversed()) await close()
    }),
  }
}

/** Makes a closer that runs only at the first call. Each call resolves when that run has ended. */
function once(run: Closer): Closer {
  let ran: Promise<void> | null = null
  return () => {
    ran ??= run()
    return ran
  }
}
