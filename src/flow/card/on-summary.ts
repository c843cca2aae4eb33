// Ends a case that has only a line of a summary: edits the line, and tells the summary's thread what happened.
import { cardModelHash, cardModelOf, lags } from "../../domain/case/card-model.ts"
import { hangOnSummary } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn } from "../../domain/case/case.ts"
import { advanceCase } from "../case/commit.ts"
import type { Ports } from "../ports.ts"
import { type DrawPorts, forgottenIn, looked, showCard, sinceOf, tellLines } from "./draw.ts"
import { type LeasePorts, type LeftRoutes, type ShowUnderLease, underLeases, type Work } from "./lease.ts"
import type { RunAnswerPorts } from "./run-answer.ts"
import type { AgainInMs } from "./trouble.ts"

type SummarisedPorts = LeasePorts & RunAnswerPorts & Pick<Ports, "jobs" | "summaries">

/** After this many ms we look again whether the summary was edited. */
const lookAgainMs = 3_000

/**
 * Asks for an edit of the summary, and tells the lines of a settled case in the summary's thread. Such a case gets no
 * card of its own. A process may have posted one and died, or got no answer: then we find that card and update it.
 */
export async function settleOnSummary(ports: SummarisedPorts, current: Case, card: Card): Promise<LeftRoutes> {
  const { route } = card
  const hash = cardModelHash(cardModelOf(current, route))
  const edited = card.modelHash === hash ? current : await haveEdited(ports, current, card, hash)
  const isTold = edited.state === "sending" || card.told === edited.lines.length
  if (card.lease === null && isTold) return { current: edited, waits: lagsStill(edited, route) }
  const show: ShowUnderLease = (chat, ...rest) => showOnSummary({ ...ports, chat }, ...rest)
  const left = await underLeases(ports, edited, [{ route, show }])
  if (card.lease !== null) await ports.jobs.summarise(route)
  return left.waits.size > 0 ? left : { current: left.current, waits: lagsStill(left.current, route) }
}

/** Asks for the edit of the summary. Without a summary there is nothing to edit, so the case does not wait for it. */
async function haveEdited(ports: SummarisedPorts, current: Case, card: Card, hash: string): Promise<Case> {
  const { route, place } = card
  const summary = await ports.summaries.read(route)
  if (summary !== null && summary.place?.ts === place?.ts && summary.cases.includes(current.id)) {
    await ports.jobs.summarise(route)
    return current
  }
  return advanceCase(ports, current, (now) => {
    const own = cardOn(now, route)
    if (own?.summary !== true || own.place === null || cardModelHash(cardModelOf(now, route)) !== hash) return null
    return hangOnSummary(now, route, { place: own.place, revision: own.revision, modelHash: hash }, ports.clock())
  })
}

function lagsStill(current: Case, route: string): ReadonlyMap<string, number> {
  const card = cardOn(current, route)
  return new Map(card !== undefined && lags(current, card) ? [[route, lookAgainMs]] : [])
}

/**
 * Tells the lines of a settled case in the thread of its summary, each with the name of the case. If a lease on
 * `before` had expired, or Redis may have forgotten posts, the case may have a card of its own. Then that card takes
 * over, and we may have told some lines already.
 */
async function showOnSummary(ports: DrawPorts, current: Case, before: Card, work: Work): Promise<AgainInMs> {
  const { place } = before
  if (place === null) return null
  const model = cardModelOf(current, before.route)
  const forgotten = await forgottenIn(ports, current, before)
  work.unsure = before.lease !== null || forgotten !== null
  if (work.unsure) {
    const own = await ports.chat.findCard(model, sinceOf(current, forgotten))
    if (own !== null && own !== "unseen") {
      work.place = own
      return showCard(ports, current, before, work)
    }
    work.told = (await ports.chat.countLines(place, model)) ?? work.told
    looked(work, forgotten)
  }
  if (current.state === "sending") return null
  return tellLines(ports, { current, model, work }, (lines) => ports.chat.tellOnSummary(place, model, lines))
}
