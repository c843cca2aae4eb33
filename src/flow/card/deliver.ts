// Delivers what people see of a case: its cards and threads on all routes, links to related approvals, and the outcome.
// Run twice, or after a cut at any line, it ends in the same state.
import { cardModelHash, cardModelOf, lags } from "../../domain/case/card-model.ts"
import { hangOnSummary } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, ownPlace, type Step } from "../../domain/case/case.ts"
import { hasDecided, inform, isUninformed } from "../../domain/case/notice.ts"
import { pointTo, type RelatedApproval, relationOf } from "../../domain/case/related-approval.ts"
import { isResuming } from "../../domain/case/resumption.ts"
import { andThen, stepTo } from "../../domain/case/steps.ts"
import { close } from "../../domain/case/verdict.ts"
import type { SlackId } from "../../domain/people/person.ts"
import { advanceCase, advanceTogether, readCase } from "../case/commit.ts"
import { findRequester, freshMs, type IdentifyPorts, type JudgePorts } from "../people/eligibility.ts"
import { maySee } from "../people/visibility.ts"
import { postBuckets } from "../ports/pace.ts"
import type { Ports } from "../ports.ts"
import { type JudgeOutsidePorts, judgeOutside } from "../resolve/judge-outside.ts"
import { showCard, showOnSummary } from "./draw.ts"
import { type AgainInMs, againOn, type LeasePorts, type LeftRoute, underLease } from "./lease.ts"

export type ShowPorts = PresentPorts & JudgePorts & JudgeOutsidePorts

/**
 * Presents a case, links it to its related approvals, and, once it ended, holds a decision made elsewhere against the
 * rules and has the requester told. Gives back when it wants to be shown again. `known` is the case, where whoever
 * calls has just committed it.
 */
export async function show(ports: ShowPorts, caseId: string, known?: Case): Promise<AgainInMs> {
  const { again, current } = await presentAll(ports, caseId, known)
  if (current === null) return again
  await linkRelated(ports, current)
  if (!isUninformed(current)) return again
  // In this order: only who was looked for lets the case close.
  const { outcome } = current
  if (outcome?.kind === "elsewhere") await judgeOutside(ports, current, outcome)
  const informed = await informRequester(ports, current)
  const left = informed.state === "closed" || informed.version === current.version
  return left ? again : (await presentAll(ports, caseId, informed)).again
}

export type PresentPorts = LeasePorts & IdentifyPorts & Pick<Ports, "homes" | "jobs" | "summaries" | "summaryAbove">

/** How often one run looks again because the case moved on under it; what moves faster is presented by the next run. */
const maxRounds = 10

/**
 * Presents a case on all its routes at once, since no channel may delay another, and closes it when all of them say how
 * it ended. A case that moves on meanwhile is presented again on the routes that have nothing to wait for. Throws what
 * one route failed with, when all have ended.
 */
export async function present(ports: PresentPorts, caseId: string): Promise<AgainInMs> {
  return (await presentAll(ports, caseId)).again
}

/** `current` is the case as it was left; null for one that is not there, frozen or closed. */
interface Presented {
  readonly again: AgainInMs
  readonly current: Case | null
}

async function presentAll(ports: PresentPorts, caseId: string, known?: Case): Promise<Presented> {
  const [read] = await Promise.all([known ?? readCase(ports, caseId), ports.homes.changed()])
  const waits = new Map<string, number>()
  let current = read
  for (let round = 0; round < maxRounds; round += 1) {
    if (current === null || current === "frozen" || isDone(current)) return { again: null, current: null }
    const now = current
    const lagging = now.cards.filter((card) => lags(now, card) && !waits.has(card.route))
    const routes = lagging.map((card) => card.route).filter((route) => !isLeftAlone(ports, now, route))
    if (routes.length === 0) break
    current = await presentRoutes(ports, now, routes, waits)
  }
  const again = [...waits.values()].toSorted((a, b) => a - b)[0] ?? null
  if (current === null || current === "frozen") return { again, current: null }
  return { again, current: again === null && current.informed ? await closeIfDone(ports, current) : current }
}

