// Lists: cases that wait and settled cases, as one person asked for them and may see them (R8), page by page.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case } from "../../domain/case/case.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { type KeepPorts, onHold } from "../case/holds.ts"
import { freshMs, judgePerson } from "../people/eligibility.ts"
import { isVoter, maySee } from "../people/visibility.ts"
import type { Filter, HistoryAsk, ListAsk, Listing, PageAsk } from "../ports/inbound.ts"
import type { CaseStore, Ports } from "../ports.ts"
import type { QueryPorts } from "./case-view.ts"
import { isAskedFor, isPastAskedFor } from "./filter.ts"
import { askedAt, mostUrgentFirst } from "./order.ts"

/** How many cases we read at a time. We do not count a longer list exactly, but say that there are more. */
const readAtOnce = 100
/** How many cases one answer looks through. The answer says where the next look begins. */
const maxLooked = 2_000
/** For how long one answer looks, in ms. */
const maxLookMs = 1_000

/** Which cases somebody asked for, and which of those this person may see. */
interface Sieve {
  readonly asked: (one: Case) => boolean
  readonly shown: (one: Case) => Promise<boolean>
  /** True for a case after which no case can match. Then the list counts as ended. */
  readonly last?: (one: Case) => boolean
  /** Puts all that we found in order. If set, no full page ends the look: the first of the order may come last. */
  readonly inOrder?: (found: readonly Case[]) => readonly Case[]
}

/**
 * Reads until it has the page and one more case, has looked for long enough, or is at the end of the list. If there is
 * an order, it does not stop at a page. The total is exact only at the end.
 */
export async function paginate(
  ports: { readonly read: CaseStore["listOpen"] } & KeepPorts & Pick<Ports, "clock">,
  page: PageAsk,
  sieve: Sieve,
): Promise<Listing> {
  const { read, clock } = ports
  // By id, because a list that grows while we read it shows some cases twice.
  const found = new Map<string, Case>()
  const { offset: begin, limit, after = 0 } = page
  const begun = clock()
  for (let offset = after; ; offset += readAtOnce) {
    const { cases, total } = await read({ offset, limit: readAtOnce })
    for (const one of await keep(cases.filter(sieve.asked), sieve.shown)) found.set(one.id, one)
    const next = offset + readAtOnce
    const end = cases.at(-1)
    const more = next < total && !(end !== undefined && sieve.last?.(end) === true)
    const listing = () =>
      listingOf(ports, sieve.inOrder?.([...found.values()]) ?? [...found.values()], { ...page, more })
    if (!more || (sieve.inOrder === undefined && found.size > begin + limit)) return listing()
    const enough = next - after >= maxLooked || clock() - begun >= maxLookMs
    if (enough && end !== undefined) return { ...listing(), next: { after: next, back: pastOf(end) } }
  }
}

async function keep(cases: readonly Case[], shown: Sieve["shown"]): Promise<readonly Case[]> {
  const kept = await Promise.all(cases.map(shown))
  return cases.filter((_, index) => kept[index] === true)
}

function pastOf(one: Case): number {
  return one.outcome?.at ?? askedAt(one)
}

function listingOf(
  ports: KeepPorts,
  cases: readonly Case[],
  { offset, limit, more }: PageAsk & { readonly more: boolean },
): Listing {
  const models = cases
    .slice(offset, offset + limit)
    .map((one) => ({ ...cardModelOf(one, one.cards[0]?.route ?? ""), ...onHold(ports, one) }))
  return { models, total: cases.length, more }
}

/** Which cases this person may see, as far as one answer has judged it. */
export type Sight = Map<string, Promise<boolean>>

/**
 * The cases that wait, the most urgent first. `mine`: only those that this person may still vote on. `sight`: what
 * other lists of the same answer have judged.
 */
export async function list(
  ports: QueryPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: ListAsk,
  sight: Sight = new Map(),
): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const concerns = await concernOf(ports, ask.filter)
  const now = ports.clock()
  const read: CaseStore["listOpen"] = (query) => ports.store.listOpen({ ...query, beginning: ask.filter.beginning })
  const sees = (one: Case): Promise<boolean> => {
    const judged = sight.get(one.id) ?? maySee(ports, one, person)
    sight.set(one.id, judged)
    return judged
  }
  return paginate({ ...ports, read }, ask, {
    asked: (one) => isAskedFor(one, ask.filter, now) && concerns(one),
    shown: async (one) => (await sees(one)) && (!ask.mine || (await waitsFor(ports, one, person))),
    inOrder: (found) => mostUrgentFirst(found, now),
  })
}

/** The settled cases, latest first. */
export async function history(
  ports: QueryPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: HistoryAsk,
): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const concerns = await concernOf(ports, ask.filter)
  const now = ports.clock()
  const read: CaseStore["listSettled"] = (query) => ports.store.listSettled(query)
  return paginate({ ...ports, read }, ask, {
    asked: (one) => isPastAskedFor(one, ask.filter, now) && concerns(one),
    shown: (one) => maySee(ports, one, person),
    last: (one) => (one.outcome?.at ?? now) < (ask.filter.since ?? 0),
  })
}

/**
 * Makes a function that says whether the person that a filter names asked for a case, or voted on it. It uses what we
 * know of that one person. To ask Slack about each requester would take a call for each case of a long list.
 */
async function concernOf(ports: QueryPorts, { requestedBy, concerning }: Filter): Promise<(one: Case) => boolean> {
  const [requester, concerned] = await Promise.all(
    [requestedBy, concerning].map(async (id) => (id === undefined ? null : ports.people.look(id, freshMs))),
  )
  const { identities } = ports.policy
  const isAsker = ({ summary }: Case, voter: Person): boolean =>
    matchRequester({ userId: summary.requester, voter, identities, known: null }) === "same"
  return (one) =>
    (requester == null || isAsker(one, requester)) &&
    (concerned == null || isVoter(one, concerned) || isAsker(one, concerned))
}

/** True if a case is open, this person has not voted on it, and they may vote. */
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
