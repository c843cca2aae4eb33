// The steps of a case's cards: leased, posted, remembered, in doubt, in trouble. Also the steps of a case that waits
// for admission (R20), or waits on a summary for a card of its own. Pure.
import type { RunOrigin } from "../content/run.ts"
import type { CardModel, CardStatus } from "./card-model.ts"
import { type Card, type Case, cardOn, owesReview, type Place, type Repeat, type Step } from "./case.ts"
import type { CaseEvent } from "./event.ts"
import { demandState, emptyCard, stepTo } from "./steps.ts"

/** True while the people who are asked may reject a case in this state. Only an open case may be approved as well. */
export function isRejectable({ kind }: CardStatus): boolean {
  return kind === "open" || kind === "stopped" || kind === "unapprovable" || kind === "run-over"
}

/** The model of a card that we post although an earlier one may be there, because we are not allowed to look for it. */
export function replacingModel(model: CardModel): CardModel {
  return { ...model, replaces: true }
}

/** What a card says of a decision by breaking glass. */
export interface CardGlass {
  /** True while nobody has said whether it was right. */
  readonly owed: boolean
  /** True on a card on which its reviewers can say so now. */
  readonly here: boolean
  /** True if nobody looked at it in time. */
  readonly left: boolean
  readonly reviews: readonly { readonly user: string; readonly right: boolean; readonly reason: string | null }[]
}

/** How the glass was broken for the decision of a case, as its card on this route says. */
export function glassOn(current: Case, route: string): { readonly glass?: CardGlass } {
  const { glass, state } = current
  if (glass === undefined) return {}
  const owed = owesReview(current)
  const reviews = glass.reviews.map(({ person: { user }, right, reason }) => ({ user, right, reason }))
  const here = owed && state === "settled" && glass.routes.includes(route)
  return { glass: { owed, here, left: glass.left === true, reviews } }
}

/** What a card says of calls that were asked again. */
export type CardAgain =
  /** Its own rejection lasts. `here`: the card has the button that ends it. */
  | { readonly kind: "lasting"; readonly here: boolean; readonly until: number; readonly repeats: readonly Repeat[] }
  /** It was rejected by itself, because `user` had rejected the same call in this case. */
  | { readonly kind: "repeat"; readonly case: string; readonly user: string; readonly until: number }
  /** It is left undecided by the lasting rejection of this case. */
  | { readonly kind: "looped"; readonly case: string }

/** What the card of a case on this route says of that; empty if there is nothing to say. */
export function againOn(current: Case, route: string): { readonly again?: CardAgain } {
  const { lasting, looped, decision, state } = current
  if (looped !== undefined) return { again: { kind: "looped", case: looped.case } }
  if (decision?.by === "again") {
    const { as, until } = decision
    return { again: { kind: "repeat", case: as.case, user: as.person.split(":").at(-1) ?? "", until } }
  }
  if (lasting === undefined) return {}
  const { until, repeats } = lasting
  // A card that only tells the requester how it ended has no such button.
  const here = state === "settled" && cardOn(current, route)?.from === undefined
  return { again: { kind: "lasting", here, until, repeats } }
}

/** Leases a route before anything is posted there, so that a process that dies leaves a trace. */
export function leaseCard(current: Case, route: string, lease: NonNullable<Card["lease"]>): Step {
  return stepTo(withCard(current, route, { lease: lease }), [])
}

/** Remembers what the presenter did on a route, and gives the lease back. */
export function rememberCard(
  current: Case,
  route: string,
  done: Partial<Omit<Card, "route" | "lease">>,
  at: number,
): Step {
  const before = cardOn(current, route)
  const { place = null, revision = before?.revision ?? 0 } = done
  if (place === null || place.ts === before?.place?.ts)
    return stepTo(withCard(current, route, { ...done, lease: null }), [])
  const next = withCard(current, route, { ...done, summary: false, lease: null })
  return stepTo(next, [{ kind: "placed", at, route, place, revision }])
}