function isDone({ state }: Case): boolean {
  return state === "closed" || state === "frozen"
}

/** A settled case does not wait for ever for a channel that takes no message. */
function isLeftAlone(ports: PresentPorts, current: Case, route: string): boolean {
  const trouble = cardOn(current, route)?.trouble ?? null
  const waits = trouble !== null && trouble.retryAt > ports.clock()
  return waits && againOn(current, route, ports.clock()) === null
}

/** The case as whoever committed last left it. */
async function presentRoutes(
  ports: PresentPorts,
  current: Case,
  routes: readonly string[],
  waits: Map<string, number>,
): Promise<Case> {
  const ended = await Promise.allSettled(routes.map((route) => presentRoute(ports, current, route)))
  let newest = current
  for (const [index, end] of ended.entries()) {
    if (end.status === "rejected") continue
    if (end.value.again !== null) waits.set(routes[index] ?? "", end.value.again)
    if (end.value.current.version > newest.version) newest = end.value.current
  }
  const failed = ended.find((end) => end.status === "rejected")
  if (failed !== undefined) throw failed.reason
  return newest
}

function closeIfDone(ports: PresentPorts, current: Case): Promise<Case> {
  return advanceCase(ports, current, (now) => closing(ports, now))
}

function closing(ports: Pick<Ports, "clock">, now: Case): Step | null {
  const done =
    now.state === "settled" &&
    now.informed &&
    !isResuming(now) &&
    now.cards.every((card) => !lags(now, card) || isGivenUp(now, card, ports.clock()))
  return done ? close(now, ports.clock()) : null
}

function isGivenUp(current: Case, { route, trouble }: Card, at: number): boolean {
  return trouble !== null && againOn(current, route, at) === null
}

/** What moved on since the case was read, the lease notices. */
async function presentRoute(ports: PresentPorts, current: Case, route: string): Promise<LeftRoute> {
  const card = cardOn(current, route)
  if (card === undefined || !lags(current, card)) return { again: null, current }
  const held = card.claim === null ? 0 : card.claim.until - (await ports.store.sharedClock())()
  if (held > 0) return { again: held, current }
  const now = ports.clock()
  if (card.trouble !== null && card.trouble.retryAt > now) return { again: againOn(current, route, now), current }
  if (card.summary && current.state !== "open") return settleOnSummary(ports, current, card)
  const wait = await slotFor(ports, current, card)
  if (wait > 0) return { again: wait, current }
  const left = await underLease(ports, current, route, (chat, ...rest) => showCard({ ...ports, chat }, ...rest))
  if (card.summary) await ports.jobs.summarise(route)
  return left
}

/** 0 if Slack may be called for what the card needs next, else ms to wait. An edit that waits draws the case then. */
async function slotFor(ports: PresentPorts, current: Case, card: Card): Promise<number> {
  const { route } = card
  if (ownPlace(card) === null) {
    const wait = await ports.pace.reserve({ buckets: postBuckets(route), key: current.id, rank: "card" })
    if (wait > 0 && ports.summaryAbove > 0) await ports.jobs.summarise(route)
    return wait
  }
  if (card.face === cardModelHash(cardModelOf(current, route))) return 0
  return ports.pace.reserve({ buckets: ["chat.update"], key: `${current.id} ${route}`, rank: "decision" })
}

type SummarisedPorts = LeasePorts & IdentifyPorts & Pick<Ports, "jobs" | "summaries">

/** How soon it is looked again whether the summary was edited, in ms. */
const lookAgainMs = 3_000

/**
 * Has the summary edited, and tells the lines of a settled case in its thread. A case that ended so gets no card of its
 * own any more; one that a process posted before it died, or whose post was not answered, is found and brought up to
 * date.
 */
