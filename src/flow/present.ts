// Present: brings every card and thread of a case up to date. Run twice, or after a cut at any line, it ends in the same state.
import { type Card, type Case, cardOn, ownPlace } from "../domain/case/case.ts"
import { faceHash, faceOf, lags } from "../domain/case/card-model.ts"
import { isResuming } from "../domain/case/resumption.ts"
import { close } from "../domain/case/verdict.ts"
import { advanceCase, readCase } from "./access.ts"
import { type Again, againOn, type ClaimPorts, underClaim } from "./claim.ts"
import type { IdentifyPorts } from "./identify.ts"
import { postLanes } from "./ports/pace.ts"
import type { Ports } from "./ports.ts"
import { showCard } from "./show-card.ts"
import { settleOnSummary } from "./summarised.ts"

export type PresentPorts = ClaimPorts & IdentifyPorts & Pick<Ports, "homes" | "jobs" | "summaries" | "summaryAbove">

/** How often one run looks again because the case moved on under it; what moves faster is presented by the next run. */
const mostRounds = 10

/**
 * Presents a case on all its routes at once, since no channel may delay another, and closes it when all of them say how it ended. A case
 * that moves on meanwhile is presented again on the routes that have nothing to wait for. Throws what one route failed with, when all
 * have ended.
 */
export async function present(ports: PresentPorts, caseId: string): Promise<Again> {
  const noted = ports.homes.changed()
  const waits = new Map<string, number>()
  for (let round = 0; round < mostRounds; round += 1) {
    const [current] = await Promise.all([readCase(ports, caseId), noted])
    if (current === null || current === "frozen" || current.state === "closed") return null
    const lagging = current.cards.filter((card) => lags(current, card) && !waits.has(card.route))
    const routes = lagging.map((card) => card.route).filter((route) => !isLeftAlone(ports, current, route))
    if (routes.length === 0) break
    await presentRoutes(ports, current, routes, waits)
  }
  const soonest = [...waits.values()].toSorted((a, b) => a - b)[0] ?? null
  if (soonest === null) await closeIfDone(ports, caseId)
  return soonest
}

/** A settled case does not wait for ever for a channel that takes no message. */
function isLeftAlone(ports: PresentPorts, current: Case, route: string): boolean {
  const trouble = cardOn(current, route)?.trouble ?? null
  const waits = trouble !== null && trouble.retryAt > ports.clock()
  return waits && againOn(current, route, ports.clock()) === null
}

async function presentRoutes(
  ports: PresentPorts,
  current: Case,
  routes: readonly string[],
  waits: Map<string, number>,
): Promise<void> {
  const ended = await Promise.allSettled(routes.map((route) => presentRoute(ports, current, route)))
  for (const [index, end] of ended.entries()) {
    if (end.status === "fulfilled" && end.value !== null) waits.set(routes[index] ?? "", end.value)
  }
  const failed = ended.find((end) => end.status === "rejected")
  if (failed !== undefined) throw failed.reason
}

async function closeIfDone(ports: PresentPorts, caseId: string): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return
  await advanceCase(ports, current, (now) => {
    const done =
      now.state === "settled" &&
      now.informed &&
      !isResuming(now) &&
      now.cards.every((card) => !lags(now, card) || isGivenUp(now, card, ports.clock()))
    return done ? close(now, ports.clock()) : null
  })
}

function isGivenUp(current: Case, { route, trouble }: Card, at: number): boolean {
  return trouble !== null && againOn(current, route, at) === null
}

/** What moved on since the case was read, the claim notices. */
async function presentRoute(ports: PresentPorts, current: Case, route: string): Promise<Again> {
  const card = cardOn(current, route)
  if (card === undefined || !lags(current, card)) return null
  const held = card.claim === null ? 0 : card.claim.until - (await ports.store.sharedClock())()
  if (held > 0) return held
  const now = ports.clock()
  if (card.trouble !== null && card.trouble.retryAt > now) return againOn(current, route, now)
  if (card.summary && current.state !== "open") return settleOnSummary(ports, current, card)
  const wait = await slotFor(ports, current, card)
  if (wait > 0) return wait
  const again = await underClaim(ports, current, route, (chat, ...rest) => showCard({ ...ports, chat }, ...rest))
  if (card.summary) await ports.jobs.summarise(route)
  return again
}

/** 0 if Slack may be called for what the card needs next, else the ms to wait. An edit that waits draws the case as it is then. */
async function slotFor(ports: PresentPorts, current: Case, card: Card): Promise<number> {
  const { route } = card
  if (ownPlace(card) === null) {
    const wait = await ports.pace.reserve({ lanes: postLanes(route), key: current.id, rank: "card" })
    if (wait > 0 && ports.summaryAbove > 0) await ports.jobs.summarise(route)
    return wait
  }
  if (card.face === faceHash(faceOf(current, route))) return 0
  return ports.pace.reserve({ lanes: ["chat.update"], key: `${current.id} ${route}`, rank: "decision" })
}
