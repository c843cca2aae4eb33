// Leases: whoever posts on a route says so in the case first, so a cut leaves a trace and nobody else works there.
import { abandonLease, doubtCard, leaseCard, rememberCard, troubleOn } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, ownPlace, type Place, type Step } from "../../domain/case/case.ts"
import { advanceCase } from "../case/commit.ts"
import { bucketOf } from "../ports/pace.ts"
import { type Chat, type Clock, FlowError, isPortError, type PortError, type Ports } from "../ports.ts"

/** What working on a route takes. */
export type LeasePorts = Pick<Ports, "store" | "chat" | "pace" | "clock" | "alarm" | "log" | "newId">

/** When the case wants to be presented again: in so many ms; null when it shows all there is. */
export type AgainInMs = number | null

/** How long a presenter's lease on a route holds, in ms: longer than any one call to Slack may take. */
export const leaseMs = 15_000
/** A lease that is older than this is renewed before the next call, in ms. */
const renewMs = 2_000
/** How long a route that takes no message is left alone, in ms: at first, … */
const troubleMs = 60_000
/** … and at most, where a settled case waits for it. */
const longestMs = 3_600_000
/** So long a settled case waits for a route on which its card still shows it as open, in ms. */
const settlingMs = 86_400_000
/** When nothing is tried again. */
const never = Number.MAX_SAFE_INTEGER

/** What was done so far on a route, so that a failure half-way forgets nothing. */
export interface Work {
  /** The case's own card there. */
  place: Place | null
  face: string | null
  revision: number
  told: number
  reposts: number
  /** The run of Redis in which it was looked up what hangs there. */
  lookedIn?: string
  /** True while nobody knows what an earlier presenter left there: until Slack has said it. */
  unsure: boolean
}

/** The chat of one presenter: each call of it is made under a lease that outlasts the call. */
export interface LeasedChat extends Chat {
  /** The route that the lease is for. */
  readonly leasedFor: string
}

/** What a presenter does on a route under its lease. `before` is the card as it was when the lease was taken. */
export type ShowUnderLease = (chat: LeasedChat, leased: Case, before: Card, work: Work) => Promise<AgainInMs>

/** How a presenter left a route: the case as it is then, and when it wants to be presented again. */
export interface LeftRoute {
  readonly again: AgainInMs
  readonly current: Case
}

/** Takes the lease of a route, works on it, and remembers what was done; also when it fails half-way. */
export async function underLease(
  ports: LeasePorts,
  current: Case,
  route: string,
  show: ShowUnderLease,
): Promise<LeftRoute> {
  const shared = await ports.store.sharedClock()
  const lease = { by: ports.newId(), until: shared() + leaseMs }
  let before: Card | undefined
  const leased = await advanceCase(ports, current, (now) => {
    before = cardOn(now, route)
    const held = before?.claim ?? null
    return held !== null && held.until > shared() ? null : leaseCard(now, route, lease)
  })
  if (before === undefined || cardOn(leased, route)?.claim?.by !== lease.by) return { again: leaseMs, current: leased }
  const work = startOf(before)
  try {
    const again = await show(leasedChat(ports, { leased, route, shared }), leased, before, work)
    return { again, current: await remember(ports, leased, route, work) }
  } catch (error) {
    return afterFailure(ports, { leased, route, work, shared, error })
  }
}

/** A case that hangs on a summary has no card of its own yet. */
function startOf(card: Card): Work {
  const { told, reposts } = card
  const own = card.summary ? { face: null, revision: 0 } : { face: card.face, revision: card.revision }
  return { place: ownPlace(card), ...own, told, reposts, unsure: card.claim !== null }
}

/**
 * What of the work is remembered: where no card of its own hangs, the case stays where it is. What became doubtful
 * meanwhile, because a click drew the card too, stays so.
 */
function doneOf(work: Work, leased: Case, now: Case, route: string): Partial<Omit<Work, "unsure">> {
  const { place, face, revision, told, reposts, lookedIn } = work
  const known = { told, reposts, ...(lookedIn === undefined ? {} : { lookedIn }) }
  if (place === null) return known
  const [before, after] = [cardOn(leased, route)?.face ?? null, cardOn(now, route)?.face ?? null]
  return { ...known, place, revision, face: before === after ? face : after }
}

/** A route under a lease, by the clock that replicas share: on one that is ahead it would be over at once. */
interface Leased {
  readonly leased: Case
  readonly route: string
  readonly shared: Clock
}

/** The chat of a presenter whose lease is renewed while it works. */
function leasedChat(ports: LeasePorts, { leased, route, shared }: Leased): LeasedChat {
  let { claim: lease } = cardOn(leased, route) ?? { claim: null }
  const held = async () => {
    const at = shared()
    if (lease === null || lease.until - leaseMs + renewMs > at) return
    const { by } = lease
    const renewed = { by, until: at + leaseMs }
    const after = await advanceCase(ports, leased, (now) =>
      cardOn(now, route)?.claim?.by === by ? leaseCard(now, route, renewed) : null,
    )
    lease = cardOn(after, route)?.claim ?? null
    if (lease?.by !== by) throw new FlowError("contention", leased.id)
  }
  const { chat } = ports
  return {
    ...chat,
    leasedFor: route,
    postCard: (model) => held().then(() => chat.postCard(model)),
    updateCard: (place, model) => held().then(() => chat.updateCard(place, model)),
    tell: (place, model, lines) => held().then(() => chat.tell(place, model, lines)),
    tellOnSummary: (place, model, lines) => held().then(() => chat.tellOnSummary(place, model, lines)),
  }
}

