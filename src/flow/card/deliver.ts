// Delivers what people see of a case: cards, threads, links to related approvals, and its end for the requester. A
// second run, or a run after it was cut off anywhere, ends in the same state.
import { cardModelHash, cardModelOf, lags } from "../../domain/case/card-model.ts"
import { isThread } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, owesReview, ownPlace, type Step } from "../../domain/case/case.ts"
import { inform, isUninformed } from "../../domain/case/notice.ts"
import { placeSeenFrom, pointTo, type RelatedApproval, relationOf } from "../../domain/case/related-approval.ts"
import { isResuming } from "../../domain/case/resumption.ts"
import { joined, type StepOn } from "../../domain/case/steps.ts"
import { close } from "../../domain/case/verdict.ts"
import { advanceCase, advanceTogether, readCase } from "../case/commit.ts"
import { closedTimesOf, type KeepPorts } from "../case/holds.ts"
import { ordersNoted } from "../case/orders.ts"
import { requesterToTell } from "../people/visibility.ts"
import { postBuckets } from "../ports/pace.ts"
import { isPortError, type OpenedCase, type Ports } from "../ports.ts"
import { judgeOutside } from "../resolve/judge-outside.ts"
import { findOrigin, showCard, tellOrigin } from "./draw.ts"
import { type Along, type RouteWork, type ShowUnderLease, underLeases, workUnder } from "./lease.ts"
import { settleOnSummary } from "./on-summary.ts"
import { type AgainInMs, againOn } from "./trouble.ts"

/** What the caller knows of a case that we are to show. */
export interface Known {
  /** The case, if the caller has just committed it. */
  readonly current?: Case | undefined
  /** A step that goes into the first commit. */
  readonly note?: StepOn | undefined
  /** The case, if it was opened just now, under leases of its cards. */
  readonly opened?: OpenedCase | undefined
}

/**
 * Presents a case and links it to its related approvals. If the case has ended, it compares a decision made elsewhere
 * with the rules, and tells the requester. Returns in how many ms the case wants to be shown again.
 */
export async function show(ports: Ports, caseId: string, known: Known = {}): Promise<AgainInMs> {
  const [again] = await Promise.all([deliver(ports, caseId, known), ports.homes.changed()])
  return again
}

async function deliver(ports: Ports, caseId: string, known: Known): Promise<AgainInMs> {
  const { note, opened } = known
  const current = opened?.current ?? known.current ?? (await readCase(ports, caseId))
  if (current === null || current === "frozen") return null
  if (!isUninformed(current)) {
    const shown = await findOrigin(ports, opened === undefined ? current : await presentOpened(ports, opened))
    const open = await presentAll(ports, shown, note)
    if (open.current !== null) await linkRelated(ports, open.current)
    const ended = open.current !== null && isUninformed(open.current) ? open.current : null
    return ended === null ? open.again : deliver(ports, caseId, { current: ended })
  }
  const end = await reachEnd(ports, current)
  const first = onceForState((now) => joined(now, [note, end.step]))
  const { again } = await presentAll(ports, end.current, first)
  if (end.failed !== null) throw end.failed
  return again
}

/** What the end of a case needs besides its cards. If a part of it fails, people still see that the case ended. */
interface End {
  readonly current: Case
  readonly step: StepOn | undefined
  readonly failed: Error | null
}

/** Does what the end needs, in this order, because a case may close only after we looked for the person to tell. */
async function reachEnd(ports: Ports, current: Case): Promise<End> {
  let newest = current
  try {
    newest = await linkRelated(ports, newest)
    if (newest.outcome?.kind === "elsewhere") newest = await judgeOutside(ports, newest, newest.outcome)
    const requester = await requesterToTell(ports, newest)
    return { current: newest, step: (now) => (isUninformed(now) ? inform(now, requester) : null), failed: null }
  } catch (error) {
    if (!isPortError(error)) throw error
    return { current: newest, step: undefined, failed: error }
  }
}

/** The given step, but made only once for each state of the case. */
function onceForState(step: StepOn): StepOn {
  let last: { readonly now: Case; readonly made: Step | null } | null = null
  return (now) => {
    if (last?.now !== now) last = { now, made: step(now) }
    return last.made
  }
}

/** How often one run looks again because the case changed meanwhile. After that the next run presents the case. */
const maxRounds = 10

