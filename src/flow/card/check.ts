// Checks what nobody touches: cards that were deleted or hang in a closed channel; channels that another company also
// reads; user groups that stand for nobody; rules that are due for review.

import { doubtCard, isSamePlace, isThread, troubleOn } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, type Place, type Step } from "../../domain/case/case.ts"
import { channelsIn } from "../../domain/policy/channels.ts"
import { namedIn, overdueForReview } from "../../domain/policy/timing.ts"
import type { Approver, Rule } from "../../domain/rule/rule.ts"
import { advanceCase, readCase } from "../case/commit.ts"
import { ordersNoted } from "../case/orders.ts"
import { freshMs } from "../people/eligibility.ts"
import { isPortError, type Ports } from "../ports.ts"
import { isExposed, redrawSummary } from "./exposed.ts"

export type CheckPorts = Pick<Ports, "store" | "chat" | "jobs" | "homes" | "clock" | "alarm" | "log">
export type CheckAllPorts = CheckPorts & Pick<Ports, "turns" | "pace" | "orders" | "policy">

/** One turn looks at this many cards, which spreads the looks over a minute. */
const looksATurn = 3
/**
 * A look is one call. Its rank leaves a part of each minute's calls to the search for cards after a crash
 * (`docs/slack-facts.md` 5.1).
 */
const look = { buckets: ["conversations.history"], key: "cards", rank: "reminder" } as const

/** Looks at the next few cards of open cases. If Slack does not answer for a card, the next round looks again. */
export async function checkCards(ports: CheckAllPorts): Promise<void> {
  const epoch = await ports.store.epoch()
  let left = looksATurn
  for (const turn of await ports.turns.next(looksATurn)) {
    const current = await readCase(ports, turn.caseId)
    const open = current !== null && current !== "frozen" && current.state === "open" ? current : null
    // R17: Redis restarted after we compared the case. Its card may show what Redis forgot, even if nobody presses it.
    if (open !== null && open.epoch !== epoch) await ports.jobs.reconcile(open.id)
    // An order began or ended while nobody ran who would have drawn it.
    else if (open !== null && ordersNoted(ports, open) !== null) await ports.jobs.present(open.id)
    else if (open !== null) left = await checkFrom(ports, open, turn.after, left)
    if (left < 0) return
    await ports.turns.done(turn.caseId, null)
  }
}

/** Looks at a case's cards after the one on route `after`. Returns how many looks are left; below 0 if cards remain. */
async function checkFrom(ports: CheckAllPorts, current: Case, after: string | null, left: number): Promise<number> {
  const from = current.cards.findIndex(({ route }) => route === after) + 1
  const hanging = current.cards
    .slice(from)
    .filter((card) => card.place !== null && card.lease === null && !isThread(card))
  for (const [index, card] of hanging.entries()) {
    if (index === left || (await ports.pace.reserve(look)) > 0) return -1
    await checkSafely(ports, current, card)
    await ports.turns.done(current.id, card.route)
  }
  return left - hanging.length
}

async function checkSafely(ports: CheckPorts, current: Case, { place, route }: Card): Promise<void> {
  try {
    if (place !== null) await check(ports, current, route, place)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("card-not-checked", { caseId: current.id, route, error })
  }
}

async function check(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  const looked = await ports.chat.look(place, route)
  if (looked.kind === "gone" || looked.kind === "exposed") return lostCard(ports, current, route, place)
  const trouble = looked.kind === "shut" ? looked.why : null
  const { why: known = null, edit = false } = cardOn(current, route)?.trouble ?? {}
  // Slack may show a message and still refuse to edit it.
  if (looked.kind === "unknown" || trouble === known || (edit && trouble === null)) return
  if (trouble !== null) ports.alarm({ code: "route-in-trouble", caseId: current.id, route, why: trouble })
  // `retryAt` is now, so we try the card again when the case changes.
  const retryAt = ports.clock()
  await advanceCase(ports, current, (now) =>
    isUntouched(now, route, place) ? troubleOn(now, route, trouble === null ? null : { why: trouble, retryAt }) : null,
  )
  await ports.homes.changed()
}

/** Hears that a message was deleted. If it was a card, we present the case again; that asks Slack before it posts. */
export async function cardDeleted(ports: CheckPorts, caseId: string, place: Place): Promise<void> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || current.state === "closed") return
  const card = current.cards.find((one) => isSamePlace(one.place, place) && !isThread(one))
  if (card !== undefined) await lostCard(ports, current, card.route, place)
}

/** Puts a lost card in doubt and presents the case. Does neither for a card that is in trouble already. */
async function lostCard(ports: CheckPorts, current: Case, route: string, place: Place): Promise<void> {
  if ((cardOn(current, route)?.trouble ?? null) !== null) return
  await advanceCase(ports, current, (now) => (isUntouched(now, route, place) ? doubtCard(now, route) : null))
  await ports.jobs.present(current.id)
}

function isUntouched(now: Case, route: string, place: Place): boolean {
  const card = cardOn(now, route)
  return card !== undefined && card.lease === null && isSamePlace(card.place, place)
}

export type CheckRoutesPorts = RedrawAllPorts & Pick<Ports, "policy" | "chat" | "alarm" | "log">

/**
 * Makes the check of all channels that the rules name. It raises an alarm for each that is exposed. If a channel
 * becomes exposed, or is our own again, the check draws its cards anew.
 */