async function settleOnSummary(ports: SummarisedPorts, current: Case, card: Card): Promise<LeftRoute> {
  const { route } = card
  const hash = cardModelHash(cardModelOf(current, route))
  const edited = card.face === hash ? current : await haveEdited(ports, current, card, hash)
  const isTold = edited.state === "sending" || card.told === edited.lines.length
  if (card.claim === null && isTold) return lagsStill(edited, route)
  const left = await underLease(ports, edited, route, (chat, ...rest) => showOnSummary({ ...ports, chat }, ...rest))
  if (card.claim !== null) await ports.jobs.summarise(route)
  return left.again === null ? lagsStill(left.current, route) : left
}

/** A summary that is gone can't be edited any more: the case does not wait for it. */
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
    return hangOnSummary(now, route, { place: own.place, revision: own.revision, face: hash }, ports.clock())
  })
}

function lagsStill(current: Case, route: string): LeftRoute {
  const card = cardOn(current, route)
  return { again: card !== undefined && lags(current, card) ? lookAgainMs : null, current }
}

type RelatedPorts = Pick<Ports, "store" | "chat" | "jobs" | "clock" | "alarm">

/** Links a case and its related approvals both ways, by the cards that hang by now. Run twice it changes nothing. */
async function linkRelated(ports: RelatedPorts, current: Case): Promise<void> {
  if (current.approval === null || current.calls.length === 0) return
  const ids = await ports.store.about(current.instance, current.calls)
  for (const id of ids.filter((one) => one !== current.id)) {
    const other = await readCase(ports, id)
    if (other !== null && other !== "frozen") await linkBoth(ports, [current, other])
  }
}

/** What Redis names is no authority (R14): the two are related approvals only if their own contents say so. */
async function linkBoth(ports: RelatedPorts, [one, other]: readonly [Case, Case]): Promise<void> {
  const pair = [one, other]
  const links = await Promise.all([linkFrom(ports, one, other), linkFrom(ports, other, one)])
  const after = await advanceTogether(ports, pair, (now) =>
    now.map((current, index) => {
      const link = links[index] ?? null
      return link === null || isDone(current) ? null : pointTo(current, link)
    }),
  )
  const moved = after.filter(({ version }, index) => version !== pair[index]?.version)
  for (const { id } of moved) await ports.jobs.present(id)
}

async function linkFrom({ chat }: RelatedPorts, from: Case, to: Case): Promise<RelatedApproval | null> {
  const of = from.approval === null || to.approval === null ? null : relationOf(from.approval, to.approval)
  const place = placeOf(from, to)
  return of === null ? null : { caseId: to.id, of, link: place === null ? null : await chat.linkTo(place) }
}

/** The other's card on a channel that both hang in, else on any. Nobody else may open one in direct messages. */
function placeOf(from: Case, to: Case): Card["place"] {
  const hanging = to.cards.filter((card) => card.place !== null && card.route.startsWith("channel:"))
  const shared = hanging.find((card) => from.cards.some((one) => one.route === card.route))
  return (shared ?? hanging[0])?.place ?? null
}

/**
 * Notes who has to be told: the card it adds is posted, found again and settled like any other. Who decided knows
 * already; who may not see the case (R8) is not told. With nothing left to show the case closes at once. Throws if
 * Slack does not say who they are: then it is asked again.
 */
async function informRequester(ports: ShowPorts, current: Case): Promise<Case> {
  const requester = await toTell(ports, current)
  return advanceCase(ports, current, (now) =>
    isUninformed(now) ? andThen(inform(now, requester), (next) => closing(ports, next) ?? stepTo(next, [])) : null,
  )
}

async function toTell(ports: ShowPorts, current: Case): Promise<SlackId | null> {
  const id = await findRequester(ports, current.summary.requester, ports.policy.identities)
  if (id === null || hasDecided(current, id)) return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? id : null
}
