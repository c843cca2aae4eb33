// What a presenter did on several routes, remembered in as few commits as can be, whatever was ordered meanwhile.
import { rememberCard } from "../../domain/case/card-steps.ts"
import { type Case, cardOn } from "../../domain/case/case.ts"
import { joined, type StepOn } from "../../domain/case/steps.ts"
import { advanceCase, underAnyConfig } from "../case/commit.ts"
import { type Clock, FlowError, type Ports } from "../ports.ts"
import type { Leases, Work } from "./lease.ts"

/** What we did on one route waits at most this long for the other routes, in ms, so that all becomes one commit. */
const gatherMs = 20

/** What we did on one route. */
interface Done {
  readonly route: string
  readonly work: Work
}

/** Remembers what we did on several routes: in one commit if their work ends at nearly the same time. */
export interface Gathered {
  /** Resolves when the work on this route is remembered. */
  add(route: string, work: Work): Promise<void>
  /** Says that this route has nothing to remember, so the other routes need not wait for it. */
  left(route: string): void
  /** Says that somebody committed the case. */
  saw(current: Case): void
  newest(): Case
}

/** Begins to gather what is done on these routes. The step `last` goes into the commits. */
export function createGathered(
  ports: Pick<Ports, "store" | "underAny" | "clock" | "later">,
  leases: Leases,
  routes: readonly string[],
  last: StepOn | undefined,
): Gathered {
  const missing = new Set(routes)
  let newest = leases.leased
  let batch: Done[] = []
  let committing: Promise<void> | null = null
  let go: () => void = () => undefined
  const saw = (current: Case) => {
    if (current.version > newest.version) newest = current
  }
  const commit = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = ports.later(gatherMs, resolve)
    go = resolve
    if (missing.size === 0) resolve()
    await promise.finally(cancel)
    const works = batch
    batch = []
    committing = null
    saw(await remember(ports, leases, { works, last, start: newest, at: ports.clock }))
  }
  const left = (route: string) => {
    missing.delete(route)
    if (missing.size === 0) go()
  }
  return {
    add: (route, work) => {
      batch.push({ route, work })
      left(route)
      committing ??= commit()
      return committing
    },
    left,
    saw,
    newest: () => newest,
  }
}

interface Remembering {
  readonly works: readonly Done[]
  readonly last: StepOn | undefined
  readonly start: Case
  readonly at: Clock
}

/** Remembers what we did, whatever was ordered meanwhile. If the case changed, we present it again at once. */
async function remember(ports: Pick<Ports, "store" | "underAny">, leases: Leases, all: Remembering): Promise<Case> {
  try {
    return await commitNoted(ports, leases, all)
  } catch (error) {
    if (!(error instanceof FlowError) || error.code !== "other-config") throw error
    // The last step may rest on what was ordered; what hangs in Slack does not.
    return commitNoted(underAnyConfig(ports), leases, { ...all, last: undefined })
  }
}

function commitNoted(
  ports: Pick<Ports, "store">,
  { by, leased }: Leases,
  { works, last, start, at }: Remembering,
): Promise<Case> {
  return advanceCase(ports, start, (now) => {
    const ours = works.filter(({ route }) => holdsLease(now, { by }, route))
    if (ours.length === 0) return null
    const known = ours.map(({ route, work }): StepOn => {
      const done = { ...doneOf(work, leased, now, route), trouble: null }
      return (next) => rememberCard(next, route, done, at())
    })
    return joined(now, [...known, last])
  })
}

/**
 * True while the lease is the one that this presenter took. A presenter that slept through its lease may write no more.
 */
export function holdsLease(now: Case, { by }: Pick<Leases, "by">, route: string): boolean {
  return cardOn(now, route)?.lease?.by === by
}

/**
 * What we remember of the work. If the case has no card of its own there, we leave its place as it is. If a click also
 * drew the card meanwhile, the card stays in doubt.
 */
export function doneOf(work: Work, leased: Case, now: Case, route: string): Partial<Omit<Work, "unsure">> {
  const { place, modelHash, revision, told, reposts, lookedIn } = work
  const known = { told, reposts, ...(lookedIn === undefined ? {} : { lookedIn }) }
  if (place === null) return known
  const [before, after] = [cardOn(leased, route)?.modelHash ?? null, cardOn(now, route)?.modelHash ?? null]
  return { ...known, place, revision, modelHash: before === after ? modelHash : after }
}
