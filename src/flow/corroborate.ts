// Corroborate: whether the platform's list bears out that an approval is gone, or the platform only lost sight of all of them.
import { type Case, caseIdOf } from "../domain/case/case.ts"
import { isGone } from "../domain/case/renewal-steps.ts"
import { isPortError, type Platform, type Ports, type Sighting } from "./ports.ts"

export type CorroboratePorts = Pick<Ports, "store" | "clock" | "platforms" | "polls" | "log">

/** `others`: the list names another approval that we know. `alone`: we know of no other. `no`: it should name one and does not, or does not answer. */
export type BorneOut = "others" | "alone" | "no"

/** How long what a list named is believed, by all replicas, in ms: three misses over ten seconds never rest on one answer. */
const sightingMs = 5_000
/** So long after it was settled an approval should still be listed, in ms. */
const settledMs = 86_400_000
/** How many of the listed approvals are looked up here at most, … */
const mostRead = 20
/** … and how many settled cases; who settles more in a day is taken to know another. */
const mostSettled = 1_000
const settledPage = 100

/**
 * Asks what the newest approvals are, in whatever state: while its database is away, AgentOS answers 404 for each
 * approval and lists none, or fails to (`docs/platform-facts.md` 2.3). All cases of an instance, on all replicas, share
 * an answer.
 */
export async function corroborate(ports: CorroboratePorts, current: Case): Promise<BorneOut> {
  const platform = ports.platforms.get(current.instance)
  if (platform === undefined) return "no"
  const { named } = await sighting(ports, current, platform)
  if (named === null) return "no"
  if (named.some((id) => id !== current.approvalId)) return "others"
  return (await isAnotherKnown(ports, current)) ? "no" : "alone"
}

async function sighting(ports: CorroboratePorts, current: Case, platform: Platform): Promise<Sighting> {
  const { instance } = current
  const [known, sharedClock] = await Promise.all([ports.polls.read(), ports.store.sharedClock()])
  // Taken before the list is asked for: what it names is at least as new.
  const at = sharedClock()
  const last = known.of(instance).sighting
  if (last !== null && last.at <= at && at - last.at < sightingMs) return last
  const seen = { at, named: await namedBy(ports, current, platform) }
  await ports.polls.saw(instance, seen)
  return seen
}

async function namedBy(ports: CorroboratePorts, current: Case, platform: Platform): Promise<readonly string[] | null> {
  try {
    return await knownAmong(ports, current, await platform.newest())
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("list-unanswered", { instance: current.instance, error })
    return null
  }
}

/** Two of them that wait here, or were settled within a day: one may be the very approval that is asked about. Those that wait come first. */
async function knownAmong(
  ports: CorroboratePorts,
  { installation, instance }: Case,
  ids: readonly string[],
): Promise<readonly string[]> {
  const marks = await ports.store.known(instance, ids)
  const waiting = ids.filter((id) => (marks.get(id) ?? "") !== "")
  const settled = ids.filter((id) => marks.get(id) === "")
  const found: string[] = []
  for (const id of [...waiting, ...settled].slice(0, mostRead)) {
    if (found.length === 2) break
    if (await isKnown(ports, caseIdOf(installation, instance, id))) found.push(id)
  }
  return found
}

/** By the case itself: what Redis lists has no authority (R14). */
async function isKnown(ports: CorroboratePorts, caseId: string): Promise<boolean> {
  const current = await ports.store.read(caseId)
  if (current === null || "kind" in current) return false
  if (current.outcome === null) return current.state !== "frozen"
  return !isGone(current) && ports.clock() - current.outcome.at < settledMs
}

/** True if the list should name another approval: one that waits, or that was settled within a day. */
async function isAnotherKnown(ports: CorroboratePorts, { instance, approvalId }: Case): Promise<boolean> {
  for await (const ids of ports.store.openApprovals(instance)) if (ids.some((id) => id !== approvalId)) return true
  for (let offset = 0; offset < mostSettled; offset += settledPage) {
    const { cases, total } = await ports.store.listSettled({ offset, limit: settledPage })
    const recent = cases.filter(({ outcome }) => outcome !== null && ports.clock() - outcome.at < settledMs)
    if (recent.some((one) => one.instance === instance && one.approvalId !== approvalId && !isGone(one))) return true
    if (recent.length < cases.length || offset + settledPage >= total) return false
  }
  return true
}