export function createRouteCheck(): (ports: CheckRoutesPorts) => Promise<void> {
  const known = new Set<string>()
  return async (ports) => {
    for (const [channel, rules] of channelsIn(ports.policy.rules)) {
      const route = `channel:${channel}`
      const exposed = await isExposed(ports, route)
      if (exposed === null) continue
      if (exposed) ports.alarm({ code: "channel-shared", channel, rules: rules.map(({ name }) => name) })
      if (exposed === known.has(route)) continue
      await redrawAll(ports, route, exposed)
      if (exposed) known.add(route)
      else known.delete(route)
    }
  }
}

/** Hears that a channel was shared, or is ours again. Believes it only if Slack says the same when we ask. */
export async function channelChanged(ports: Omit<CheckRoutesPorts, "alarm">, channel: string): Promise<void> {
  if (!channelsIn(ports.policy.rules).has(channel)) return
  const exposed = await isExposed(ports, `channel:${channel}`, 0)
  if (exposed !== null) await redrawAll(ports, `channel:${channel}`, exposed)
}

export type RedrawPorts = Pick<Ports, "store" | "jobs">
type RedrawAllPorts = RedrawPorts & Pick<Ports, "summaries">

/** We read this many open cases at once. */
const pageSize = 100

/** Draws the case's card on a route anew: without the case while the channel is exposed, else with it. */
export async function redraw(ports: RedrawPorts, current: Case, route: string): Promise<Case> {
  const after = await advanceCase(ports, current, (now) => redrawn(now, route))
  await ports.jobs.present(current.id)
  return after
}

/** Puts the card in doubt; a presenter who is at work on it notices that. */
function redrawn(now: Case, route: string): Step | null {
  const card = cardOn(now, route)
  if (card === undefined) return null
  const untroubled = card.trouble === null || card.lease !== null ? null : troubleOn(now, route, null)
  return card.place === null ? untroubled : doubtCard(untroubled?.next ?? now, route)
}

/** Draws the summary and the cards of open cases anew: the channel was shared (`exposed`), or is ours alone again. */
async function redrawAll(ports: RedrawAllPorts, route: string, exposed: boolean): Promise<void> {
  await redrawSummary(ports, route, exposed)
  for (let offset = 0; ; offset += pageSize) {
    const { cases } = await ports.store.listOpen({ offset, limit: pageSize })
    for (const one of cases) if (isToRedraw(cardOn(one, route), exposed)) await redraw(ports, one, route)
    if (cases.length < pageSize) return
  }
}

function isToRedraw(card: Card | undefined, exposed: boolean): boolean {
  if (card === undefined) return false
  return exposed ? card.place !== null && card.trouble === null : card.trouble !== null
}

export type CheckGroupsPorts = Pick<Ports, "policy" | "people" | "alarm" | "log">

/** Raises an alarm for each group of the rules that Slack does not know, has switched off, or says nothing about. */
export async function checkGroups(ports: CheckGroupsPorts): Promise<void> {
  const rulesOf = groupsIn(ports.policy.rules)
  try {
    for (const [group, rules] of rulesOf) {
      const { trouble } = await ports.people.members(group, freshMs)
      if (trouble !== null) ports.alarm({ code: "group-stands-for-nobody", group, rules, why: trouble })
    }
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("groups-not-checked", { error })
  }
}

/** For each address in the rules, Slack's answers may be this much older, in ms: so all cost two calls a minute. */
const addressAgeMs = 30_000
/** The shortest time, in ms, until we ask again about an address, however few there are. */
const leastAgeMs = 60_000

/** Makes the check of addresses, one in each look. It raises an alarm if Slack does not tell whose an address is. */
export function createAddressCheck(): (ports: CheckGroupsPorts) => Promise<void> {
  let next = 0
  return async (ports) => {
    const rulesOf = [...addressesIn(ports.policy.rules)]
    const [email, rules] = rulesOf[next % rulesOf.length] ?? []
    next += 1
    if (email === undefined) return
    try {
      const { trouble } = await ports.people.holderOf(email, Math.max(leastAgeMs, rulesOf.length * addressAgeMs))
      if (trouble !== null) ports.alarm({ code: "address-stands-for-nobody", email, rules, why: trouble })
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("addresses-not-checked", { error })
    }
  }
}

export type CheckReviewsPorts = Pick<Ports, "policy" | "clock" | "alarm">

/** Raises an alarm for each rule whose `review_by` has passed. */
export function checkReviews({ policy, clock, alarm }: CheckReviewsPorts): void {
  for (const { name, reviewBy } of overdueForReview(policy.rules, clock()))
    alarm({ code: "rule-review-overdue", rule: name, reviewBy, hint: "look at it, and set review_by anew" })
}

const groupsIn = (rules: readonly Rule[]) => listedBy(rules, (one) => (one.kind === "group" ? one.id : null))
const addressesIn = (rules: readonly Rule[]) =>
  listedBy(rules, (one) => (one.kind === "email" ? one.email.toLowerCase() : null))

/** The approvers that have a name by `nameOf`, each with the names of the rules that list it. */
function listedBy(
  rules: readonly Rule[],
  nameOf: (one: Approver) => string | null,
): ReadonlyMap<string, readonly string[]> {
  const places = rules.flatMap((rule) => namedIn(rule).map((one) => ({ named: nameOf(one), rule: rule.name })))
  const found = Map.groupBy(places, ({ named }) => named)
  return new Map(
    [...found].flatMap(([named, where]) =>
      named === null ? [] : [[named, [...new Set(where.map(({ rule }) => rule))]] as const],
    ),
  )
}
