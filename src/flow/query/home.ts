// Home: what waits for a person and what they decided lately, on the app's own tab. Kept up to date at Slack's pace.
import { type CardModel, cardModelHash } from "../../domain/case/card-model.ts"
import { hashOf } from "../../domain/content/canonical.ts"
import { personKey, type SlackId } from "../../domain/people/person.ts"
import { absencesWith, stopsSeenBy } from "../case/orders.ts"
import { freshMs } from "../people/eligibility.ts"
import { whoMayStandIn } from "../people/may-stand-in.ts"
import { type Home, type HomeAsk, homePageSize } from "../ports/inbound.ts"
import { type CaseStore, isPortError, isTokenRefused, type Ports } from "../ports.ts"
import { history, list, type Sight } from "./list.ts"

const requestsShown = 5
const decidedShown = 5
const foundShown = 5
/** We keep this many Homes up to date: those that people opened last. */
const maxKept = 50
/** One run publishes this many Homes: with a run every 5 s that stays below Slack's 100 a minute. */
const maxPublished = 8

/** The Home that we keep up to date. */
const plainHome: HomeAsk = { page: 1, search: null }

/**
 * Shows a Home as it is now, because somebody opened it, turned its page, or searched. From then on we keep it up to
 * date. When something new comes, it shows the first page again.
 */
export async function openHome(ports: Ports, id: SlackId, ask: HomeAsk = plainHome): Promise<void> {
  await ports.homes.opened(id, ports.clock())
  // The person waits for this Home, so it goes before those that we only keep up to date. It counts for the pace.
  await ports.pace.count("views.publish")
  const home = await homeOf(ports, id, ask)
  await ports.chat.publishHome(id.user, home)
  // A later page or a search does not tell whether the first page shows news.
  if (ask === plainHome) await ports.homes.shown(id, hashOfHome(home))
}

/** Publishes the Homes that are out of date. Does nothing if no case changed since the last run. */
export async function refreshHomes(ports: Ports): Promise<void> {
  if (!(await ports.homes.takeChanged())) return
  let published = 0
  for (const id of await ports.homes.list(maxKept)) {
    if (published === maxPublished) return ports.homes.changed()
    if (await refresh(ports, id)) published += 1
  }
}

async function refresh(ports: Ports, id: SlackId): Promise<boolean> {
  try {
    const home = await homeOf(ports, id, plainHome)
    const hash = hashOfHome(home)
    if ((await ports.homes.lastShown(id)) === hash) return false
    const asked = { buckets: ["views.publish"], key: `home ${id.user}`, rank: "card" } as const
    if ((await ports.pace.reserve(asked)) > 0) {
      await ports.homes.changed()
      return false
    }
    await ports.chat.publishHome(id.user, home)
    await ports.homes.shown(id, hash)
    return true
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("home-failed", { user: id.user, error })
    if (error.retryable || isTokenRefused(error)) await ports.homes.changed()
    return true
  }
}

async function homeOf(given: Ports, id: SlackId, { page, search }: HomeAsk): Promise<Home> {
  const ports = { ...given, store: { ...given.store, listOpen: readOnce((query) => given.store.listOpen(query)) } }
  const everything = { mine: false, filter: {}, offset: 0, limit: 0 }
  const sight: Sight = new Map()
  const [mine, all, requests, decided, found, person, mayBeAway] = await Promise.all([
    list(ports, id, { ...everything, mine: true, offset: (page - 1) * homePageSize, limit: homePageSize }, sight),
    list(ports, id, everything, sight),
    list(ports, id, { ...everything, filter: { requestedBy: id }, limit: requestsShown }, sight),
    history(ports, id, { filter: { concerning: id }, offset: 0, limit: decidedShown }),
    search === null ? null : searched(ports, id, search),
    ports.people.look(id, freshMs),
    mayGoAway(ports, id),
  ])
  // That page is gone, because people decided its cases meanwhile.
  if (page > 1 && mine.models.length === 0) return homeOf(ports, id, { page: 1, search })
  const stops = stopsSeenBy(ports, person)
  const absences = absencesWith(ports, id)
  const ordered = { ...(stops.length > 0 && { stops }), ...(absences.length > 0 && { absences }) }
  const beside = { ...ordered, ...(mayBeAway && { mayBeAway }) }
  return { mine, page, waiting: all.total, requests, decided, ...beside, found, at: ports.clock() }
}

/** True for somebody who is not away, and for whom a rule lets somebody stand in. Else undefined. */
async function mayGoAway(ports: Ports, id: SlackId): Promise<true | undefined> {
  if (absencesWith(ports, id).some(({ person }) => person === personKey(id))) return undefined
  return (await whoMayStandIn(ports, id)).length > 0 || undefined
}

async function searched(ports: Ports, id: SlackId, { asked, filter }: NonNullable<HomeAsk["search"]>) {
  const ask = { filter, offset: 0, limit: foundShown }
  const [waiting, decided] = await Promise.all([list(ports, id, { ...ask, mine: false }), history(ports, id, ask)])
  return { asked, waiting, decided }
}

/** Reads the waiting cases once for all parts of the Home that need them. */
function readOnce(read: CaseStore["listOpen"]): CaseStore["listOpen"] {
  const parts = new Map<string, ReturnType<CaseStore["listOpen"]>>()
  return (query) => {
    const name = JSON.stringify(query)
    const part = parts.get(name) ?? read(query)
    parts.set(name, part)
    return part
  }
}

function hashOfHome({ mine, waiting, requests, decided, stops, absences, mayBeAway }: Home): string {
  const hashes = (models: readonly CardModel[]) =>
    models.map((model) => [model.caseId, cardModelHash(model), model.troubles.map((one) => ({ ...one }))])
  const said = [stops, absences].flatMap((orders) => (orders === undefined ? [] : [orders.map(({ id }) => id)]))
  const own = mayBeAway === undefined ? [] : [mayBeAway]
  return hashOf([
    hashes(mine.models),
    mine.total,
    waiting,
    hashes(requests.models),
    hashes(decided.models),
    ...said,
    ...own,
  ])
}
