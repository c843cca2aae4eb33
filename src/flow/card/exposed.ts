// Asks whether another company also reads a route's channel. If so, covers the summary there; if not, shows it again.
import { isPortError, type Ports } from "../ports.ts"

/**
 * How old Slack's answer about a channel may be while nobody writes there, in ms: one call a minute for all replicas.
 */
const oldMs = 60_000

/** True if another company also reads a route's channel and no rule allows it; null if Slack does not answer. */
export async function isExposed(
  ports: Pick<Ports, "chat" | "log">,
  route: string,
  maxAgeMs: number = oldMs,
): Promise<boolean | null> {
  try {
    return await ports.chat.exposed(route, maxAgeMs)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("channel-not-checked", { route, error })
    return null
  }
}

/** Stands for the card model of a covered summary. No hash equals it. */
export const coveredHash = "covered"

/**
 * Draws the summary of a channel anew: covered if another company reads the channel now (`exposed`), else as it is.
 * Whoever is at work on the summary notices the change.
 */
export async function redrawSummary(
  ports: Pick<Ports, "summaries" | "jobs">,
  route: string,
  exposed: boolean,
): Promise<void> {
  const known = await ports.summaries.read(route)
  if (known === null || (known.modelHash === coveredHash) === exposed) return
  await ports.summaries.save({ ...known, version: known.version + 1, modelHash: exposed ? null : known.modelHash })
  await ports.jobs.summarise(route)
}
