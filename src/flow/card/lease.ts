// Leases: before somebody posts on routes, the case notes who. So a crash leaves a trace, and nobody else works there.
import { leaseCard, rememberCard } from "../../domain/case/card-steps.ts"
import { type Card, type Case, cardOn, ownPlace, type Place } from "../../domain/case/case.ts"
import { joined, type StepOn } from "../../domain/case/steps.ts"
import { advanceCase, underAnyConfig } from "../case/commit.ts"
import { type Chat, type Clock, FlowError, type Ports } from "../ports.ts"
import { createGathered, doneOf, type Gathered, holdsLease } from "./gathered.ts"
import { type AgainInMs, afterFailure, type Failed } from "./trouble.ts"

/** The ports for the work on a route. */
export type LeasePorts = Pick<
  Ports,
  "store" | "underAny" | "chat" | "pace" | "clock" | "alarm" | "log" | "newId" | "later"
>

/** How long a presenter's lease on a route holds, in ms: longer than any one call to Slack may take. */
export const leaseMs = 15_000
/** We renew a lease before the next call if we took or renewed it longer ago than this, in ms. */
const renewMs = 2_000

/** What we did so far on a route, kept so that a failure half-way loses none of it. */
export interface Work {
  /** The case's own card on the route. */
  place: Place | null
  modelHash: string | null
  revision: number
  told: number
  reposts: number
  /** The epoch of Redis in which we asked Slack which messages of the case the route has. */
  lookedIn?: string
  /** True while nobody knows what an earlier presenter left on the route; false after Slack has said it. */
  unsure: boolean
}

/** The chat of one presenter. Each of its calls runs under a lease that outlasts the call. */
export interface LeasedChat extends Chat {
  /** The route that the lease is for. */
  readonly leasedFor: string
}

/** What a presenter does on a route under its lease. `before` is the card as it was before the lease. */
export type ShowUnderLease = (chat: LeasedChat, leased: Case, before: Card, work: Work) => Promise<AgainInMs>

/** The work on one route. */
export interface RouteWork {
  readonly route: string
  readonly show: ShowUnderLease
}

/** Steps that go into the same commits: `first` with the leases, `last` with what we remember. */
export interface Along {
  readonly first?: StepOn | undefined
  readonly last?: StepOn | undefined
}

/** What became of the routes: the case after the work, and in how many ms each wants to be presented again. */
export interface LeftRoutes {
  readonly current: Case
  readonly waits: ReadonlyMap<string, number>
}

/** Leases that we took: in whose name, the case before them, and the case with them. */
export interface Leases {
  readonly by: string
  readonly before: Case
  readonly leased: Case
  /** The clock that replicas share. A replica whose own clock is ahead would see a lease end at once. */
  readonly shared: Clock
}

/** Leases the routes in one commit, works on all at once, and remembers what it did, even on a route that fails. */
export async function underLeases(
  ports: LeasePorts,
  current: Case,
  works: readonly RouteWork[],
  along: Along = {},
): Promise<LeftRoutes> {
  const leases = await takeLeases(ports, current, works, along)
  return workUnder(ports, leases, works, along.last)
}

async function takeLeases(
  ports: LeasePorts,
  current: Case,
  works: readonly RouteWork[],
  { first, last }: Along,
): Promise<Leases> {
  const shared = await ports.store.sharedClock()
  const lease = { by: ports.newId(), until: shared() + leaseMs }
  let before = current
  const leased = await advanceCase(ports, current, (now) => {
    const noted = first?.(now) ?? null
    before = noted?.next ?? now
    const free = works.filter(({ route }) => isFree(before, route, shared()))
    const leaseAll = free.map(
      ({ route }) =>
        (next: Case) =>
          leaseCard(next, route, lease),
    )
    return joined(now, [() => noted, ...(free.length === 0 ? [last] : leaseAll)])
  })
  return { by: lease.by, before, leased, shared }
}

function isFree(now: Case, route: string, at: number): boolean {
  const card = cardOn(now, route)
  return card !== undefined && (card.lease === null || card.lease.until <= at)
}

/** Works on routes that are leased already. When all have ended, throws what one of them failed with. */
export async function workUnder(
  ports: LeasePorts,
  leases: Leases,
  works: readonly RouteWork[],
  last?: StepOn,
): Promise<LeftRoutes> {
  const { leased, before } = leases
  const held = works.filter(({ route }) => holdsLease(leased, leases, route))
  const waits = new Map(works.filter((work) => !held.includes(work)).map(({ route }) => [route, leaseMs]))
  const done = createGathered(
    ports,
    leases,
    held.map(({ route }) => route),
    last,
  )
  const ended = await Promise.allSettled(
    held.map(async ({ route, show }) => {
      const card = cardOn(before, route)
      if (card === undefined) return
      const again = await onRoute(ports, { ...leases, route, done }, card, show)
      if (again !== null) waits.set(route, again)
    }),
  )
  const failed = ended.find((end) => end.status === "rejected")
  if (failed !== undefined) throw failed.reason
  return { current: done.newest(), waits }
}

/** One of the routes, under its lease. */
interface Route extends Leases {
  readonly route: string
  readonly done: Gathered
}

async function onRoute(ports: LeasePorts, on: Route, before: Card, show: ShowUnderLease): Promise<AgainInMs> {
  const work = startOf(before)
  try {
    const again = await show(leasedChat(ports, on), on.leased, before, work)
    await on.done.add(on.route, work)
    return again
  } catch (error) {
    on.done.left(on.route)
    return afterFailure(ports, failedOn(ports, on, work), error)
  }
}

function failedOn(ports: LeasePorts, on: Route, work: Work): Failed {
  const { leased, route, shared, done } = on
  return {
    leased,
    route,
    shared,
    unsure: work.unsure,
    made: (now) => rememberCard(now, route, doneOf(work, leased, now, route), ports.clock()),
    commit: async (step) => {
      const after = await advanceCase(underAnyConfig(ports), done.newest(), (now) =>
        holdsLease(now, on, route) ? step(now) : null,
      )
      done.saw(after)
      return after
    },
  }
}

/** The work at its start. A case that only a summary names has no card of its own yet. */
function startOf(card: Card): Work {
  const { told, reposts } = card
  const own = card.summary ? { modelHash: null, revision: 0 } : { modelHash: card.modelHash, revision: card.revision }
  return { place: ownPlace(card), ...own, told, reposts, unsure: card.lease !== null }
}

/** The chat of a presenter, which renews the lease while the presenter works. */
function leasedChat(ports: LeasePorts, { leased, route, shared }: Route): LeasedChat {
  let { lease } = cardOn(leased, route) ?? { lease: null }
  const held = async () => {
    const at = shared()
    if (lease === null || lease.until - leaseMs + renewMs > at) return
    const { by } = lease
    const renewed = { by, until: at + leaseMs }
    const after = await advanceCase(ports, leased, (now) =>
      cardOn(now, route)?.lease?.by === by ? leaseCard(now, route, renewed) : null,
    )
    lease = cardOn(after, route)?.lease ?? null
    if (lease?.by !== by) throw new FlowError("contention", leased.id)
  }
  const { chat } = ports
  return {
    ...chat,
    leasedFor: route,
    postCard: (model) => held().then(() => chat.postCard(model)),
    updateCard: (place, model) => held().then(() => chat.updateCard(place, model)),
    tell: (place, model, lines) => held().then(() => chat.tell(place, model, lines)),
    tellThread: (place, model, lines) => held().then(() => chat.tellThread(place, model, lines)),
    tellOnSummary: (place, model, lines) => held().then(() => chat.tellOnSummary(place, model, lines)),
  }
}
