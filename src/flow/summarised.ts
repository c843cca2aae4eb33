// A case that settles while it hangs on a summary: the summary's line says how it ended, and its thread tells what happened.
import { type Card, type Case, cardOn } from "../domain/case/case.ts"
import { faceHash, faceOf, lags } from "../domain/case/card-model.ts"
import { hangOnSummary } from "../domain/case/card-steps.ts"
import { advanceCase } from "./access.ts"
import { type Again, type ClaimPorts, underClaim } from "./claim.ts"
import type { IdentifyPorts } from "./identify.ts"
import type { Ports } from "./ports.ts"
import { showOnSummary } from "./show-card.ts"

type SummarisedPorts = ClaimPorts & IdentifyPorts & Pick<Ports, "jobs" | "summaries">

/** How soon it is looked again whether the summary was edited, in ms. */
const lookAgainMs = 3_000

/**
 * Has the summary edited, and tells the lines of a settled case in its thread. A case that ended so gets no card of its own any more; one that a
 * process posted before it died, or whose post was not answered, is found and brought up to date.
 */
export async function settleOnSummary(ports: SummarisedPorts, current: Case, card: Card): Promise<Again> {
  const { route } = card
  const face = faceHash(faceOf(current, route))
  if (card.face !== face) await haveEdited(ports, current, card, face)
  const isTold = current.state === "sending" || card.told === current.lines.length
  if (card.claim === null && isTold) return lagsStill(ports, current, route)
  const again = await underClaim(ports, current, route, (chat, ...rest) => showOnSummary({ ...ports, chat }, ...rest))
  if (card.claim !== null) await ports.jobs.summarise(route)
  return again ?? lagsStill(ports, current, route)
}

/** A summary that is gone can't be edited any more: the case does not wait for it. */
async function haveEdited(ports: SummarisedPorts, current: Case, card: Card, face: string): Promise<void> {
  const { route, place } = card
  const summary = await ports.summaries.read(route)
  if (summary !== null && summary.place?.ts === place?.ts && summary.cases.includes(current.id)) {
    await ports.jobs.summarise(route)
    return
  }
  await advanceCase(ports, current, (now) => {
    const own = cardOn(now, route)
    if (own?.summary !== true || own.place === null || faceHash(faceOf(now, route)) !== face) return null
    return hangOnSummary(now, route, { place: own.place, revision: own.revision, face }, ports.clock())
  })
}

async function lagsStill(ports: SummarisedPorts, current: Case, route: string): Promise<Again> {
  const now = await ports.store.read(current.id)
  if (now === null || "kind" in now) return null
  const card = cardOn(now, route)
  return card !== undefined && lags(now, card) ? lookAgainMs : null
}
