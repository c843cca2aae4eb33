// The clocks: what makes polls and sweeps come again and again, looked after by every process.
import type { Queue } from "bullmq"
import type { Log } from "../flow/ports.ts"

/** One clock: the queue whose job comes every so many ms. */
export interface Clockwork {
  readonly queue: Queue<unknown>
  readonly name: string
  readonly everyMs: number
}

/** Makes a queue's clock: one run at a time over all replicas, the first at once. */
export async function schedule({ queue, name, everyMs }: Clockwork): Promise<void> {
  await queue.setGlobalConcurrency(1)
  const opts = { removeOnComplete: true, removeOnFail: true, stackTraceLimit: 0 }
  await queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts })
}

/**
 * Looks every so many ms whether each clock still has a next run, and winds it up if not: a Redis that comes back as it was a second
 * before may have forgotten it (R17). Returns what ends that.
 */
export function keepClocks(
  clocks: readonly Clockwork[],
  options: { readonly everyMs: number; readonly log: Log },
): () => void {
  const { everyMs, log } = options
  const look = async (clock: Clockwork) => {
    const counts = await clock.queue.getJobCounts("delayed", "wait", "prioritized", "active")
    if (Object.values(counts).some((count) => count > 0)) return
    log.warn("clock_stopped", { queue: clock.queue.name })
    await schedule(clock)
  }
  const failed = (error: unknown) => log.warn("clocks_not_looked_after", { error })
  const timer = setInterval(() => void Promise.all(clocks.map(look)).catch(failed), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