/** Notes that a card shows a newer model, drawn through a click's own `response_url`. The lease stays as it is. */
export function cardShows(current: Case, route: string, shown: Pick<Summarised, "revision" | "modelHash">): Step {
  return stepTo(withCard(current, route, shown), [])
}

/** Stands in place of a model's hash while nobody knows which model the card shows. No real hash begins with it. */
const doubt = "?"

/**
 * Notes a doubt: somebody saw that a card is gone, or that it may show something else. We no longer know what the card
 * shows, so the next presenter looks. Each doubt differs from earlier ones, so a presenter who is at work notices it.
 */
export function doubtCard(current: Case, route: string): Step {
  return stepTo(withCard(current, route, { modelHash: `${doubt}${current.version}` }), [])
}

/** Notes that we can post nothing on a route for now. People can still reach the case by command. */
export function troubleOn(current: Case, route: string, trouble: Card["trouble"]): Step {
  return stepTo(withCard(current, route, { trouble, lease: null }), [])
}

/**
 * Keeps the lease of a post that may or may not have arrived. The lease counts as expired, so the next presenter looks
 * before it posts.
 */
export function abandonLease(current: Case, route: string, now: number): Step {
  const lease = cardOn(current, route)?.lease ?? null
  return stepTo(withCard(current, route, { lease: lease === null ? null : { ...lease, until: now } }), [])
}

function withCard(current: Case, route: string, change: Partial<Card>): Case {
  return { ...current, cards: current.cards.map((card) => (card.route === route ? { ...card, ...change } : card)) }
}

/** Admits the cards of a case that waited for admission (R20). */
export function admit(current: Case, at: number): Step {
  demandState(current, "admitted", ["open", "sending"])
  return stepTo({ ...current, admission: { ...current.admission, given: true } }, [{ kind: "admitted", at }])
}

/** What a line of a summary shows of a case, and the hash of the card model that the line stands for. */
export interface Summarised {
  readonly place: Place
  readonly revision: number
  readonly modelHash: string
}

/** Notes that a summary names the case until the case has a card of its own. */
export function hangOnSummary(current: Case, route: string, shown: Summarised, at: number): Step {
  const { place, revision } = shown
  const known = cardOn(current, route)?.place?.ts === place.ts
  const events: CaseEvent[] = known ? [] : [{ kind: "summarised", at, route, place, revision }]
  return stepTo(withCard(current, route, { ...shown, summary: true }), events)
}

/** Notes that the summary that named the case is gone. The case waits for a card of its own, as before. */
export function leaveSummary(current: Case, route: string): Step {
  return stepTo(withCard(current, route, { place: null, summary: false, modelHash: null, revision: 0 }), [])
}

/**
 * True for the one entry in `cards` that is no card: it stands for the thread in which the run began. We draw nothing
 * there. `told` counts its two lines: that we ask people, and how the case ended.
 */
export function isThread({ route }: Pick<Card, "route">): boolean {
  return route.startsWith("thread:")
}

/** Notes where the run began; null if we know that already. If we may write there (`open`), that thread gets lines. */
export function noteOrigin(current: Case, { open, ...origin }: RunOrigin & { readonly open: boolean }): Step | null {
  if (current.origin !== undefined || current.state !== "open") return null
  const { place } = origin
  const thread: Card = { ...emptyCard(`thread:${place.channel}:${place.ts}`), place }
  const cards = open && current.cards.length > 0 ? [...current.cards, thread] : current.cards
  return stepTo({ ...current, cards, origin }, [])
}

/** How many of the two lines should stand by now in the thread where the run began. */
export function linesDue({ outcome }: Pick<Case, "outcome">): number {
  return outcome === null ? 1 : 2
}

/** True if both are the same message. */
export function isSamePlace(one: Place | null, other: Place | null): boolean {
  return one !== null && other !== null && one.channel === other.channel && one.ts === other.ts
}
