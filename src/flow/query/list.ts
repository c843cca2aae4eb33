// Lists: what waits and what was settled, as one person asked for it and may see it (R8), page by page.
import { cardModelOf } from "../../domain/case/card-model.ts"
import type { Case } from "../../domain/case/case.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { isLike } from "../../domain/text/glob.ts"
import { freshMs, judgePerson } from "../people/eligibility.ts"
import { maySee } from "../people/visibility.ts"
import type { Filter, ListAsk, Listing, PastFilter } from "../ports/inbound.ts"
import type { CaseStore, Ports } from "../ports.ts"
import type { QueryPorts } from "./case-view.ts"

/** True if an open case is one of those asked for. */
export function isAskedFor(current: Case, filter: Filter, now: number): boolean {
  const { summary, approval, instance, openedAt } = current
  const age = now - (summary.createdAt ?? openedAt)
  return [
    isLike(filter.agent, [summary.agent, approval?.agentId, approval?.teamId]),
    isLike(filter.tool, [summary.tool, approval?.toolName]),
    isLike(filter.instance, [instance]),
    isLike(
      filter.rule,
      current.revision.quotas.map((quota) => quota.name),
    ),
    filter.olderMs === undefined || age >= filter.olderMs,
    filter.overdue !== true || isOverdue(current, now),
  ].every(Boolean)
}

/** True if a deadline of ours was due, or the platform says that time is up, which decides nothing. */
function isOverdue({ time, approval }: Case, now: number): boolean {
  const said = approval?.expiresAt ?? null
  return time.deadlines.some(({ at }) => at <= now) || (said !== null && said <= now)
}

/** True if a settled case is one of those asked for. */
export function isPastAskedFor(current: Case, filter: PastFilter, now: number): boolean {
  const { person, withinMs } = filter
  const votes = current.decision?.votes ?? []
  const byPerson = votes.some((vote) => vote.person.user === person || isLike(person, [vote.name]))
  const recent = withinMs === undefined || now - (current.outcome?.at ?? 0) <= withinMs
  return (person === undefined || byPerson) && recent && isAskedFor(current, filter, now)
}

/** Cases that are read at a time. The first read is always counted to its end. */
const readAtOnce = 500

/** What of a list is asked for, and what of that this person is shown. */
interface Sieve {
  readonly asked: (one: Case) => boolean
  readonly shown: (one: Case) => Promise<boolean>
}

/** Reads on until the page and one case more are found, or the list is at its end: then the total is exact. */
export async function paginate(
  read: CaseStore["listOpen"],
  page: { readonly offset: number; readonly limit: number },
  sieve: Sieve,
): Promise<Listing> {
  // By id: a list that grows while it is read shows some of it twice.
  const found = new Map<string, Case>()
  const end = page.offset + page.limit
  for (let offset = 0; ; offset += readAtOnce) {
    const { cases, total } = await read({ offset, limit: readAtOnce })
    for (const one of await keep(cases.filter(sieve.asked), sieve.shown)) found.set(one.id, one)
    const more = offset + readAtOnce < total
    if (!more || found.size > end) return listingOf([...found.values()], page, more)
  }
}

async function keep(cases: readonly Case[], shown: Sieve["shown"]): Promise<readonly Case[]> {
  const kept = await Promise.all(cases.map(shown))
  return cases.filter((_, index) => kept[index] === true)
}

function listingOf(
  cases: readonly Case[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  more: boolean,
): Listing {
  const models = cases.slice(offset, offset + limit).map((one) => cardModelOf(one, one.cards[0]?.route ?? ""))
  return { faces: models, total: cases.length, more }
}

/** What waits, newest first. `mine`: only what this person may still vote on. */
export async function list(ports: QueryPorts & Pick<Ports, "clock">, id: SlackId, ask: ListAsk): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const now = ports.clock()
  return paginate((query) => ports.store.listOpen({ ...query, beginning: ask.filter.beginning }), ask, {
    asked: (one) => isAskedFor(one, ask.filter, now),
    shown: async (one) => (await maySee(ports, one, person)) && (!ask.mine || (await waitsFor(ports, one, person))),
  })
}

/** What was settled, latest first. */
export async function history(
  ports: QueryPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: { readonly filter: PastFilter; readonly offset: number; readonly limit: number },
): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const now = ports.clock()
  return paginate((query) => ports.store.listSettled(query), ask, {
    asked: (one) => isPastAskedFor(one, ask.filter, now),
    shown: (one) => maySee(ports, one, person),
  })
}

/** True if a case is open, not voted on by this person, and they may approve or reject it. */
export async function waitsFor(ports: QueryPorts, current: Case, person: Person): Promise<boolean> {
  if (current.state !== "open" || isOver(current.time, ports.clock()) || ownVote(current, person) !== undefined)
    return false
  return (await judgePerson(ports, current, person, "reject")).ok
}

export function ownVote(current: Case, id: SlackId) {
  return current.state === "open" && current.time.expired === null
    ? current.votes.find((one) => personKey(one.person) === personKey(id))
    : undefined
}
