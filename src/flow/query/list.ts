// Lists: what waits and what was settled, as one person asked for it and may see it (R8), page by page.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case } from "../../domain/case/case.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { freshMs, judgePerson, requesterMatch } from "../people/eligibility.ts"
import { isVoter, maySee } from "../people/visibility.ts"
import type { Filter, HistoryAsk, ListAsk, Listing, PageAsk } from "../ports/inbound.ts"
import type { CaseStore, Ports } from "../ports.ts"
import type { QueryPorts } from "./case-view.ts"
import { askedAt, isAskedFor, isPastAskedFor } from "./filter.ts"

/** Cases that are read at a time. Up to this many are counted exactly; beyond, the list says that there are more. */
const readAtOnce = 100
/** Cases that one answer looks through; it says where the next one goes on. */
const maxLooked = 2_000
/** No answer looks for longer than this, in ms. */
const maxLookMs = 1_000

/** What part of a list is asked for, and which of it this person may see. */
interface Sieve {
  readonly asked: (one: Case) => boolean
  readonly shown: (one: Case) => Promise<boolean>
  /** True for a case after which none can match: the list then counts as ended. */
  readonly last?: (one: Case) => boolean
}

/**
 * Reads on until it has the page and one case more, has looked for long enough, or is at the end of the list: then the
 * total is exact.
 */
export async function paginate(
  { read, clock }: { readonly read: CaseStore["listOpen"] } & Pick<Ports, "clock">,
  page: PageAsk,
  sieve: Sieve,
): Promise<Listing> {
  // By id, since a list that grows while we read it shows some cases twice.
  const found = new Map<string, Case>()
  const { offset: begin, limit, after = 0 } = page
  const begun = clock()
  for (let offset = after; ; offset += readAtOnce) {
    const { cases, total } = await read({ offset, limit: readAtOnce })
    for (const one of await keep(cases.filter(sieve.asked), sieve.shown)) found.set(one.id, one)
    const next = offset + readAtOnce
    const end = cases.at(-1)
    const more = next < total && !(end !== undefined && sieve.last?.(end) === true)
    if (!more || found.size > begin + limit) return listingOf([...found.values()], page, more)
    const enough = next - after >= maxLooked || clock() - begun >= maxLookMs
    if (enough && end !== undefined)
      return { ...listingOf([...found.values()], page, more), next: { after: next, back: pastOf(end) } }
  }
}

async function keep(cases: readonly Case[], shown: Sieve["shown"]): Promise<readonly Case[]> {
  const kept = await Promise.all(cases.map(shown))
  return cases.filter((_, index) => kept[index] === true)
}

function pastOf(one: Case): number {
  return one.outcome?.at ?? askedAt(one)
}

function listingOf(cases: readonly Case[], { offset, limit }: PageAsk, more: boolean): Listing {
  const models = cases.slice(offset, offset + limit).map((one) => cardModelOf(one, one.cards[0]?.route ?? ""))
  return { models: models, total: cases.length, more }
}

/** What waits, newest first. `mine`: only what this person may still vote on. */
export async function list(ports: QueryPorts & Pick<Ports, "clock">, id: SlackId, ask: ListAsk): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const concerns = await concernOf(ports, ask.filter)
  const now = ports.clock()
  const read: CaseStore["listOpen"] = (query) => ports.store.listOpen({ ...query, beginning: ask.filter.beginning })
  return paginate({ read, clock: ports.clock }, ask, {
    asked: (one) => isAskedFor(one, ask.filter, now) && concerns(one),
    shown: async (one) => (await maySee(ports, one, person)) && (!ask.mine || (await waitsFor(ports, one, person))),
  })
}

/** What was settled, latest first. */
export async function history(
  ports: QueryPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: HistoryAsk,
): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const concerns = await concernOf(ports, ask.filter)
  const now = ports.clock()
  const read: CaseStore["listSettled"] = (query) => ports.store.listSettled(query)
  return paginate({ read, clock: ports.clock }, ask, {
    asked: (one) => isPastAskedFor(one, ask.filter, now) && concerns(one),
    shown: (one) => maySee(ports, one, person),
    last: (one) => (one.outcome?.at ?? now) < (ask.filter.since ?? 0),
  })
}

/**
 * Whether the person whom a filter names asked for a case, or voted on it. Decided by what we know of that person
 * alone: asking Slack whom each requester means would be a call for each case of a long list.
 */
async function concernOf(ports: QueryPorts, { requestedBy, concerning }: Filter): Promise<(one: Case) => boolean> {
  const [requester, concerned] = await Promise.all(
    [requestedBy, concerning].map(async (id) => (id === undefined ? null : ports.people.look(id, freshMs))),
  )
  const { identities } = ports.policy
  const isAsker = ({ summary }: Case, voter: Person): boolean =>
    requesterMatch({ userId: summary.requester, voter, identities, known: null }) === "same"
  return (one) =>
    (requester == null || isAsker(one, requester)) &&
    (concerned == null || isVoter(one, concerned) || isAsker(one, concerned))
}

/** True if a case is open, not voted on by this person, and they may approve or reject it. */
export async function waitsFor(ports: QueryPorts, current: Case, person: Person): Promise<boolean> {
  if (current.state !== "open" || isOver(current.time, ports.clock()) || ownVote(current, person) !== undefined)
    return false
  return (await judgePerson(ports, current, person, { verb: "reject" })).ok
}

export function ownVote(current: Case, id: SlackId) {
  return current.state === "open" && current.time.expired === null
    ? current.votes.find((one) => personKey(one.person) === personKey(id))
    : undefined
}
