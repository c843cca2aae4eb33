// What is asked when somebody scrapes: what waits now, whether this replica decides, and whether Redis is as it knew it.
import type { Freshness, Log, Reading } from "../flow/ports.ts"
import type { Metrics } from "./metrics.ts"

/** Where the answers come from. */
export interface GaugeSources {
  readonly reading: Pick<Reading, "waiting">
  /** Why this replica decides nothing, or null. */
  readonly obstacle: () => Promise<string | null>
  /** How Redis stands to what is known of it. */
  readonly standing: Freshness["standing"]
  /** Of the config that this replica works under; null before it saw one. */
  readonly revision: () => string | null
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Log
}

/** Gives the metrics as text, in Prometheus' format. While Redis is away it says so and leaves out what only Redis knows. */
export function createScrape(metrics: Metrics, sources: GaugeSources): () => Promise<string> {
  return async () => {
    await ask(metrics, sources)
    const revision = sources.revision()
    metrics.rolledBack.set(sources.standing().kind === "rolled-back" ? 1 : 0)
    metrics.config.reset()
    if (revision !== null) metrics.config.set({ revision: revision.slice(0, 12) }, 1)
    return metrics.registry.metrics()
  }
}

async function ask(metrics: Metrics, { reading, obstacle, clock, log }: GaugeSources): Promise<void> {
  const { storeUp, pending, oldest, unfinished, configActive } = metrics
  try {
    const [waiting, problem] = await Promise.all([reading.waiting(), obstacle()])
    const age = waiting.oldestAt === null ? 0 : Math.max(0, clock() - waiting.oldestAt) / 1_000
    storeUp.set(1)
    pending.set(waiting.pending)
    oldest.set(age)
    unfinished.set(waiting.unfinished)
    configActive.set(problem === null ? 1 : 0)
  } catch (error) {
    log.warn("metrics-without-store", { error })
    storeUp.set(0)
    for (const unknown of [pending, oldest, unfinished, configActive]) unknown.remove()
  }
}
