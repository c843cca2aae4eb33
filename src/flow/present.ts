// Present: brings every card and thread of a case up to date. Run twice, or after a cut at any line, it ends in the same state.
import { type Card, type Case, cardOn, type Place } from "../domain/case.ts"
import { type Face, faceHash, faceOf, lags } from "../domain/face.ts"
import { abandonClaim, claimCard, rememberCard, troubleOn } from "../domain/steps.ts"
import { close } from "../domain/verdict.ts"
import { advanceCase, FlowError, readCase } from "./access.ts"
import { isPortError, type Ports } from "./ports.ts"

export type PresentPorts = Pick<Ports, "store" | "chat" | "pace" | "clock" | "alarm" | "log" | "newId">

/** How long a presenter's claim on a route holds, in ms: longer than any one call to Slack may take. */
const claimMs = 15_000
/** A claim that is older than this is renewed before the next call, in ms. */
const renewMs = 2_000
/** How long a route that takes no message is left alone, in ms. */
const troubleMs = 60_000

/** When the case wants to be presented again: in so many ms; null when it shows all there is. */
export type Again = number | null

/** How often one run looks again because the case moved on under it; what moves faster is presented by the next run. */
const mostRounds = 10

/**
 * Presents a case on all its routes at once, since no channel may delay another, and closes it when all of them say how it ended. A case
 * that moves on meanwhile is presented again on the routes that have nothing to wait for. Throws what one route failed with, when all
 * have ended.
 */
export async function present(ports: PresentPorts, caseId: string): Promise<Again> {
  const waits = new Map<string, number>()
  for (let round = 0; round < mostRounds; round += 1) {
    const current = await readCase(ports, caseId)
    if (current === null || current === "frozen" || current.state === "closed") return null
    const lagging = current.cards.filter((card) => lags(current, card) && !waits.has(card.route))
    const routes = lagging.map((card) => card.route).filter((route) => !isLeftAlone(ports, current, route))
    if (routes.length === 0) break
    await presentRoutes(ports, caseId, routes, waits)
  }
  const soonest = [...waits.values()].toSorted((a, b) => a - b)[0] ?? null
  if (soonest === null) await closeIfDone(ports, caseId)
  return soonest
}

/** A settled case does not wait for a channel that takes no message. */
function isLeftAlone(ports: PresentPorts, current: Case, route: string): boolean {
  const trouble = cardOn(current, route)?.trouble ?? null
  return current.state === "settled" && trouble !== null && trouble.retryAt > ports.clock()
}

async function presentRoutes(
  ports: PresentPorts,
  caseId: string,
  routes: readonly string[],
  waits: Map<string, number>,
): Promise<void> {
  const ended = await Promise.allSettled(routes.map((route) => presentRoute(ports, caseId, route)))
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
    const done = now.state === "settled" && now.cards.every((card) => card.trouble !== null || !lags(now, card))
    return done ? close(now, ports.clock()) : null
  })
}

async function presentRoute(ports: PresentPorts, caseId: string, route: string): Promise<Again> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return null
  const card = cardOn(current, route)
  if (card === undefined || !lags(current, card)) return null
  const now = ports.clock()
  if (card.claim !== null && card.claim.until > now) return card.claim.until - now
  if (card.trouble !== null && card.trouble.retryAt > now) return settledAnyway(current, card.trouble.retryAt - now)
  if (card.place === null) {
    const wait = await ports.pace.reserve(route, caseId)
    if (wait > 0) return wait
  }
  return claimAndShow(ports, current, route)
}

/** A settled case does not stay open for a channel that takes no message. */
function settledAnyway(current: Case, wait: number): Again {
  return current.state === "settled" ? null : wait
}

async function claimAndShow(ports: PresentPorts, current: Case, route: string): Promise<Again> {
  const claim = { by: ports.newId(), until: ports.clock() + claimMs }
  let before: Card | undefined
  const claimed = await advanceCase(ports, current, (now) => {
    before = cardOn(now, route)
    const held = before?.claim ?? null
    return held !== null && held.until > ports.clock() ? null : claimCard(now, route, claim)
  })
  if (before === undefined || cardOn(claimed, route)?.claim?.by !== claim.by) return claimMs
  const work = startOf(before)
  try {
    const again = await show({ ...ports, chat: claimedChat(ports, claimed, route) }, claimed, before, work)
    await remember(ports, claimed, route, work)
    return again
  } catch (error) {
    return afterFailure(ports, { claimed, route, work, error })
  }
}

/** The chat of a presenter whose claim is renewed while it works: every call is made under a claim that outlasts it. */
function claimedChat(ports: PresentPorts, claimed: Case, route: string): PresentPorts["chat"] {
  let { claim } = cardOn(claimed, route) ?? { claim: null }
  const held = async () => {
    const at = ports.clock()
    if (claim === null || claim.until - claimMs + renewMs > at) return
    const { by } = claim
    const renewed = { by, until: at + claimMs }
    const after = await advanceCase(ports, claimed, (now) =>
      cardOn(now, route)?.claim?.by === by ? claimCard(now, route, renewed) : null,
    )
    claim = cardOn(after, route)?.claim ?? null
    if (claim?.by !== by) throw new FlowError("contention", claimed.id)
  }
  const { chat } = ports
  return {
    ...chat,
    postCard: (face) => held().then(() => chat.postCard(face)),
    updateCard: (place, face) => held().then(() => chat.updateCard(place, face)),
    tell: (place, face, event, number) => held().then(() => chat.tell(place, face, event, number)),
  }
}