/**
 * Presents a case on all its routes at once, so that no channel delays another. Closes the case when all routes say how
 * it ended. If the case changes meanwhile, presents it again on the routes that need not wait. When all routes have
 * ended, throws what one of them failed with.
 */
export async function present(ports: Ports, caseId: string): Promise<AgainInMs> {
  const [current] = await Promise.all([readCase(ports, caseId), ports.homes.changed()])
  return current === null || current === "frozen" ? null : (await presentAll(ports, current)).again
}

/** How presenting ended. `current` is the case after that; null if there is none, or if it is frozen or closed. */
interface Presented {
  readonly again: AgainInMs
  readonly current: Case | null
}

/** Presents a case on all routes, in rounds. The step `given` goes into the first commit, and what stops the case. */
async function presentAll(ports: Ports, start: Case, given?: StepOn): Promise<Presented> {
  const waits = new Map<string, number>()
  const first: StepOn = (now) => joined(now, [given, (next) => ordersNoted(ports, next)])
  const last: StepOn = (now) => closing(ports, now)
  let current = start
  let along: Along = { first, last }
  for (let round = 0; round < maxRounds && !isDelivered(current); round += 1) {
    const now = along.first?.(current)?.next ?? current
    const lagging = now.cards.filter((card) => lags(now, card) && !waits.has(card.route))
    const routes = lagging.map((card) => card.route).filter((route) => !isLeftAlone(ports, now, route))
    if (routes.length === 0 && now === current) break
    current = await presentRoutes(ports, { current, now, routes, along }, waits)
    along = { last }
  }
  if (isDelivered(current)) return { again: null, current: null }
  const again = [...waits.values()].toSorted((a, b) => a - b)[0] ?? null
  return { again, current: await advanceCase(ports, current, last) }
}

/** Posts the cards of a case that this process opened under leases. Returns the case as it is afterwards. */
async function presentOpened(ports: Ports, { current, by }: OpenedCase): Promise<Case> {
  const cards = current.cards.map((card) => (card.lease?.by === by ? { ...card, lease: null } : card))
  const leases = { by, before: { ...current, cards }, leased: current, shared: await ports.store.sharedClock() }
  const works = current.cards.filter(({ lease }) => lease?.by === by).map(({ route }) => cardWork(ports, route))
  return (await workUnder(ports, leases, works)).current
}

function isDelivered({ state }: Case): boolean {
  return state === "closed" || state === "frozen"
}

/** True for a route that we try no more. Not even a settled case waits for ever for a channel that takes nothing. */
function isLeftAlone(ports: Ports, current: Case, route: string): boolean {
  const trouble = cardOn(current, route)?.trouble ?? null
  const waits = trouble !== null && trouble.retryAt > ports.clock()
  return waits && againOn(current, route, ports.clock()) === null
}

/** The case now, the case as it will be with the first commit, and the routes on which it lags. */
interface Round {
  readonly current: Case
  readonly now: Case
  readonly routes: readonly string[]
  readonly along: Along
}

/** Works on the routes that need not wait. Returns the newest case. */
async function presentRoutes(ports: Ports, round: Round, waits: Map<string, number>): Promise<Case> {
  const { current, now, routes, along } = round
  const plans = await Promise.all(routes.map((route) => planFor(ports, now, route)))
  const works = plans.flatMap((plan) => ("show" in plan ? [plan] : []))
  const onSummaries = plans.flatMap((plan) => ("settle" in plan ? [settleOnSummary(ports, current, plan.settle)] : []))
  for (const plan of plans) if ("waitMs" in plan) waits.set(plan.route, plan.waitMs)
  const ended = await Promise.allSettled([underLeases(ports, current, works, along), ...onSummaries])
  let newest = current
  for (const end of ended) {
    if (end.status === "rejected") continue
    for (const [route, wait] of end.value.waits) waits.set(route, wait)
    if (end.value.current.version > newest.version) newest = end.value.current
  }
  const failed = ended.find((end) => end.status === "rejected")
  if (failed !== undefined) throw failed.reason
  return newest
}

/** What to do on a route: work on the card, wait this many ms, or settle the card's line of the summary. */
type Plan = RouteWork | { readonly route: string; readonly waitMs: number } | { readonly settle: Card }