/** Remembers what was done. If the case moved on, the card lags again, and is presented again at once. */
function remember(ports: LeasePorts, current: Case, route: string, work: Work): Promise<Case> {
  return advanceCase(ports, current, (now) =>
    holds(now, current, route)
      ? rememberCard(now, route, { ...doneOf(work, current, now, route), trouble: null }, ports.clock())
      : null,
  )
}

/** True while the lease is the one that this presenter took. Who slept through theirs has nothing to say any more. */
function holds(now: Case, leased: Case, route: string): boolean {
  const own = cardOn(leased, route)?.claim ?? null
  return own !== null && cardOn(now, route)?.claim?.by === own.by
}

interface Failure extends Leased {
  readonly work: Work
  readonly error: unknown
}

/**
 * 429: Slack took nothing; the channel waits if it was a post, else the method does. Where nobody knows what hangs
 * there, because the failure may pass or what an earlier presenter left could not be looked up, the lease stays,
 * expired, and the next presenter looks first. Else the route is in trouble: the operator is told, the case stays
 * reachable.
 */
async function afterFailure(ports: LeasePorts, failure: Failure): Promise<LeftRoute> {
  const { leased, route, work, shared, error } = failure
  if (!isPortError(error)) throw error
  const limited = error.retryAfterMs ?? null
  ports.log.warn("present-failed", { caseId: leased.id, route, error })
  if (limited !== null) await holdBucket(ports, route, error, limited)
  if (limited !== null && !work.unsure) return { again: limited, current: await remember(ports, leased, route, work) }
  const current = await advanceCase(ports, leased, (now) =>
    holds(now, leased, route)
      ? keepLease(rememberCard(now, route, doneOf(work, leased, now, route), ports.clock()), now, route, shared())
      : null,
  )
  if (limited !== null) return { again: limited, current }
  if (error.retryable) throw error
  return inTrouble(ports, leased, route, error)
}

/** Slack limits posts by channel. Of what it refuses otherwise, the method is held where it was called. */
export async function holdBucket(
  ports: Pick<Ports, "pace">,
  route: string,
  error: PortError,
  ms: number,
): Promise<void> {
  const bucket = bucketOf(route)
  if (isPost(error) && bucket !== null) await ports.pace.hold(bucket, ms)
}

/** True if it was a post that failed. */
export function isPost({ method }: PortError): boolean {
  return method === undefined || method === "chat.postMessage"
}

/** What was remembered, with the lease that was held before: expired, at a moment of the shared clock. */
function keepLease({ next, events }: Step, now: Case, route: string, at: number): Step {
  const lease = cardOn(now, route)?.claim ?? null
  const kept = { ...next, cards: next.cards.map((card) => (card.route === route ? { ...card, claim: lease } : card)) }
  return { next: abandonLease(kept, route, at).next, events }
}

async function inTrouble(ports: LeasePorts, leased: Case, route: string, error: PortError): Promise<LeftRoute> {
  const why = error.message
  const known = cardOn(leased, route)?.trouble?.why === why
  if (!known) ports.alarm({ code: "route-in-trouble", caseId: leased.id, route, why })
  const at = ports.clock()
  const after = await advanceCase(ports, leased, (now) =>
    holds(now, leased, route) ? troubled(now, route, error, { why, retryAt: retryAt(now, error, at) }) : null,
  )
  return { again: againOn(after, route, at), current: after }
}

/** Where another company reads along the card was covered, whatever was to be done there. */
function troubled(now: Case, route: string, error: PortError, trouble: Card["trouble"]): Step {
  const step = troubleOn(now, route, trouble)
  const covered = error.code === "shared-channel" && ownPlace(cardOn(now, route)) !== null
  return covered ? doubtCard(step.next, route) : step
}

/** A settled case is tried less and less often, and not where somebody deleted its card. */
function retryAt({ outcome, state }: Case, { code }: PortError, at: number): number {
  if (state !== "settled" || outcome === null) return at + troubleMs
  return code === "card-deleted" ? never : at + Math.min(longestMs, Math.max(troubleMs, (at - outcome.at) / 2))
}

/** When a route in trouble is tried again. A settled case waits a day at most, and not where no card hangs. */
export function againOn(current: Case, route: string, at: number): AgainInMs {
  const card = cardOn(current, route)
  const trouble = card?.trouble ?? null
  if (trouble === null) return null
  const wait = Math.max(0, trouble.retryAt - at)
  if (current.state !== "settled") return wait
  const endedAt = current.outcome?.at ?? at
  const waits = ownPlace(card) !== null && trouble.retryAt !== never && at - endedAt < settlingMs
  return waits ? wait : null
}
