// How a bot ends: all that it opened when it is told to stop; only its own work when a newer Countersign replaced it.
import type { Log } from "../log.ts"
import type { Closer } from "../repeat.ts"
import { tookOver } from "../store/config/config-revision.ts"

/** What one bot opened and began, and why it takes nothing more. */
export interface Ending {
  /** What ends when the bot stops, in reverse. */
  readonly closers: Closer[]
  /** Adds work to these: it also ends when the bot retires. It ends once, whatever comes first. */
  readonly work: (close: Closer) => void
  /** All work was begun. */
  readonly begun: () => void
  /** It was told to stop. */
  readonly stopping: () => void
  /** A newer Countersign took over. The second call does nothing. */
  readonly retire: () => void
  /** Whether it retired, in words, or null. */
  readonly retired: () => string | null
  /** Why it takes nothing any more, in words, or null. */
  readonly leaving: () => string | null
  /** Ends everything, once. */
  readonly close: Closer
}

/**
 * Makes it. A bot that retires leaves its process running, and is not ready: an orchestrator would start one that ends
 * by itself again and again, and each start would be refused. Whoever rolls a new version out ends it.
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

/** Runs it at the first call; each call resolves when that has ended. */
function once(run: Closer): Closer {
  let ran: Promise<void> | null = null
  return () => {
    ran ??= run()
    return ran
  }
}