async function planFor(ports: Ports, now: Case, route: string): Promise<Plan> {
  const card = cardOn(now, route)
  if (card === undefined) throw new Error(`case ${now.id} has no card on ${route}`)
  const waitMs = await waitFor(ports, now, card)
  if (waitMs > 0) return { route, waitMs }
  if (card.summary && now.state !== "open") return { settle: card }
  if (isThread(card)) return { route, show: (chat, ...rest) => tellOrigin({ ...ports, chat }, ...rest) }
  const slotMs = await slotFor(ports, now, card)
  if (slotMs > 0) return { route, waitMs: slotMs }
  return cardWork(ports, route)
}

function cardWork(ports: Ports, route: string): RouteWork {
  const show: ShowUnderLease = async (chat, leased, before, work) => {
    const again = await showCard({ ...ports, chat }, leased, before, work)
    if (before.summary) await ports.jobs.summarise(route)
    return again
  }
  return { route, show }
}

/** For how many ms somebody else is still at work on the card, or the route takes nothing. */
async function waitFor(ports: Ports, now: Case, { route, lease, trouble }: Card): Promise<number> {
  const held = lease === null ? 0 : lease.until - (await ports.store.sharedClock())()
  const at = ports.clock()
  return held > 0 || trouble === null || trouble.retryAt <= at ? held : (againOn(now, route, at) ?? 0)
}

function closing(ports: KeepPorts & Pick<Ports, "clock" | "closedTimes">, now: Case): Step | null {
  const done =
    now.state === "settled" &&
    now.informed &&
    !isResuming(now) &&
    !owesReview(now) &&
    now.lasting === undefined &&
    now.cards.every((card) => !lags(now, card) || isGivenUp(now, card, ports.clock()))
  return done ? close(now, ports.clock(), closedTimesOf(ports, now)) : null
}

function isGivenUp(current: Case, { route, trouble }: Card, at: number): boolean {
  return trouble !== null && againOn(current, route, at) === null
}

/** 0 if we may post a card now, else ms to wait. A caller that asks again keeps its place in line. */
export function slotToPost({ pace }: Pick<Ports, "pace">, caseId: string, route: string): Promise<number> {
  return pace.reserve({ buckets: postBuckets(route), key: caseId, rank: "card" })
}

/** 0 if we may call Slack for the card's next need, else ms to wait. After the wait, an edit draws the newest case. */
async function slotFor(ports: Ports, current: Case, card: Card): Promise<number> {
  const { route } = card
  if (ownPlace(card) === null) {
    const wait = await slotToPost(ports, current.id, route)
    if (wait > 0 && ports.summaryAbove > 0) await ports.jobs.summarise(route)
    return wait
  }
  if (card.lease === null && card.modelHash === cardModelHash(cardModelOf(current, route))) return 0
  return ports.pace.reserve({ buckets: ["chat.update"], key: `${current.id} ${route}`, rank: "decision" })
}

type RelatedPorts = Pick<Ports, "store" | "chat" | "jobs" | "clock" | "alarm">

/**
 * Links a case and its related approvals both ways, by the cards that are posted now. A second run changes nothing.
 * Returns the newest case.
 */
async function linkRelated(ports: RelatedPorts, current: Case): Promise<Case> {
  let newest = current
  if (current.approval === null || current.calls.length === 0) return newest
  const ids = await ports.store.about(current.instance, current.calls)
  for (const id of ids.filter((one) => one !== current.id)) {
    const other = await readCase(ports, id)
    if (other !== null && other !== "frozen") newest = await linkBoth(ports, [newest, other])
  }
  return newest
}

/** Links two cases both ways. Redis has no authority (R14): they are related only if their own contents say so. */
async function linkBoth(ports: RelatedPorts, [one, other]: readonly [Case, Case]): Promise<Case> {
  const pair = [one, other]
  const links = await Promise.all([linkFrom(ports, one, other), linkFrom(ports, other, one)])
  const after = await advanceTogether(ports, pair, (now) =>
    now.map((current, index) => {
      const link = links[index] ?? null
      return link === null || isDelivered(current) ? null : pointTo(current, link)
    }),
  )
  const moved = after.filter(({ version }, index) => version !== pair[index]?.version)
  for (const { id } of moved) await ports.jobs.present(id)
  return after[0] ?? one
}

async function linkFrom({ chat }: RelatedPorts, from: Case, to: Case): Promise<RelatedApproval | null> {
  const of = from.approval === null || to.approval === null ? null : relationOf(from.approval, to.approval)
  const place = placeSeenFrom(from, to)
  return of === null ? null : { caseId: to.id, of, link: place === null ? null : await chat.linkTo(place) }
}