/** What was done so far on a route, so that a failure half-way forgets nothing. */
interface Work {
  place: Place | null
  face: string | null
  revision: number
  told: number
}

function startOf(card: Card): Work {
  return { place: card.place, face: card.face, revision: card.revision, told: card.told }
}

/** `before` is the card as it was when the claim was taken: a claim on it that had expired says that a process died at work there. */
async function show(ports: PresentPorts, current: Case, before: Card, work: Work): Promise<Again> {
  const face = faceOf(current, before.route)
  const cutOff = before.claim !== null
  const find = () => (cutOff ? ports.chat.findCard(face, current.openedAt) : Promise.resolve(null))
  if (work.place === null) work.place = await find()
  await showCard(ports, { face, find }, work)
  if (cutOff && work.place !== null) work.told = (await ports.chat.countLines(work.place, face)) ?? work.told
  return tellLines(ports, current, face, work)
}

interface Wanted {
  readonly face: Face
  /** The card that a process posted before it died, if one did. */
  readonly find: () => Promise<Place | null>
}

async function showCard(ports: PresentPorts, { face, find }: Wanted, work: Work): Promise<void> {
  const wanted = faceHash(face)
  if (work.place !== null && work.face === wanted) return
  const gone = work.place !== null && (await ports.chat.updateCard(work.place, face)) === "gone" ? work.place : null
  if (gone !== null) work.place = await replacement(ports, { face, find }, gone)
  work.place ??= await ports.chat.postCard(face)
  work.face = wanted
  work.revision = face.revision
}

/** A card that can't be edited any more may have been posted anew by a process that died before it remembered that. */
async function replacement(ports: PresentPorts, { face, find }: Wanted, gone: Place): Promise<Place | null> {
  const found = await find()
  if (found === null || found.ts === gone.ts) return null
  return (await ports.chat.updateCard(found, face)) === "gone" ? null : found
}

async function tellLines(ports: PresentPorts, current: Case, face: Face, work: Work): Promise<Again> {
  while (work.place !== null && work.told < current.lines.length) {
    const wait = await ports.pace.reserve(face.route, `${current.id} ${work.told}`)
    if (wait > 0) return wait
    const event = current.lines[work.told]
    if (event !== undefined) await ports.chat.tell(work.place, face, event, work.told)
    work.told += 1
  }
  return null
}

/** Remembers what was done. The case may have moved on meanwhile: then the card lags again, and is presented again at once. */
async function remember(ports: PresentPorts, current: Case, route: string, work: Work): Promise<void> {
  await advanceCase(ports, current, (now) =>
    holds(now, current, route) ? rememberCard(now, route, { ...work, trouble: null }, ports.clock()) : null,
  )
}

/** True while the claim is the one that this presenter took. Who slept through theirs has nothing to say any more. */
function holds(now: Case, claimed: Case, route: string): boolean {
  const own = cardOn(claimed, route)?.claim ?? null
  return own !== null && cardOn(now, route)?.claim?.by === own.by
}

interface Failure {
  readonly claimed: Case
  readonly route: string
  readonly work: Work
  readonly error: unknown
}

/**
 * 429: Slack took nothing, the channel waits. A failure that may pass: nobody knows whether Slack took the message, so the claim stays,
 * expired, and the next presenter looks first. Else the route is in trouble: the operator is told, the case stays reachable.
 */
async function afterFailure(ports: PresentPorts, failure: Failure): Promise<Again> {
  const { claimed, route, work, error } = failure
  if (!isPortError(error)) throw error
  const limited = retryAfterOf(error)
  ports.log.warn("present-failed", { caseId: claimed.id, route, error })
  if (limited !== null) {
    await ports.pace.hold(route, limited)
    await remember(ports, claimed, route, work)
    return limited
  }
  await advanceCase(ports, claimed, (now) =>
    holds(now, claimed, route) ? rememberAndKeepClaim(now, route, work, ports.clock()) : null,
  )
  if (error.retryable) throw error
  return inTrouble(ports, claimed, route, error.message)
}

function rememberAndKeepClaim(now: Case, route: string, work: Work, at: number) {
  const { next, events } = rememberCard(now, route, work, at)
  const claim = cardOn(now, route)?.claim ?? null
  const kept = { ...next, cards: next.cards.map((card) => (card.route === route ? { ...card, claim } : card)) }
  return { next: abandonClaim(kept, route, at).next, events }
}

async function inTrouble(ports: PresentPorts, claimed: Case, route: string, why: string): Promise<Again> {
  ports.alarm({ code: "route-in-trouble", caseId: claimed.id, route, why })
  const retryAt = ports.clock() + troubleMs
  const after = await advanceCase(ports, claimed, (now) =>
    holds(now, claimed, route) ? troubleOn(now, route, { why, retryAt }) : null,
  )
  return settledAnyway(after, troubleMs)
}

function retryAfterOf(error: Error): number | null {
  return "retryAfterMs" in error && typeof error.retryAfterMs === "number" ? error.retryAfterMs : null
}
