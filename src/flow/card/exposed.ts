// Asks whether another company reads a route's channel too, and has a summary there covered, or shown again.
import { isPortError, type Ports } from "../ports.ts"

/** How old Slack's word on a channel may be where nothing is written, in ms: one call a minute over all replicas. */
const oldMs = 60_000

/** True if another company reads a route's channel too and no rule allows that; null where Slack does not tell. */
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

/** Stands for the card model of a summary that is covered. No hash is this. */
export const coveredFace = "covered"

/**
 * Has the summary of a channel drawn anew: another company reads it now (`exposed`), so it is covered, or does not any
 * more. Whoever is at work on it notices that.
 */
export async function redrawSummary(
  ports: Pick<Ports, "summaries" | "jobs">,
  route: string,
  exposed: boolean,
): Promise<void> {
  const known = await ports.summaries.read(route)
  if (known === null || (known.face === coveredFace) === exposed) return
  await ports.summaries.save({ ...known, version: known.version + 1, face: exposed ? null : known.face })
  await ports.jobs.summarise(route)
}
